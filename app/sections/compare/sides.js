/** The maps of one side of a comparison: all of them, or the one that was asked for. */

import { partOf } from "../../js/lib/wire.js";

/**
 * @typedef {object} Side
 * @property {string} title
 * @property {number} layers
 * @property {number} heads
 * @property {Float32Array} weights `[layer, head, row, column]`, of all heads or of one
 * @property {Uint8Array | null} masked `[row, column]`, 1 for a cell that may not be seen
 * @property {[number, number] | null} only layer and head of the one that came
 *
 * @typedef {{layer: number, head: number}} Place
 */

/** True where the weights of a head are here. @param {Side} side @param {Place} place */
export function isHere({ only }, { layer, head }) {
  return !only || (only[0] === layer && only[1] === head);
}

/**
 * The weights of a head that is here.
 *
 * @param {Side} side
 * @param {Place} place
 * @returns {Float32Array} `[row, column]`
 */
export function mapOf({ weights, only }, { layer, head }) {
  return only ? partOf(weights, 0, 0) : partOf(weights, layer, head);
}

/**
 * How much of a row's attention lies elsewhere, in the mean over the rows, 0 to 1: half the sum of
 * all absolute differences of a row.
 *
 * @param {Float32Array} left
 * @param {Float32Array} right
 * @param {number} rows
 */
export function apart(left, right, rows) {
  let sum = 0;
  for (let cell = 0; cell < left.length; cell += 1) sum += Math.abs(right[cell] - left[cell]);
  return sum / 2 / rows;
}
