/** Which layer the small maps show: one choice for all cards of the page, kept in its address. */

import { PageAddress } from "../../js/lib/address.js";

const NAME = "depth";
const MOST = 100; // hundredths of the way from the first layer to the last

class Depth {
  #address = new PageAddress("", [NAME]);
  #listeners = new Set();
  #lastScene = 0;
  #text = null;

  /** Take what Python says: the default, and what a scene has set, once. */
  open({ fallback, choice }) {
    this.fallback = fallback;
    if (!this.#address.isCurrent) this.#address = new PageAddress("", [NAME]);
    if (this.#text === null || this.#address.hasNews) {
      this.#text = this.#address.read()[NAME] ?? this.#text;
    }
    if (choice && choice[0] > this.#lastScene) {
      [this.#lastScene, this.#text] = choice;
      this.#address.read();
    }
    // What is left out on the way to another page and back stands there again.
    this.#write();
    this.#tell();
  }

  /** @returns {number} 0 to 100 */
  get value() {
    const text = String(this.#text ?? this.fallback ?? MOST);
    return /^\d{1,3}$/.test(text) ? Math.min(Number(text), MOST) : MOST;
  }

  set(value) {
    this.#text = String(value);
    this.#write();
    this.#tell();
  }

  /**
   * @param {() => void} listener called whenever the choice may be another one
   * @returns {() => void} stops it
   */
  follow(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #write() {
    const { value, fallback } = this;
    this.#address.write({ [NAME]: value === fallback ? null : String(value) });
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}

/** The one choice of this page. */
export const depth = new Depth();
