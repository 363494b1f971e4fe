/** Several heads in one picture of lines: which they are, and the colour of each. */

import { headColour } from "../lib/head_colours.js";

const WIDEST_PITCH = 4;
// Of the distance between two tokens.
const LARGEST_SHARE = 0.75;
const THINNEST = 0.6;

/**
 * The heads whose lines are drawn, in order.
 *
 * @param {{head: number, heads?: number[]}} values
 * @returns {number[]}
 */
export function shownHeads({ head, heads = [] }) {
  return [...new Set([head, ...heads])].sort((left, right) => left - right);
}

/**
 * What a legend says: nothing where one head alone is drawn, in the colour of all lines.
 *
 * @param {{head: number, heads?: number[]}} values
 * @param {boolean} dark whether the ground is dark
 * @returns {{head: number, colour: string}[]}
 */
export function legendEntries(values, dark) {
  const heads = shownHeads(values);
  if (heads.length < 2) return [];
  return heads.map((head) => ({ head, colour: headColour(head, dark) }));
}

/**
 * How a head's lines are drawn: heads that share two ends lie side by side.
 *
 * @param {object} values settings
 * @param {object} theme
 * @param {number} step distance between two tokens in pixels
 * @returns {Map<number, {colour: string, offset: number, thickness: number}>} by head; `offset` in
 *   pixels, `thickness` as a share of that of a single head's lines
 */
export function strokes(values, theme, step) {
  const entries = legendEntries(values, theme.dark);
  if (entries.length === 0) {
    return new Map([[values.head, { colour: theme.colours.line, offset: 0, thickness: 1 }]]);
  }
  const pitch = Math.min(WIDEST_PITCH, (LARGEST_SHARE * step) / entries.length);
  const thickness = Math.max(1 / Math.sqrt(entries.length), THINNEST);
  return new Map(
    entries.map(({ head, colour }, place) => [
      head,
      { colour, offset: (place - (entries.length - 1) / 2) * pitch, thickness },
    ]),
  );
}
