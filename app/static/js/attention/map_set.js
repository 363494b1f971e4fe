/** The maps of one kind of attention, as `app/parts/attention_canvas.py` packs them. */

import { PayloadError, unpack } from "../lib/wire.js";

const LARGEST_BYTE = 255;

/** The maps of one kind of attention, with weights read out row by row. */
export class MapSet {
  /**
   * @param {object} packed
   * @param {string} packed.identity the same for the same maps
   * @param {string} packed.name
   * @param {string} packed.label
   * @param {string[]} packed.queryTokens
   * @param {string[]} packed.keyTokens
   * @param {number[]} packed.querySpecial 1 for a token such as [CLS]
   * @param {number[]} packed.keySpecial
   * @param {number[]} packed.queryWords number of each token's word, -1 for a token of no word
   * @param {number[]} packed.keyWords
   * @param {string[]} packed.queryWordTexts by number of the word
   * @param {string[]} packed.keyWordTexts
   * @param {number[]} packed.querySegments
   * @param {number[]} packed.keySegments
   * @param {string} packed.queryLabel
   * @param {string} packed.keyLabel
   * @param {boolean} packed.breaksDown whether Python knows how a weight came about
   * @param {object[]} packed.suggestions
   * @param {Float32Array} packed.scales largest weight of each row, `[layer, head, query]`
   * @param {Uint16Array} packed.sinkKeys `[layer, head]`
   * @param {Float32Array} packed.sinkShares `[layer, head]`
   * @param {Uint8Array} packed.maskedRows `[query]`
   * @param {Uint8Array | null} packed.maskedCells `[query, key]`
   * @param {object | null} packed.thumbnails where some layers have not come
   * @param {(Uint8Array | null)[]} packed.levels of each layer `[head, query, key]`
   */
  constructor(packed) {
    Object.assign(this, packed);
    [this.layers, this.heads, this.queries] = packed.scales.shape;
    this.keys = packed.keyTokens.length;
    this.largest = largestOfHeads(packed.scales, this.queries);
    this.thumbnails = packed.thumbnails && new Thumbnails(this, packed.thumbnails);
    this.exact = new Map();
  }

  /** How many bytes the weights of a layer have. */
  get layerBytes() {
    return this.heads * this.queries * this.keys;
  }

  /**
   * Put the weights of a layer beside those that are here.
   *
   * @param {number} layer
   * @param {Uint8Array} levels head by head, row by row
   * @throws {PayloadError} when they are not the weights of one layer of these maps
   */
  takeLayer(layer, levels) {
    if (layer >= this.layers || levels.length !== this.layerBytes) {
      throw new PayloadError("cutShort");
    }
    this.levels[layer] = levels;
  }

  /** Take over what came earlier of the same maps. @param {MapSet} earlier */
  keepLayersOf(earlier) {
    this.exact = earlier.exact;
    this.levels = this.levels.map((levels, layer) => levels ?? earlier.levels[layer]);
  }

  /** True when the weights of a layer are here. */
  hasLayer(layer) {
    return this.levels[layer] !== null;
  }

  /** Position of a row among all rows of the set. */
  rowIndex(layer, head, query) {
    return (layer * this.heads + head) * this.queries + query;
  }

  /** One row of bytes, 255 for the largest weight of the row. @returns {Uint8Array} */
  rowLevels(layer, head, query) {
    const start = (head * this.queries + query) * this.keys;
    return this.levels[layer].subarray(start, start + this.keys);
  }

  /**
   * Take rows as the model computed them.
   *
   * @param {number} layer
   * @param {number} head
   * @param {number[]} queries
   * @param {Float32Array[]} rows
   */
  takeRows(layer, head, queries, rows) {
    queries.forEach((query, at) => this.exact.set(this.rowIndex(layer, head, query), rows[at]));
  }

  /** The same of all rows of a head, one after the other. @param {Float32Array} weights */
  takeHead(layer, head, weights) {
    for (let query = 0; query < this.queries; query += 1) {
      const row = weights.subarray(query * this.keys, (query + 1) * this.keys);
      this.exact.set(this.rowIndex(layer, head, query), row);
    }
  }

  /** True where all rows of a head are here as the model computed them. */
  isHeadExact(layer, head) {
    for (let query = 0; query < this.queries; query += 1) {
      if (!this.isExact(layer, head, query)) return false;
    }
    return true;
  }

  /** True where a row is here as the model computed it. */
  isExact(layer, head, query) {
    return this.exact.has(this.rowIndex(layer, head, query));
  }

  /**
   * One row as well as it is known: weight = level * unit.
   *
   * @returns {{levels: Uint8Array | Float32Array, unit: number}}
   */
  known(layer, head, query) {
    const row = this.rowIndex(layer, head, query);
    const exact = this.exact.get(row);
    if (exact) return { levels: exact, unit: 1 };
    return { levels: this.rowLevels(layer, head, query), unit: this.scales[row] / LARGEST_BYTE };
  }

  /** One row of weights, as well as they are known. @returns {Float32Array} */
  row(layer, head, query) {
    const { levels, unit } = this.known(layer, head, query);
    return Float32Array.from(levels, (level) => level * unit);
  }

  /** Largest weight of a head. */
  largestOfHead(layer, head) {
    return this.largest[layer * this.heads + head];
  }

  /**
   * The key that a head looks at most, in the mean over all rows, and that mean.
   *
   * @returns {{key: number, share: number}}
   */
  sinkOf(layer, head) {
    const map = layer * this.heads + head;
    return { key: this.sinkKeys[map], share: this.sinkShares[map] };
  }

  /** The largest weight of a head with its place. @returns {{query, key, weight} | null} */
  strongestOfHead(layer, head) {
    let best = null;
    for (let query = 0; query < this.queries; query += 1) {
      const weight = this.scales[this.rowIndex(layer, head, query)];
      if (weight > (best ? best.weight : 0)) best = { query, weight };
    }
    if (!best) return null;
    const key = this.hasLayer(layer)
      ? this.rowLevels(layer, head, best.query).indexOf(LARGEST_BYTE)
      : this.thumbnails.strongestKeys[layer * this.heads + head];
    return { ...best, key };
  }

  /**
   * What the atlas is painted from: whole maps, or thumbnails where some layers are not here.
   *
   * @param {boolean} relative whether 255 means the largest of a row
   * @returns {{blockRows: number, blockColumns: number, rows: number, columns: number,
   *   row: (layer: number, head: number, row: number) => {levels: Uint8Array, unit: number}}}
   *   weight = level * unit; a block of rows and columns of the maps stands in one cell
   */
  overview(relative) {
    if (this.thumbnails) return this.thumbnails.overview(relative);
    const row = (layer, head, query) => ({
      levels: this.rowLevels(layer, head, query),
      unit: (relative ? 1 : this.scales[this.rowIndex(layer, head, query)]) / LARGEST_BYTE,
    });
    return { blockRows: 1, blockColumns: 1, rows: this.queries, columns: this.keys, row };
  }

  /** True where a query may attend to nothing. */
  isRowMasked(query) {
    return this.maskedRows[query] === 1;
  }

  /** True where this query may not see this key. */
  isCellMasked(query, key) {
    return (
      this.maskedRows[query] === 1 ||
      (this.maskedCells !== null && this.maskedCells[query * this.keys + key] === 1)
    );
  }
}

/** Every head in small: a cell holds the largest of its block. */
class Thumbnails {
  constructor(mapSet, { blockRows, blockColumns, weights, relative, strongestKeys }) {
    this.mapSet = mapSet;
    this.blockRows = blockRows;
    this.blockColumns = blockColumns;
    [, , this.rows, this.columns] = weights.shape;
    this.weights = weights;
    this.relative = relative;
    this.strongestKeys = strongestKeys; // [layer, head]
  }

  overview(relative) {
    const { mapSet, blockRows, blockColumns, rows, columns } = this;
    const plane = relative ? this.relative : this.weights;
    const row = (layer, head, index) => {
      const start = ((layer * mapSet.heads + head) * rows + index) * columns;
      const largest = relative ? 1 : mapSet.largestOfHead(layer, head);
      return { levels: plane.subarray(start, start + columns), unit: largest / LARGEST_BYTE };
    };
    return { blockRows, blockColumns, rows, columns, row };
  }
}

/**
 * What a canvas is drawn from.
 *
 * @param {unknown} data what Streamlit hands over
 * @returns {{sets: MapSet[], settings: object, strings: Record<string, string>}}
 * @throws {PayloadError} when it cannot be read
 */
export function decode(data) {
  const payload = unpack(data);
  return { ...payload, sets: payload.sets.map((packed) => new MapSet(packed)) };
}

function largestOfHeads(scales, queries) {
  const largest = new Float32Array(scales.length / queries);
  scales.forEach((scale, row) => {
    const head = Math.floor(row / queries);
    if (scale > largest[head]) largest[head] = scale;
  });
  return largest;
}
