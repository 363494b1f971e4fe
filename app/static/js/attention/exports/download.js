/** What a saved view is called, and how it reaches the reader's folder. */

import { shownHeads } from "../overlay.js";

// A browser that is asked to save something may begin a moment later.
const PATIENCE_MILLISECONDS = 60_000;

/**
 * "headlight-layer4-head3-matrix.svg"; several heads are "heads3-5".
 *
 * @param {"grid" | "heads" | "matrix" | "lines"} view
 * @param {{layer: number, head: number, heads: number[]}} values
 * @param {string} ending
 * @returns {string}
 */
export function fileName(view, values, ending) {
  if (view === "grid") return `headlight-grid.${ending}`;
  if (view === "heads") return `headlight-layer${values.layer}-heads.${ending}`;
  const heads = shownHeads(values);
  const which = heads.length > 1 ? `heads${heads.join("-")}` : `head${values.head}`;
  return `headlight-layer${values.layer}-${which}-${view}.${ending}`;
}

/** Save a blob as a file. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), PATIENCE_MILLISECONDS);
}
