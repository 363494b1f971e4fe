/** Which tokens of a column are shown, and at which height. */

/**
 * Every token of a column, evenly spread; where they lie closer than lines of text, the first and
 * the last still have room for theirs.
 *
 * @param {number} count
 * @param {number} height room in CSS pixels
 * @param {number} line height of a line of text
 * @param {number} widest largest distance between two tokens
 * @returns {{rows: {index: number, y: number}[], gaps: [], step: number}}
 */
export function wholeColumn(count, height, line, widest) {
  const loose = Math.min(height / count, widest);
  const step = loose >= line ? loose : (height - line) / Math.max(count - 1, 1);
  const first = Math.max(step, line) / 2;
  const rows = Array.from({ length: count }, (_, index) => ({ index, y: first + index * step }));
  return { rows, gaps: [], step };
}

/**
 * Some tokens of a long column in reading order, with a line for each gap between them.
 *
 * With room for 5 lines, tokens 0 1 2 3 4 5 6 and the order of interest 4, 0, 1 ...:
 * `0 1 (gap of 2) 4 (gap of 2)`.
 *
 * @param {number[]} byInterest all positions, the most wanted first
 * @param {number} height room in CSS pixels
 * @param {number} step height of a line
 * @returns {{rows: {index: number, y: number}[], gaps: {count: number, y: number}[],
 *   step: number}}
 */
export function someOfColumn(byInterest, height, step) {
  const room = Math.max(Math.floor(height / step), 3);
  const count = byInterest.length;
  let kept = [];
  for (let size = Math.min(room, count); size > 0; size -= 1) {
    kept = byInterest.slice(0, size).sort((left, right) => left - right);
    if (lineCount(kept, count) <= room) break;
  }
  const rows = [];
  const gaps = [];
  let line = 0;
  let next = 0;
  for (const index of [...kept, count]) {
    if (index > next) gaps.push({ count: index - next, y: (line++ + 0.5) * step });
    if (index < count) rows.push({ index, y: (line++ + 0.5) * step });
    next = index + 1;
  }
  return { rows, gaps, step };
}

/**
 * Positions by their distance from one of them, nearest first.
 *
 * @param {number} centre
 * @param {number} count
 * @returns {number[]}
 */
export function nearestFirst(centre, count) {
  return Array.from({ length: count }, (_, index) => index).sort(
    (left, right) => Math.abs(left - centre) - Math.abs(right - centre) || left - right,
  );
}

function lineCount(kept, count) {
  let lines = kept.length;
  let next = 0;
  for (const index of [...kept, count]) {
    if (index > next) lines += 1;
    next = index + 1;
  }
  return lines;
}
