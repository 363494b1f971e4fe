/** What is chosen on the page: heads, a cell, scales. Choices that do not fit are bent, not lost. */

const DEFAULTS = {
  layer: 4,
  head: 3,
  other_layer: null,
  other_head: null,
  token: null,
  key: null,
  palette: "indigo",
  scale: "head",
  enlarge: true,
};

export const SCALES = ["head", "absolute"];
/** In the order in which they stand in the page address. */
export const PARAMETERS = Object.keys(DEFAULTS);

const NONE = "-1";
const PALETTES = ["indigo", "viridis", "cividis"];

/** Choices over defaults. */
export class Choices {
  constructor() {
    this.chosen = {};
  }

  /** Record choices by name. */
  choose(changes) {
    Object.assign(this.chosen, changes);
  }

  /** Back to the defaults. */
  forget() {
    this.chosen = {};
  }

  /** Choose what texts say, as they stand in an address; what cannot be meant is passed over. */
  read(texts) {
    for (const name of PARAMETERS) {
      const value = texts[name] === undefined ? undefined : parse(name, String(texts[name]));
      if (value !== undefined) this.chosen[name] = value;
    }
  }

  /**
   * Every choice, so that it fits.
   *
   * @param {object} data with both sides, as in `sides.js`
   * @returns {object} settings by name, `left` and `right` as `{layer, head}`, and `linked`: whether
   *   the right head is the left one's namesake
   */
  values({ left, right, rows, columns }) {
    const wanted = { ...DEFAULTS, ...this.chosen };
    const first = fit({ layer: wanted.layer, head: wanted.head }, left);
    const linked = wanted.other_layer === null && wanted.other_head === null;
    const second = fit(
      { layer: wanted.other_layer ?? first.layer, head: wanted.other_head ?? first.head },
      right,
    );
    return {
      ...wanted,
      left: first,
      right: second,
      linked,
      token: bounded(wanted.token, rows.left.length),
      key: wanted.token === null ? null : bounded(wanted.key, columns.left.length),
    };
  }

  /** What the address should say: a text, or null where the default says it. */
  get texts() {
    return Object.fromEntries(
      PARAMETERS.map((name) => {
        const value = this.chosen[name] === undefined ? DEFAULTS[name] : this.chosen[name];
        return [name, value === DEFAULTS[name] ? null : String(value ?? NONE)];
      }),
    );
  }
}

function parse(name, text) {
  if (name === "palette") return PALETTES.includes(text) ? text : undefined;
  if (name === "scale") return SCALES.includes(text) ? text : undefined;
  if (name === "enlarge") return { true: true, 1: true, false: false, 0: false }[text.toLowerCase()];
  if (text === NONE) return name === "layer" || name === "head" ? undefined : null;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function fit({ layer, head }, { layers, heads }) {
  return { layer: bounded(layer, layers), head: bounded(head, heads) };
}

function bounded(value, count) {
  return value === null ? null : Math.min(value, count - 1);
}
