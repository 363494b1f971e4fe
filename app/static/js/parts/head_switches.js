/** All heads as small maps, layers down and heads across; choosing one turns it off or on. */

import { element } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { isReserved, moveHead } from "../lib/keyboard.js";
import { createLookupTable } from "../lib/palette.js";
import { mounting } from "../lib/picture.js";
import { Shared } from "../lib/shared.js";
import { readTheme } from "../lib/theme.js";
import { partOf, unpack } from "../lib/wire.js";

const nameOf = (layer, head) => `${layer}-${head}`;

class Switches {
  constructor(root) {
    this.root = root;
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.allOn = element("button", { type: "button", class: "plain" });
    this.grid = element("div", { class: "grid", role: "group" });
    this.keys = element("p", { class: "keys" });
    this.off = new Shared(new Set());
    this.painted = "";
    const foot = element("div", { class: "foot" }, [this.keys, this.allOn]);
    root.replaceChildren(this.heading, this.hint, this.grid, foot);
    this.#listen();
  }

  show(data, send) {
    this.data = data;
    const [layers, heads] = data.maps.shape;
    this.size = { layers, heads };
    this.send = send;
    this.off.take(new Set(data.off), data.answered.off);
    const { strings } = data;
    this.heading.textContent = strings.title;
    this.hint.textContent = ` · ${strings.hint}`;
    this.allOn.textContent = strings.allOn;
    this.keys.textContent = strings.keys;
    this.grid.setAttribute("aria-label", strings.grid);
    this.grid.style.setProperty("--heads", String(heads));
    this.#build(layers, heads);
    this.#paint();
    this.#mark();
    this.grid.dataset.answered = String(data.answered.off);
  }

  #listen() {
    this.allOn.addEventListener("click", () => this.#turn([...this.off.value], false));
    this.grid.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.#toggle(button.dataset);
    });
    this.grid.addEventListener("focusin", ({ target }) => {
      if (target.dataset.head !== undefined) this.#makeReachable(target);
    });
    this.grid.addEventListener("keydown", (event) => {
      const { layer, head } = event.target.dataset;
      if (head === undefined || isReserved(event)) return;
      const place = moveHead(event.key, { layer: Number(layer), head: Number(head) }, this.size);
      if (!place) return;
      event.preventDefault();
      this.#switchOf(place.layer, place.head).focus();
    });
  }

  /** One head, or a whole layer: off unless all of it is off already. */
  #toggle({ layer, head }) {
    const heads = Array.from({ length: this.size.heads }, (_, at) => at);
    const chosen = (head === undefined ? heads : [head]).map((one) => nameOf(layer, one));
    this.#turn(chosen, !chosen.every((name) => this.off.value.has(name)));
  }

  #turn(names, off) {
    const value = new Set(this.off.value);
    for (const name of names) {
      if (off) value.add(name);
      else value.delete(name);
    }
    const heads = names.map((name) => name.split("-").map(Number));
    this.off.set(value, this.send("off", { heads, off }));
    this.#mark();
  }

  #build(layers, heads) {
    const size = `${layers} ${heads}`;
    if (this.grid.dataset.size === size) return;
    this.grid.dataset.size = size;
    this.painted = "";
    const { strings } = this.data;
    const cells = [element("span")];
    for (let head = 0; head < heads; head += 1) {
      cells.push(element("span", { class: "number" }, [String(head)]));
    }
    for (let layer = 0; layer < layers; layer += 1) {
      const attributes = { type: "button", class: "layer", "data-layer": String(layer) };
      const label = element("button", attributes, [String(layer)]);
      label.title = fill(strings.layer, { layer });
      label.setAttribute("aria-label", label.title);
      cells.push(label);
      for (let head = 0; head < heads; head += 1) cells.push(this.#newSwitch(layer, head));
    }
    this.grid.replaceChildren(...cells);
    this.#makeReachable(this.#switchOf(0, 0));
  }

  #newSwitch(layer, head) {
    const name = fill(this.data.strings.head, { layer, head });
    const attributes = { type: "button", class: "head-switch", role: "switch", "aria-label": name };
    const button = element("button", attributes, [element("canvas")]);
    Object.assign(button.dataset, { layer, head });
    button.title = name;
    return button;
  }

  #switchOf(layer, head) {
    return this.grid.querySelector(`[data-layer="${layer}"][data-head="${head}"]`);
  }

  #makeReachable(chosen) {
    for (const one of this.grid.querySelectorAll(".head-switch")) {
      one.tabIndex = one === chosen ? 0 : -1;
    }
  }

  #paint() {
    const { dark } = readTheme(this.root);
    const { identity, maps } = this.data;
    const wanted = `${identity} ${dark}`;
    if (wanted === this.painted) return;
    this.painted = wanted;
    const table = createLookupTable("indigo", dark);
    for (const button of this.grid.querySelectorAll(".head-switch")) {
      const { layer, head } = button.dataset;
      paint(button.firstChild, partOf(maps, Number(layer), Number(head)), table);
    }
  }

  #mark() {
    for (const button of this.grid.querySelectorAll(".head-switch")) {
      const off = this.off.value.has(nameOf(button.dataset.layer, button.dataset.head));
      button.setAttribute("aria-checked", String(!off));
    }
    this.allOn.disabled = this.off.value.size === 0;
  }
}

/** Draw the map of one head `[row, column]`, a pixel a cell; `table` has the colours of its bytes. */
function paint(canvas, levels, table) {
  const [rows, columns] = levels.shape;
  canvas.width = columns;
  canvas.height = rows;
  const pixels = new Uint32Array(rows * columns);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = table[levels[at]];
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows);
  canvas.getContext("2d").putImageData(image, 0, 0);
}

export const mount = mounting(".switches", Switches, unpack);
