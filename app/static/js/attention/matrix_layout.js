/** Where the cells and labels of one map lie, in CSS pixels. */

const DEGREES = 55;
const RADIANS = (DEGREES * Math.PI) / 180;
const SINE = Math.sin(RADIANS);
const COSINE = Math.cos(RADIANS);

/** How column labels are turned, in degrees clockwise. */
export const LABEL_ANGLE = -DEGREES;

// In sizes of the root's type. The larger type is for cells with room for it.
const LABELS = [0.875, 0.75];
const ROOMY_CELL = 2;
const SIDE = 0.375;
const LONGEST_LABEL = 8;
const LARGEST_CELL = 4.5;
// In shares of the picture.
const WIDEST_ROW_LABEL = 0.25;
const HIGHEST_COLUMN_LABEL = 0.25;

const LINE_HEIGHT = 1.1;
// Cells of fewer pixels of the screen than this may differ by one, or too much room would be lost.
const EVEN_PIXELS = 8;

/**
 * The largest square cells that fit, and the labels beside them.
 *
 * @param {CanvasRenderingContext2D} context for measuring; its font changes
 * @param {import("./projection.js").Projection} projection
 * @param {object} theme
 * @param {import("./label_texts.js").LabelTexts} texts
 * @param {number} width
 * @param {number} height
 * @param {number} ratio pixels of the screen in one CSS pixel
 * @returns {object} `left`, `top`, `cell`, `size` of type, `side` between labels and cells,
 *   `rowTexts` and `columnTexts`, and every how many of them one has room
 */
export function arrangeMatrix(context, projection, theme, texts, width, height, ratio) {
  const arrangeWith = (label) =>
    arrangeLabels(context, projection, theme, texts, width, height, ratio, label * theme.pixels);
  const roomy = arrangeWith(LABELS[0]);
  return roomy.cell >= ROOMY_CELL * roomy.size ? roomy : arrangeWith(LABELS[1]);
}

function arrangeLabels(context, { rows, columns }, theme, texts, width, height, ratio, size) {
  const side = SIDE * theme.pixels;
  const longest = LONGEST_LABEL * theme.pixels;
  const rowRoom = Math.min(WIDEST_ROW_LABEL * width, longest);
  const columnRoom = Math.min((HIGHEST_COLUMN_LABEL * height) / SINE, longest);
  context.font = `${size}px ${theme.monospace}`;
  const rowTexts = rows.map(({ label }) => texts.fit(context, label, rowRoom));
  const columnTexts = columns.map(({ label }) => texts.fit(context, label, columnRoom));
  const besides = widest(rowTexts) + 2 * side;
  const above = widest(columnTexts) * SINE + size * COSINE + side;

  // The labels of the last columns lean out over the right edge.
  const across = columnTexts.reduce(
    (smallest, text, column) =>
      Math.min(smallest, (width - besides - text.width * COSINE - side) / (column + 0.5)),
    (width - besides - side) / columns.length,
  );
  const down = (height - above - side) / rows.length;
  const wanted = Math.max(Math.min(across, down, LARGEST_CELL * theme.pixels), 1 / ratio / 4);
  const cell = wholePixels(wanted * ratio, columns.length) / ratio;
  const room = width - besides - cell * columns.length - side;
  return {
    // A map that the height keeps small stands in the middle.
    left: Math.round((besides + Math.max(room - leaning(columnTexts, cell), 0) / 2) * ratio) / ratio,
    top: Math.round(above * ratio) / ratio,
    cell,
    side,
    size,
    rows: rows.length,
    columns: columns.length,
    rowTexts,
    columnTexts,
    rowsPerLabel: Math.ceil((size * LINE_HEIGHT) / cell),
    columnsPerLabel: Math.ceil((size * LINE_HEIGHT) / (cell * SINE)),
  };
}

/** How far the column labels lean out over the last column. */
function leaning(columnTexts, cell) {
  return columnTexts.reduce((most, { width }, column) => {
    const behind = (columnTexts.length - column - 0.5) * cell;
    return Math.max(most, width * COSINE - behind);
  }, 0);
}

/** Cells all of one size where they are large; else a map of whole pixels. */
function wholePixels(cell, count) {
  return cell >= EVEN_PIXELS ? Math.floor(cell) : Math.max(Math.floor(cell * count), 1) / count;
}

function widest(texts) {
  return texts.reduce((most, { width }) => Math.max(most, width), 0);
}

/**
 * The cell, or the row or column whose label lies under a point.
 *
 * @param {object} layout
 * @param {number} x
 * @param {number} y
 * @returns {{row?: number, column?: number} | null}
 */
export function placeAt({ left, top, cell, rows, columns, columnTexts }, x, y) {
  const row = Math.floor((y - top) / cell);
  const isRow = row >= 0 && row < rows;
  if (y < top) {
    const column = Math.floor((x - (top - y) * (COSINE / SINE) - left) / cell);
    const isLabel = (top - y) / SINE < (columnTexts[column]?.width ?? -1) + cell;
    return isLabel ? { column } : null;
  }
  if (!isRow) return null;
  if (x < left) return { row };
  const column = Math.floor((x - left) / cell);
  return column < columns ? { row, column } : null;
}

/**
 * Which of many labels are drawn: every k-th, and those that always are, with no other too close.
 *
 * @param {number} count
 * @param {number} every
 * @param {number[]} always
 * @returns {number[]}
 */
export function shownLabels(count, every, always) {
  const kept = always.filter((index) => index >= 0 && index < count);
  const shown = new Set(kept);
  for (let index = 0; index < count; index += every) {
    if (kept.every((other) => Math.abs(other - index) >= every)) shown.add(index);
  }
  return [...shown].sort((left, right) => left - right);
}
