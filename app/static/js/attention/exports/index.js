/** Saves the view on the screen as an SVG, a PNG or a CSV file. */

import { download } from "../../lib/files.js";
import { fill } from "../../lib/format.js";
import { csvOf } from "./csv.js";
import { figureOf } from "./figure.js";
import { fileName } from "./file_name.js";
import { pngOf } from "./png.js";
import { Refusal } from "./refusal.js";
import { svgOf } from "./svg.js";
import { headsOf } from "./writing.js";

/** What a view can be saved as, by the ending of the file. */
export const KINDS = ["svg", "png", "csv"];

const WRITERS = {
  async svg(view, scene, size) {
    return new Blob([svgOf(figureOf(view, scene, size))], { type: "image/svg+xml" });
  },
  async png(view, scene, size) {
    return pngOf(figureOf(view, scene, size));
  },
  async csv(view, scene) {
    return new Blob([csvOf(view, scene)], { type: "text/csv;charset=utf-8" });
  },
};

/**
 * Save a view.
 *
 * @param {"svg" | "png" | "csv"} kind
 * @param {object} what
 * @param {"grid" | "heads" | "matrix" | "lines"} what.view
 * @param {object} what.scene maps, projection, settings, theme and strings, as views draw them
 * @param {HTMLCanvasElement} what.canvas the view's canvas; the picture takes its size
 * @param {(mapSet: object, layer: number, heads: number[]) => Promise<void>} [what.fetchExact]
 *   fetches weights as the model computed them, for a file that names them
 * @returns {Promise<string | null>} null once it is on its way, else a sentence that says why not
 */
export async function exportView(kind, { view, scene, canvas, fetchExact }) {
  const { mapSet, strings, values } = scene;
  if (view !== "grid" && !mapSet.hasLayer(values.layer)) return fill(strings.fetching, values);
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  try {
    if (kind !== "png") await fetchExact?.(mapSet, values.layer, headsOf(view, scene));
    const blob = await WRITERS[kind](view, scene, size);
    download(blob, fileName(view, values, kind));
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
