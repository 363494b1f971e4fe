/** Opens what `app/components/span_view.py` packs. */

import { floats, openBlob, slice } from "../lib/blob.js";

const MAGIC = "HLSP";
const VERSION = 1;
const LARGEST_BYTE = 255;

/** One kind of attention: every head of every layer, a row for each step. */
class Maps {
  constructor({ keys, scales, levels }, { layers, heads, steps }, body) {
    this.heads = heads;
    this.steps = steps;
    this.keys = keys;
    this.scales = floats(body, scales, layers * heads * steps);
    this.levels = slice(body, levels, layers * heads * steps * keys);
  }

  /** The weights of one step in every head of a layer. @returns {Float32Array[]} */
  rows(layer, step, keys = this.keys) {
    return Array.from({ length: this.heads }, (_, head) => {
      const row = (layer * this.heads + head) * this.steps + step;
      const unit = this.scales[row] / LARGEST_BYTE;
      const start = row * this.keys;
      return Float32Array.from(this.levels.subarray(start, start + keys), (level) => level * unit);
    });
  }
}

/**
 * @param {unknown} data
 * @returns {object} the header, with `decoder` and `cross` of its attention as `Maps`
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  const { attention, steps } = header;
  if (!attention) return header;
  const size = { ...attention, steps: steps.length };
  const decoder = new Maps(attention.decoder, size, body);
  const cross = new Maps(attention.cross, size, body);
  return { ...header, attention: { ...attention, decoder, cross } };
}
