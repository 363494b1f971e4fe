/** What the reader has chosen in the picture, kept in the address without a rerun. */

const version = new URL(import.meta.url).search;
const { PageAddress } = await import(`../attention/address.js${version}`);

const NAMES = ["layer", "head", "step"];
const LAST = "-1";

let lastScene = 0;

export class Choices {
  constructor() {
    this.address = new PageAddress("", NAMES);
    this.texts = this.address.readOrKeep();
  }

  /** Take what Python says: defaults, and what a scene has set, once. */
  open({ defaults, choice }) {
    this.defaults = defaults;
    if (this.address.hasNews) this.texts = this.address.read();
    if (choice && choice[0] > lastScene) {
      lastScene = choice[0];
      this.texts = Object.fromEntries(Object.entries(choice[1]).map(([one, to]) => [one, `${to}`]));
      this.address.read();
    }
  }

  /** The address has changed under the picture: the reader went back or forward. */
  follow() {
    this.texts = this.address.read();
  }

  /** The step, counted from 0; the last one where none is chosen. @returns {number} */
  step(count) {
    const text = this.#text("step");
    return text === LAST ? count - 1 : Math.min(number(text, count - 1), count - 1);
  }

  /** Layer and head, those that there are. */
  head({ layers, heads }) {
    return {
      layer: Math.min(number(this.#text("layer"), 0), layers - 1),
      head: Math.min(number(this.#text("head"), 0), heads - 1),
    };
  }

  /** @param {Record<string, number>} changes */
  set(changes) {
    for (const [name, value] of Object.entries(changes)) this.texts[name] = String(value);
    this.address.write(
      Object.fromEntries(
        NAMES.map((name) => {
          const text = this.#text(name);
          return [name, text === String(this.defaults[name]) ? null : text];
        }),
      ),
    );
  }

  /** Forget what is not written yet. */
  release() {
    this.address.release();
  }

  #text(name) {
    return this.texts[name] ?? String(this.defaults[name]);
  }
}

function number(text, otherwise) {
  return /^\d{1,4}$/.test(text) ? Number(text) : otherwise;
}
