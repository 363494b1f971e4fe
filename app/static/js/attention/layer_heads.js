/** All heads of one layer as maps side by side: to compare them, or to pick one. */

import { prepareCanvas } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { headColour } from "../lib/head_colours.js";
import { meanMap } from "./map_sources.js";
import { paint } from "./marks.js";
import { Sheet } from "./sheet.js";

// In sizes of the root's type.
const CAPTION = 0.75;
const CAPTION_ROOM = 1.375;
const GAP = 0.5;
const PICKER_GAP = 0.4375;
const LARGEST_MAP = 32;
const EDGE = 0.25;
// Maps of many more rows than columns, or the other way round, are stretched.
const MOST_SLENDER = 3;

const CORNER = 2;
const HOVERED = 1.5;
const OVERLAID = 2;
const CHOSEN = 2.5;
const PLACE = 1.5;
// Smaller cells than this, in CSS pixels, have no outline.
const SMALLEST_OUTLINED = 3;

/** Draws the heads of a layer and knows which cell of which head lies where. */
export class LayerHeads {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{picker?: boolean}} [options] a picker shows heads, not what is pinned in them
   */
  constructor(canvas, { picker = false } = {}) {
    this.canvas = canvas;
    this.isPicker = picker;
    this.sheets = [];
    this.layout = null;
    this.layer = null;
    this.projection = null;
  }

  /**
   * Draw the shown layer; nothing happens where it is not here.
   *
   * @param {object} scene
   * @param {import("./projection.js").Projection} scene.projection
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Record<string, string>} scene.strings
   * @param {{head: number, row?: number, column?: number} | null} hovered
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
  picture({ projection, values, theme, strings }, hovered, width, height) {
    this.projection = projection;
    this.layer = values.layer;
    this.layout = arrange(projection, this.isPicker, width, height, theme.pixels);
    const { heads } = projection.mapSet;
    const marks = [];
    for (let head = 0; head < heads; head += 1) {
      marks.push(...this.#map(projection, values, theme, head));
      marks.push(this.#caption(values, theme, strings, head));
    }
    for (const head of values.heads ?? []) {
      marks.push(this.#outline(head, headColour(head, theme.dark), OVERLAID));
    }
    if (hovered) marks.push(this.#outline(hovered.head, theme.colours.accent, HOVERED));
    marks.push(this.#outline(values.head, theme.colours.mark, CHOSEN));
    if (this.isPicker) return marks;
    const pinned = {
      row: values.token === null ? -1 : projection.rowOf(values.token),
      column: values.key === null ? -1 : projection.columnOf(values.key),
    };
    return [
      ...marks,
      ...this.#places(pinned, theme.colours.mark),
      ...this.#places(hovered ?? {}, theme.colours.accent),
    ];
  }

  /**
   * The head under a point, and the cell of its map where the point is inside it.
   *
   * @returns {{layer: number, head: number, row?: number, column?: number} | null}
   */
  at(x, y) {
    if (!this.layout) return null;
    const { left, slotWidth, slotHeight, map } = this.layout;
    const { rows, columns, mapSet } = this.projection;
    const slot = Math.floor((x - left) / slotWidth);
    const head = Math.floor(y / slotHeight) * this.layout.columns + slot;
    if (slot < 0 || slot >= this.layout.columns || head < 0 || head >= mapSet.heads) return null;
    const found = { layer: this.layer, head };
    const corner = this.cellOf(head);
    const row = Math.floor(((y - corner.y) / map.height) * rows.length);
    const column = Math.floor(((x - corner.x) / map.width) * columns.length);
    const isInside = row >= 0 && row < rows.length && column >= 0 && column < columns.length;
    return isInside ? { ...found, row, column } : found;
  }

  /** Where the map of a head lies on the canvas. @returns {{x, y, width, height}} */
  cellOf(head) {
    const { left, top, slotWidth, slotHeight, columns, map } = this.layout;
    const x = left + (head % columns) * slotWidth;
    return { x, y: top + Math.floor(head / columns) * slotHeight, ...map };
  }

  #map(projection, values, theme, head) {
    const place = this.cellOf(head);
    const longest = Math.max(place.width, place.height) * (window.devicePixelRatio || 1);
    this.sheets[head] ??= new Sheet();
    const { canvas } = this.sheets[head].paint(meanMap(projection, values.layer, [head]), {
      scale: values.scale,
      palette: values.palette,
      least: values.least,
      dark: theme.dark,
      masked: theme.colours.masked,
      pixels: Math.max(Math.floor(longest), 1),
    });
    return [{ kind: "image", ...place, canvas }, framed(place, 0.5, theme.colours.hairline, 1)];
  }

  #caption(values, theme, strings, head) {
    const { x, y, height } = this.cellOf(head);
    const isChosen = head === values.head;
    return {
      kind: "text",
      x,
      y: y + height + (CAPTION_ROOM * theme.pixels) / 2,
      text: fill(strings.oneHead, { head }),
      anchor: "start",
      size: CAPTION * theme.pixels,
      family: theme.font,
      bold: isChosen,
      colour: isChosen ? theme.colours.text : theme.colours.muted,
    };
  }

  #outline(head, colour, thickness) {
    return framed(this.cellOf(head), 1 + thickness / 2, colour, thickness);
  }

  /** One row and one cell in every map: heads are compared where the reader looks. */
  #places({ row, column }, colour) {
    const { rows, columns, mapSet } = this.projection;
    const { map } = this.layout;
    const cell = { width: map.width / columns.length, height: map.height / rows.length };
    if (!(row >= 0) || Math.min(cell.width, cell.height) < SMALLEST_OUTLINED) return [];
    return Array.from({ length: mapSet.heads }, (_, head) => {
      const { x, y, width } = this.cellOf(head);
      const isCell = column >= 0;
      return {
        kind: "rect",
        x: x + (isCell ? column * cell.width : 0),
        y: y + row * cell.height,
        width: isCell ? cell.width : width,
        height: cell.height,
        stroke: colour,
        thickness: PLACE,
      };
    });
  }
}

function framed({ x, y, width, height }, margin, stroke, thickness) {
  return {
    kind: "rect",
    x: x - margin,
    y: y - margin,
    width: width + 2 * margin,
    height: height + 2 * margin,
    stroke,
    thickness,
    radius: CORNER + margin,
  };
}

/** As many heads side by side as make the maps largest. */
function arrange({ rows, columns, mapSet }, isPicker, width, height, unit) {
  const gap = (isPicker ? PICKER_GAP : GAP) * unit;
  const edge = EDGE * unit;
  const caption = CAPTION_ROOM * unit;
  const slenderness = rows.length / columns.length;
  const aspect = isPicker ? 1 : Math.min(Math.max(slenderness, 1 / MOST_SLENDER), MOST_SLENDER);
  const sizeIn = (across) => {
    const down = Math.ceil(mapSet.heads / across);
    const widest = (width - 2 * edge + gap) / across - gap;
    const highest = (height - edge) / down - caption;
    return Math.min(widest, highest / aspect, LARGEST_MAP * unit);
  };
  let across = 1;
  for (let more = 2; more <= mapSet.heads; more += 1) {
    if (sizeIn(more) > sizeIn(across)) across = more;
  }
  const size = wholeCells(sizeIn(across), columns.length);
  const map = { width: size, height: Math.max(Math.round(size * aspect), 1) };
  const used = across * (size + gap) - gap;
  return {
    left: isPicker ? edge : Math.max(Math.round((width - used) / 2), edge),
    top: edge,
    columns: across,
    slotWidth: size + gap,
    slotHeight: map.height + caption,
    map,
  };
}

/** Large cells are all of one size; small ones may differ, or too much room would be lost. */
function wholeCells(size, count) {
  const cell = Math.floor(size / count);
  return Math.max(cell >= 8 ? cell * count : Math.floor(size), 1);
}
