/** The atlas: one small map for every head, layers down and heads across, on one canvas. */

import { prepareCanvas } from "../lib/dom.js";
import { allMaps, isWhole } from "./map_sources.js";
import { paint } from "./marks.js";
import { projectionOf } from "./projection.js";
import { Sheet } from "./sheet.js";

// In sizes of the root's type, so that bigger type makes a bigger atlas.
const AXIS_LEFT = 1.75;
const AXIS_TOP = 1.5;
const GAP = 0.25;
const SMALLEST_CELL = 1.25;
const LARGEST_CELL = 5.5;
const LARGEST_CELL_IN_ROOM = 10;
const LABEL = 0.75;
const LOWEST_HEIGHT = 28;
const SHARE_OF_WINDOW = 0.6;
const CORNER = 4;
const UNLIT = 0.2;

const MOST_BLOCKS = 3;
// How much larger the cells of a deep model must become before its layers stand in several blocks.
const WORTH_A_BLOCK = 1.4;

/** Draws the atlas and knows which head lies where. */
export class Atlas {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.sheet = new Sheet();
    this.painted = null;
    this.layout = null;
    this.projection = null;
  }

  /**
   * @param {object} scene
   * @param {import("./map_set.js").MapSet} scene.mapSet
   * @param {import("./projection.js").Projection} [scene.projection] that of the settings when
   *   left out
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Set<string> | null} [scene.lit] heads that are lit, `LAYER-HEAD` each; others are faint
   * @param {{layer: number, head: number} | null} hovered
   * @param {number} width room in CSS pixels
   * @param {number} [height] room in CSS pixels; without it the atlas takes a share of the window
   */
  draw({ mapSet, projection, values, theme, lit = null }, hovered, width, height) {
    const layout = arrange(mapSet, width, height, theme.pixels);
    this.layout = layout;
    this.projection = projection ?? projectionOf(mapSet, values);
    const { scale, palette, least } = values;
    this.painted = this.sheet.paint(allMaps(this.projection), {
      scale,
      palette,
      least,
      dark: theme.dark,
      masked: theme.colours.masked,
      pixels: Math.floor(layout.cell * (window.devicePixelRatio || 1)),
    });
    const context = prepareCanvas(this.canvas, width, layout.height);
    paint(context, this.labels(mapSet, theme));
    context.imageSmoothingEnabled = false;
    for (let layer = 0; layer < mapSet.layers; layer += 1) {
      for (let head = 0; head < mapSet.heads; head += 1) {
        const isLit = lit?.has(`${layer}-${head}`) ?? true;
        this.#drawCell(context, theme, layer, head, isLit ? 1 : UNLIT);
        if (lit && isLit) this.#outline(context, { layer, head }, theme.colours.accent, 1.5);
      }
    }
    if (hovered) this.#outline(context, hovered, theme.colours.accent, 1.5);
    this.#outline(context, values, theme.colours.mark, 2.5);
  }

  /** True where maps are drawn as they are although the reader asked for something else. */
  get isUnprojected() {
    return this.projection !== null && !this.projection.isIdentity && !isWhole(this.projection);
  }

  /** The head under a point of the canvas. @returns {{layer: number, head: number} | null} */
  headAt(x, y) {
    if (!this.layout) return null;
    const { left, top, pitch, blockPitch, perBlock, layers, heads } = this.layout;
    const block = Math.floor((x - left) / blockPitch);
    const head = Math.floor((x - left - block * blockPitch) / pitch);
    const down = Math.floor((y - top) / pitch);
    const layer = block * perBlock + down;
    const inside = block >= 0 && head < heads && down >= 0 && down < perBlock && layer < layers;
    return inside ? { layer, head } : null;
  }

  /**
   * The head under a point and the cell of its map, left out where that is not the projected one.
   *
   * @returns {{layer: number, head: number, row?: number, column?: number} | null}
   */
  at(x, y) {
    const found = this.headAt(x, y);
    if (!found || this.isUnprojected) return found;
    const { rows, columns } = this.projection;
    const cell = this.cellOf(found.layer, found.head);
    const place = (offset, count) => {
      const index = Math.floor((offset / cell.size) * count);
      return Math.min(Math.max(index, 0), count - 1);
    };
    const row = place(y - cell.y, rows.length);
    return { ...found, row, column: place(x - cell.x, columns.length) };
  }

  /** The numbers of heads and layers, as marks of marks.js. @returns {object[]} */
  labels({ layers, heads }, theme) {
    const { pitch, perBlock } = this.layout;
    const size = LABEL * theme.pixels;
    const every = Math.ceil((size * 1.5) / pitch);
    const type = { size, family: theme.font, colour: theme.colours.muted };
    const marks = [];
    const add = (number, x, y, anchor) =>
      marks.push({ kind: "text", x, y, text: String(number), anchor, ...type });
    for (let first = 0; first < layers; first += perBlock) {
      for (let head = 0; head < heads; head += every) {
        const cell = this.cellOf(first, head);
        add(head, cell.x + cell.size / 2, cell.y - size * 0.95, "middle");
      }
    }
    for (let layer = 0; layer < layers; layer += every) {
      const cell = this.cellOf(layer, 0);
      add(layer, cell.x - size * 0.7, cell.y + cell.size / 2, "end");
    }
    return marks;
  }

  /** Where the map of a head lies on the canvas. @returns {{x, y, size}} */
  cellOf(layer, head) {
    const { left, top, pitch, blockPitch, perBlock, cell } = this.layout;
    const block = Math.floor(layer / perBlock);
    const x = left + block * blockPitch + head * pitch;
    return { x, y: top + (layer % perBlock) * pitch, size: cell };
  }

  #drawCell(context, theme, layer, head, opacity) {
    const { columns, rows, canvas } = this.painted;
    const { x, y, size } = this.cellOf(layer, head);
    context.save();
    context.beginPath();
    context.roundRect(x, y, size, size, CORNER);
    context.clip();
    context.globalAlpha = opacity;
    context.drawImage(canvas, head * columns, layer * rows, columns, rows, x, y, size, size);
    context.restore();
    context.strokeStyle = theme.colours.hairline;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - 0.5, y - 0.5, size + 1, size + 1, CORNER);
    context.stroke();
  }

  #outline(context, { layer, head }, colour, thickness) {
    const { x, y, size } = this.cellOf(layer, head);
    const margin = 1 + thickness / 2;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.beginPath();
    context.roundRect(x - margin, y - margin, size + 2 * margin, size + 2 * margin, CORNER + 2);
    context.stroke();
  }
}

/** The largest cells that fit the room; without a height, the width and a share of the window. */
function arrange({ layers, heads }, width, height, unit) {
  const left = AXIS_LEFT * unit;
  const top = AXIS_TOP * unit;
  const gap = GAP * unit;
  const tallest = Math.max(LOWEST_HEIGHT * unit, SHARE_OF_WINDOW * window.innerHeight);
  const room = height === undefined ? tallest : height - top;
  const largest = (height === undefined ? LARGEST_CELL : LARGEST_CELL_IN_ROOM) * unit;
  const cellIn = (blocks) => {
    const across = (width / blocks - left - gap) / heads - gap;
    const down = Math.max(room / Math.ceil(layers / blocks) - gap, SMALLEST_CELL * unit);
    return Math.max(Math.floor(Math.min(across, down, largest)), 4);
  };
  let blocks = 1;
  for (let more = 2; height !== undefined && more <= Math.min(MOST_BLOCKS, layers); more += 1) {
    if (cellIn(more) >= WORTH_A_BLOCK * cellIn(blocks)) blocks = more;
  }
  const cell = cellIn(blocks);
  const pitch = cell + gap;
  const perBlock = Math.ceil(layers / blocks);
  return {
    left,
    top,
    cell,
    pitch,
    blockPitch: left + heads * pitch,
    perBlock,
    layers,
    heads,
    height: Math.ceil(top + perBlock * pitch),
  };
}
