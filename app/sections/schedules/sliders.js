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

/** The numbers on a slider that runs along an axis: as evenly spread as the axis is. */
export function evenStops(least, most) {
  return Array.from({ length: POSITIONS + 1 }, (_, at) => least + ((most - least) * at) / POSITIONS);
}

/** The same along a logarithmic axis. @param {number} least above 0 */
export function logarithmicStops(least, most) {
  return evenStops(Math.log(least), Math.log(most)).map(Math.exp);
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
   * @param {{unit?: number}} [options] the field shows the number divided by the unit
   */
  constructor(onChange, { unit = 1 } = {}) {
    this.unit = unit;
    this.onChange = onChange;
    this.name = element("span", { class: "name" });
    this.hint = element("span", { class: "hint" });
    this.field = element("input", { type: "number", step: "any" });
    this.range = element("input", { type: "range", min: "0", step: "1" });
    this.head = element("div", { class: "slider-head" }, [this.name, this.hint, this.field]);
    this.node = element("div", { class: "slider" }, [this.head, this.range]);
    this.range.addEventListener("input", () => this.#slide());
    this.field.addEventListener("change", () => this.#take());
  }

  /**
   * @param {{name: string, exact: string, hint?: string, bounds: {least: number, most: number},
   *   value: number, said: string, spread?: typeof stops}} what `said` is the value as a sentence
   *   has it; `spread` makes the numbers on the slider, which are rounded when they are chosen
   */
  show({ name, exact, hint = "", bounds, value, said, spread = stops }) {
    const { least, most } = this.bounds ?? {};
    if (least !== bounds.least || most !== bounds.most || spread !== this.spread) {
      Object.assign(this, { bounds, spread });
      this.stops = spread(bounds.least, bounds.most);
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

  /** Where many positions stand for one number, a key that moves by one goes on to the next. */
  #slide() {
    const { stops: numbers, value } = this;
    let at = this.range.valueAsNumber;
    const way = Math.sign(at - nearest(numbers, value));
    while (Math.round(numbers[at]) === value && numbers[at + way] !== undefined && way) at += way;
    this.onChange(Math.round(numbers[at]));
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
