/** A map of all heads: what a word loses or gains without each, and whether the head is off. */

import { element, selectControl } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { Shared } from "../../js/lib/shared.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { partOf, unpack } from "../../js/lib/wire.js";
import { FigureValues } from "../../js/parts/figure_values.js";

const DIGITS = 4;

/** A change with its sign: "+0.0312". */
function signed(change, digits = DIGITS) {
  return `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(digits)}`;
}

class AblationMap {
  constructor(root, life) {
    Object.assign(this, { root, life, off: new Shared(new Set()) });
    this.word = selectControl((value) => {
      this.followed = Number(value);
      this.#draw();
    });
    this.limit = element("p", { class: "limit" });
    this.head = element("div", { class: "map-head" }, [this.word.node, this.limit]);
    this.numbers = new FigureValues(element("div", { class: "figure-values" }), life);
  }

  show(data, send) {
    const { names, chosen } = data;
    // What is chosen here holds until the reader chooses elsewhere.
    if (names[chosen] !== this.chosen || !(this.followed < names.length)) this.followed = chosen;
    this.chosen = names[chosen];
    Object.assign(this, { data, send });
    this.off.take(new Set(data.off), data.answered.off);
    if (!this.chart) {
      const onView = (view) =>
        view.addEventListener("click", (_event, mark) => mark?.datum && this.#toggle(mark.datum));
      this.chart = new VegaChart(this.life, data.vega, { onView });
      this.root.replaceChildren(this.head, this.chart.node, this.numbers.root);
    }
    return this.#draw();
  }

  #toggle({ layer, head }) {
    const value = new Set(this.off.value);
    const name = `${layer}-${head}`;
    const off = !value.delete(name);
    if (off) value.add(name);
    this.off.set(value, this.send("off", { heads: [[layer, head]], off }));
    return this.#draw();
  }

  /** One row a head, in the order of the map. */
  #cells() {
    const { data, followed } = this;
    const after = partOf(data.after, followed);
    const [, heads] = after.shape;
    const before = data.before[followed];
    const { on, off } = this.data.strings;
    return Array.from(after, (now, at) => {
      const [layer, head] = [Math.floor(at / heads), at % heads];
      return {
        layer,
        head,
        change: now - before,
        before: Math.exp(before),
        after: Math.exp(now),
        isOff: this.off.value.has(`${layer}-${head}`),
        state: this.off.value.has(`${layer}-${head}`) ? off : on,
      };
    });
  }

  async #draw() {
    const { data, root, followed } = this;
    const { strings, names } = data;
    const cells = this.#cells();
    const sorted = [...cells].sort((one, other) => one.change - other.change);
    const [least, most] = [sorted[0], sorted.at(-1)];
    // A word on which no head has any part still needs a scale.
    const limit = Math.max(Math.abs(least.change), Math.abs(most.change)) || 1;
    const words = names.map((name, at) => [String(at), name]);
    this.word.show(strings.word, words, String(followed));
    this.limit.textContent = fill(strings.limit, { limit: limit.toFixed(3) });
    this.chart.node.style.height = `${data.height}px`;
    const { columns } = strings;
    this.numbers.show({
      name: "headlight-ablations",
      columns: Object.values(columns),
      cells: Object.keys(columns).map((name) =>
        cells.map((cell) => cell[name]),
      ),
      pictures: true,
      strings,
      place: this.chart.node,
    });
    await this.chart.show({
      spec: data.specs[readTheme(root).dark ? "dark" : "light"],
      label: fill(strings.label, {
        word: names[followed],
        least: signed(least.change),
        leastLayer: least.layer,
        leastHead: least.head,
        most: signed(most.change),
        mostLayer: most.layer,
        mostHead: most.head,
      }),
      data: { cells },
      parameters: { limit },
    });
    root.dataset.answered = String(data.answered.off);
    root.dataset.drawn = "true";
  }
}

export const mount = mounting(".ablation-map", AblationMap, unpack);
