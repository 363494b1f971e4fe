/** A figure as pixels. */

import { paint } from "../marks.js";

// Sharp on paper, too.
const SMALLEST_SCALE = 2;

/**
 * @param {{width: number, height: number, marks: object[]}} figure in CSS pixels
 * @returns {Promise<Blob>} two pixels for each CSS pixel, or as many as the screen has
 */
export function pngOf({ width, height, marks }) {
  const scale = Math.max(SMALLEST_SCALE, window.devicePixelRatio || 1);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  paint(context, marks);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error("the picture is too large to be saved"));
    }, "image/png");
  });
}
