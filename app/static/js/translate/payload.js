/** Opens what `app/components/translation_view.py` packs. */

import { floats, openBlob, shorts } from "../lib/blob.js";

const MAGIC = "HLTR";
const VERSION = 1;
const LEVELS = 65535;

/**
 * @typedef {object} KindOfAttention
 * @property {string} name "encoder", "decoder" or "cross"
 * @property {string} rows which text looks, "source" or "target"
 * @property {string} columns which text is looked at
 * @property {number} layers
 * @property {number} heads
 * @property {(layer: number, head: number) => Float32Array} map the weights of a head, row by row
 */

/**
 * @param {unknown} data
 * @returns {object} the header, with `maps` as above and `scores` as numbers `[target][source]`
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  const size = { source: header.source.length, target: header.target.length };
  const maps = header.maps.map((one) => {
    const cells = size[one.rows] * size[one.columns];
    const levels = shorts(body, one.weights, one.layers * one.heads * cells);
    return {
      ...one,
      map(layer, head) {
        const start = (layer * one.heads + head) * cells;
        return Float32Array.from(levels.subarray(start, start + cells), (one) => one / LEVELS);
      },
    };
  });
  const { scores } = header;
  return {
    ...header,
    maps,
    scores: scores === null ? null : floats(body, scores, size.source * size.target),
  };
}
