/** The blob of the head switches: a header, then one small map of bytes for every head. */

import { openBlob } from "../lib/blob.js";

const MAGIC = "HLSW";
const VERSION = 1;

/**
 * @param {Uint8Array} data as `app/components/head_switches.py` packs it
 * @returns {{layers, heads, rows, columns, off, answered, identity, strings, maps: Uint8Array}}
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  return { ...header, maps: body };
}

/**
 * Draw the map of one head, a pixel a cell.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} levels of this head, row by row
 * @param {{rows: number, columns: number}} size
 * @param {Uint32Array} table of colours
 */
export function paint(canvas, levels, { rows, columns }, table) {
  canvas.width = columns;
  canvas.height = rows;
  const pixels = new Uint32Array(rows * columns);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = table[levels[at]];
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows);
  canvas.getContext("2d").putImageData(image, 0, 0);
}
