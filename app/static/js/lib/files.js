/** Files that a reader saves. */

// A browser that is asked to save something may begin a moment later.
const PATIENCE_MILLISECONDS = 60_000;

// Without it a spreadsheet takes the file for another encoding than UTF-8.
const BYTE_ORDER_MARK = "\ufeff";

const END_OF_LINE = "\r\n";

// A cell that starts so would be computed by a spreadsheet.
const FORMULA = /^[=+\-@\t\r]/;

/** Save a blob as a file. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), PATIENCE_MILLISECONDS);
}

/**
 * A table as comma separated values after RFC 4180.
 *
 * @param {(string | number | null)[][]} lines the heading is one of them; null is an empty cell
 * @param {number} [digits] of every number; without it, as many as tell it from its neighbours
 * @returns {string} the whole file
 */
export function commaSeparated(lines, digits) {
  const written = lines.map((cells) => cells.map((cell) => quoted(cell, digits)).join(","));
  return BYTE_ORDER_MARK + written.map((line) => line + END_OF_LINE).join("");
}

/** A cell; numbers are written as they are, texts so that they stay texts. */
function quoted(cell, digits) {
  if (cell === null) return "";
  if (typeof cell === "number") return String(digits ? Number(cell.toPrecision(digits)) : cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
