/** Every map of a set, painted small and side by side on one hidden canvas. */

const version = new URL(import.meta.url).search;
const { createLookupTable, pixel } = await import(`./palette.js${version}`);

const LARGEST_BYTE = 255;

/**
 * Paint all maps of a set.
 *
 * @param {import("./payload.js").MapSet} mapSet
 * @param {object} options
 * @param {"absolute" | "head" | "row"} options.scale what full colour means
 * @param {string} options.palette
 * @param {boolean} options.dark
 * @param {string} options.masked colour of what may not be seen, `#rrggbb`
 * @param {number} options.pixels longest side of one map; longer maps keep the largest weight of
 *   each block
 * @returns {{canvas: HTMLCanvasElement, columns: number, rows: number}} size of one map on it
 */
export function paintSheet(mapSet, { scale, palette, dark, masked, pixels }) {
  const overview = mapSet.overview(scale === "row");
  const columns = Math.min(overview.columns, pixels);
  const rows = Math.min(overview.rows, pixels);
  const width = mapSet.heads * columns;
  const image = new ImageData(width, mapSet.layers * rows);
  const target = new Uint32Array(image.data.buffer);
  const table = createLookupTable(palette, dark);
  const grey = pixel(masked);
  const pool = createPool(mapSet, overview, columns, rows);

  for (let layer = 0; layer < mapSet.layers; layer += 1) {
    for (let head = 0; head < mapSet.heads; head += 1) {
      const values = pool.read(layer, head);
      const largest = scale === "head" ? mapSet.largestOfHead(layer, head) : 1;
      const factor = largest > 0 ? LARGEST_BYTE / largest : 0;
      const corner = layer * rows * width + head * columns;
      for (let cell = 0; cell < values.length; cell += 1) {
        const place = corner + Math.floor(cell / columns) * width + (cell % columns);
        const level = Math.min(Math.round(values[cell] * factor), LARGEST_BYTE);
        target[place] = pool.masked[cell] ? grey : table[level];
      }
    }
  }

  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  return { canvas, columns, rows };
}

/** Shrinks maps to columns x rows, keeping the largest weight of each block. */
function createPool(mapSet, overview, columns, rows) {
  const columnOf = places(overview.columns, columns);
  const rowOf = places(overview.rows, rows);
  const line = new Uint8Array(columns);
  const values = new Float32Array(columns * rows);
  return {
    masked: pooledMask(mapSet, columns, rows, (query, key) => {
      const row = rowOf[Math.floor(query / overview.blockRows)];
      return row * columns + columnOf[Math.floor(key / overview.blockColumns)];
    }),
    read(layer, head) {
      values.fill(0);
      for (let row = 0; row < overview.rows; row += 1) {
        const { levels, unit } = overview.row(layer, head, row);
        line.fill(0);
        for (let index = 0; index < levels.length; index += 1) {
          if (levels[index] > line[columnOf[index]]) line[columnOf[index]] = levels[index];
        }
        const start = rowOf[row] * columns;
        for (let column = 0; column < columns; column += 1) {
          const weight = line[column] * unit;
          if (weight > values[start + column]) values[start + column] = weight;
        }
      }
      return values;
    },
  };
}

/** Where each of `count` lines of a map goes when only `room` are drawn. */
function places(count, room) {
  return Uint16Array.from({ length: count }, (_, index) => Math.floor((index * room) / count));
}

/** A block is masked when all of it is. */
function pooledMask(mapSet, columns, rows, placeOf) {
  const masked = new Uint8Array(columns * rows);
  if (mapSet.maskedCells === null && !mapSet.maskedRows.includes(1)) return masked;
  masked.fill(1);
  for (let query = 0; query < mapSet.queries; query += 1) {
    for (let key = 0; key < mapSet.keys; key += 1) {
      if (!mapSet.isCellMasked(query, key)) masked[placeOf(query, key)] = 0;
    }
  }
  return masked;
}
