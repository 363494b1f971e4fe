/** Probability by rank on logarithmic axes: the model's, and what the sliders make of it. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { unpack } from "../../js/lib/wire.js";
import { FigureValues } from "../../js/parts/figure_values.js";
import { apart } from "./candidate_rows.js";
import { samplingOf } from "./sampling.js";
import { shown } from "./shown.js";

// From where on, of the axis, the name of a limit is left of it. That of top-p keeps fewer: its name
// leaves the place at its right to top-k.
const LATE = { topK: 0.7, topP: 0.2 };
const COLUMNS = ["rank", "piece", "model", "modelSum", "sampling", "samplingSum", "times"];

/** Sums of the first values, each up to its place. */
function sumsOf(values) {
  let sum = 0;
  return Float64Array.from(values, (value) => (sum += value));
}

/**
 * Where ranks begin and end on a logarithmic axis: half way to their neighbours.
 *
 * @param {number[]} ranks rising
 * @returns {[number, number][]}
 */
function reaches(ranks) {
  const between = ranks.slice(1).map((rank, at) => Math.sqrt(rank * ranks[at]));
  return ranks.map((rank, at) => [between[at - 1] ?? rank * 0.9, between[at] ?? rank * 1.1]);
}

class RankChart {
  constructor(root, life) {
    Object.assign(this, { root, life });
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.numbers = new FigureValues(element("div", { class: "figure-values" }), life);
    life.onEnd(shown.listen(() => this.#draw()));
  }

  show(data) {
    this.data = data;
    if (!this.chart) {
      this.chart = new VegaChart(this.life, data.vega);
      const head = element("div", {}, [this.heading, this.hint]);
      this.root.replaceChildren(head, this.chart.node, this.numbers.root);
    }
    return this.#draw();
  }

  async #draw() {
    const { data, root, chart } = this;
    const { value } = shown;
    // The card above has not shown this text yet, or shows the next one already.
    if (!value || value.data.identity !== data?.identity) return;
    const { strings } = data;
    const count = value.plain.length;
    this.heading.textContent = strings.title;
    this.hint.textContent = ` · ${this.#thinned(count)}`;
    const rows = this.#rows(value);
    const { words } = strings;
    const heads = { ...words, modelSum: words.model_sum, samplingSum: words.sampling_sum };
    this.numbers.show({
      name: "headlight-ranks",
      columns: COLUMNS.map((name) => heads[name]),
      cells: COLUMNS.map((name) => rows.map((row) => row[name])),
      pictures: true,
      strings,
      place: chart.node,
    });
    const { plain, sampling, draws } = value;
    const curve = (name, values) => {
      const found = rows.filter(({ rank }) => values[rank - 1] > 0);
      const alone = found.length === 1;
      return found.map(({ rank }) => ({ rank, value: values[rank - 1], name, alone }));
    };
    const drawn = [...draws].map(([at, times]) => ({
      rank: at + 1,
      value: sampling.values[at],
      times,
    }));
    await chart.show({
      spec: data.specs[readTheme(root).dark ? "dark" : "light"],
      label: fill(strings.label, {
        count: apart(count),
        first: plain[0].toPrecision(3),
        last: plain[count - 1].toPrecision(3),
        kept: apart(sampling.kept),
      }),
      data: {
        curves: [...curve(words.model, plain), ...curve(words.sampling, sampling.values)],
        limits: this.#limits(value),
        drawn,
        ranks: rows,
      },
      parameters: { last: 1.1 * count, lowest: lowestOf(plain) },
    });
    root.dataset.drawn = data.identity;
  }

  #thinned(count) {
    const { strings, ranks } = this.data;
    if (ranks.length === count) return strings.hintWhole;
    const whole = ranks.findIndex((rank, at) => rank !== at + 1);
    const [beyond, rest] = [ranks.length - whole, count - whole];
    return fill(strings.hint, { whole, beyond, rest: apart(rest) });
  }

  /** A row for every rank that is drawn as a curve or was drawn as a piece. */
  #rows({ plain, sampling, draws, data: { names } }) {
    const { data } = this;
    const known = new Map(Array.from(data.ranks, (rank, at) => [rank, data.names[at]]));
    const drawn = [...draws.keys()].map((at) => at + 1);
    const ranks = [...new Set([...known.keys(), ...drawn])].sort((one, other) => one - other);
    const sums = { model: sumsOf(plain), sampling: sumsOf(sampling.values) };
    const ends = reaches(ranks);
    return ranks.map((rank, at) => ({
      from: ends[at][0],
      to: ends[at][1],
      rank,
      piece: known.get(rank) ?? names[rank - 1] ?? fill(data.strings.number, { rank }),
      model: plain[rank - 1],
      modelSum: sums.model[rank - 1],
      sampling: sampling.values[rank - 1],
      samplingSum: sums.sampling[rank - 1],
      times: draws.get(rank - 1) ?? 0,
    }));
  }

  /** A rule between the last piece that a limit keeps and the first that it does not. */
  #limits({ rule, sampling, data: { scores } }) {
    const { strings } = this.data;
    const count = scores.length;
    const limit = (kept, text, row, late) => {
      const at = Math.sqrt(kept * (kept + 1));
      return { at, text, row, late: Math.log(at) > late * Math.log(count) };
    };
    if (rule.temperature === 0) return []; // the first piece, whatever the limits
    const limits = [];
    const byK = samplingOf(scores, { ...rule, topP: 1 }).kept;
    if (byK < count) limits.push(limit(byK, fill(strings.topK, { k: rule.topK }), 0, LATE.topK));
    if (rule.topP < 1) {
      const told = { p: String(rule.topP), kept: apart(sampling.kept) };
      limits.push(limit(sampling.kept, fill(strings.topP, told), 1, LATE.topP));
    }
    return limits;
  }
}

/** The end of the axis: a power of ten below every probability that the model gives. */
function lowestOf(plain) {
  const least = plain.findLast((value) => value > 0);
  return 10 ** Math.floor(Math.log10(least));
}

export const mount = mounting(".rank-chart", RankChart, unpack);
