/** Colour tables of 256 entries, from few stops, for light and dark ground. */

const STOPS = {
  indigo: {
    light: ["#ffffff", "#e9edfc", "#cbd4f8", "#97a5ec", "#6375dd", "#3b4cca", "#27309a", "#12125a"],
    dark: ["#171b23", "#1e2747", "#2a367c", "#3f50c0", "#6b7df2", "#a3aeff", "#dcd6f0", "#fff4d6"],
  },
  viridis: {
    light: [
      "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
      "#fde725",
    ],
  },
  cividis: {
    light: [
      "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369",
      "#e1cc55", "#fee838",
    ],
  },
};

// From "more on the left" over nothing to "more on the right": orange and blue, which those who do
// not tell red from green tell apart; as far from the ground on either side.
const DIVERGING = {
  light: [
    "#5f2d00", "#9a4d06", "#cf7f2b", "#efbf83", "#ffffff", "#b9c4f4", "#7688e2", "#3f4fc6",
    "#1a1f78",
  ],
  dark: [
    "#ffe3b8", "#f5b35c", "#bd741f", "#5e3d1d", "#171b23", "#2a3567", "#4a5ec9", "#8f9eff",
    "#dbe0ff",
  ],
};

const SIZE = 256;

const tables = new Map();

/** Names that `createLookupTable` knows. */
export const PALETTE_NAMES = Object.keys(STOPS);

/**
 * The colours from weight 0 to full weight.
 *
 * @param {string} name one of `PALETTE_NAMES`
 * @param {boolean} dark whether the ground is dark
 * @returns {Uint32Array} 256 pixels, ready for the memory of an ImageData; shared, only to be read
 */
export function createLookupTable(name, dark) {
  const key = `${name} ${dark}`;
  if (!tables.has(key)) tables.set(key, mixTable(STOPS[name], dark));
  return tables.get(key);
}

/**
 * The colours from -1 to 1, with that of the ground in the middle; takes and gives the like.
 *
 * @param {boolean} dark
 * @returns {Uint32Array}
 */
export function createDivergingTable(dark) {
  const key = `diverging ${dark}`;
  if (!tables.has(key)) tables.set(key, mixTable(DIVERGING, dark));
  return tables.get(key);
}

function mixTable({ light, dark: onDark = light }, dark) {
  const stops = (dark ? onDark : light).map(channelsOf);
  const table = new Uint32Array(SIZE);
  for (let level = 0; level < SIZE; level += 1) {
    const position = (level / (SIZE - 1)) * (stops.length - 1);
    const left = Math.min(Math.floor(position), stops.length - 2);
    const share = position - left;
    const mixed = stops[left].map((channel, axis) =>
      Math.round(channel + (stops[left + 1][axis] - channel) * share),
    );
    table[level] = pixelOf(mixed);
  }
  return table;
}

/**
 * One colour as the memory of an ImageData holds it.
 *
 * @param {string} colour `#rrggbb`
 * @returns {number}
 */
export function pixel(colour) {
  return pixelOf(channelsOf(colour));
}

/** Colours of a legend from left to right, each `#rrggbb`. @param {Uint32Array} table */
export function swatches(table) {
  const colours = [];
  for (let level = 0; level < SIZE; level += 17) {
    const channels = Array.from(new Uint8Array(table.buffer, level * 4, 3));
    colours.push(`#${channels.map((one) => one.toString(16).padStart(2, "0")).join("")}`);
  }
  return colours;
}

/** A gradient for a legend, as a CSS value. @param {Uint32Array} table */
export function gradient(table) {
  return `linear-gradient(to right, ${swatches(table).join(", ")})`;
}

function channelsOf(colour) {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

function pixelOf([red, green, blue]) {
  // Through bytes, so that the order is right on every machine.
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
}
