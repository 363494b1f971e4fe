/** The lines of a head or of several: from a chosen token to what it attends to, or all faintly. */

import { prepareCanvas } from "../lib/dom.js";
import { indexAt, lineAt } from "./line_list.js";
import { LinePictures } from "./line_picture.js";
import { paint } from "./marks.js";

/** Draws the lines and knows which text lies where. */
export class Lines {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pictures = new LinePictures();
    this.picture = null;
  }

  /**
   * @param {object} scene
   * @param {import("./projection.js").Projection} scene.projection
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Record<string, string>} scene.strings
   * @param {{row?: number, column?: number, head?: number} | null} hovered what `at` found
   * @param {number} width room in CSS pixels
   * @param {number} height room in CSS pixels
   */
  draw(scene, hovered, width, height) {
    const context = prepareCanvas(this.canvas, width, height);
    this.layer = scene.values.layer;
    this.picture = this.pictures.build(scene, hovered, width, height, context);
    paint(context, this.picture.marks);
  }

  /**
   * What is under a point: the text of a row or column, or the line nearest to it.
   *
   * @returns {{layer: number, head?: number, row?: number, column?: number} | null} a head, a row
   *   and a column for a line; one of the last two alone for a text
   */
  at(x, y) {
    if (!this.picture) return null;
    const { columns, lines } = this.picture;
    const { left, right } = columns;
    const { layer } = this;
    if (x > left && x < right) {
      const line = lineAt(lines, (x - left) / (right - left), y);
      return line && { layer, ...line };
    }
    const side = x <= left ? "row" : "column";
    const index = indexAt(columns[side], y);
    return index === null ? null : { layer, [side]: index };
  }

  /** Measure texts anew: their font has arrived late, under the same name. */
  remeasure() {
    this.pictures.remeasure();
  }
}
