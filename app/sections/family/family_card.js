/** One model's reading of the sentence: its tokens, its guesses, and where it looks. */

import { element } from "../../js/lib/dom.js";
import { fill, quoted } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { unpack } from "../../js/lib/wire.js";
import { depth } from "./depth.js";
import { Thumb } from "./thumb.js";


class Card {
  constructor(root, life) {
    this.root = root;
    this.mask = 0;
    this.chips = element("div", { class: "chips" });
    this.tabs = element("div", { class: "tabs", role: "group" });
    this.guesses = element("ol", { class: "guesses" });
    this.truth = element("p", { class: "truth" });
    this.thumb = new Thumb((cell) => this.#read(cell));
    this.map = element("button", { type: "button", class: "map" }, [this.thumb.canvas]);
    this.readout = element("p", { class: "readout" });
    this.facts = element("span", { class: "facts" });
    const left = element("div", { class: "left" }, [this.tabs, this.guesses]);
    const line = element("div", { class: "line" }, [this.truth, this.facts]);
    const both = element("div", { class: "both" }, [left, this.map]);
    root.replaceChildren(this.chips, both, line, this.readout);
    this.map.addEventListener("click", () => this.send("open", { layer: this.layer.number }));
    life.onEnd(depth.follow(() => this.#renderMap()));
    life.observe(root, () => this.#renderMap());
  }

  show(data, send) {
    this.send = send;
    this.data = data;
    this.strings = data.strings;
    this.layers = data.map.layers.map(([number, weights]) => ({ number, weights }));
    this.mask = Math.min(this.mask, data.hidden.length - 1);
    this.chips.setAttribute("aria-label", this.strings.tokens);
    this.chips.replaceChildren(...data.tokens.map(chipOf));
    this.facts.textContent = data.facts;
    this.#renderGuesses();
    this.#renderMap();
    this.root.dataset.drawn = "true";
  }

  #renderGuesses() {
    const { hidden } = this.data;
    const { guesses, truth } = hidden[this.mask];
    this.tabs.hidden = hidden.length < 2;
    this.tabs.replaceChildren(
      ...hidden.map(({ piece }, at) => {
        const pressed = String(at === this.mask);
        const tab = element("button", { type: "button", "aria-pressed": pressed }, [
          element("bdi", {}, [piece]),
        ]);
        tab.addEventListener("click", () => {
          this.mask = at;
          this.#renderGuesses();
          this.tabs.children[at].focus();
        });
        return tab;
      }),
    );
    const shown = this.tabs.hidden ? guesses : guesses.slice(0, -1);
    const longest = guesses[0].share;
    this.guesses.replaceChildren(
      ...shown.map(({ piece, share, said, same }) => {
        const length = `width: ${Math.max((100 * share) / longest, 1).toFixed(1)}%`;
        return element("li", same ? { class: "same" } : {}, [
          element("bdi", { class: "token", title: piece }, [piece]),
          element("span", { class: "bar", "aria-hidden": "true" }, [
            element("span", { class: "fill", style: length }),
          ]),
          element("span", { class: "share" }, [said]),
        ]);
      }),
    );
    this.truth.textContent = truth;
  }

  #renderMap() {
    if (!this.data) return;
    const theme = readTheme(this.root);
    const last = this.data.map.depth - 1;
    const wanted = Math.round((depth.value / 100) * last);
    this.layer = this.layers.reduce((best, one) =>
      Math.abs(one.number - wanted) < Math.abs(best.number - wanted) ? one : best,
    );
    const { labels, rows, masked } = this.data.map;
    const pixels = Math.round(Math.min(Math.max(this.root.clientWidth * 0.42, 92), 152));
    const { weights, number } = this.layer;
    this.thumb.show({ weights, masked, size: labels.length, rows }, theme, pixels);
    const names = { layer: number + 1, model: this.data.title };
    this.map.setAttribute("aria-label", fill(this.strings.open, names));
    this.root.dataset.layer = String(number);
    this.#read(null);
  }

  #read(cell) {
    const { map, strings } = this.data;
    const layer = this.layer.number + 1;
    if (!cell) {
      this.readout.textContent = fill(strings.rest, { layer, depth: map.depth, heads: map.heads });
      return;
    }
    const [query, key] = [cell.row, cell.column].map((at) => quoted(map.labels[at]));
    const weight = this.layer.weights[cell.row * map.labels.length + cell.column].toFixed(3);
    this.readout.textContent = fill(strings.cell, { query, key, weight });
  }
}

function chipOf({ piece, special, hidden }) {
  const kind = hidden ? "chip masked" : special ? "chip special" : "chip";
  return element("span", { class: kind }, [element("bdi", {}, [piece])]);
}

export const mount = mounting(".family-card", Card, unpack);
