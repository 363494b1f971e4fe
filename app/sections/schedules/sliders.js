/** Sliders over numbers of any size: a step of the slider is a tenth of the leading digit. */

import { element } from "../../js/lib/dom.js";

const DIGITS = 10;
const POSITIONS = 1000;

/**
 * The numbers on a slider: all small ones, then those of two digits.
 *
 * @param {number} least
 * @param {number} most
 * @returns {number[]} rising, both ends included
 */
export function stops(least, most) {
  const found = new Set([least, most]);
  for (let whole = Math.max(least, 0); whole < Math.min(DIGITS, most); whole += 1) found.add(whole);
  for (let unit = 1; unit * DIGITS <= most; unit *= DIGITS) {
    for (let at = DIGITS; at < DIGITS * DIGITS; at += 1) {
      if (at * unit >= least && at * unit <= most) found.add(at * unit);
    }
  }
  return [...found].sort((one, other) => one - other);
}

/** The numbers on a slider that runs along an axis: evenly spread whole ones. */
export function evenStops(least, most) {
  const found = new Set();
  for (let at = 0; at <= POSITIONS; at += 1) {
    found.add(Math.round(least + ((most - least) * at) / POSITIONS));
  }
  return [...found];
}

/** The position on a slider that is nearest to a number. */
export function nearest(numbers, wanted) {
  let best = 0;
  for (const [at, number] of numbers.entries()) {
    if (Math.abs(number - wanted) < Math.abs(numbers[best] - wanted)) best = at;
  }
  return best;
}

/** A number with its name: a slider for the hand, a field for the exact value. */
export class NumberSlider {
  /**
   * @param {(value: number) => void} onChange called with whole numbers within the bounds
   * @param {{unit?: number, spread?: typeof stops}} [options] the field shows the number divided by
   *   the unit; `spread` makes the numbers on the slider
   */
  constructor(onChange, { unit = 1, spread = stops } = {}) {
    this.unit = unit;
    this.spread = spread;
    this.onChange = onChange;
    this.name = element("span", { class: "name" });
    this.hint = element("span", { class: "hint" });
    this.field = element("input", { type: "number", step: "any" });
    this.range = element("input", { type: "range", min: "0", step: "1" });
    this.head = element("div", { class: "slider-head" }, [this.name, this.hint, this.field]);
    this.node = element("div", { class: "slider" }, [this.head, this.range]);
    this.range.addEventListener("input", () => onChange(this.stops[this.range.valueAsNumber]));
    this.field.addEventListener("change", () => this.#take());
  }

  /**
   * @param {{name: string, exact: string, hint?: string, bounds: {least: number, most: number},
   *   value: number, said: string}} what `said` is the value as a sentence has it
   */
  show({ name, exact, hint = "", bounds, value, said }) {
    if (this.bounds?.least !== bounds.least || this.bounds?.most !== bounds.most) {
      this.bounds = bounds;
      this.stops = this.spread(bounds.least, bounds.most);
      this.range.max = String(this.stops.length - 1);
      this.field.min = String(bounds.least / this.unit);
      this.field.max = String(bounds.most / this.unit);
    }
    this.value = value;
    this.name.textContent = name;
    this.hint.textContent = hint;
    this.range.setAttribute("aria-label", name);
    this.range.setAttribute("aria-valuetext", said);
    this.field.setAttribute("aria-label", exact);
    this.range.value = String(nearest(this.stops, value));
    this.#write();
  }

  #write() {
    const text = String(this.value / this.unit);
    if (this.field.value !== text) this.field.value = text;
  }

  /** Out of bounds is at the border; what is no number changes nothing. */
  #take() {
    const { least, most } = this.bounds;
    const wanted = Math.round(this.field.valueAsNumber * this.unit);
    if (Number.isNaN(wanted)) this.#write();
    else this.onChange(Math.min(Math.max(wanted, least), most));
  }
}
