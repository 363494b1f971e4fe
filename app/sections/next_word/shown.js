/** The distribution as it stands on the page, for whoever draws it in another way. */

/**
 * @typedef {object} Shown
 * @property {object} data of the distribution, as Python gives it
 * @property {{temperature: number, topK: number, topP: number}} rule of the sliders
 * @property {{values: Float64Array, kept: number}} sampling what the rule makes of it
 * @property {Float64Array} plain what the model says
 * @property {Map<number, number>} draws how often each rank, from 0, was drawn
 */

class ShownDistribution {
  #listeners = new Set();
  /** @type {Shown | null} */
  value = null;

  /** @param {Shown | null} value */
  set(value) {
    this.value = value;
    for (const listener of this.#listeners) listener();
  }

  /** Be told of every change. @param {() => void} listener @returns {() => void} stops it */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Of the page; both components import this module from one address. */
export const shown = new ShownDistribution();
