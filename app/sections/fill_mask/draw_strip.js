/** Every token with its lot; a chosen one with what became of it. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";

export class DrawStrip {
  constructor() {
    this.node = element("ol", { class: "strip" });
  }

  /** @param {object} data of the card */
  show(data) {
    const { tokens, lots, draws, fates, strings } = data;
    const chosen = new Map(draws.map((draw) => [draw.at, draw]));
    this.node.setAttribute("aria-label", strings.strip);
    this.node.replaceChildren(
      ...tokens.map((token, at) => slot(token, at, lots[at], chosen.get(at), fates, strings)),
    );
    // Who has no mouse scrolls with the keys.
    if (this.node.scrollHeight > this.node.clientHeight) this.node.tabIndex = 0;
    else this.node.removeAttribute("tabindex");
  }
}

/** What was there, what the model reads, the lot, and the draw: four lines, whatever they hold. */
function slot({ piece, special }, at, lot, draw, fates, strings) {
  const fate = draw?.fate ?? "";
  const changed = draw && fate !== "kept";
  const before = element("span", { class: "before" });
  if (changed) before.append(element("del", {}, [element("bdi", {}, [piece])]));
  const kind = special ? "special" : fate;
  const chip = element("bdi", { class: `chip piece ${kind}` }, [changed ? draw.seen : piece]);
  const words = special ? strings.special : fill(strings.lot, { lot });
  const verdict = draw ? fill(strings.fate, { draw: draw.draw, fate: fates[fate] }) : "";
  return element("li", { class: "slot", "data-token": String(at), "data-fate": fate }, [
    before,
    chip,
    element("span", { class: "lot" }, [words]),
    element("span", { class: "verdict" }, [verdict]),
  ]);
}
