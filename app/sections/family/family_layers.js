/** Small maps of every layer of a model, with what is said about each. */

import { element } from "../../js/lib/dom.js";
import { fill, quoted } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { unpack } from "../../js/lib/wire.js";
import { Thumb } from "./thumb.js";

const PIXELS = 104;

class Layers {
  constructor(root) {
    this.root = root;
    this.groups = element("div", { class: "groups" });
    this.readout = element("p", { class: "readout" });
    root.replaceChildren(this.groups, this.readout);
  }

  show({ groups, strings }) {
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

export const mount = mounting(".family-layers", Layers, unpack);
