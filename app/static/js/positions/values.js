/** What the reader has chosen in the picture, kept in the address without a rerun. */

const version = new URL(import.meta.url).search;
const { PageAddress } = await import(`../attention/address.js${version}`);

const NAMES = ["waves", "shown", "map"];
const MOST_WAVES = 6;

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

  /** Dimensions whose waves are drawn, those that there are. @returns {number[]} */
  waves(columns) {
    const wanted = this.#text("waves").split(".").filter((one) => /^\d{1,4}$/.test(one));
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

  /** @param {Record<string, string | number>} changes */
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

  /** The waves with one more or one less; the oldest makes room. */
  toggled(dimension, columns) {
    const now = this.waves(columns);
    if (now.includes(dimension)) {
      return now.length > 1 ? now.filter((one) => one !== dimension) : now;
    }
    return [...now, dimension].slice(-MOST_WAVES);
  }

  #text(name) {
    return this.texts[name] ?? String(this.defaults[name]);
  }

  #number(name) {
    const text = this.#text(name);
    return /^\d{1,4}$/.test(text) ? Number(text) : Number(this.defaults[name]);
  }
}
