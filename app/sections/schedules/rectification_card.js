/** How far Adam's adaptive rate is to be trusted, step by step: RAdam's term beside warm-ups. */

import { element, selectControl, swatch } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { FigureValues } from "../../js/parts/figure_values.js";
import * as formulas from "./formulas.js";
import { followPointer, formatStep, sample } from "./parts.js";
import { NumberSlider } from "./sliders.js";
import { shared } from "./values.js";
const { rectification, degreesOfFreedom, mostDegreesOfFreedom, untunedWarmUp, possible } = formulas;

const CURVES = ["adam", "radam", "untuned", "warm"];
const BETAS = [9000, 9500, 9800, 9900, 9950, 9980, 9990, 9995, 9999];
const BETA_UNIT = 10_000;
// The term is close to 1 after so many times the memory of the average.
const MEMORIES = 10;
const HIGHEST = 1.08;
const DIGITS = 4;
const ROWS = 100; // of the table, and the steps at which curves bend

/** What each curve multiplies a step by; null where RAdam takes no adaptive step. */
function factors(step, beta, warm) {
  return {
    adam: 1,
    radam: rectification(step, beta),
    untuned: Math.min(1, step / untunedWarmUp(beta)),
    warm: warm > 0 ? Math.min(1, step / warm) : 1,
  };
}

/** The first adaptive step. Decays of 0.9 and more have one. */
function firstAdaptive(beta) {
  let step = 1;
  while (rectification(step, beta) === null) step += 1;
  return step;
}

export class RectificationCard {
  constructor(root, life, { vega }) {
    this.root = root;
    this.beta = selectControl((text) => shared.set({ beta: Number(text) }));
    this.step = new NumberSlider((step) => shared.set({ adam_step: step }));
    this.chart = new VegaChart(life, vega);
    followPointer(this.chart, (step) => shared.set({ adam_step: step }));
    this.numbers = new FigureValues(element("div", { class: "figure-values" }), life);
    this.table = element("tbody");
    this.words = element("p", { class: "words", role: "status" });
    life.onEnd(shared.listen(() => this.draw()));
  }

  show(data) {
    this.data = data;
    this.strings = data.strings;
    if (!this.isBuilt) this.#build();
    this.isBuilt = true;
    return this.draw();
  }

  #build() {
    const { strings } = this;
    const [title, hint] = strings.picture;
    const head = element("h2", {}, [title, element("span", {}, [` · ${hint}`])]);
    this.cells = Object.fromEntries(CURVES.map((name) => [name, element("td")]));
    this.names = Object.fromEntries(CURVES.map((name) => [name, element("span")]));
    this.table.append(
      ...CURVES.map((name) => {
        const label = element("th", { scope: "row" }, [swatch(this.data.styles[name]), this.names[name]]);
        return element("tr", { "data-curve": name }, [label, this.cells[name]]);
      }),
    );
    const caption = element("caption", { class: "unseen" }, [strings.table]);
    const beta = element("label", { class: "beta" }, [strings.beta, this.beta.node]);
    this.root.replaceChildren(
      element("div", { class: "card" }, [
        head,
        element("div", { class: "sides" }, [
          element("div", { class: "side" }, [
            beta,
            this.step.node,
            element("table", {}, [caption, this.table]),
            this.words,
          ]),
          element("div", {}, [this.chart.node, this.numbers.root]),
        ]),
      ]),
    );
  }

  /** @returns {Promise<void>} when the chart stands; all else does at once */
  async draw() {
    if (!this.strings) return;
    const { strings } = this;
    const { warm, beta: written, adam_step } = possible(shared.values);
    const beta = written / BETA_UNIT;
    const last = 10 ** Math.ceil(Math.log10(MEMORIES * untunedWarmUp(beta) - 1e-6) - 1e-9);
    const step = Math.min(Math.max(adam_step, 1), last);
    const offered = BETAS.includes(written) ? BETAS : [...BETAS, written].sort((a, b) => a - b);
    const options = offered.map((one) => [String(one), String(one / BETA_UNIT)]);
    this.beta.show(strings.beta, options, String(written));
    this.step.show({
      ...strings.step,
      bounds: { least: 1, most: last },
      value: step,
      said: formatStep(step),
    });
    const values = factors(step, beta, warm);
    const first = firstAdaptive(beta);
    this.#drawTable({ beta, warm, step, values });
    await this.#drawPicture({ beta, warm, last, step, first });
    this.root.dataset.drawn = "true";
  }

  #drawPicture({ beta, warm, last, step, first }) {
    const { strings, data } = this;
    const corners = [first, warm, Math.round(untunedWarmUp(beta))];
    const steps = sample([1, last], this.chart.columns, corners, true);
    const rowsAt = (at) =>
      Object.entries(factors(at, beta, warm))
        .filter(([, value]) => value !== null)
        .map(([name, value]) => ({ step: at, value, name }));
    const told = sample([1, last], ROWS, corners, true);
    this.numbers.show({
      name: "headlight-rectification",
      columns: [strings.axis, ...CURVES.map((name) => this.names[name].textContent)],
      cells: [told, ...CURVES.map((name) => told.map((at) => factors(at, beta, warm)[name]))],
      pictures: true,
      strings,
      place: this.chart.node,
    });
    return this.chart.show({
      spec: data.specs[readTheme(this.root).dark ? "dark" : "light"].both,
      label: fill(strings.label, { last: formatStep(last) }),
      data: {
        curves: steps.flatMap(rowsAt),
        chosen: rowsAt(step),
        at: [{ step }],
        spans: [{ from: 1, to: first, text: strings.none, late: false }],
      },
      parameters: { first: 1, last, lowest: 0, highest: HIGHEST },
    });
  }

  #drawTable({ beta, warm, step, values }) {
    const { strings } = this;
    const counts = { warm: formatStep(warm), untuned: formatStep(Math.round(untunedWarmUp(beta))) };
    for (const name of CURVES) {
      this.names[name].textContent = fill(strings.names[name], counts);
      const value = values[name];
      this.cells[name].textContent = value === null ? strings.no : value.toFixed(DIGITS);
    }
    const facts = {
      step: formatStep(step),
      now: degreesOfFreedom(step, beta).toFixed(3),
      most: formatStep(Math.round(mostDegreesOfFreedom(beta))),
    };
    const { radam } = values;
    if (radam === null) {
      this.words.textContent = fill(strings.early, facts);
    } else {
      const times = (1 / radam ** 2).toPrecision(3);
      this.words.textContent = fill(strings.late, { ...facts, times: formatStep(Number(times)) });
    }
  }
}
