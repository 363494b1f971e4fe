/** Who may look at whom: the masks of two models as squares of cells. */

import { element, prepareCanvas, shorten } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { moveCell } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";

const LABEL = 58; // pixels for the tokens beside the rows
const GAP = 1;

class Square {
  constructor(onLook, life) {
    this.title = element("h3");
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.frame = element("div", { class: "frame" }, [this.canvas]);
    this.node = element("figure", {}, [this.title, this.frame]);
    this.cell = null;
    this.canvas.addEventListener("pointermove", (event) => onLook(this.#under(event)));
    this.canvas.addEventListener("pointerleave", () => onLook(null));
    this.canvas.addEventListener("keydown", (event) => {
      const count = this.mask.rows.length;
      const from = this.cell ?? { row: -1, column: -1 };
      const next = moveCell(event.key, from, { rows: count, columns: count }, () => 0);
      if (!next) return;
      event.preventDefault();
      onLook({ row: next.row, column: Math.max(next.column, 0) });
    });
    life.observe(this.frame, () => this.draw());
  }

  show(mask, theme) {
    this.mask = mask;
    this.theme = theme;
    this.title.textContent = mask.title;
    this.canvas.setAttribute("aria-label", mask.label);
    this.draw();
  }

  look(cell) {
    this.cell = cell;
    this.draw();
  }

  get #side() {
    const count = this.mask.rows.length;
    const { clientWidth, clientHeight } = this.frame;
    return Math.max(Math.min((clientWidth - LABEL) / count, clientHeight / count, 22), 1);
  }

  #under({ offsetX, offsetY }) {
    if (!this.mask) return null;
    const side = this.#side;
    const [row, column] = [Math.floor(offsetY / side), Math.floor((offsetX - LABEL) / side)];
    const count = this.mask.rows.length;
    const inside = row >= 0 && row < count && column >= 0 && column < count;
    return inside ? { row, column } : null;
  }

  draw() {
    if (!this.mask || !this.frame.clientWidth) return;
    const { rows, tokens, marked } = this.mask;
    const { colours, monospace, pixels } = this.theme;
    const side = this.#side;
    const context = prepareCanvas(this.canvas, this.frame.clientWidth, this.frame.clientHeight);
    context.font = `${Math.min(side * 0.8, pixels * 0.72)}px ${monospace}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const [row, cells] of rows.entries()) {
      const chosen = row === marked;
      context.fillStyle = chosen ? colours.mark : colours.muted;
      const middle = (row + 0.5) * side;
      // Where rows are too low for words, only the marked one has its own.
      if (side >= 9 || chosen) context.fillText(shorten(context, tokens[row], LABEL - 6), LABEL - 5, middle);
      for (const [column, cell] of Array.from(cells).entries()) {
        const seen = cell === "1";
        context.fillStyle = seen ? (chosen ? colours.mark : colours.accent) : colours.hairline;
        context.globalAlpha = seen ? (chosen ? 0.9 : 0.55) : 0.55;
        const gap = side > 4 ? GAP : 0;
        context.fillRect(LABEL + column * side, row * side, side - gap, side - gap);
      }
      context.globalAlpha = 1;
    }
    if (!this.cell) return;
    context.strokeStyle = colours.text;
    context.lineWidth = 1.5;
    context.strokeRect(LABEL + this.cell.column * side, this.cell.row * side, side - GAP, side - GAP);
  }
}

class Masks {
  constructor(root, life) {
    this.root = root;
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.readout = element("p", { class: "readout", role: "status" });
    this.squares = [0, 1].map((at) => new Square((cell) => this.#look(at, cell), life));
    root.replaceChildren(
      element("div", { class: "head" }, [element("div", {}, [this.heading, this.hint])]),
      element(
        "div",
        { class: "squares" },
        this.squares.map(({ node }) => node),
      ),
      this.readout,
    );
  }

  show(data) {
    this.data = data;
    this.#render();
  }

  #render() {
    const { masks, strings } = this.data;
    this.heading.textContent = strings.title;
    this.hint.textContent = ` · ${strings.hint}`;
    const theme = readTheme(this.root);
    for (const [at, square] of this.squares.entries()) {
      square.node.hidden = !masks[at];
      if (masks[at]) square.show(masks[at], theme);
    }
    this.readout.textContent = strings.note;
    this.root.dataset.drawn = "true";
  }

  #look(at, cell) {
    const { masks, strings } = this.data;
    this.squares[at].look(cell);
    if (!cell) {
      this.readout.textContent = strings.note;
      return;
    }
    const { rows, tokens } = masks[at];
    const seen = rows[cell.row][cell.column] === "1";
    this.readout.textContent = fill(seen ? strings.sees : strings.masked, {
      query: tokens[cell.row],
      key: tokens[cell.column],
    });
  }
}

export const mount = mounting(".next-masks", Masks);
