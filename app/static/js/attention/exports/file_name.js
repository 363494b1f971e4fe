/** What a saved view is called. */

import { shownHeads } from "../overlay.js";

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
