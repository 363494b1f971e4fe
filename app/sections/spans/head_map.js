/** One step of one kind of attention: heads down, pieces across. */

import { element, prepareCanvas, shorten } from "../../js/lib/dom.js";
import { isReserved } from "../../js/lib/keyboard.js";
import { createLookupTable } from "../../js/lib/palette.js";

// Pixels where type is 16 pixels high; in presenter mode everything grows with it.
const TYPE = 16;
const SIZES = {
  narrowest: 6,
  widest: 64,
  labelled: 11, // narrower columns have no room for a name
  side: 22, // for the numbers of the heads
  foot: 88, // for the names of the pieces
  name: 11,
};
const [ROW, HIGH_ROW] = [15, 24];
const HIGH_WINDOW = 960;
const LAST_LEVEL = 255;
const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class HeadMap {
  /**
   * @param {object} listeners
   * @param {(cell: {head: number, key: number} | null) => void} listeners.onLook
   * @param {(head: number) => void} listeners.onChoose
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor({ onLook, onChoose }, life) {
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.node = element("div", { class: "map" }, [this.canvas]);
    this.cell = null;
    this.onLook = onLook;
    this.#listen(onChoose);
    life.observe(this.node, () => this.#draw());
  }

  /**
   * @param {object} picture
   * @param {Float32Array[]} picture.rows the weights of every head
   * @param {string[]} picture.pieces under the columns
   * @param {number} picture.head the chosen one
   * @param {string} picture.label for who cannot see it
   * @param {object} theme of `readTheme`
   */
  show(picture, theme) {
    this.picture = picture;
    this.theme = theme;
    this.canvas.setAttribute("aria-label", picture.label);
    if (this.cell && this.cell.key >= picture.pieces.length) this.#look(null);
    this.#draw();
  }

  #listen(onChoose) {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.#look(this.#cellAt(event)));
    canvas.addEventListener("pointerleave", () => this.#look(null));
    canvas.addEventListener("blur", () => this.#look(null));
    canvas.addEventListener("click", (event) => {
      const cell = this.#cellAt(event);
      if (cell) onChoose(cell.head);
    });
    canvas.addEventListener("keydown", (event) => {
      if (isReserved(event) || !this.picture) return;
      const { rows, pieces, head } = this.picture;
      const from = this.cell ?? { head, key: -1 };
      if (event.key === "Enter") onChoose(from.head);
      const [down, right] = MOVES[event.key] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.#look({
        head: Math.min(Math.max(from.head + down, 0), rows.length - 1),
        key: Math.min(Math.max(from.key + right, 0), pieces.length - 1),
      });
    });
  }

  #look(cell) {
    const same = cell?.head === this.cell?.head && cell?.key === this.cell?.key;
    if (same) return;
    this.cell = cell;
    this.#draw();
    this.onLook(cell);
  }

  #cellAt({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const head = Math.floor((clientY - box.top) / this.row);
    const key = Math.floor((clientX - box.left - this.sizes.side) / this.width);
    const { rows, pieces } = this.picture;
    const inside = head >= 0 && head < rows.length && key >= 0 && key < pieces.length;
    return inside ? { head, key } : null;
  }

  #draw() {
    const room = this.node.clientWidth;
    if (!this.picture || room === 0) return;
    const { rows, pieces } = this.picture;
    const factor = this.theme.pixels / TYPE;
    const scaled = Object.entries(SIZES).map(([one, size]) => [one, size * factor]);
    this.sizes = Object.fromEntries(scaled);
    this.row = factor * (window.innerHeight < HIGH_WINDOW ? ROW : HIGH_ROW);
    const { narrowest, widest, side, foot } = this.sizes;
    this.width = Math.min(Math.max((room - side - 2) / pieces.length, narrowest), widest);
    const size = [this.width * pieces.length, this.row * rows.length];
    const context = prepareCanvas(this.canvas, side + size[0] + 2, size[1] + foot);
    this.#cells(context, rows, createLookupTable("indigo", this.theme.dark));
    this.#marks(context, size);
    this.#names(context, pieces, size[1]);
  }

  #cells(context, rows, table) {
    const pixels = new Uint8Array(table.buffer);
    rows.forEach((row, head) => {
      row.forEach((weight, key) => {
        const level = 4 * Math.min(Math.round(weight * LAST_LEVEL), LAST_LEVEL);
        context.fillStyle = `rgb(${pixels[level]} ${pixels[level + 1]} ${pixels[level + 2]})`;
        context.fillRect(this.sizes.side + key * this.width, head * this.row, this.width, this.row);
      });
    });
  }

  /** The frame, the numbers of the heads, the chosen head, and the cell that is looked at. */
  #marks(context, [width, height]) {
    const { rows, head } = this.picture;
    const { colours, font } = this.theme;
    const { side, name } = this.sizes;
    context.strokeStyle = colours.hairline;
    context.strokeRect(side + 0.5, 0.5, width, height - 1);
    context.textBaseline = "middle";
    context.textAlign = "right";
    rows.forEach((_row, at) => {
      context.font = `${at === head ? "600 " : ""}${name}px ${font}`;
      context.fillStyle = at === head ? colours.accent : colours.muted;
      context.fillText(String(at), side - 6, (at + 0.5) * this.row);
    });
    context.lineWidth = 1.5;
    context.strokeStyle = colours.accent;
    context.strokeRect(side, head * this.row + 0.75, width, this.row - 1.5);
    if (!this.cell) return;
    const left = side + this.cell.key * this.width;
    context.strokeStyle = colours.mark;
    context.strokeRect(left, this.cell.head * this.row + 0.75, this.width, this.row - 1.5);
  }

  /** Names stand upright under their columns; where these are narrow, only that of the cell. */
  #names(context, pieces, top) {
    const { colours, monospace } = this.theme;
    const { side, foot, name, labelled } = this.sizes;
    context.font = `${name}px ${monospace}`;
    pieces.forEach((piece, key) => {
      const here = this.cell?.key === key;
      if (this.width < labelled && !here) return;
      context.save();
      context.translate(side + (key + 0.5) * this.width, top + 5);
      context.rotate(-Math.PI / 2);
      context.fillStyle = here ? colours.mark : colours.muted;
      context.fillText(shorten(context, piece, foot - 6), 0, 0);
      context.restore();
    });
  }
}
