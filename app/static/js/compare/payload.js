/** The blob of two sides: a header, then the weights of both on common rows and columns. */

import { floats, openBlob, slice } from "../lib/blob.js";

const MAGIC = "HLPM";
const VERSION = 1;

/** The maps of one side: all of them, or the one that was asked for. */
class Side {
  constructor({ title, layers, heads, weights, masked, only }, body, cells) {
    this.title = title;
    this.layers = layers;
    this.heads = heads;
    this.only = only;
    this.cells = cells;
    const count = (only ? 1 : layers * heads) * cells;
    this.weights = floats(body, weights, count);
    this.masked = masked === null ? null : slice(body, masked, cells);
  }

  /** True where the weights of a head are here. */
  has({ layer, head }) {
    return !this.only || (this.only[0] === layer && this.only[1] === head);
  }

  /** The weights of a head, row by row. @returns {Float32Array} */
  map({ layer, head }) {
    const start = this.only ? 0 : (layer * this.heads + head) * this.cells;
    return this.weights.subarray(start, start + this.cells);
  }
}

/**
 * @param {Uint8Array} data as `app/components/compared_maps.py` packs it
 * @returns {object} the header, with `left` and `right` as sides
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  const cells = header.rows.left.length * header.columns.left.length;
  return {
    ...header,
    left: new Side(header.left, body, cells),
    right: new Side(header.right, body, cells),
  };
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
