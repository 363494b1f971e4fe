/** Temperature, top-k and top-p as the reader has set them, kept in the address without a rerun. */

const version = new URL(import.meta.url).search;
const { PageAddress } = await import(`../attention/address.js${version}`);

const NAMES = ["temperature", "top_k", "top_p"];
const HUNDREDTHS = 100;
const THOUSANDTHS = 1000;

let lastScene = 0;

export class Choices {
  constructor() {
    this.address = new PageAddress("", NAMES);
    this.texts = this.address.readOrKeep();
  }

  /** Take what Python says: defaults, bounds, and what a scene has set, once. */
  open({ defaults, bounds, choice }) {
    this.defaults = defaults;
    this.bounds = bounds;
    if (this.address.hasNews) this.texts = this.address.read();
    if (choice && choice[0] > lastScene) {
      lastScene = choice[0];
      this.texts = Object.fromEntries(Object.entries(choice[1]).map(([one, to]) => [one, `${to}`]));
      this.address.read();
    }
    this.#write();
  }

  /** The whole number of a setting, the default where it is out of bounds. @returns {number} */
  number(name) {
    const text = this.texts[name] ?? "";
    const { least, most } = this.bounds[name];
    const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : this.defaults[name];
  }

  /** What `chancesOf` asks for. */
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

  /** @param {Record<string, number>} changes */
  set(changes) {
    for (const [name, value] of Object.entries(changes)) this.texts[name] = String(value);
    this.#write();
  }

  #write() {
    const written = NAMES.map((name) => {
      const value = this.number(name);
      return [name, value === this.defaults[name] ? null : String(value)];
    });
    this.address.write(Object.fromEntries(written));
  }
}
