/** Lines between two columns of tokens: which there are, and which one is meant. */

/** The faintest weight that is drawn where every token is looked from, unless a reader says so. */
export const FAINTEST_OF_ALL = 0.05;

/** The same from one chosen token. */
export const FAINTEST_OF_ONE = 0.01;

const MOST_LINES = 600;

// How far from a line the pointer still means it, in CSS pixels.
const REACH = 5;

const THOUSANDTHS = 1000;

/**
 * The weight from which on a line is drawn.
 *
 * @param {{least?: number}} values in thousandths; 0 leaves it to the picture
 * @param {number} ordinary one of the two above
 * @returns {number}
 */
export function faintest({ least = 0 }, ordinary) {
  return least > 0 ? least / THOUSANDTHS : ordinary;
}

/**
 * Every line of some heads that is not too faint, the faintest first.
 *
 * @param {import("./projection.js").Projection} projection
 * @param {number} layer one that is here
 * @param {number[]} heads
 * @param {number} least smallest weight
 * @returns {{head: number, row: number, column: number, weight: number}[]}
 */
export function linesOfHeads(projection, layer, heads, least) {
  const lines = [];
  const weights = new Float32Array(projection.columns.length);
  for (const head of heads) {
    for (let row = 0; row < projection.rows.length; row += 1) {
      const largest = projection.largestOfRow(layer, head, row);
      if (largest < least || projection.isRowMasked(row)) continue;
      projection.row(layer, head, row, weights);
      for (let column = 0; column < weights.length; column += 1) {
        const weight = weights[column];
        if (weight >= least && weight > 0) lines.push({ head, row, column, weight });
      }
    }
  }
  return lines.sort((left, right) => left.weight - right.weight);
}

/**
 * As many lines as a picture can show, the strongest; the faintest of them first.
 *
 * @param {{column: number}[]} lines the faintest first
 * @param {number | undefined} onlyColumn where all of them should end
 */
export function strongestLines(lines, onlyColumn) {
  if (onlyColumn === undefined) return lines.slice(-MOST_LINES);
  return lines.filter(({ column }) => column === onlyColumn).slice(-MOST_LINES);
}

/**
 * The line that a pointer means, from the shape that lines are drawn in.
 *
 * @param {{head, row, column, weight, from: number, to: number}[]} lines with their heights
 * @param {number} across between 0 at the left column and 1 at the right one
 * @param {number} y in CSS pixels
 * @returns {{head: number, row: number, column: number} | null}
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
  return best && { head: best.head, row: best.row, column: best.column };
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

/** The index of the text that lies at a height. @returns {number | null} */
export function indexAt({ rows, step }, y) {
  const row = rows.find((candidate) => Math.abs(candidate.y - y) <= step / 2);
  return row ? row.index : null;
}
