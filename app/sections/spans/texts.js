/** The finished texts, and what either side of the model reads or writes, in pieces. */

import { element } from "../../js/lib/dom.js";
import { colour } from "./parts.js";

/**
 * One finished text, with the colours of its blanks.
 *
 * @param {string[]} parts what stands around the blanks
 * @param {string[]} fillings
 * @param {boolean} dark
 * @returns {(Node | string)[]}
 */
export function finished(parts, fillings, dark) {
  return parts.flatMap((part, at) => {
    if (at === fillings.length) return [part];
    const filling = element("b", {}, [fillings[at]]);
    colour(filling, at, dark);
    return [part, filling];
  });
}

/** What the encoder reads. @returns {HTMLElement[]} */
export function sourcePieces(source, dark) {
  return source.map(({ piece, blank, special }) => {
    const chip = element("li", { class: special ? "chip special" : "chip" }, [
      element("bdi", {}, [piece]),
    ]);
    if (blank !== null) colour(chip, blank, dark);
    return chip;
  });
}

/** What the decoder writes, each piece a button. @returns {HTMLElement[]} */
export function writtenPieces(steps, blanks, dark) {
  return steps.map(({ piece, blank, mark }, at) => {
    const kind = mark ? "chip mark" : "chip";
    const button = element("button", { type: "button", class: kind, "data-step": String(at) }, [
      element("bdi", {}, [piece]),
    ]);
    if (blank < blanks) colour(button, blank, dark);
    return button;
  });
}
