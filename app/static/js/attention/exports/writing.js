/** How weights are written into files: as the model computed them, or as well as they are known. */

import { formatWeight } from "../../lib/format.js";
import { shownHeads } from "../overlay.js";

/**
 * @typedef {object} Writing
 * @property {string} heading of a column of weights
 * @property {string} corner of a table that has keys as its headings
 * @property {(weight: number, largest: number) => number | string} write of a row's largest weight
 */

// As many digits tell every weight of 32 bits from its neighbours.
const DIGITS = 9;

/** @type {Writing} */
export const EXACT = {
  heading: "weight",
  corner: "",
  write: (weight) => Number(weight.toPrecision(DIGITS)),
};

/** Known to 1/255 of the largest weight of the row. @type {Writing} */
export const ROUNDED = { heading: "weight_rounded", corner: "rounded", write: formatWeight };

/**
 * Which heads of the shown layer a file has the weights of.
 *
 * @param {"grid" | "heads" | "matrix" | "lines"} view
 * @param {{mapSet: object, values: object}} scene
 * @returns {number[]}
 */
export function headsOf(view, { mapSet, values }) {
  if (view === "grid") return [];
  if (view !== "heads") return shownHeads(values);
  return Array.from({ length: mapSet.heads }, (_, head) => head);
}

/** How a view's weights are written. @returns {Writing} */
export function writingOf(view, scene) {
  const { mapSet, values } = scene;
  const isExact = headsOf(view, scene).every((head) => mapSet.isHeadExact(values.layer, head));
  return isExact ? EXACT : ROUNDED;
}
