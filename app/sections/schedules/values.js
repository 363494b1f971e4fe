/** What both charts of the page show: one set of values, kept in the address without a rerun. */

import { PageAddress } from "../../js/lib/address.js";

/** @typedef {{least: number, most: number}} Bounds of a number; texts have none */

/** Values by name, and who wants to know of a change. */
class SharedValues {
  #bounds = {};
  #defaults = {};
  #listeners = new Set();
  #address = null;
  #lastChoice = 0;
  values = null;

  /**
   * Take what the page was opened with, once for a visit of the page, and what a scene says.
   *
   * @param {{defaults: object, bounds: Record<string, Bounds>,
   *   choice: null | [number, object]}} data
   */
  open({ defaults, bounds, choice }) {
    this.#bounds = bounds;
    this.#defaults = defaults;
    if (!this.#address?.isCurrent) {
      this.#address = new PageAddress("", Object.keys(defaults));
      this.values = { ...defaults, ...this.values };
    }
    if (this.#address.hasNews) this.values = { ...defaults, ...this.#parsed(this.#address.read()) };
    // A scene that an earlier visit has shown is not shown again.
    if (choice && choice[0] > this.#lastChoice) {
      this.#lastChoice = choice[0];
      this.values = { ...defaults, ...this.#allowed(choice[1]) };
      this.#address.read();
    }
    this.#write();
  }

  /** Change some values. Whoever listens is told at once. @param {object} changes */
  set(changes) {
    this.values = { ...this.values, ...this.#allowed(changes) };
    this.#write();
    for (const listener of this.#listeners) listener();
  }

  /** Be told of changes. @param {() => void} listener @returns {() => void} stops it */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The bounds of a number. @returns {Bounds} */
  boundsOf(name) {
    return this.#bounds[name];
  }

  #parsed(texts) {
    const read = ([name, text]) => [name, name in this.#bounds ? Number(text || NaN) : text];
    return this.#allowed(Object.fromEntries(Object.entries(texts).map(read)));
  }

  #allowed(values) {
    const fits = ([name, value]) => {
      if (!(name in this.#defaults)) return false;
      const bounds = this.#bounds[name];
      if (!bounds) return typeof value === "string";
      return Number.isInteger(value) && value >= bounds.least && value <= bounds.most;
    };
    return Object.fromEntries(Object.entries(values).filter(fits));
  }

  #write() {
    const texts = Object.entries(this.values).map(([name, value]) => [
      name,
      value === this.#defaults[name] ? null : String(value),
    ]);
    this.#address.write(Object.fromEntries(texts));
  }
}

/** The values of the page; both components import this module from one address. */
export const shared = new SharedValues();
