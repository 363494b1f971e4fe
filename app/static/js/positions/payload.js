/** Opens what `app/components/position_view.py` packs. */

import { floats, openBlob } from "../lib/blob.js";

const MAGIC = "HLPO";
const VERSION = 1;

/**
 * @typedef {object} PositionMap how near any two positions are
 * @property {string} name
 * @property {Float32Array} scores row by row, as many as there are positions
 * @property {Float32Array} means by distance, the key after the query
 * @property {Float32Array} least
 * @property {Float32Array} most
 * @property {Float32Array} before by distance, the key before the query
 * @property {{title: string, holds: boolean, verdict: string, words: string}[]} properties
 * @property {number | null} rise the first distance after which the mean does not fall
 */

/**
 * @param {unknown} data
 * @returns {object} the header, with `table.values` and the arrays of `maps`
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  const { count, table, maps } = header;
  const values = table && floats(body, table.offset, table.rows * table.columns);
  return {
    ...header,
    table: table && { ...table, values },
    maps: maps.map((map) => {
      const [means, least, most, before] = map.byDistance.map((one) => floats(body, one, count));
      const scores =
        map.scores === null ? byDistance(means, before) : floats(body, map.scores, count * count);
      return { ...map, scores, means, least, most, before };
    }),
  };
}

/** Where only the distance counts, a map is told by its first row and column. */
function byDistance(means, before) {
  const count = means.length;
  const scores = new Float32Array(count * count);
  for (let query = 0; query < count; query += 1) {
    for (let key = 0; key < count; key += 1) {
      const distance = key - query;
      scores[query * count + key] = distance < 0 ? before[-distance] : means[distance];
    }
  }
  return scores;
}
