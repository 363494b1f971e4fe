/** Three sliders: what is done to the distribution before a piece is drawn from it. */

import { element } from "../../js/lib/dom.js";

const RANKS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000];
const ALL = 0;

/** Stops of each slider, as whole numbers of its setting. */
const STOPS = {
  temperature: evenly(0, 200, 5),
  top_k: [...RANKS, ALL],
  top_p: [...evenly(10, 90, 10), ...evenly(100, 1000, 20), 1000],
};

function evenly(first, last, step) {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);
}

export class RuleSliders {
  /** @param {(changes: Record<string, number>) => void} onChange called while a knob moves */
  constructor(onChange) {
    this.rows = Object.keys(STOPS).map((name) => {
      const words = element("span", { class: "name" });
      const value = element("output");
      const range = element("input", { type: "range", min: "0", step: "1" });
      const label = element("label", { "data-name": name }, [words, value, range]);
      range.addEventListener("input", () => onChange({ [name]: this.stops[name][range.value] }));
      return { name, words, value, range, label };
    });
    this.node = element(
      "div",
      { class: "rule" },
      this.rows.map(({ label }) => label),
    );
    this.stops = {};
  }

  /**
   * @param {Record<string, number>} numbers of the settings
   * @param {Record<string, string>} names what each is called
   * @param {string} all what stands for no limit
   */
  show(numbers, names, all) {
    for (const { name, words, value, range } of this.rows) {
      const stops = STOPS[name];
      // A number of a link that is no stop gets one of its own.
      this.stops[name] = stops.includes(numbers[name])
        ? stops
        : [...stops, numbers[name]].sort((one, other) => order(name, one) - order(name, other));
      range.max = String(this.stops[name].length - 1);
      range.value = String(this.stops[name].indexOf(numbers[name]));
      words.textContent = names[name];
      value.textContent = written(name, numbers[name], all);
      range.setAttribute("aria-label", names[name]);
      range.setAttribute("aria-valuetext", value.textContent);
    }
  }
}

function order(name, value) {
  return name === "top_k" && value === ALL ? Infinity : value;
}

function written(name, value, all) {
  if (name === "top_k") return value === ALL ? all : String(value);
  return (value / (name === "temperature" ? 100 : 1000)).toFixed(2);
}
