/** The schedules of one run on one chart, their sliders, and the lines of code that make them. */

import { element, segmentedControl, swatch } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { FigureValues } from "../../js/parts/figure_values.js";
import { coreLines, torchLines } from "./code.js";
import * as formulas from "./formulas.js";
import { followPointer, formatRate, formatStep, sample } from "./parts.js";
import { evenStops, logarithmicStops, NumberSlider } from "./sliders.js";
import { shared } from "./values.js";
const { SCHEDULES, WARM, possible, rateAt, restartsOf } = formulas;

const SLIDERS = ["total", "warm", "model_width", "peak", "period", "growth"];
const UNITS = { peak: 1e6 };
const HEADROOM = 1.08;
const ROWS = 200; // of the table, and the steps at which curves bend
const LATE = 0.8; // of the run: the name of the warm-up is left of its end then
const DECADES = 1e4; // between the ends of a logarithmic axis of rates, at most

/** The schedules that are drawn. An empty text means all of them. */
function drawn(text) {
  const named = text.split(".").filter((name) => SCHEDULES.includes(name));
  return named.length ? SCHEDULES.filter((name) => named.includes(name)) : SCHEDULES;
}

export class ScheduleCard {
  constructor(root, life, { vega }) {
    this.root = root;
    this.sliders = SLIDERS.map(
      (name) => new NumberSlider((value) => shared.set({ [name]: value }), { unit: UNITS[name] }),
    );
    this.chart = new VegaChart(life, vega);
    followPointer(this.chart, (step) => shared.set({ at_step: step }));
    this.numbers = new FigureValues(element("div", { class: "figure-values" }), life);
    this.axes = segmentedControl("schedule-axes", (axes) => shared.set({ axes }));
    this.step = new NumberSlider((step) => shared.set({ at_step: step }));
    this.legend = element("div", { class: "legend", role: "group" });
    this.choice = segmentedControl("schedule-code", (name) => shared.set({ curve: name }));
    this.core = element("pre", { tabindex: "0" });
    this.torch = element("pre", { tabindex: "0" });
    life.onEnd(shared.listen(() => this.draw()));
    life.observe(root, () => this.draw());
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
    const heading = ([words, hint]) => element("h2", {}, [words, element("span", {}, [` · ${hint}`])]);
    this.legend.setAttribute("aria-label", strings.shown);
    this.items = Object.fromEntries(SCHEDULES.map((name) => [name, this.#item(name)]));
    this.legend.append(...SCHEDULES.map((name) => this.items[name].node));
    this.core.setAttribute("aria-label", strings.core);
    this.torch.setAttribute("aria-label", strings.torch);
    const column = (title, lines) => element("div", {}, [element("h3", {}, [title]), lines]);
    this.root.replaceChildren(
      element("div", { class: "card controls" }, [
        heading(strings.controls),
        ...this.sliders.map(({ node }) => node),
      ]),
      element("div", { class: "card picture" }, [
        element("div", { class: "card-head" }, [heading(strings.picture), this.axes.node, this.step.head]),
        this.chart.node,
        this.step.range,
        this.legend,
        this.numbers.root,
      ]),
      element("div", { class: "card code" }, [
        element("div", { class: "card-head" }, [heading(strings.code), this.choice.node]),
        element("div", { class: "code-lines" }, [
          column(strings.core, this.core),
          column(strings.torch, this.torch),
        ]),
      ]),
    );
  }

  #item(name) {
    const box = element("input", { type: "checkbox" });
    const value = element("output");
    box.addEventListener("change", () => this.#toggle(name, box.checked));
    const words = element("span", { class: "name" }, [this.strings.names[name]]);
    const node = element("label", { "data-schedule": name }, [box, swatch(this.data.styles[name]), words, value]);
    return { node, box, value };
  }

  /** The last one stays: a chart of nothing says nothing. */
  #toggle(name, on) {
    const shown = new Set(drawn(shared.values.curves));
    if (on) shown.add(name);
    else if (shown.size > 1) shown.delete(name);
    const curves = shown.size === SCHEDULES.length ? "" : [...shown].join(".");
    shared.set({ curves });
  }

  /** @returns {Promise<void>} when the chart stands; all else does at once */
  async draw() {
    if (!this.strings) return;
    const values = possible(shared.values);
    const { strings } = this;
    for (const [at, name] of SLIDERS.entries()) {
      this.sliders[at].show({
        ...strings.sliders[name],
        bounds: this.#boundsOf(name, values),
        value: values[name],
        said: name === "peak" ? formatRate(values.peak / UNITS.peak) : formatStep(values[name]),
      });
    }
    this.#drawCode(values);
    await this.#drawPicture(values);
    this.root.dataset.drawn = "true";
  }

  #boundsOf(name, { total }) {
    const bounds = shared.boundsOf(name);
    const most = { warm: total - 1, period: total }[name] ?? bounds.most;
    return { least: bounds.least, most: Math.min(most, bounds.most) };
  }

  #drawPicture(values) {
    const { strings, data } = this;
    const { total } = values;
    const shown = drawn(values.curves);
    const axes = strings.scales.some(([name]) => name === values.axes) ? values.axes : "linear";
    const first = axes === "both" ? 1 : 0;
    const isChosen = values.at_step >= 0;
    const chosen = Math.min(Math.max(values.at_step, first), total);
    const rates = Object.fromEntries(SCHEDULES.map((name) => [name, rateAt(name, chosen, values)]));
    this.axes.show(strings.axes, strings.scales, axes);
    this.step.show({
      ...strings.step,
      bounds: { least: first, most: total },
      value: chosen,
      said: formatStep(chosen),
      spread: first > 0 ? logarithmicStops : evenStops,
    });
    for (const name of SCHEDULES) {
      const { box, value } = this.items[name];
      box.checked = shown.includes(name);
      value.textContent = isChosen ? formatRate(rates[name]) : "";
    }
    const corners = this.#corners(shown, values);
    const steps = sample([first, total], this.chart.columns, corners, first > 0);
    const rowsAt = (step) =>
      shown.map((name) => ({ step, value: rateAt(name, step, values), name }));
    const rows = steps.flatMap(rowsAt);
    const largest = Math.max(...rows.map(({ value }) => value));
    const warms = values.warm > 0 && shown.some((name) => WARM.includes(name));
    const isLogarithmic = axes !== "linear";
    // The logarithm of no rate is nowhere.
    const drawable = (found) => (isLogarithmic ? found.filter(({ value }) => value > 0) : found);
    const named = shown.map((name) => strings.names[name]).join(", ");
    const told = sample([first, total], ROWS, corners, first > 0);
    this.numbers.show({
      name: "headlight-schedules",
      columns: [strings.axis, ...shown.map((name) => strings.names[name])],
      cells: [told, ...shown.map((name) => told.map((step) => rateAt(name, step, values)))],
      pictures: true,
      strings,
      place: this.chart.node,
      written: (cell) => (Number.isInteger(cell) ? formatStep(cell) : formatRate(cell)),
    });
    return this.chart.show({
      spec: data.specs[readTheme(this.root).dark ? "dark" : "light"][axes],
      label: fill(strings.label, { names: named, total: formatStep(total) }),
      data: {
        curves: drawable(rows),
        chosen: isChosen ? drawable(rowsAt(chosen)) : [],
        at: isChosen ? [{ step: chosen }] : [],
        spans: warms ? [{ from: first, to: values.warm, text: strings.warm, late: values.warm > LATE * total }] : [],
      },
      parameters: {
        first,
        last: total,
        lowest: isLogarithmic ? largest / DECADES : 0,
        highest: largest * (isLogarithmic ? 2 : HEADROOM),
      },
    });
  }

  /** Steps at which curves bend. Just before a restart the rate is as low as it gets. */
  #corners(shown, values) {
    const restarts = shown.includes("cosine") ? restartsOf(values) : [];
    return [values.warm, ...restarts, ...restarts.map((step) => step - 1)].map(Math.round);
  }

  #drawCode(values) {
    const { strings } = this;
    const name = SCHEDULES.includes(values.curve) ? values.curve : SCHEDULES[0];
    const options = SCHEDULES.map((one) => [one, strings.names[one]]);
    this.choice.show(strings.code[0], options, name);
    for (const [node, text] of [
      [this.core, coreLines(name, values)],
      [this.torch, torchLines(name, values)],
    ]) {
      // A text that is being copied is not taken from under the reader's hands.
      if (node.dataset.text === text) continue;
      node.dataset.text = text;
      node.replaceChildren(...text.split("\n").map((line) => element("code", {}, [line])));
    }
  }
}
