/** What the reader has chosen in the picture, kept in the address without a rerun. */

import { AddressChoices } from "../../js/lib/choices.js";

const NAMES = ["waves", "shown", "map"];
const MOST_WAVES = 6;

export class Choices extends AddressChoices {
  constructor() {
    super(NAMES);
  }

  /** Dimensions whose waves are drawn, those that there are. @returns {number[]} */
  waves(columns) {
    const wanted = this.text("waves").split(".").filter((one) => /^\d{1,4}$/.test(one));
    const there = [...new Set(wanted.map(Number))].filter((one) => one < columns);
    return there.length ? there.slice(0, MOST_WAVES) : [0];
  }

  /** So many positions are drawn. @returns {number} */
  shown(count) {
    const wanted = this.#number("shown");
    return wanted ? Math.min(Math.max(wanted, 2), count) : count;
  }

  /** Number of the map that is drawn. @returns {number} */
  map(count) {
    return Math.min(this.#number("map"), count - 1);
  }

  /** The waves with one more or one less; the oldest makes room. */
  toggled(dimension, columns) {
    const now = this.waves(columns);
    if (now.includes(dimension)) {
      return now.length > 1 ? now.filter((one) => one !== dimension) : now;
    }
    return [...now, dimension].slice(-MOST_WAVES);
  }

  #number(name) {
    const text = this.text(name);
    return /^\d{1,4}$/.test(text) ? Number(text) : Number(this.defaults[name]);
  }
}
