/** A small square map of weights, with some rows outlined and one cell looked at. */

import { element, prepareCanvas } from "../../js/lib/dom.js";
import { createLookupTable, pixel } from "../../js/lib/palette.js";

/**
 * @typedef {object} Map
 * @property {Float32Array} weights row by row
 * @property {number} size cells down and across
 * @property {Uint8Array | null} masked 1 for a cell that may not be seen
 * @property {number[]} rows that are outlined
 */

export class Thumb {
  /** @param {(cell: {row: number, column: number} | null) => void} onLook */
  constructor(onLook = () => {}) {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.map = null;
    this.canvas.addEventListener("pointermove", (event) => onLook(this.#under(event)));
    this.canvas.addEventListener("pointerleave", () => onLook(null));
  }

  /** @param {Map} map @param {object} theme of `readTheme` @param {number} pixels its side */
  show(map, theme, pixels) {
    this.map = map;
    const context = prepareCanvas(this.canvas, pixels, pixels);
    context.imageSmoothingEnabled = false;
    context.drawImage(sheet(map, theme), 0, 0, pixels, pixels);
    context.strokeStyle = theme.colours.mark;
    context.lineWidth = 1.5;
    for (const row of map.rows) {
      const height = pixels / map.size;
      context.strokeRect(0.75, row * height, pixels - 1.5, Math.max(height, 2));
    }
  }

  #under(event) {
    if (!this.map) return null;
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = (share) => Math.min(Math.max(Math.floor(share * this.map.size), 0), this.map.size - 1);
    return { row: at((event.clientY - top) / height), column: at((event.clientX - left) / width) };
  }
}

/** A hidden canvas, a pixel a cell; full colour is the largest weight. */
function sheet({ weights, size, masked }, { dark, colours }) {
  const table = createLookupTable("indigo", dark);
  const grey = pixel(/^#[0-9a-f]{6}$/i.test(colours.hairline) ? colours.hairline : "#e3e5ef");
  const most = weights.reduce((one, other) => Math.max(one, other), 0) || 1;
  const image = new ImageData(size, size);
  const pixels = new Uint32Array(image.data.buffer);
  for (let cell = 0; cell < pixels.length; cell += 1) {
    pixels[cell] = masked?.[cell] ? grey : table[Math.round((255 * weights[cell]) / most)];
  }
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
