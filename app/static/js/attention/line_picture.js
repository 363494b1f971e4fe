/** The picture of lines as marks: two columns of texts and what runs between them. */

import { shorten } from "../lib/dom.js";
import { fill, formatWeight, strongest } from "../lib/format.js";
import { nearestFirst, someOfColumn, wholeColumn } from "./line_layout.js";
import {
  faintest,
  FAINTEST_OF_ALL,
  FAINTEST_OF_ONE,
  linesOfHeads,
  strongestLines,
} from "./line_list.js";
import { fontOf } from "./marks.js";
import { shownHeads, strokes } from "./overlay.js";

// In sizes of the root's type.
const TEXT = 0.8125;
const TIGHTEST = 1.125;
const WIDEST = 1.9;
const SIDE = 0.25;
const NUMBER = 3.25;
const DOT = 0.25;
// In shares of the picture's width.
const WIDEST_COLUMN = 0.27;

const NUMBERED = 5;
// Of the largest weight of the row.
const FAINTEST_NUMBERED = 0.05;
// More lines than this share their ink, so that a long text does not fill the picture.
const FULL_INK = 400;

/** Builds pictures; measures texts and sorts lines once for many of them. */
export class LinePictures {
  constructor() {
    this.widths = {};
    this.sorted = {};
  }

  /** Measure texts anew: their font has arrived late, under the same name. */
  remeasure() {
    this.widths = {};
  }

  /**
   * @param {object} scene
   * @param {import("./projection.js").Projection} scene.projection
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Record<string, string>} scene.strings
   * @param {{row?: number, column?: number, head?: number} | null} hovered a text, or a line
   * @param {number} width room in CSS pixels
   * @param {number} height room in CSS pixels
   * @param {CanvasRenderingContext2D} context measures texts
   * @returns {{columns: object, lines: object[], marks: object[]}} where the texts stand, the
   *   lines with their ends, and everything as marks (see marks.js)
   */
  build(scene, hovered, width, height, context) {
    const { projection, values, theme } = scene;
    const chosen = values.token === null ? -1 : projection.rowOf(values.token);
    const rows =
      chosen < 0
        ? null
        : shownHeads(values).map((head) => ({
            head,
            weights: projection.row(values.layer, head, chosen),
          }));
    const combined = rows && largestOf(rows.map(({ weights }) => weights));
    context.font = fontOf(monospace(theme));
    const widths = this.#widthsOf(context, projection, values);
    const columns = arrange(context, scene, chosen, combined, widths, width, height);
    const drawing = new Drawing(context, scene, hovered ?? {}, columns);
    if (rows) drawing.fromOne(chosen, rows, combined);
    else drawing.fromAll(this.#linesOf(projection, values));
    drawing.rowTexts(chosen);
    return { columns, lines: drawing.lines, marks: drawing.marks };
  }

  #widthsOf(context, projection, { specials, merge, part }) {
    const name = [projection.mapSet.identity, specials, merge, part, context.font].join();
    if (this.widths.name !== name) {
      const [row, column] = [projection.rows, projection.columns].map((groups) =>
        widest(
          context,
          groups.map(({ label }) => label),
        ),
      );
      this.widths = { name, row, column };
    }
    return this.widths;
  }

  #linesOf(projection, values) {
    const heads = shownHeads(values);
    const least = faintest(values, FAINTEST_OF_ALL);
    const name = [values.layer, least, ...heads].join();
    if (this.sorted.projection !== projection || this.sorted.name !== name) {
      const lines = linesOfHeads(projection, values.layer, heads, least);
      this.sorted = { projection, name, lines };
    }
    return this.sorted.lines;
  }
}

/** One picture in the making. */
class Drawing {
  constructor(context, { projection, values, theme, strings }, hovered, columns) {
    Object.assign(this, { context, projection, values, theme, strings, hovered, columns });
    this.colours = theme.colours;
    this.strokes = strokes(values, theme, columns.column.step);
    this.isOverlay = this.strokes.size > 1;
    this.lines = [];
    this.marks = [];
  }

  /** The lines from one row, with the largest weights in numbers. */
  fromOne(chosen, rows, combined) {
    const { columns, hovered, projection, values } = this;
    const least = faintest(values, FAINTEST_OF_ONE);
    const largest = Math.max(...combined);
    const numbered = strongest(combined, NUMBERED).filter(
      (column) =>
        combined[column] > FAINTEST_NUMBERED * largest &&
        (values.least === 0 || combined[column] >= least),
    );
    const top = new Set(numbered);
    const from = columns.row.rows.find(({ index }) => index === chosen);
    const masked = projection.isRowMasked(chosen);
    const pinned = values.key === null ? -1 : projection.columnOf(values.key);
    for (const { index: column, y } of columns.column.rows) {
      const isHovered = column === hovered.column;
      const isPinned = column === pinned;
      for (const { head, weights } of rows) {
        const weight = weights[column];
        const isMeant =
          (isHovered && (hovered.head ?? head) === head) || (isPinned && head === values.head);
        const isSink = projection.isSink(values.layer, head, column);
        // Where the reader asks for no threshold, the strongest few count, however weak.
        const isStrong = weight >= least || (values.least === 0 && (top.has(column) || isMeant));
        if (masked || !from || isSink || !isStrong) continue;
        // The root lifts faint lines to what a projector still shows.
        const alpha = isMeant ? 1 : 0.4 + 0.6 * Math.sqrt(weight);
        this.#line({ head, row: chosen, column, weight }, from.y, y, [1.25, 6.75], alpha);
      }
      const isTop = top.has(column);
      const unseen = projection.isCellMasked(chosen, column) || this.#isSinkOfAll(column);
      const isNumbered = isHovered || isPinned || isTop;
      let colour = isNumbered ? this.colours.text : this.colours.muted;
      if (isPinned) colour = this.colours.accent;
      this.#columnText({ index: column, y }, colour, unseen);
      if (unseen && (isHovered || isPinned)) this.#number(y, this.strings.masked);
      else if (isNumbered) this.#weight(y, chosen, column, rows);
    }
    this.#inOrder();
    this.#gaps();
  }

  /** The lines of all rows, faintly. */
  fromAll(all) {
    const { colours, columns, hovered, projection, theme, values } = this;
    const isLine = hovered.row !== undefined && hovered.column !== undefined;
    const lines = strongestLines(all, isLine ? undefined : hovered.column);
    const ink = Math.min(FULL_INK / lines.length, 1);
    for (const line of lines) {
      const [from, to] = [columns.row.rows[line.row].y, columns.column.rows[line.column].y];
      const strength = this.isOverlay ? 0.25 + 0.7 * line.weight : 0.1 + 0.45 * line.weight;
      this.#line(line, from, to, [0.75, 2.25], strength * ink);
    }
    const every = Math.ceil((TIGHTEST * theme.pixels) / columns.column.step);
    for (const place of columns.column.rows) {
      const isHovered = place.index === hovered.column;
      if (place.index % every !== 0 && !isHovered) continue;
      const colour = isHovered ? colours.text : colours.muted;
      this.#columnText(place, colour, this.#isSinkOfAll(place.index));
    }
    const meant = this.lines.find(
      ({ head, row, column }) =>
        head === hovered.head && row === hovered.row && column === hovered.column,
    );
    if (!meant) return;
    this.#line(meant, meant.from, meant.to, [1.25, 6.75], 1, { isAgain: true });
    const largest = projection.largestOfRow(values.layer, meant.head, meant.row);
    const { y } = columns.column.rows[meant.column];
    this.#number(y, formatWeight(meant.weight, largest), meant.head);
  }

  /** The texts on the left. */
  rowTexts(chosen) {
    const { colours, columns, hovered, projection, theme } = this;
    const { rows, step } = columns.row;
    const every = Math.ceil((TIGHTEST * theme.pixels) / step);
    const x = columns.left - columns.side;
    for (const { index, y } of rows) {
      const isChosen = index === chosen;
      const isHovered = index === hovered.row;
      if (index % every !== 0 && !isChosen && !isHovered) continue;
      const { label, special } = projection.rows[index];
      const isFaint = special || projection.isRowMasked(index);
      let colour = isFaint ? colours.muted : colours.text;
      if (isChosen || isHovered) colour = colours.accent;
      const type = { ...monospace(theme), bold: isChosen };
      this.context.font = fontOf(type);
      const text = shorten(this.context, label, x);
      this.marks.push({ kind: "text", x, y, text, anchor: "end", colour, ...type });
    }
  }

  #line(line, from, to, [thin, more], alpha, { isAgain = false } = {}) {
    const { left, right } = this.columns;
    const { colour, offset, thickness } = this.strokes.get(line.head);
    const [y1, y2] = isAgain ? [from, to] : [from + offset, to + offset];
    const width = (thin + more * line.weight) * thickness;
    const mark = { kind: "curve", x1: left, y1, x2: right, y2, colour, width, alpha, line };
    this.marks.push(mark);
    if (!isAgain) this.lines.push({ ...line, from: y1, to: y2 });
  }

  /** Of several heads the strongest line lies on top. */
  #inOrder() {
    if (!this.isOverlay) return;
    const weightOf = ({ line }) => line?.weight ?? -1;
    this.marks.sort((left, right) => weightOf(left) - weightOf(right));
  }

  #isSinkOfAll(column) {
    const { layer } = this.values;
    return [...this.strokes.keys()].every((head) => this.projection.isSink(layer, head, column));
  }

  #columnText({ index, y }, colour, unseen) {
    const { context, projection, theme } = this;
    const { right, numbers, side } = this.columns;
    const x = right + side;
    const type = monospace(theme);
    context.font = fontOf(type);
    const text = shorten(context, projection.columns[index].label, numbers - x);
    const ink = unseen ? this.colours.muted : colour;
    this.marks.push({ kind: "text", x, y, text, anchor: "start", colour: ink, ...type });
    if (!unseen) return;
    const width = context.measureText(text).width;
    this.marks.push({ kind: "rect", x, y, width, height: 1, fill: ink });
  }

  /** The weight of the head that is meant, else of the one that looks there most. */
  #weight(y, row, column, rows) {
    const byWeight = (best, one) => (one.weights[column] > best.weights[column] ? one : best);
    const { head, weights } =
      rows.find((one) => one.head === this.hovered.head) ?? rows.reduce(byWeight);
    const largest = this.projection.largestOfRow(this.values.layer, head, row);
    this.#number(y, formatWeight(weights[column], largest), head);
  }

  #number(y, text, head) {
    const { colours, columns, context, theme } = this;
    const type = { size: TEXT * theme.pixels, family: theme.font, bold: false };
    const x = columns.width - SIDE * theme.pixels;
    this.marks.push({ kind: "text", x, y, text, anchor: "end", colour: colours.muted, ...type });
    if (!this.isOverlay || head === undefined) return;
    context.font = fontOf(type);
    const size = 2 * DOT * theme.pixels;
    const left = x - context.measureText(text).width - 1.6 * size;
    const { colour } = this.strokes.get(head);
    const place = { x: left, y: y - size / 2, width: size, height: size, radius: size / 2 };
    this.marks.push({ kind: "rect", ...place, fill: colour });
  }

  #gaps() {
    const { columns, strings, theme } = this;
    const { left, right, side } = columns;
    const type = { size: TEXT * theme.pixels, family: theme.font, bold: false };
    const note = (gap, x, anchor) => {
      const text = fill(strings.gap, gap);
      const mark = { kind: "text", x, y: gap.y, text, anchor, colour: this.colours.muted, ...type };
      this.marks.push(mark);
    };
    for (const gap of columns.row.gaps) note(gap, left - side, "end");
    for (const gap of columns.column.gaps) note(gap, right + side, "start");
  }
}

/** Long texts keep what matters: the neighbours of the chosen row and the strongest columns. */
function arrange(context, scene, chosen, weights, widths, width, height) {
  const { projection, theme, strings } = scene;
  const unit = theme.pixels;
  const tightest = TIGHTEST * unit;
  const place = (count, byInterest) =>
    weights === null || count * tightest <= height
      ? wholeColumn(count, height, tightest, WIDEST * unit)
      : someOfColumn(byInterest(), height, tightest * 1.1);
  const [rows, places] = [projection.rows.length, projection.columns.length];
  const row = place(rows, () => nearestFirst(chosen, rows));
  const column = place(places, () => strongest(weights, places));
  const side = 2 * SIDE * unit;
  const numbers = width - NUMBER * unit;
  const room = (text, { gaps }) => {
    const notes = gaps.map((gap) => fill(strings.gap, gap));
    return Math.min(Math.max(text, widest(context, notes)), width * WIDEST_COLUMN);
  };
  return {
    width,
    side,
    numbers,
    left: side + room(widths.row, row),
    right: numbers - side - room(widths.column, column),
    row,
    column,
  };
}

function monospace({ pixels, monospace: family }) {
  return { size: TEXT * pixels, family, bold: false };
}

/** The largest of several weights for each column. */
function largestOf(rows) {
  return rows[0].map((_, column) => Math.max(...rows.map((weights) => weights[column])));
}

function widest(context, texts) {
  return texts.reduce((most, text) => Math.max(most, context.measureText(text).width), 0);
}
