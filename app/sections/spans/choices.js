/** Step, layer and head, kept in the address without a rerun. */

import { AddressChoices } from "../../js/lib/choices.js";

const NAMES = ["step", "layer", "head"];
const FIRST_FREE = 1; // step 0 writes the first sentinel, and nothing else is allowed there

export class Choices extends AddressChoices {
  constructor() {
    super(NAMES);
  }

  /** The step that is looked at. @returns {number} */
  step(count) {
    const wanted = this.#number("step");
    return Math.min(wanted < 0 ? FIRST_FREE : wanted, count - 1);
  }

  /** @returns {number} */
  layer(count) {
    return Math.min(this.#number("layer"), count - 1);
  }

  /** @returns {number} */
  head(count) {
    return Math.min(this.#number("head"), count - 1);
  }

  #number(name) {
    const text = this.text(name);
    return /^(-1|\d{1,4})$/.test(text) ? Number(text) : Number(this.defaults[name]);
  }
}
