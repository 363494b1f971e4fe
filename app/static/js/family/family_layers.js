/** Small maps of every layer of a model, with what is said about each. */

import { element } from "../lib/dom.js";
import { fill, quoted } from "../lib/format.js";
import { readTheme } from "../lib/theme.js";
import { unpack } from "../lib/wire.js";
import { Thumb } from "./thumb.js";

const PIXELS = 104;

const boards = new WeakMap();

class Layers {
  constructor(root) {
    this.root = root;
    this.groups = element("div", { class: "groups" });
    this.readout = element("p", { class: "readout" });
    root.replaceChildren(this.groups, this.readout);
    // A theme that changes sends no new data.
    new MutationObserver(() => this.#render()).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["style", "class"],
    });
  }

  show(message) {
    const { groups, strings } = unpack(message);
    this.strings = strings;
    this.drawn = [];
    this.groups.replaceChildren(
      ...groups.map(({ title, hint, maps, captions }) => {
        const { labels } = maps;
        const size = labels.length;
        const figures = maps.layers.map(([number, weights]) => {
          const thumb = new Thumb((cell) => this.#read(cell, labels, weights, title, number));
          this.drawn.push({ thumb, map: { weights, size, masked: null, rows: [] } });
          const lines = captions[number].map((line, at) =>
            element("span", at ? {} : { class: "name" }, [line]),
          );
          return element("figure", {}, [thumb.canvas, element("figcaption", {}, lines)]);
        });
        return element("div", { class: "group" }, [
          element("h3", {}, [title, element("span", { class: "hint" }, [` · ${hint}`])]),
          element("div", { class: "maps" }, figures),
        ]);
      }),
    );
    this.#render();
    this.root.dataset.drawn = "true";
  }

  #render() {
    if (!this.drawn) return;
    const theme = readTheme(this.root);
    for (const { thumb, map } of this.drawn) thumb.show(map, theme, PIXELS);
    this.readout.textContent = this.strings.rest;
  }

  #read(cell, labels, weights, model, number) {
    if (!cell) {
      this.readout.textContent = this.strings.rest;
      return;
    }
    const [query, key] = [cell.row, cell.column].map((at) => quoted(labels[at]));
    const weight = weights[cell.row * labels.length + cell.column].toFixed(3);
    const values = { model, layer: number + 1, query, key, weight };
    this.readout.textContent = fill(this.strings.cell, values);
  }
}

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".family-layers");
  if (!boards.has(root)) boards.set(root, new Layers(root));
  boards.get(root).show(data);
}
