/** The pictures of all views as marks, with the weights that an SVG keeps. */

import { fill } from "../../lib/format.js";
import { Atlas } from "../atlas.js";
import { LayerHeads } from "../layer_heads.js";
import { LinePictures } from "../line_picture.js";
import { meanMap } from "../map_sources.js";
import { Matrix } from "../matrix.js";
import { shownHeads } from "../overlay.js";
import { Sheet } from "../sheet.js";
import { writingOf } from "./writing.js";

// Of 128 tokens by as many; a drawing program is slow with more, so then a map is pixels.
const MOST_CELLS = 16_384;

const CORNER = 4;
const OUTLINE = 2.5;

/**
 * By view: `(scene, width, height) => {width, height, marks}`, sizes in CSS pixels; what comes out
 * may be less high than the room for it.
 */
export const PICTURES = {
  grid(scene, width, height) {
    const atlas = new Atlas(document.createElement("canvas"));
    atlas.draw(scene, null, width, height);
    const { colours } = scene.theme;
    const marks = [...atlas.labels(scene.mapSet, scene.theme)];
    for (let layer = 0; layer < scene.mapSet.layers; layer += 1) {
      for (let head = 0; head < scene.mapSet.heads; head += 1) {
        marks.push(...atlasCell(atlas, layer, head, colours));
      }
    }
    const { layer, head } = scene.values;
    marks.push(around(atlas.cellOf(layer, head), 1 + OUTLINE / 2, colours.mark, OUTLINE));
    return { width, height: atlas.layout.height, marks };
  },

  heads(scene, width, height) {
    const heads = new LayerHeads(document.createElement("canvas"));
    const marks = heads.picture(scene, null, width, height);
    const last = heads.cellOf(scene.mapSet.heads - 1);
    return { width, height: last.y + heads.layout.slotHeight, marks };
  },

  matrix(scene, width, height) {
    const matrix = new Matrix(document.createElement("canvas"));
    const marks = matrix.picture(scene, null, width, height);
    const cells = matrixCells(scene, matrix.layout);
    const exact = marks.flatMap((mark) => (mark.kind === "image" ? cells : mark));
    const { top, rows, cell, side } = matrix.layout;
    return { width, height: top + rows * cell + side, marks: exact };
  },

  lines(scene, width, height) {
    const context = document.createElement("canvas").getContext("2d");
    const { columns, marks } = new LinePictures().build(scene, null, width, height, context);
    const bottoms = [columns.row, columns.column].map(({ gaps, rows, step }) =>
      Math.max(...[...rows, ...gaps].map(({ y }) => y + step / 2)),
    );
    const { projection, strings, values } = scene;
    const { write } = writingOf("lines", scene);
    const named = ({ line, ...mark }) => {
      if (!line) return mark;
      const largest = projection.largestOfRow(values.layer, line.head, line.row);
      const name = fill(strings.head, { layer: values.layer, head: line.head });
      const weight = write(line.weight, largest);
      const pair = pairOf(scene, line.row, line.column, weight);
      return { ...mark, title: `${name} · ${pair}`, weight };
    };
    const lowest = Math.max(...bottoms, scene.theme.pixels);
    return { width, height: Math.min(lowest, height), marks: marks.map(named) };
  },
};

/** The cells of one map as rectangles; of a large one, all in one image. */
function matrixCells(scene, { left, top, cell, rows, columns }) {
  const { projection, strings, theme, values } = scene;
  const map = meanMap(projection, values.layer, shownHeads(values));
  const { scale, palette, least } = values;
  const sheet = new Sheet();
  const { canvas } = sheet.paint(map, {
    scale,
    palette,
    least,
    dark: theme.dark,
    masked: theme.colours.masked,
    pixels: Infinity,
  });
  if (rows * columns > MOST_CELLS) {
    const size = { width: columns * cell, height: rows * cell };
    return [{ kind: "image", x: left, y: top, ...size, canvas }];
  }
  const pixels = canvas.getContext("2d").getImageData(0, 0, columns, rows).data;
  const sink = map.sinkColumn(values.layer, 0);
  const weights = new Float32Array(columns);
  const { write } = writingOf("matrix", scene);
  const marks = [];
  for (let row = 0; row < rows; row += 1) {
    map.read(values.layer, 0, row, weights, null);
    const largest = Math.max(...weights);
    for (let column = 0; column < columns; column += 1) {
      const isMasked = projection.isCellMasked(row, column);
      const isUnseen = isMasked || column === sink;
      const weight = isUnseen ? undefined : write(weights[column], largest);
      const said = weight ?? (isMasked ? strings.masked : strings.sinkMasked);
      const place = { x: left + column * cell, y: top + row * cell, width: cell, height: cell };
      marks.push({
        kind: "rect",
        ...place,
        fill: colourAt(pixels, row * columns + column),
        title: pairOf(scene, row, column, said),
        weight,
      });
    }
  }
  return marks;
}

/** “it” → “tired” 0.71 */
function pairOf({ projection, strings }, row, column, weight) {
  const query = projection.rows[row].label;
  return fill(strings.cell, { query, key: projection.columns[column].label, weight });
}

function atlasCell(atlas, layer, head, { hairline }) {
  const { canvas, columns, rows } = atlas.painted;
  const cell = atlas.cellOf(layer, head);
  const part = { x: head * columns, y: layer * rows, width: columns, height: rows };
  const place = { x: cell.x, y: cell.y, width: cell.size, height: cell.size };
  return [{ kind: "image", ...place, canvas, part }, around(cell, 0.5, hairline, 1)];
}

function around({ x, y, size }, margin, stroke, thickness) {
  const side = size + 2 * margin;
  const place = { x: x - margin, y: y - margin, width: side, height: side, radius: CORNER };
  return { kind: "rect", ...place, stroke, thickness };
}

function colourAt(pixels, place) {
  const channels = pixels.subarray(place * 4, place * 4 + 3);
  return `#${Array.from(channels, (channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
