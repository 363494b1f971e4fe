/** Threshold and marks, kept in the address without a rerun; and the score of this tab. */

const version = new URL(import.meta.url).search;
const { PageAddress } = await import(`../attention/address.js${version}`);

const NAMES = ["threshold", "marked"];
const SCORE = "headlight: replaced words";
const MOST_ROUNDS = 500;

let lastScene = 0;
let sentence = null; // to which marks and answer belong
let answered = false;

export class Choices {
  constructor() {
    this.address = new PageAddress("", NAMES);
    this.texts = this.address.readOrKeep();
  }

  /** Take what Python says: defaults, what a scene has set, and which sentence it is. */
  open({ defaults, choice, identity }) {
    this.defaults = defaults;
    const isOther = sentence !== null && sentence !== identity;
    const isScene = choice !== null && choice[0] > lastScene;
    if (isOther || isScene) answered = false;
    sentence = identity;
    if (isScene) {
      lastScene = choice[0];
      this.texts = Object.fromEntries(Object.entries(choice[1]).map(([one, to]) => [one, `${to}`]));
      this.address.release();
      this.address.read();
    } else if (this.address.hasNews) {
      this.texts = this.address.read();
    } else if (isOther) {
      this.set({ marked: "" });
    }
  }

  /** @returns {number} a probability */
  get threshold() {
    const text = this.#text("threshold");
    const hundredths = /^\d{1,3}$/.test(text) ? Number(text) : this.defaults.threshold;
    return Math.min(hundredths, 100) / 100;
  }

  /** Numbers of the words that the reader has marked. @returns {number[]} */
  get marked() {
    const parts = this.#text("marked").split(".");
    return [...new Set(parts.filter((one) => /^\d{1,5}$/.test(one)).map(Number))];
  }

  /** Whether the answer to this sentence has been shown. */
  get answered() {
    return answered;
  }

  set answered(value) {
    answered = value;
  }

  toggleMark(word) {
    const now = this.marked;
    const next = now.includes(word) ? now.filter((one) => one !== word) : [...now, word];
    this.set({ marked: next.sort((one, other) => one - other).join(".") });
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

  #text(name) {
    return this.texts[name] ?? String(this.defaults[name]);
  }
}

/** The rounds of this browser tab. Where it keeps nothing, they last as long as the page. */
export class Rounds {
  #list = [];

  constructor() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(SCORE) ?? "[]");
      this.#list = Array.isArray(kept) ? kept.filter(isRound) : [];
    } catch {
      this.#list = [];
    }
  }

  /** @returns {object[]} */
  get all() {
    return this.#list;
  }

  has(identity) {
    return this.#list.some((one) => one.identity === identity);
  }

  /** Count a sentence, once. */
  add(identity, round) {
    if (this.has(identity)) return;
    this.#keep([...this.#list, { identity, ...round }].slice(-MOST_ROUNDS));
  }

  clear() {
    this.#keep([]);
  }

  #keep(list) {
    this.#list = list;
    try {
      sessionStorage.setItem(SCORE, JSON.stringify(list));
    } catch {
      // A browser that keeps nothing still shows it.
    }
  }
}

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isScore = (one) => isCount(one?.found) && isCount(one?.alarms);

function isRound(one) {
  return (
    typeof one?.identity === "string" &&
    isCount(one.words) &&
    isCount(one.replaced) &&
    isScore(one.reader) &&
    isScore(one.model)
  );
}
