/** Temperature, top-k and top-p as the reader has set them, kept in the address without a rerun. */

import { AddressChoices } from "../../js/lib/choices.js";

const NAMES = ["temperature", "top_k", "top_p"];
const HUNDREDTHS = 100;
const THOUSANDTHS = 1000;

export class Choices extends AddressChoices {
  constructor() {
    super(NAMES);
  }

  /** Take what Python says: defaults, bounds, and what a scene has set, once. */
  open({ defaults, bounds, choice }) {
    super.open({ defaults, choice });
    this.bounds = bounds;
    this.write();
  }

  /** The whole number of a setting, the default where it is out of bounds. @returns {number} */
  number(name) {
    const text = this.texts[name] ?? "";
    const { least, most } = this.bounds[name];
    const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : this.defaults[name];
  }

  /** What `samplingOf` asks for. */
  get rule() {
    return {
      temperature: this.number("temperature") / HUNDREDTHS,
      topK: this.number("top_k"),
      topP: this.number("top_p") / THOUSANDTHS,
    };
  }

  /** All of them as whole numbers. @returns {Record<string, number>} */
  get numbers() {
    return Object.fromEntries(NAMES.map((name) => [name, this.number(name)]));
  }

  /** What is out of bounds stands in the address no longer. */
  write() {
    const written = NAMES.map((name) => {
      const value = this.number(name);
      return [name, value === this.defaults[name] ? null : String(value)];
    });
    this.address.write(Object.fromEntries(written));
  }
}
