/** Entry of the picture of a code for positions. */

import { mounting } from "../../js/lib/picture.js";
import { unpack } from "../../js/lib/wire.js";
import { PositionView } from "./view.js";

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

export const mount = mounting(".positions", PositionView, (data) => {
  const payload = unpack(data);
  for (const map of payload.maps) map.scores ??= scoresByDistance(map);
  return payload;
});

/** Where only the distance counts, a map is told by its first row and column. */
function scoresByDistance({ means, before }) {
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
