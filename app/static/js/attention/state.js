/** What the canvas shows: the page's defaults, then what the reader or the address chose. */

export const VIEWS = ["grid", "heads", "matrix", "lines"];
export const SCALES = ["absolute", "head", "row"];
/** From one sentence of a pair to one of them: both letters; "" for everything. */
export const PARTS = ["", "aa", "ab", "ba", "bb"];

const NONE = "-1";
const MOST_THOUSANDTHS = 1000;

/** Settings that may stand in the page address, in the order in which they stand there. */
export const PARAMETERS = [
  "layer",
  "head",
  "heads",
  "token",
  "key",
  "set",
  "view",
  "part",
  "specials",
  "sink",
  "merge",
  "points",
  "least",
  "palette",
  "scale",
];

// The small canvas has no controls for the others, and draws every token as it is.
const COMPACT_PARAMETERS = ["layer", "head", "token", "set", "palette", "scale"];

// For a page that does not say where it starts.
const DEFAULTS = {
  layer: 0,
  head: 0,
  heads: [],
  token: null,
  key: null,
  view: "matrix",
  part: "",
  specials: true,
  sink: false,
  merge: false,
  points: false,
  least: 0,
  palette: "indigo",
  scale: "head",
};

/**
 * The settings that a layout of the canvas has.
 *
 * @param {string | undefined} layout "explorer" or "compact"
 * @returns {string[]}
 */
export function parametersOf(layout) {
  return layout === "explorer" ? PARAMETERS : COMPACT_PARAMETERS;
}

/** Choices over defaults. Choices that do not fit the maps at hand are bent, never lost. */
export class CanvasState {
  /** @param {string[]} palettes names that can be drawn */
  constructor(palettes) {
    this.palettes = palettes;
    this.defaults = null;
    this.parameters = COMPACT_PARAMETERS;
    this.sets = [];
    this.choices = {};
  }

  /**
   * Take over new maps and their defaults; what was chosen stays chosen.
   *
   * @param {import("./map_set.js").MapSet[]} sets
   * @param {object} defaults settings of the header; what it leaves out has a default of its own
   */
  adopt(sets, defaults) {
    this.sets = sets;
    this.defaults = { ...DEFAULTS, ...defaults };
    this.parameters = parametersOf(defaults.layout);
  }

  /** Record choices, for example `{layer: 2, head: 1}`. */
  choose(changes) {
    Object.assign(this.choices, changes);
  }

  /** The set of maps that is shown. @returns {import("./map_set.js").MapSet} */
  get mapSet() {
    const name = this.choices.set ?? this.defaults.set;
    return (
      this.sets.find((mapSet) => mapSet.name === name) ??
      this.sets.find((mapSet) => mapSet.name === this.defaults.set)
    );
  }

  /** Every setting, bent so that it fits the maps. */
  get values() {
    const wanted = { ...this.defaults };
    for (const name of this.parameters) {
      if (this.choices[name] !== undefined) wanted[name] = this.choices[name];
    }
    return this.#fit(wanted);
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
      if (value !== undefined && this.#isKnown(name, value)) this.choices[name] = value;
    }
  }

  /**
   * Choose values that come by name from elsewhere than the address, for example from a scene.
   *
   * @param {Record<string, string | number | boolean | number[] | null>} settings
   */
  readValues(settings) {
    const texts = Object.entries(settings).map(([name, value]) => [name, write(value)]);
    this.readTexts(Object.fromEntries(texts.filter(([name]) => this.parameters.includes(name))));
  }

  /** What the page address should say: a text, or null where the default says it already. */
  get texts() {
    const values = this.values;
    const defaults = { ...this.#fit(this.defaults), set: this.defaults.set };
    return Object.fromEntries(
      this.parameters.map((name) => {
        const text = write(values[name]);
        return [name, text === write(defaults[name]) ? null : text];
      }),
    );
  }

  #fit(wanted) {
    const { mapSet } = this;
    const { layers, heads, queries, keys } = mapSet;
    const head = clamp(wanted.head, heads);
    return {
      layer: clamp(wanted.layer, layers),
      head,
      heads: [...new Set(wanted.heads)].filter((one) => one < heads && one !== head),
      token: wanted.token === null ? null : clamp(wanted.token, queries),
      key: wanted.key === null ? null : clamp(wanted.key, keys),
      set: mapSet.name,
      view: wanted.view,
      part: hasParts(mapSet) ? wanted.part : "",
      specials: wanted.specials,
      sink: wanted.sink,
      merge: wanted.merge,
      points: wanted.points,
      least: clamp(wanted.least, MOST_THOUSANDTHS + 1),
      palette: wanted.palette,
      scale: wanted.scale,
    };
  }

  // Of a set: a scene may name one of maps that are still to come.
  #isKnown(name, value) {
    if (name === "palette") return this.palettes.includes(value);
    if (name === "scale") return SCALES.includes(value);
    if (name === "view") return VIEWS.includes(value);
    if (name === "part") return PARTS.includes(value);
    return true;
  }
}

/** True where rows and columns both come from two sentences. */
export function hasParts({ querySegments, keySegments }) {
  return [querySegments, keySegments].every((segments) => new Set(segments).size > 1);
}

function parse(name, text) {
  if (name === "layer" || name === "head" || name === "least") return wholeNumber(text);
  if (name === "token" || name === "key") return text === NONE ? null : wholeNumber(text);
  if (["specials", "sink", "merge", "points"].includes(name)) return truth(text);
  if (name === "heads") return text.split(".").map(wholeNumber).filter((one) => one !== undefined);
  return text;
}

/** A value as it stands in the address, in the spelling of `app/state.py`. */
function write(value) {
  if (Array.isArray(value)) return value.join(".");
  return String(value ?? NONE);
}

function wholeNumber(text) {
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function truth(text) {
  const word = text.toLowerCase();
  if (["true", "1"].includes(word)) return true;
  return ["false", "0"].includes(word) ? false : undefined;
}

function clamp(value, count) {
  return Math.min(Math.max(value, 0), count - 1);
}
