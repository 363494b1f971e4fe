/**
 * Channels between a canvas and Python: what an open canvas asks for without its maps being sent
 * again. A canvas listens and asks; the component of `app/parts/attention_channel.py` carries
 * its questions and brings the answers. Both import this module from one address, so they find the
 * same channel by its name, in whatever order they appear.
 *
 * A set of maps is named by its identity everywhere: what was asked about one text is never shown
 * in another.
 *
 * @typedef {{layers?: number[], set?: string,
 *   cell?: {set: string, layer: number, head: number, queries: number[], key: number | null},
 *   similar?: {set: string, layer: number, head: number},
 *   exact?: {set: string, layer: number, head: number},
 *   points?: {set: string, dark: boolean}}} Wish
 *
 * @typedef {object} Answer
 * @property {string} set identity of the maps that the layers belong to
 * @property {Map<number, Uint8Array>} layers bytes for `MapSet.takeLayer`
 * @property {null | {set, layer, head, queries, key, rows: Float32Array[], measures, breakdown}} cell
 * @property {null | {set, layer, head, heads: {layer, head, distance}[]}} similar
 * @property {null | {set, layer, head, rows: Float32Array | null}} exact all rows of a head, null
 *   where they are too many
 * @property {null | object} points heads as points, see `head_points.js`
 * @property {null | {number: number, settings: object}} choose settings by name
 */

// An answer may be lost with its connection, or take its time on a busy server: each wait is twice
// as long as the last, and after these the canvas has to ask again.
const PATIENCE_MILLISECONDS = [5000, 10_000, 20_000, 40_000];

const NOTHING = { cell: null, similar: null, exact: null, points: null };
const EMPTY = { set: "", layers: new Map(), ...NOTHING, choose: null };

const channels = new Map();

/** The channel of this name; everybody who asks gets the same. @returns {Channel} */
export function channelOf(name) {
  if (!channels.has(name)) channels.set(name, new Channel());
  return channels.get(name);
}

/** Carries one question at a time; what is asked meanwhile waits and goes together. */
class Channel {
  #listeners = new Set();
  #carrier = null;
  #waiting = {};
  #asked = null;
  // Questions of an earlier page load must not be taken for those of this one.
  #number = Date.now();
  #attempts = 0;
  #timer = null;
  #lastChoice = null;
  #choice = null;

  /**
   * Be told every answer.
   *
   * @param {(answer: Answer) => void} listener
   * @returns {() => void} stops it; without a listener nothing is asked any more
   */
  listen(listener) {
    this.#listeners.add(listener);
    const choose = this.#choice;
    this.#choice = null;
    if (choose) setTimeout(() => this.#tell({ ...EMPTY, choose }), 0);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#forget();
    };
  }

  /**
   * Ask for layers, for exact rows with what is known about a cell, for all exact rows of a head, for
   * similar heads, or for heads as points. Layers are collected; of the others the latest counts.
   * What is on its way is not asked for again.
   *
   * @param {Wish} wish
   */
  ask(wish) {
    this.#waiting = without(merged(this.#waiting, wish), this.#asked?.wish ?? {});
    this.#sendSoon();
  }

  /**
   * Carry questions from now on: called by the channel's component.
   *
   * @param {object} owner the component's place on the page
   * @param {(question: object) => void} carry
   * @returns {() => void} ends it, unless another component has taken over
   */
  connect(owner, carry) {
    // What went out through another component was lost with it.
    if (this.#carrier?.owner !== owner) this.#takeBack();
    this.#carrier = { owner, carry };
    this.#sendSoon();
    return () => {
      if (this.#carrier?.owner === owner) this.#carrier = null;
    };
  }

  /**
   * Take what Python says: called by the channel's component.
   *
   * @param {object} message an Answer with the number of its question, its layers as pairs
   */
  receive({ number, set, layers, choose: said, ...further }) {
    const isNewChoice = said !== null && said.number !== this.#lastChoice;
    if (isNewChoice) this.#lastChoice = said.number;
    const choose = isNewChoice ? said : null;
    // Every run of the page brings its last answer again.
    const isAwaited = this.#asked !== null && number === this.#asked.number;
    if (isAwaited) {
      this.#settle();
      this.#sendSoon();
    }
    if (this.#listeners.size === 0) this.#choice = choose ?? this.#choice;
    else if (isAwaited) this.#tell({ set, layers: new Map(layers), ...further, choose });
    else if (choose) this.#tell({ ...EMPTY, choose });
  }

  #tell(answer) {
    for (const listener of [...this.#listeners]) listener(answer);
  }

  // Streamlit may lose what is said while a component is being mounted.
  #sendSoon() {
    if (this.#asked === null) setTimeout(() => this.#send(), 0);
  }

  #send() {
    if (this.#carrier === null || this.#asked !== null || isEmpty(this.#waiting)) return;
    this.#number += 1;
    this.#asked = { number: this.#number, wish: this.#waiting };
    this.#waiting = {};
    const { number, wish } = this.#asked;
    this.#carrier.carry({ set: "", layers: [], ...NOTHING, ...wish, number });
    const patience = PATIENCE_MILLISECONDS[this.#attempts];
    this.#timer = setTimeout(() => this.#askAgain(), patience);
  }

  #askAgain() {
    const attempts = this.#attempts + 1;
    if (attempts < PATIENCE_MILLISECONDS.length) this.#takeBack();
    else this.#settle();
    this.#attempts = attempts % PATIENCE_MILLISECONDS.length;
    this.#sendSoon();
  }

  #takeBack() {
    const wish = this.#asked?.wish;
    this.#settle();
    if (wish) this.#waiting = merged(wish, this.#waiting);
  }

  #settle() {
    clearTimeout(this.#timer);
    this.#asked = null;
    this.#attempts = 0;
  }

  #forget() {
    this.#settle();
    this.#waiting = {};
  }
}

/** Two wishes as one: layers of the same maps together, otherwise the later ones. */
function merged(earlier, later) {
  const both = { ...earlier, ...later };
  const sameSet = (earlier.set ?? "") === (later.set ?? "");
  if (later.layers === undefined) both.set = earlier.set;
  else if (earlier.layers && sameSet) {
    both.layers = [...new Set([...earlier.layers, ...later.layers])];
  }
  return both;
}

function isEmpty({ layers = [], ...further }) {
  return layers.length === 0 && Object.keys(NOTHING).every((name) => !further[name]);
}

/** What of a wish is not asked for already. */
function without({ layers, ...wish }, asked) {
  const sameSet = (wish.set ?? "") === (asked.set ?? "");
  const known = sameSet ? (asked.layers ?? []) : [];
  const left = (layers ?? []).filter((layer) => !known.includes(layer));
  if (left.length > 0) wish.layers = left;
  for (const name of Object.keys(NOTHING)) {
    if (JSON.stringify(wish[name]) === JSON.stringify(asked[name])) delete wish[name];
  }
  return wish;
}
