/** What the reader has chosen in the picture, kept in the address without a rerun. */

import { AddressChoices } from "../../js/lib/choices.js";

const NAMES = ["layer", "head", "step"];
const LAST = "-1";

export class Choices extends AddressChoices {
  constructor() {
    super(NAMES);
  }

  /** The address has changed under the picture: the reader went back or forward. */
  follow() {
    this.texts = this.address.read();
  }

  /** The step, counted from 0; the last one where none is chosen. @returns {number} */
  step(count) {
    const text = this.text("step");
    return text === LAST ? count - 1 : Math.min(number(text, count - 1), count - 1);
  }

  /** Layer and head, those that there are. */
  head({ layers, heads }) {
    return {
      layer: Math.min(number(this.text("layer"), 0), layers - 1),
      head: Math.min(number(this.text("head"), 0), heads - 1),
    };
  }

  /** Forget what is not written yet. */
  release() {
    this.address.release();
  }
}

function number(text, otherwise) {
  return /^\d{1,4}$/.test(text) ? Number(text) : otherwise;
}
