/** Where the small and the large pictures of maps have their weights from. */

/**
 * Maps that can be read row by row.
 *
 * @typedef {object} MapSource
 * @property {object} owner whose weights they are
 * @property {string} name tells sources of one owner apart
 * @property {number[]} layers
 * @property {number} heads maps of each layer
 * @property {number} rows
 * @property {number} columns
 * @property {(layer: number, head: number, row: number, weights: Float32Array) => void} read
 * @property {(layer: number, head: number, row: number, shares: Float32Array) => void} [readShares]
 *   shares of the largest weight of a row, where they do not follow from what `read` gives
 * @property {(layer: number, head: number) => number} sinkColumn the masked column of a map, -1 for
 *   none
 * @property {null | ((see: (row: number, column: number) => void) => void)} eachVisible calls back
 *   for every cell that is not masked, null where all are visible
 */

/** True where all layers are here, so that every head can be drawn as the reader projects it. */
export function isWhole({ mapSet }) {
  return mapSet.levels.every((levels) => levels !== null);
}

/**
 * Every head of every layer: projected where all layers are here, else from thumbnails.
 *
 * @param {import("./projection.js").Projection} projection
 * @returns {MapSource}
 */
export function allMaps(projection) {
  const { mapSet } = projection;
  const layers = Array.from({ length: mapSet.layers }, (_, layer) => layer);
  // Thumbnails say the same as large maps that are not projected, sooner.
  const isSmall = mapSet.thumbnails !== null && projection.isIdentity;
  return isWhole(projection) && !isSmall
    ? projectedMaps(projection, layers)
    : thumbnailMaps(mapSet, layers);
}

/**
 * Every head of some layers that are here.
 *
 * @param {import("./projection.js").Projection} projection
 * @param {number[]} layers
 * @returns {MapSource}
 */
export function projectedMaps(projection, layers) {
  return {
    ...outline(projection),
    name: `layers ${layers}`,
    layers,
    heads: projection.mapSet.heads,
    read: (layer, head, row, weights) => projection.row(layer, head, row, weights),
    sinkColumn: (layer, head) => projection.sinkColumn(layer, head),
  };
}

/**
 * One map: the mean of some heads of a layer that is here.
 *
 * @param {import("./projection.js").Projection} projection
 * @param {number} layer
 * @param {number[]} heads
 * @returns {MapSource}
 */
export function meanMap(projection, layer, heads) {
  const line = new Float32Array(projection.columns.length);
  const sinks = new Set(heads.map((head) => projection.sinkColumn(layer, head)));
  return {
    ...outline(projection),
    name: `mean ${layer} ${heads}`,
    layers: [layer],
    heads: 1,
    read(_, __, row, weights) {
      projection.row(layer, heads[0], row, weights);
      if (heads.length === 1) return;
      for (const head of heads.slice(1)) {
        projection.row(layer, head, row, line);
        for (let column = 0; column < line.length; column += 1) weights[column] += line[column];
      }
      for (let column = 0; column < line.length; column += 1) weights[column] /= heads.length;
    },
    // A column that one of the heads does not mask still holds a weight.
    sinkColumn: () => (sinks.size === 1 ? [...sinks][0] : -1),
  };
}

function outline(projection) {
  const { mapSet, rows, columns } = projection;
  const eachVisible = (see) => {
    for (let row = 0; row < rows.length; row += 1) {
      for (let column = 0; column < columns.length; column += 1) {
        if (!projection.isCellMasked(row, column)) see(row, column);
      }
    }
  };
  return {
    owner: projection,
    rows: rows.length,
    columns: columns.length,
    eachVisible: hasMask(mapSet) ? eachVisible : null,
  };
}

function thumbnailMaps(mapSet, layers) {
  const plain = mapSet.overview(false);
  const relative = mapSet.overview(true);
  const { blockRows, blockColumns, rows, columns } = plain;
  const eachVisible = (see) => {
    for (let query = 0; query < mapSet.queries; query += 1) {
      for (let key = 0; key < mapSet.keys; key += 1) {
        if (mapSet.isCellMasked(query, key)) continue;
        see(Math.floor(query / blockRows), Math.floor(key / blockColumns));
      }
    }
  };
  return {
    owner: mapSet,
    name: "thumbnails",
    layers,
    heads: mapSet.heads,
    rows,
    columns,
    read: (layer, head, row, weights) => copyLevels(plain.row(layer, head, row), weights),
    readShares: (layer, head, row, shares) => copyLevels(relative.row(layer, head, row), shares),
    sinkColumn: () => -1,
    eachVisible: hasMask(mapSet) ? eachVisible : null,
  };
}

function hasMask({ maskedCells, maskedRows }) {
  return maskedCells !== null || maskedRows.includes(1);
}

function copyLevels({ levels, unit }, weights) {
  for (let index = 0; index < levels.length; index += 1) weights[index] = levels[index] * unit;
}
