/**
 * Maps painted small and side by side on one hidden canvas, layers down and heads across. Their
 * weights are gathered once; another palette, threshold or colour scale only colours them anew.
 */

const version = new URL(import.meta.url).search;
const { createLookupTable, pixel } = await import(`./palette.js${version}`);

const LARGEST_LEVEL = 255;
const THOUSANDTHS = 1000;

/** One hidden canvas with the maps of a source. */
export class Sheet {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.image = null;
    this.pool = null;
    this.colours = null;
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
    const relative = scale === "row";
    const name = [source.name, columns, rows, relative].join();
    if (this.pool?.owner !== source.owner || this.pool.name !== name) {
      this.pool = gather(source, columns, rows, relative);
      Object.assign(this.pool, { owner: source.owner, name });
      this.colours = null;
    }
    const colours = [scale, palette, least, dark, masked].join();
    if (this.colours !== colours) {
      this.#colour({ scale, palette, least, dark, masked });
      this.colours = colours;
    }
    return { canvas: this.canvas, columns, rows };
  }

  #colour({ scale, palette, least, dark, masked }) {
    const { pool } = this;
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
  const line = new Float32Array(source.columns);
  const lineShares = relative ? new Float32Array(source.columns) : null;
  const keepLargest = (values, start, target) => {
    for (let column = 0; column < values.length; column += 1) {
      const place = start + columnOf[column];
      if (values[column] > target[place]) target[place] = values[column];
    }
  };
  layers.forEach((layer, index) => {
    for (let head = 0; head < heads; head += 1) {
      for (let row = 0; row < source.rows; row += 1) {
        source.read(layer, head, row, line, lineShares);
        const start = (index * rows + rowOf[row]) * width + head * columns;
        keepLargest(line, start, weights);
        if (relative) keepLargest(lineShares, start, shares);
      }
      const corner = index * rows * width + head * columns;
      largest[index * heads + head] = largestOf(weights, corner, width, columns, rows);
    }
  });
  const masked = pooledMask(source, columnOf, rowOf, columns, rows);
  const sinks = sinksOf(source, columnOf);
  return { columns, rows, heads, weights, shares, largest, masked, sinks };
}

function largestOf(weights, corner, width, columns, rows) {
  let largest = 0;
  for (let row = 0; row < rows; row += 1) {
    const start = corner + row * width;
    for (let place = start; place < start + columns; place += 1) {
      if (weights[place] > largest) largest = weights[place];
    }
  }
  return largest;
}

/** Where each of `count` lines of a map goes when only `room` are drawn. */
function places(count, room) {
  return Uint16Array.from({ length: count }, (_, index) => Math.floor((index * room) / count));
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
