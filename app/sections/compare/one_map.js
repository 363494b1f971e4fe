/** One map on common rows and columns, as the matrix draws it, and the sheet that colours it. */

import { createDivergingTable, createLookupTable, pixel } from "../../js/lib/palette.js";

const LAST_LEVEL = 255;
const NO_ROWS = new Uint8Array(0);

/** What `Matrix` asks of a projection, of a single map. */
export class OneMap {
  /**
   * @param {Float32Array} weights row by row; of a difference from -1 to 1
   * @param {object} labels
   * @param {string[]} labels.rows
   * @param {string[]} labels.columns
   * @param {boolean[]} labels.specialRows
   * @param {boolean[]} labels.specialColumns
   * @param {Uint8Array | null} masked 1 for a cell that may not be seen
   * @param {{full: number, signed?: boolean}} colours which weight has full colour, and whether
   *   there are weights below 0
   */
  constructor(weights, labels, masked, { full, signed = false }) {
    this.weights = weights;
    this.masked = masked;
    this.full = full;
    this.signed = signed;
    this.rows = labels.rows.map((label, at) => group(at, label, labels.specialRows[at]));
    this.columns = labels.columns.map((label, at) => group(at, label, labels.specialColumns[at]));
    this.mapSet = { hasLayer: () => true, maskedCells: masked, maskedRows: NO_ROWS };
  }

  /** Copy a row. */
  row(_layer, _head, row, target) {
    const start = row * this.columns.length;
    target.set(this.weights.subarray(start, start + this.columns.length));
    return target;
  }

  /** One weight. */
  at({ row, column }) {
    return this.weights[row * this.columns.length + column];
  }

  rowOf(token) {
    return token;
  }

  columnOf(token) {
    return token;
  }

  isRowMasked() {
    return false;
  }

  isCellMasked(row, column) {
    return this.masked !== null && this.masked[row * this.columns.length + column] === 1;
  }

  isSink() {
    return false;
  }

  sinkColumn() {
    return -1;
  }
}

function group(at, label, special) {
  return { tokens: [at], label, special };
}

/** One hidden canvas with the cells of one map, blocks of a long one shrunk to a pixel. */
export class OneSheet {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.painted = null;
  }

  /** Paint a map, or leave what is painted already; takes what `Sheet` of the canvas takes. */
  paint({ owner: map }, { palette, dark, masked, pixels }) {
    const columns = Math.min(map.columns.length, pixels);
    const rows = Math.min(map.rows.length, pixels);
    const name = [palette, dark, masked, columns, rows].join();
    if (this.painted?.map !== map || this.painted.name !== name) {
      this.#paint(map, columns, rows, map.signed ? signed(map, dark) : plain(map, palette, dark), masked);
      this.painted = { map, name };
    }
    return { canvas: this.canvas, columns, rows };
  }

  #paint(map, columns, rows, colourOf, masked) {
    this.canvas.width = columns;
    this.canvas.height = rows;
    const image = new ImageData(columns, rows);
    const target = new Uint32Array(image.data.buffer);
    const strongest = pooled(map, columns, rows);
    const grey = pixel(masked);
    for (let cell = 0; cell < target.length; cell += 1) {
      const weight = strongest[cell];
      target[cell] = Number.isNaN(weight) ? grey : colourOf(weight);
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }
}

/** The weight furthest from 0 of each block; not a number where all of it is masked. */
function pooled(map, columns, rows) {
  const [height, width] = [map.rows.length, map.columns.length];
  const found = new Float32Array(columns * rows).fill(NaN);
  for (let row = 0; row < height; row += 1) {
    const start = Math.floor((row * rows) / height) * columns;
    for (let column = 0; column < width; column += 1) {
      if (map.isCellMasked(row, column)) continue;
      const cell = start + Math.floor((column * columns) / width);
      const weight = map.weights[row * width + column];
      if (!(Math.abs(found[cell]) >= Math.abs(weight))) found[cell] = weight;
    }
  }
  return found;
}

function plain({ full }, palette, dark) {
  const table = createLookupTable(palette, dark);
  const factor = full > 0 ? LAST_LEVEL / full : 0;
  return (weight) => table[Math.min(Math.round(weight * factor), LAST_LEVEL)];
}

function signed({ full }, dark) {
  const table = createDivergingTable(dark);
  const half = LAST_LEVEL / 2;
  const factor = full > 0 ? half / full : 0;
  return (weight) =>
    table[Math.min(Math.max(Math.round(half + weight * factor), 0), LAST_LEVEL)];
}
