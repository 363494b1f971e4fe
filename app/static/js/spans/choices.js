/** Step, layer and head, kept in the address without a rerun. */

const version = new URL(import.meta.url).search;
const { PageAddress } = await import(`../attention/address.js${version}`);

const NAMES = ["step", "layer", "head"];
const FIRST_FREE = 1; // step 0 writes the first sentinel, and nothing else is allowed there

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

  #text(name) {
    return this.texts[name] ?? String(this.defaults[name]);
  }

  #number(name) {
    const text = this.#text(name);
    return /^(-1|\d{1,4})$/.test(text) ? Number(text) : Number(this.defaults[name]);
  }
}
