/** Threshold and marks, kept in the address without a rerun; and the score of this tab. */

import { AddressChoices } from "../../js/lib/choices.js";

const NAMES = ["threshold", "marked"];
const SCORE = "headlight: replaced words";
const MOST_ROUNDS = 500;

let sentence = null; // to which marks and answer belong
let answered = false;

export class Choices extends AddressChoices {
  constructor() {
    super(NAMES);
  }

  /** Take what Python says, and which sentence it is: another one has no marks and no answer. */
  open({ defaults, choice, identity }) {
    const { texts } = this;
    const { lastScene } = Choices;
    super.open({ defaults, choice });
    const isOther = sentence !== null && sentence !== identity;
    const isScene = Choices.lastScene !== lastScene;
    sentence = identity;
    if (isOther || isScene) answered = false;
    // A scene or a link brings texts of its own, with the marks that belong to them.
    if (isOther && this.texts === texts) this.set({ marked: "" });
  }

  /** @returns {number} a probability */
  get threshold() {
    const text = this.text("threshold");
    const hundredths = /^\d{1,3}$/.test(text) ? Number(text) : this.defaults.threshold;
    return Math.min(hundredths, 100) / 100;
  }

  /** Numbers of the words that the reader has marked. @returns {number[]} */
  get marked() {
    const parts = this.text("marked").split(".");
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
