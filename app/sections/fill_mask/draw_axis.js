/** The draws on a line from 0 to 1, cut where another corruption begins. */

import { element } from "../../js/lib/dom.js";

const LANES = 2;
const GAP_PIXELS = 6;

export class DrawAxis {
  /** @param {import("../../js/lib/life.js").Life} life */
  constructor(life) {
    this.tags = element("div", { class: "tags" });
    this.zones = element("div", { class: "zones" });
    this.borders = element("div", { class: "borders" });
    this.node = element("div", { class: "axis", role: "img" }, [
      this.tags,
      this.zones,
      this.borders,
    ]);
    this.tags.style.setProperty("--lanes", String(LANES));
    life.observe(this.tags, () => this.#arrange());
  }

  /** @param {object} data of the card */
  show({ tokens, draws, zones, borders, strings }) {
    this.node.setAttribute("aria-label", strings.axis);
    this.zones.replaceChildren(
      ...zones.map(({ corruption, from, to, label }) => {
        const zone = element("span", { class: `zone ${corruption}` }, [label]);
        zone.style.flexGrow = String(to - from);
        return zone;
      }),
    );
    this.borders.replaceChildren(
      ...borders.map(([place, label]) => at(place, element("span", {}, [label]))),
    );
    this.marks = draws.map(({ at: position, place, draw }) => {
      const token = tokens[position].piece;
      const tag = element("span", { class: "tag", title: `${token} ${draw}` }, [
        element("bdi", {}, [token]),
        ` ${draw}`,
      ]);
      return { place, tag, tick: at(place, element("span", { class: "tick" })) };
    });
    this.marks.sort((one, other) => one.place - other.place);
    this.tags.replaceChildren(...this.marks.flatMap(({ tick, tag }) => [tick, tag]));
    this.#arrange();
  }

  /** Names stand over their ticks, in the lowest lane with room; without room a tick has none. */
  #arrange() {
    const width = this.tags.clientWidth;
    if (!width) return;
    const ends = Array(LANES).fill(-Infinity);
    for (const { place, tag, tick } of this.marks ?? []) {
      tag.hidden = false;
      const length = tag.offsetWidth;
      const start = Math.min(Math.max(place * width - length / 2, 0), width - length);
      const lane = ends.findIndex((end) => end + GAP_PIXELS <= start);
      tag.hidden = lane < 0;
      tick.style.setProperty("--lane", String(Math.max(lane, 0)));
      if (lane < 0) continue;
      ends[lane] = start + length;
      tag.style.left = `${start}px`;
      tag.style.setProperty("--lane", String(lane));
    }
  }
}

function at(place, node) {
  node.style.left = `${100 * place}%`;
  return node;
}
