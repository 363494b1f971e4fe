/** How far Adam's adaptive rate is to be trusted, step by step: RAdam's term beside warm-ups. */

import { element, selectControl } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import * as formulas from "./formulas.js";
import { formatStep, swatch } from "./parts.js";
import { Plot } from "./plot.js";
import { NumberSlider } from "./sliders.js";
import { shared } from "./values.js";
const { rectification, degreesOfFreedom, mostDegreesOfFreedom, untunedWarmUp, possible } = formulas;

const CURVES = ["adam", "radam", "untuned", "warm"];
const BETAS = [9000, 9500, 9800, 9900, 9950, 9980, 9990, 9995, 9999];
const BETA_UNIT = 10_000;
// The term is close to 1 after so many times the memory of the average.
const MEMORIES = 10;
const COLUMNS = 600;
const HIGHEST = 1.08;
const DIGITS = 4;

/** What each curve multiplies a step by; null where RAdam takes no adaptive step. */
function factors(step, beta, warm) {
  return {
    adam: 1,
    radam: rectification(step, beta),
    untuned: Math.min(1, step / untunedWarmUp(beta)),
    warm: warm > 0 ? Math.min(1, step / warm) : 1,
  };
}

/** Whole steps, evenly spread over a logarithmic axis. */
function spread(last) {
  const steps = new Set();
  for (let at = 0; at <= COLUMNS; at += 1) steps.add(Math.round(last ** (at / COLUMNS)));
  return [...steps];
}

/** The first adaptive step. Decays of 0.9 and more have one. */
function firstAdaptive(beta) {
  let step = 1;
  while (rectification(step, beta) === null) step += 1;
  return step;
}

export class RectificationCard {
  constructor(root, life) {
    this.root = root;
    this.beta = selectControl((text) => shared.set({ beta: Number(text) }));
    this.step = new NumberSlider((step) => shared.set({ adam_step: step }));
    this.plot = new Plot((step) => shared.set({ adam_step: step }), life);
    this.table = element("tbody");
    this.words = element("p", { class: "words", role: "status" });
    life.onEnd(shared.listen(() => this.draw()));
  }

  show({ strings }) {
    this.strings = strings;
    if (!this.isBuilt) this.#build();
    this.isBuilt = true;
    this.draw();
  }

  #build() {
    const { strings } = this;
    const [title, hint] = strings.picture;
    const head = element("h2", {}, [title, element("span", {}, [` · ${hint}`])]);
    this.cells = Object.fromEntries(CURVES.map((name) => [name, element("td")]));
    this.names = Object.fromEntries(CURVES.map((name) => [name, element("span")]));
    this.table.append(
      ...CURVES.map((name) => {
        const label = element("th", { scope: "row" }, [swatch(name), this.names[name]]);
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
          this.plot.node,
        ]),
      ]),
    );
  }

  draw() {
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
    this.#drawPlot({ beta, warm, last, step, values, first });
    this.#drawTable({ beta, warm, step, values });
    this.root.dataset.drawn = "true";
  }

  #drawPlot({ beta, warm, last, step, values, first }) {
    const { strings } = this;
    const steps = spread(last);
    const points = steps.map((one) => [one, factors(one, beta, warm)]);
    const curves = CURVES.map((name) => ({
      name,
      points: points.filter(([, one]) => one[name] !== null).map(([at, one]) => [at, one[name]]),
    }));
    this.plot.show({
      curves,
      steps: [1, last],
      logarithmic: true,
      highest: HIGHEST,
      value: String,
      step: formatStep,
      band: { from: 1, to: first, name: strings.none },
      chosen: step,
      values,
      label: fill(strings.label, { last: formatStep(last) }),
      axis: strings.axis,
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
