/** One step of one kind of attention: heads down, pieces across. */

const version = new URL(import.meta.url).search;
const [{ element, prepareCanvas, shorten }, { isReserved }, { createLookupTable }] =
  await Promise.all(
    ["dom", "keyboard", "palette"].map((name) => import(`../attention/${name}.js${version}`)),
  );

const ROW = 15; // pixels
const NARROWEST = 6;
const WIDEST = 34;
const LABELLED = 11; // narrower columns have no room for a name
const SIDE = 22; // for the numbers of the heads
const FOOT = 84; // for the names of the pieces
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
   */
  constructor({ onLook, onChoose }) {
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.node = element("div", { class: "map" }, [this.canvas]);
    this.cell = null;
    this.onLook = onLook;
    this.#listen(onChoose);
    new ResizeObserver(() => this.#draw()).observe(this.node);
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
    const head = Math.floor((clientY - box.top) / ROW);
    const key = Math.floor((clientX - box.left - SIDE) / this.width);
    const { rows, pieces } = this.picture;
    const inside = head >= 0 && head < rows.length && key >= 0 && key < pieces.length;
    return inside ? { head, key } : null;
  }

  #draw() {
    const room = this.node.clientWidth;
    if (!this.picture || room === 0) return;
    const { rows, pieces, head } = this.picture;
    const { dark, colours, font, monospace } = this.theme;
    this.width = Math.min(Math.max((room - SIDE - 2) / pieces.length, NARROWEST), WIDEST);
    const width = SIDE + this.width * pieces.length + 2;
    const height = ROW * rows.length;
    const context = prepareCanvas(this.canvas, width, height + FOOT);
    this.#cells(context, rows, createLookupTable("indigo", dark));
    context.strokeStyle = colours.hairline;
    context.strokeRect(SIDE + 0.5, 0.5, this.width * pieces.length, height - 1);
    context.textBaseline = "middle";
    context.textAlign = "right";
    rows.forEach((_row, at) => {
      context.font = `${at === head ? "600 " : ""}11px ${font}`;
      context.fillStyle = at === head ? colours.accent : colours.muted;
      context.fillText(String(at), SIDE - 6, (at + 0.5) * ROW);
    });
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.strokeRect(SIDE, head * ROW + 0.75, this.width * pieces.length, ROW - 1.5);
    if (this.cell) {
      context.strokeStyle = colours.mark;
      const left = SIDE + this.cell.key * this.width;
      context.strokeRect(left, this.cell.head * ROW + 0.75, this.width, ROW - 1.5);
    }
    this.#names(context, pieces, height, `11px ${monospace}`, colours);
  }

  #cells(context, rows, table) {
    const pixels = new Uint8Array(table.buffer);
    rows.forEach((row, head) => {
      row.forEach((weight, key) => {
        const level = 4 * Math.min(Math.round(weight * LAST_LEVEL), LAST_LEVEL);
        context.fillStyle = `rgb(${pixels[level]} ${pixels[level + 1]} ${pixels[level + 2]})`;
        context.fillRect(SIDE + key * this.width, head * ROW, this.width, ROW);
      });
    });
  }

  /** Names stand upright under their columns; where these are narrow, only that of the cell. */
  #names(context, pieces, top, font, colours) {
    context.font = font;
    context.lineWidth = 1;
    pieces.forEach((piece, key) => {
      const here = this.cell?.key === key;
      if (this.width < LABELLED && !here) return;
      context.save();
      context.translate(SIDE + (key + 0.5) * this.width, top + 5);
      context.rotate(-Math.PI / 2);
      context.fillStyle = here ? colours.mark : colours.muted;
      context.fillText(shorten(context, piece, FOOT - 8), 0, 0);
      context.restore();
    });
  }
}
