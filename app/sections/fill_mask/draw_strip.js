/** Every token with its uniform number; a chosen one with what became of it. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";

export class DrawStrip {
  constructor() {
    this.node = element("ol", { class: "strip" });
  }

  /** @param {object} data of the card */
  show(data) {
    const { tokens, uniforms, draws, corruptions, strings } = data;
    const chosen = new Map(draws.map((draw) => [draw.at, draw]));
    this.node.setAttribute("aria-label", strings.strip);
    this.node.replaceChildren(
      ...tokens.map((token, at) =>
        slot(token, at, uniforms[at], chosen.get(at), corruptions, strings),
      ),
    );
    // Who has no mouse scrolls with the keys.
    if (this.node.scrollHeight > this.node.clientHeight) this.node.tabIndex = 0;
    else this.node.removeAttribute("tabindex");
  }
}

/** What was there, what is read, the uniform number, the draw: four lines, whatever they hold. */
function slot({ piece, special }, at, uniform, draw, corruptions, strings) {
  const corruption = draw?.corruption ?? "";
  const changed = draw && corruption !== "kept";
  const before = element("span", { class: "before" });
  if (changed) before.append(element("del", {}, [element("bdi", {}, [piece])]));
  const kind = special ? "special" : corruption;
  const chip = element("bdi", { class: `chip piece ${kind}` }, [changed ? draw.seen : piece]);
  const words = special ? strings.special : fill(strings.uniform, { lot: uniform });
  const verdict = draw
    ? fill(strings.corruption, { draw: draw.draw, corruption: corruptions[corruption] })
    : "";
  return element("li", { class: "slot", "data-token": String(at), "data-corruption": corruption }, [
    before,
    chip,
    element("span", { class: "uniform" }, [words]),
    element("span", { class: "verdict" }, [verdict]),
  ]);
}
