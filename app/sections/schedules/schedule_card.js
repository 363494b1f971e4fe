/** The schedules of one run on one chart, their sliders, and the lines of code that make them. */

import { element, segmentedControl } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { coreLines, torchLines } from "./code.js";
import * as formulas from "./formulas.js";
import { formatRate, formatStep, sample, swatch } from "./parts.js";
import { Plot } from "./plot.js";
import { evenStops, NumberSlider } from "./sliders.js";
import { shared } from "./values.js";
const { SCHEDULES, WARM, possible, rateAt, restartsOf } = formulas;

const SLIDERS = ["total", "warm", "model_width", "peak", "period", "growth"];
const UNITS = { peak: 1e6 };
const HEADROOM = 1.08;

/** The schedules that are drawn. An empty text means all of them. */
function drawn(text) {
  const named = text.split(".").filter((name) => SCHEDULES.includes(name));
  return named.length ? SCHEDULES.filter((name) => named.includes(name)) : SCHEDULES;
}

export class ScheduleCard {
  constructor(root, life) {
    this.root = root;
    this.sliders = SLIDERS.map(
      (name) => new NumberSlider((value) => shared.set({ [name]: value }), { unit: UNITS[name] }),
    );
    this.plot = new Plot((step) => shared.set({ at_step: step }), life);
    this.step = new NumberSlider((step) => shared.set({ at_step: step }), { spread: evenStops });
    this.legend = element("div", { class: "legend", role: "group" });
    this.choice = segmentedControl("schedule-code", (name) => shared.set({ curve: name }));
    this.core = element("pre", { tabindex: "0" });
    this.torch = element("pre", { tabindex: "0" });
    life.onEnd(shared.listen(() => this.draw()));
    life.observe(root, () => this.draw());
  }

  show({ strings }) {
    this.strings = strings;
    if (!this.isBuilt) this.#build();
    this.isBuilt = true;
    this.draw();
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
        element("div", { class: "card-head" }, [heading(strings.picture), this.step.head]),
        this.plot.node,
        this.step.range,
        this.legend,
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
    const node = element("label", { "data-schedule": name }, [box, swatch(name), words, value]);
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

  draw() {
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
    this.#drawPicture(values);
    this.#drawCode(values);
    this.root.dataset.drawn = "true";
  }

  #boundsOf(name, { total }) {
    const bounds = shared.boundsOf(name);
    const most = { warm: total - 1, period: total }[name] ?? bounds.most;
    return { least: bounds.least, most: Math.min(most, bounds.most) };
  }

  #drawPicture(values) {
    const { strings } = this;
    const { total } = values;
    const shown = drawn(values.curves);
    const chosen = Math.min(values.at_step, total);
    const restarts = shown.includes("cosine") ? restartsOf(values) : [];
    // Just before a restart the rate is as low as it gets.
    const corners = [values.warm, ...restarts, ...restarts.map((step) => step - 1)];
    const steps = sample(total, this.plot.columns, corners.map(Math.round));
    const curves = shown.map((name) => ({
      name,
      points: steps.map((step) => [step, rateAt(name, step, values)]),
    }));
    const rates = Object.fromEntries(SCHEDULES.map((name) => [name, rateAt(name, chosen, values)]));
    const largest = Math.max(...curves.flatMap(({ points }) => points.map(([, rate]) => rate)));
    const warms = values.warm > 0 && shown.some((name) => WARM.includes(name));
    const named = shown.map((name) => strings.names[name]).join(", ");
    this.plot.show({
      curves,
      steps: [0, total],
      highest: largest * HEADROOM,
      value: formatRate,
      step: formatStep,
      marks: warms ? [{ at: values.warm, name: strings.warm }] : [],
      chosen,
      values: rates,
      label: fill(strings.label, { names: named, total: formatStep(total) }),
      axis: strings.axis,
    });
    this.step.show({
      ...strings.step,
      bounds: { least: 0, most: total },
      value: Math.max(chosen, 0),
      said: formatStep(Math.max(chosen, 0)),
    });
    for (const name of SCHEDULES) {
      const { box, value } = this.items[name];
      box.checked = shown.includes(name);
      value.textContent = chosen < 0 ? "" : formatRate(rates[name]);
    }
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
