/** The atlas: one small map for every head, layers down and heads across, on one canvas. */

const version = new URL(import.meta.url).search;
const { paintSheet } = await import(`./sheet.js${version}`);
const { prepareCanvas } = await import(`./dom.js${version}`);

// In sizes of the root's type, so that bigger type makes a bigger atlas.
const AXIS_LEFT = 1.75;
const AXIS_TOP = 1.5;
const GAP = 0.25;
const SMALLEST_CELL = 1.25;
const LARGEST_CELL = 5.5;
const LABEL = 0.75;
const LOWEST_HEIGHT = 28;
const SHARE_OF_WINDOW = 0.6;
const CORNER = 4;

/** Draws the atlas and knows which head lies where. */
export class Atlas {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.sheet = null;
    this.sheetKey = null;
    this.layout = null;
  }

  /**
   * @param {object} scene
   * @param {import("./payload.js").MapSet} scene.mapSet
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {{layer: number, head: number} | null} scene.hovered
   * @param {number} width room in CSS pixels
   */
  draw({ mapSet, values, theme, hovered }, width) {
    const layout = arrange(mapSet, width, theme.pixels);
    this.layout = layout;
    this.#paint(mapSet, values, theme, layout.cell);
    const context = prepareCanvas(this.canvas, width, layout.height);
    this.#drawLabels(context, mapSet, theme);
    context.imageSmoothingEnabled = false;
    for (let layer = 0; layer < mapSet.layers; layer += 1) {
      for (let head = 0; head < mapSet.heads; head += 1) this.#drawCell(context, theme, layer, head);
    }
    if (hovered) this.#outline(context, hovered, theme.colours.accent, 1.5);
    this.#outline(context, values, theme.colours.mark, 2.5);
  }

  /** The head under a point of the canvas. @returns {{layer: number, head: number} | null} */
  headAt(x, y) {
    if (!this.layout) return null;
    const { left, top, pitch, layers, heads } = this.layout;
    const head = Math.floor((x - left) / pitch);
    const layer = Math.floor((y - top) / pitch);
    const inside = head >= 0 && head < heads && layer >= 0 && layer < layers;
    return inside ? { layer, head } : null;
  }

  /** Where the map of a head lies on the canvas. @returns {{x, y, size}} */
  cellOf(layer, head) {
    const { left, top, pitch, cell } = this.layout;
    return { x: left + head * pitch, y: top + layer * pitch, size: cell };
  }

  #paint(mapSet, { scale, palette }, { dark, colours }, cell) {
    const pixels = Math.floor(cell * (window.devicePixelRatio || 1));
    const key = [scale, palette, dark, pixels].join();
    if (this.sheet && this.sheetKey === key && this.sheetOf === mapSet.identity) return;
    this.sheet = paintSheet(mapSet, { scale, palette, dark, masked: colours.masked, pixels });
    this.sheetKey = key;
    this.sheetOf = mapSet.identity;
  }

  #drawLabels(context, { layers, heads }, theme) {
    const { pitch } = this.layout;
    const size = LABEL * theme.pixels;
    const every = Math.ceil((size * 1.5) / pitch);
    context.font = `${size}px ${theme.font}`;
    context.fillStyle = theme.colours.muted;
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (let head = 0; head < heads; head += every) {
      const cell = this.cellOf(0, head);
      context.fillText(String(head), cell.x + cell.size / 2, cell.y - size * 0.95);
    }
    context.textAlign = "right";
    for (let layer = 0; layer < layers; layer += every) {
      const cell = this.cellOf(layer, 0);
      context.fillText(String(layer), cell.x - size * 0.7, cell.y + cell.size / 2);
    }
  }

  #drawCell(context, theme, layer, head) {
    const { columns, rows, canvas } = this.sheet;
    const { x, y, size } = this.cellOf(layer, head);
    context.save();
    context.beginPath();
    context.roundRect(x, y, size, size, CORNER);
    context.clip();
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

/** The largest cells that fit the width and, for deep models, the window. */
function arrange({ layers, heads }, width, unit) {
  const left = AXIS_LEFT * unit;
  const top = AXIS_TOP * unit;
  const gap = GAP * unit;
  const tallest = Math.max(LOWEST_HEIGHT * unit, SHARE_OF_WINDOW * window.innerHeight);
  const across = (width - left - gap) / heads - gap;
  const down = Math.max(tallest / layers - gap, SMALLEST_CELL * unit);
  const cell = Math.max(Math.floor(Math.min(across, down, LARGEST_CELL * unit)), 4);
  const pitch = cell + gap;
  return { left, top, cell, pitch, layers, heads, height: Math.ceil(top + layers * pitch) };
}
