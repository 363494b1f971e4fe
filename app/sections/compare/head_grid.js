/** All heads of one side as small squares, layers down: how far each lies from the other side's. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { isReserved, moveHead } from "../../js/lib/keyboard.js";
import { createLookupTable, swatches } from "../../js/lib/palette.js";
import { readable } from "./numbers.js";

/** The squares. */
export class HeadGrid {
  /** @param {(place: {layer: number, head: number}) => void} onChoose */
  constructor(onChoose) {
    this.node = element("div", { class: "heads", role: "group" });
    this.size = "";
    const placeOf = ({ dataset }) => ({ layer: Number(dataset.layer), head: Number(dataset.head) });
    this.node.addEventListener("click", ({ target }) => {
      if (target.dataset.head !== undefined) onChoose(placeOf(target));
    });
    this.node.addEventListener("keydown", (event) => {
      if (event.target.dataset.head === undefined || isReserved(event)) return;
      const place = moveHead(event.key, placeOf(event.target), this.side);
      if (!place) return;
      event.preventDefault();
      onChoose(place);
      this.#square(place).focus();
    });
  }

  /**
   * @param {import("./sides.js").Side} side
   * @param {{layer: number, head: number}} chosen
   * @param {Float32Array | null} distances head by head; null where they are not known
   * @param {{label: string, strings: object, palette: string, dark: boolean}} look
   */
  show(side, chosen, distances, { label, strings, palette, dark }) {
    this.side = side;
    this.#build(side);
    this.node.setAttribute("aria-label", label);
    const colours = swatches(createLookupTable(palette, dark));
    const most = distances ? Math.max(...distances, Number.MIN_VALUE) : 1;
    [...this.node.children].forEach((square, number) => {
      const place = { layer: Math.floor(number / side.heads), head: number % side.heads };
      const isChosen = place.layer === chosen.layer && place.head === chosen.head;
      const apart = distances?.[number] ?? 0;
      const name = fill(strings.head, place);
      const said = distances ? fill(strings.headApart, { head: name, apart: readable(apart) }) : name;
      square.setAttribute("aria-label", said);
      square.title = said;
      square.setAttribute("aria-pressed", String(isChosen));
      square.tabIndex = isChosen ? 0 : -1;
      const level = Math.round((apart / most) * (colours.length - 1));
      square.style.background = colours[level];
    });
  }

  #build({ layers, heads }) {
    const size = `${layers} ${heads}`;
    if (this.size === size) return;
    this.size = size;
    this.node.style.setProperty("--heads", String(heads));
    const squares = Array.from({ length: layers * heads }, (_, number) =>
      element("button", {
        type: "button",
        "data-layer": String(Math.floor(number / heads)),
        "data-head": String(number % heads),
      }),
    );
    this.node.replaceChildren(...squares);
  }

  #square({ layer, head }) {
    return this.node.children[layer * this.side.heads + head];
  }
}
