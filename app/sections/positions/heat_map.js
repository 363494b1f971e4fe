/** A table of numbers as a picture, with one cell looked at. */

import { element, prepareCanvas } from "../../js/lib/dom.js";
import { isReserved, moveCell } from "../../js/lib/keyboard.js";
import { ticks } from "./chart.js";

const LEFT = 38;
const BOTTOM = 20;
const EDGE = 6;
const TICK_PIXELS = { x: 44, y: 28 };

/**
 * @typedef {object} Picture
 * @property {Float32Array} values row by row
 * @property {number} rows drawn, from the first on
 * @property {number} columns drawn
 * @property {number} stride numbers in a row of `values`
 * @property {[number, number]} range of the colours
 * @property {Uint32Array} table 256 pixels from the least to the largest
 * @property {number} firstRow number of the first row
 * @property {number} firstColumn
 * @property {boolean} square whether cells are
 * @property {{column: number, colour: string}[]} marks columns that stand out
 * @property {string} label
 * @property {object} theme
 */

export class HeatMap {
  /**
   * @param {object} listeners
   * @param {(cell: {row: number, column: number} | null) => void} listeners.onHover
   * @param {(cell: {row: number, column: number}) => void} [listeners.onChoose]
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor({ onHover, onChoose = () => {} }, life) {
    this.canvas = element("canvas", { tabindex: "0", role: "application" });
    this.node = element("div", { class: "heat" }, [this.canvas]);
    this.picture = null;
    this.cell = null;
    this.onHover = onHover;
    this.canvas.addEventListener("pointermove", (event) => this.#look(this.#under(event)));
    this.canvas.addEventListener("pointerleave", () => this.#look(null));
    this.canvas.addEventListener("click", (event) => {
      const cell = this.#under(event);
      if (cell) onChoose(cell);
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (isReserved(event)) return;
      if (event.key === "Escape" && this.cell) this.#look(null);
      else if ((event.key === "Enter" || event.key === " ") && this.cell) onChoose(this.cell);
      else if (!this.#move(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    life.observe(this.node, () => this.#draw());
  }

  /** @param {Picture} picture */
  show(picture) {
    this.picture = picture;
    const { rows, columns } = picture;
    if (this.cell && (this.cell.row >= rows || this.cell.column >= columns)) this.cell = null;
    this.canvas.setAttribute("aria-label", picture.label);
    this.#draw();
  }

  #move(key) {
    const { rows, columns } = this.picture;
    if (!this.cell && !moveCell(key, { row: 0, column: 0 }, { rows, columns }, () => 0)) {
      return false;
    }
    const next = this.cell ? moveCell(key, this.cell, { rows, columns }, () => 0) : null;
    if (this.cell && !next) return false;
    this.#look(next ?? { row: 0, column: 0 });
    return true;
  }

  #look(cell) {
    if (cell?.row === this.cell?.row && cell?.column === this.cell?.column) return;
    this.cell = cell;
    this.onHover(cell);
    this.#draw();
  }

  /** Where the cells are, in CSS pixels. */
  get #frame() {
    const { clientWidth, clientHeight } = this.node;
    let width = Math.max(clientWidth - LEFT - EDGE, 1);
    let height = Math.max(clientHeight - BOTTOM - EDGE, 1);
    if (this.picture.square) width = height = Math.min(width, height);
    return { x: LEFT, y: EDGE, width, height };
  }

  #under(event) {
    if (!this.picture) return null;
    const { x, y, width, height } = this.#frame;
    const { rows, columns } = this.picture;
    const column = Math.floor(((event.offsetX - x) / width) * columns);
    const row = Math.floor(((event.offsetY - y) / height) * rows);
    const inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? { row, column } : null;
  }

  #draw() {
    if (!this.picture || !this.node.clientWidth) return;
    const { clientWidth, clientHeight } = this.node;
    const context = prepareCanvas(this.canvas, clientWidth, clientHeight);
    const frame = this.#frame;
    const image = this.#image();
    // Cells larger than a pixel keep their edges; smaller ones are averaged.
    context.imageSmoothingEnabled = frame.width < image.width || frame.height < image.height;
    context.drawImage(image, frame.x, frame.y, frame.width, frame.height);
    this.#axes(context, frame);
    this.#marks(context, frame);
    this.#cross(context, frame);
  }

  #image() {
    const { values, rows, columns, stride, range, table } = this.picture;
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const [low, high] = range;
    const factor = high > low ? 255 / (high - low) : 0;
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const level = Math.round((values[row * stride + column] - low) * factor);
        pixels[row * columns + column] = table[Math.min(Math.max(level, 0), 255)];
      }
    }
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  #axes(context, { x, y, width, height }) {
    const { rows, columns, firstRow, firstColumn, theme } = this.picture;
    context.strokeStyle = theme.colours.hairline;
    context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
    context.fillStyle = theme.colours.muted;
    context.font = `${Math.round(theme.pixels * 0.72)}px ${theme.font}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const at of ticks(firstRow, firstRow + rows - 1, height / TICK_PIXELS.y)) {
      const middle = y + ((at - firstRow + 0.5) / rows) * height;
      context.fillText(String(at), x - 6, middle, LEFT - 6);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const at of ticks(firstColumn, firstColumn + columns - 1, width / TICK_PIXELS.x)) {
      context.fillText(String(at), x + ((at - firstColumn + 0.5) / columns) * width, y + height + 6);
    }
  }

  #marks(context, { x, y, width, height }) {
    const { marks, columns } = this.picture;
    for (const { column, colour } of marks) {
      if (column >= columns) continue;
      const left = x + (column / columns) * width;
      const wide = Math.max(width / columns, 2);
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.strokeRect(left - 1, y - 2, wide + 2, height + 4);
    }
    context.lineWidth = 1;
  }

  #cross(context, { x, y, width, height }) {
    if (!this.cell) return;
    const { rows, columns, theme } = this.picture;
    const [wide, tall] = [width / columns, height / rows];
    context.strokeStyle = theme.colours.text;
    context.lineWidth = 1.5;
    context.strokeRect(x + this.cell.column * wide, y + this.cell.row * tall, wide, tall);
    context.globalAlpha = 0.35;
    context.strokeRect(x, y + this.cell.row * tall, width, tall);
    context.globalAlpha = 1;
    context.lineWidth = 1;
  }
}
