/** What the canvas shows: the page's defaults, then what the reader or the address chose. */

const SCALES = ["absolute", "head", "row"];
const NO_TOKEN = "-1";

/** Settings that may stand in the page address, in the order in which they stand there. */
export const PARAMETERS = ["layer", "head", "token", "set", "palette", "scale"];

/** Choices over defaults. Choices that do not fit the maps at hand are bent, never lost. */
export class CanvasState {
  /** @param {string[]} palettes names that can be drawn */
  constructor(palettes) {
    this.palettes = palettes;
    this.defaults = null;
    this.sets = [];
    this.choices = {};
  }

  /**
   * Take over new maps and their defaults; what was chosen stays chosen.
   *
   * @param {import("./payload.js").MapSet[]} sets
   * @param {object} defaults settings of the header
   */
  adopt(sets, defaults) {
    this.sets = sets;
    this.defaults = defaults;
  }

  /** Record choices, for example `{layer: 2, head: 1}`. */
  choose(changes) {
    Object.assign(this.choices, changes);
  }

  /** The set of maps that is shown. @returns {import("./payload.js").MapSet} */
  get mapSet() {
    const name = this.choices.set ?? this.defaults.set;
    return (
      this.sets.find((mapSet) => mapSet.name === name) ??
      this.sets.find((mapSet) => mapSet.name === this.defaults.set)
    );
  }

  /** Every setting, bent so that it fits the maps. */
  get values() {
    const wanted = { ...this.defaults, ...this.choices };
    return { ...this.#fit(wanted), set: this.mapSet.name };
  }

  /** Go back to the defaults. */
  forget() {
    this.choices = {};
  }

  /**
   * Choose what a page address says; what it cannot mean is passed over.
   *
   * @param {Record<string, string>} texts
   */
  readTexts(texts) {
    for (const [name, text] of Object.entries(texts)) {
      const value = parse(name, text);
      if (value !== undefined && this.#exists(name, value)) this.choices[name] = value;
    }
  }

  /** What the page address should say: a text, or null where the default says it already. */
  get texts() {
    const values = this.values;
    const defaults = { ...this.#fit(this.defaults), set: this.defaults.set };
    return Object.fromEntries(
      PARAMETERS.map((name) => [
        name,
        values[name] === defaults[name] ? null : String(values[name] ?? NO_TOKEN),
      ]),
    );
  }

  #fit(wanted) {
    const { layers, heads, queries } = this.mapSet;
    return {
      layer: clamp(wanted.layer, layers),
      head: clamp(wanted.head, heads),
      token: wanted.token === null ? null : clamp(wanted.token, queries),
      palette: wanted.palette,
      scale: wanted.scale,
    };
  }

  #exists(name, value) {
    if (name === "set") return this.sets.some((mapSet) => mapSet.name === value);
    if (name === "palette") return this.palettes.includes(value);
    if (name === "scale") return SCALES.includes(value);
    return true;
  }
}

function parse(name, text) {
  if (name === "layer" || name === "head") return wholeNumber(text);
  if (name === "token") return text === NO_TOKEN ? null : wholeNumber(text);
  return text;
}

function wholeNumber(text) {
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function clamp(value, count) {
  return Math.min(Math.max(value, 0), count - 1);
}
