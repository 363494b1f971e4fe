/**
 * Maps painted small and side by side on one hidden canvas, layers down and heads across. Their
 * weights are gathered once; another palette, threshold or colour scale only colours them anew.
 */

import { createLookupTable, pixel } from "../lib/palette.js";

const LARGEST_LEVEL = 255;
const THOUSANDTHS = 1000;
const MOST_POOLS = 3;

/** One hidden canvas with the maps of a source. */
export class Sheet {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.image = null;
    this.pools = [];
    this.painted = null;
  }

  /**
   * Paint all maps of a source, or leave what is painted already.
   *
   * @param {import("./map_sources.js").MapSource} source
   * @param {object} options
   * @param {"absolute" | "head" | "row"} options.scale what full colour means
   * @param {string} options.palette
   * @param {number} [options.least] thousandths; smaller weights are drawn as nothing
   * @param {boolean} options.dark
   * @param {string} options.masked colour of what may not be seen, `#rrggbb`
   * @param {number} options.pixels longest side of one map; longer maps keep the largest weight of
   *   each block
   * @returns {{canvas: HTMLCanvasElement, columns: number, rows: number}} size of one map on it
   */
  paint(source, { scale, palette, least = 0, dark, masked, pixels }) {
    const columns = Math.min(source.columns, pixels);
    const rows = Math.min(source.rows, pixels);
    const pool = this.#poolOf(source, columns, rows, scale === "row");
    const colours = [scale, palette, least, dark, masked].join();
    if (this.painted?.pool !== pool || this.painted.colours !== colours) {
      this.#colour(pool, { scale, palette, least, dark, masked });
      this.painted = { pool, colours };
    }
    return { canvas: this.canvas, columns, rows };
  }

  /** What was gathered before, for a reader who goes back and forth between a few settings. */
  #poolOf(source, columns, rows, relative) {
    const { owner } = source;
    const name = [source.name, columns, rows, relative].join();
    const known = this.pools.find((pool) => pool.owner === owner && pool.name === name);
    const pool = known ?? { ...gather(source, columns, rows, relative), owner, name };
    this.pools = [pool, ...this.pools.filter((other) => other !== pool)].slice(0, MOST_POOLS);
    return pool;
  }

  #colour(pool, { scale, palette, least, dark, masked }) {
    const { columns, rows, heads, weights, shares, largest } = pool;
    const width = heads * columns;
    const height = weights.length / width;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const target = new Uint32Array(this.image.data.buffer);
    const table = createLookupTable(palette, dark);
    const threshold = least / THOUSANDTHS;
    for (let line = 0; line < height; line += 1) {
      const layer = Math.floor(line / rows);
      for (let head = 0; head < heads; head += 1) {
        const full = scale === "head" ? largest[layer * heads + head] : 1;
        const factor = full > 0 ? LARGEST_LEVEL / full : 0;
        const start = line * width + head * columns;
        for (let place = start; place < start + columns; place += 1) {
          const level = weights[place] < threshold ? 0 : (shares[place] * factor + 0.5) | 0;
          target[place] = table[level > LARGEST_LEVEL ? LARGEST_LEVEL : level];
        }
      }
    }
    paintMasks(pool, target, pixel(masked));
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
  }
}

/**
 * Read the maps of a source and shrink them to columns x rows, keeping the largest of each block.
 * Places are those of the picture: all maps of a layer side by side.
 */
function gather(source, columns, rows, relative) {
  const { layers, heads } = source;
  const width = heads * columns;
  const weights = new Float32Array(width * layers.length * rows);
  const shares = relative ? new Float32Array(weights.length) : weights;
  const largest = new Float32Array(layers.length * heads);
  const columnOf = places(source.columns, columns);
  const rowOf = places(source.rows, rows);
  const firsts = firstOfBlocks(columnOf, columns);
  const line = new Float32Array(source.columns);
  const pooled = new Float32Array(columns);
  layers.forEach((layer, index) => {
    for (let head = 0; head < heads; head += 1) {
      const map = index * heads + head;
      for (let row = 0; row < source.rows; row += 1) {
        const start = (index * rows + rowOf[row]) * width + head * columns;
        source.read(layer, head, row, line);
        const most = poolRow(line, firsts, pooled);
        keepLargest(pooled, 1, weights, start);
        if (most > largest[map]) largest[map] = most;
        if (!relative) continue;
        if (source.readShares) {
          source.readShares(layer, head, row, line);
          poolRow(line, firsts, pooled);
          keepLargest(pooled, 1, shares, start);
        } else if (most > 0) {
          keepLargest(pooled, 1 / most, shares, start);
        }
      }
    }
  });
  const masked = pooledMask(source, columnOf, rowOf, columns, rows);
  const sinks = sinksOf(source, columnOf);
  return { columns, rows, heads, weights, shares, largest, masked, sinks };
}

/** Where each of `count` lines of a map goes when only `room` are drawn. */
function places(count, room) {
  return Uint16Array.from({ length: count }, (_, index) => Math.floor((index * room) / count));
}

/** The first line of each block, and the end of the last one. */
function firstOfBlocks(blockOf, count) {
  const firsts = new Uint16Array(count + 1).fill(blockOf.length);
  for (let index = blockOf.length - 1; index >= 0; index -= 1) firsts[blockOf[index]] = index;
  return firsts;
}

/** The largest of each block of a row. @returns {number} the largest of all */
function poolRow(line, firsts, pooled) {
  let most = 0;
  for (let block = 0; block < pooled.length; block += 1) {
    let largest = 0;
    for (let column = firsts[block]; column < firsts[block + 1]; column += 1) {
      if (line[column] > largest) largest = line[column];
    }
    pooled[block] = largest;
    if (largest > most) most = largest;
  }
  return most;
}

function keepLargest(values, factor, target, start) {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] * factor;
    if (value > target[start + index]) target[start + index] = value;
  }
}

/** A block is masked when all of it is; null when nothing is masked anywhere. */
function pooledMask(source, columnOf, rowOf, columns, rows) {
  if (!source.eachVisible) return null;
  const masked = new Uint8Array(columns * rows).fill(1);
  source.eachVisible((row, column) => {
    masked[rowOf[row] * columns + columnOf[column]] = 0;
  });
  return masked;
}

/** The block that holds nothing but the masked sink, for each map; -1 for none. */
function sinksOf({ layers, heads, sinkColumn }, columnOf) {
  return layers.flatMap((layer) =>
    Array.from({ length: heads }, (_, head) => {
      const column = sinkColumn(layer, head);
      const block = columnOf[column];
      const isAlone = columnOf[column - 1] !== block && columnOf[column + 1] !== block;
      return column >= 0 && isAlone ? block : -1;
    }),
  );
}

function paintMasks({ columns, rows, heads, masked, sinks }, target, grey) {
  const width = heads * columns;
  sinks.forEach((sink, map) => {
    const corner = Math.floor(map / heads) * rows * width + (map % heads) * columns;
    for (let row = 0; row < rows; row += 1) {
      const start = corner + row * width;
      if (sink >= 0) target[start + sink] = grey;
      for (let column = 0; masked && column < columns; column += 1) {
        if (masked[row * columns + column] === 1) target[start + column] = grey;
      }
    }
  });
}
