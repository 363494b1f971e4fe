/** The matrix: one map with every token beside it, rows looking at columns. */

import { prepareCanvas } from "../lib/dom.js";
import { LabelTexts } from "./label_texts.js";
import { meanMap } from "./map_sources.js";
import { paint } from "./marks.js";
import { arrangeMatrix, LABEL_ANGLE, placeAt, shownLabels } from "./matrix_layout.js";
import { shownHeads } from "./overlay.js";
import { Sheet } from "./sheet.js";

// Cells from this size on, in CSS pixels, have a thin gap between them.
const CELL_WITH_GAP = 14;

const CROSSHAIR = 1;
const HOVERED = 2;
const PINNED = 2;
// Of 255, in hexadecimal.
const FAINT = "80";

/** Draws the matrix and knows which cell lies where. */
export class Matrix {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{sheet?: {paint: Function}}} [options] what colours the cells, where it is not that of
   *   weights
   */
  constructor(canvas, { sheet = new Sheet() } = {}) {
    this.canvas = canvas;
    this.sheet = sheet;
    this.texts = new LabelTexts();
    this.layout = null;
    this.shown = null;
    this.arranged = {};
  }

  /**
   * Draw one map, or the mean of several heads; nothing happens where their layer is not here.
   *
   * @param {object} scene
   * @param {import("./projection.js").Projection} scene.projection
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {{row?: number, column?: number} | null} hovered
   * @param {number} width room in CSS pixels
   * @param {number} height room in CSS pixels
   */
  draw(scene, hovered, width, height) {
    if (!scene.projection.mapSet.hasLayer(scene.values.layer)) return;
    const context = prepareCanvas(this.canvas, width, height);
    paint(context, this.picture(scene, hovered, width, height));
  }

  /**
   * The same as marks of `marks.js`; takes what `draw` takes.
   *
   * @returns {object[]}
   */
  picture({ projection, values, theme }, hovered, width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.layout = this.#arrange(projection, theme, width, height, ratio);
    this.shown = values;
    const { left, top, cell, rows, columns } = this.layout;
    const painted = this.sheet.paint(meanMap(projection, values.layer, shownHeads(values)), {
      scale: values.scale,
      palette: values.palette,
      least: values.least,
      dark: theme.dark,
      masked: theme.colours.masked,
      pixels: Math.max(Math.round(Math.max(rows, columns) * cell * ratio), 1),
    });
    const pinned = {
      row: values.token === null ? -1 : projection.rowOf(values.token),
      column: values.key === null ? -1 : projection.columnOf(values.key),
    };
    const size = { width: columns * cell, height: rows * cell };
    return [
      { kind: "image", x: left, y: top, ...size, canvas: painted.canvas },
      frame(left, top, size, theme.colours.hairline),
      ...gaps(this.layout, theme.colours.card),
      ...outlines(this.layout, pinned, hovered ?? {}, theme.colours),
      ...this.#labels(projection, values, pinned, hovered ?? {}, theme),
    ];
  }

  /**
   * The cell under a point; a label is a whole row or column.
   *
   * @returns {{layer: number, head: number, row?: number, column?: number} | null}
   */
  at(x, y) {
    const place = this.layout && placeAt(this.layout, x, y);
    return place && { layer: this.shown.layer, head: this.shown.head, ...place };
  }

  /** Measure labels anew: their font has arrived late, under the same name. */
  remeasure() {
    this.texts.forget();
    this.arranged = {};
  }

  #arrange(projection, theme, width, height, ratio) {
    const name = [theme.monospace, theme.pixels, width, height, ratio].join();
    if (this.arranged.projection !== projection || this.arranged.name !== name) {
      const context = this.canvas.getContext("2d");
      const layout = arrangeMatrix(context, projection, theme, this.texts, width, height, ratio);
      this.arranged = { projection, name, layout };
    }
    return this.arranged.layout;
  }

  #labels(projection, values, pinned, hovered, theme) {
    const { left, top, cell, side, size } = this.layout;
    const { rowTexts, columnTexts, rowsPerLabel, columnsPerLabel } = this.layout;
    const { colours } = theme;
    const text = (fitted, isPinned, isHovered, isFaint) => ({
      kind: "text",
      text: fitted.text,
      size,
      family: theme.monospace,
      bold: isPinned,
      colour: isPinned || isHovered ? colours.accent : isFaint ? colours.muted : colours.text,
    });
    const isSink = (column) =>
      shownHeads(values).every((head) => projection.isSink(values.layer, head, column));
    const rows = shownLabels(rowTexts.length, rowsPerLabel, marked(hovered.row, pinned.row));
    const columns = shownLabels(
      columnTexts.length,
      columnsPerLabel,
      marked(hovered.column, pinned.column),
    );
    return [
      ...rows.map((row) => ({
        ...text(
          rowTexts[row],
          row === pinned.row,
          row === hovered.row,
          projection.rows[row].special || projection.isRowMasked(row),
        ),
        x: left - side,
        y: top + (row + 0.5) * cell,
        anchor: "end",
      })),
      ...columns.map((column) => ({
        ...text(
          columnTexts[column],
          column === pinned.column,
          column === hovered.column,
          projection.columns[column].special || isSink(column),
        ),
        x: left + (column + 0.5) * cell + side * 0.25,
        y: top - side,
        anchor: "start",
        angle: LABEL_ANGLE,
      })),
    ];
  }
}

function marked(...places) {
  return places.filter((place) => place !== undefined);
}

function frame(left, top, { width, height }, stroke) {
  return { kind: "rect", x: left - 0.5, y: top - 0.5, width: width + 1, height: height + 1, stroke };
}

/** Thin lines between large cells: the last pixel of each. */
function gaps({ left, top, cell, rows, columns }, colour) {
  if (cell < CELL_WITH_GAP) return [];
  const line = (x, y, width, height) => ({ kind: "rect", x, y, width, height, fill: colour });
  const between = (count) => Array.from({ length: count - 1 }, (_, index) => index + 1);
  return [
    ...between(columns).map((column) => line(left + column * cell - 1, top, 1, rows * cell)),
    ...between(rows).map((row) => line(left, top + row * cell - 1, columns * cell, 1)),
  ];
}

/** The hovered row and column faintly, the pinned row and cell and the hovered cell clearly. */
function outlines({ left, top, cell, rows, columns }, pinned, hovered, { accent, mark }) {
  const around = (row, column, stroke, thickness) => {
    const isRow = row >= 0;
    const isColumn = column >= 0;
    return {
      kind: "rect",
      x: left + (isColumn ? column * cell : 0) - thickness / 2,
      y: top + (isRow ? row * cell : 0) - thickness / 2,
      width: (isColumn ? 1 : columns) * cell + thickness,
      height: (isRow ? 1 : rows) * cell + thickness,
      stroke,
      thickness,
    };
  };
  const found = [];
  if (hovered.row >= 0) found.push(around(hovered.row, -1, faint(accent), CROSSHAIR));
  if (hovered.column >= 0) found.push(around(-1, hovered.column, faint(accent), CROSSHAIR));
  if (pinned.row >= 0) found.push(around(pinned.row, -1, mark, PINNED));
  if (pinned.row >= 0 && pinned.column >= 0) {
    found.push(around(pinned.row, pinned.column, mark, PINNED));
  }
  if (hovered.row >= 0 && hovered.column >= 0) {
    found.push(around(hovered.row, hovered.column, accent, HOVERED));
  }
  return found;
}

function faint(colour) {
  return /^#[0-9a-f]{6}$/i.test(colour) ? colour + FAINT : colour;
}
