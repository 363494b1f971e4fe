/** Lines between two columns of tokens: which there are, and which one is meant. */

const LARGEST_BYTE = 255;

// With no token chosen.
const FAINTEST = 0.05;
const MOST_LINES = 600;

// How far from a line the pointer still means it, in CSS pixels.
const REACH = 5;

/**
 * The strongest lines of a head, the faintest first.
 *
 * @param {import("./payload.js").MapSet} mapSet
 * @param {{layer: number, head: number}} values
 * @param {{query: {rows: object[]}, key: {rows: object[]}}} columns with every token in a row
 * @param {number | undefined} onlyKey where all of them should end
 * @returns {{query: number, key: number, from: number, to: number, weight: number}[]}
 */
export function linesOfHead(mapSet, { layer, head }, columns, onlyKey) {
  const lines = [];
  for (let query = 0; query < mapSet.queries; query += 1) {
    const unit = mapSet.scales[mapSet.rowIndex(layer, head, query)] / LARGEST_BYTE;
    if (mapSet.isRowMasked(query) || unit * LARGEST_BYTE < FAINTEST) continue;
    const levels = mapSet.rowLevels(layer, head, query);
    const [first, end] = onlyKey === undefined ? [0, levels.length] : [onlyKey, onlyKey + 1];
    for (let key = first; key < end; key += 1) {
      const weight = levels[key] * unit;
      if (weight < FAINTEST) continue;
      const [from, to] = [columns.query.rows[query].y, columns.key.rows[key].y];
      lines.push({ query, key, from, to, weight });
    }
  }
  return lines.sort((left, right) => left.weight - right.weight).slice(-MOST_LINES);
}

/**
 * The line that a pointer means, from the shape that lines are drawn in.
 *
 * @param {{query: number, key: number, from: number, to: number, weight: number}[]} lines
 * @param {number} across between 0 at the left column and 1 at the right one
 * @param {number} y in CSS pixels
 * @returns {{query: number, key: number} | null}
 */
export function lineAt(lines, across, y) {
  const share = heightAt(across);
  let best = null;
  let nearest = REACH;
  for (const line of lines) {
    const distance = Math.abs(line.from + (line.to - line.from) * share - y);
    const isNearer = distance < nearest || (distance === nearest && line.weight > best?.weight);
    if (isNearer) [best, nearest] = [line, distance];
  }
  return best && { query: best.query, key: best.key };
}

/** How much of its way up or down a line has gone at a share of its way across. */
function heightAt(across) {
  // Across, the curve of Bézier runs through 0, 1/2, 1/2, 1: 1.5 t - 1.5 t² + t³.
  let [low, high] = [0, 1];
  while (high - low > 1e-3) {
    const middle = (low + high) / 2;
    if (1.5 * middle - 1.5 * middle ** 2 + middle ** 3 < across) low = middle;
    else high = middle;
  }
  return 3 * low ** 2 - 2 * low ** 3;
}

/** The token whose row lies at a height. @returns {number | null} */
export function tokenAt({ rows, step }, y) {
  const row = rows.find((candidate) => Math.abs(candidate.y - y) <= step / 2);
  return row ? row.index : null;
}
