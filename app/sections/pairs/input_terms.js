/** The terms of the input as heat maps side by side, the lengths of the vectors at their end. */

import { element, prepareCanvas, shorten } from "../../js/lib/dom.js";
import { fill, formatNumber } from "../../js/lib/format.js";
import { moveCell } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { unpack } from "../../js/lib/wire.js";
import { divergingTable } from "../positions/colours.js";

const LABEL = 96; // pixels for the tokens
const BARS = 132; // for the lengths
const GAP = 24;
const TOP = 20;
const SWATCH = 14;
const ROW = { least: 7, most: 20, all: 300 };
const NO_CELL = { row: -1, column: -1 };

class TermsView {
  constructor(root, life) {
    this.root = root;
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.picture = element("div", { class: "picture" }, [this.canvas]);
    this.readout = element("p", { class: "readout", role: "status" });
    this.summary = element("summary");
    this.rows = element("div", { class: "rows", tabindex: "0" });
    this.cell = NO_CELL;
    root.replaceChildren(
      element("div", { class: "head" }, [element("div", {}, [this.heading, this.hint])]),
      this.picture,
      this.readout,
      element("details", {}, [this.summary, this.rows]),
    );
    this.canvas.addEventListener("pointermove", (event) => this.#look(this.#under(event)));
    this.canvas.addEventListener("pointerleave", () => this.#look(NO_CELL));
    this.canvas.addEventListener("keydown", (event) => this.#move(event));
    life.observe(this.picture, () => this.#draw());
  }

  show(data) {
    this.data = data;
    const { title, hint, tokens, width, strings, terms } = this.data;
    this.terms = terms;
    this.heading.textContent = title;
    this.hint.textContent = ` · ${hint}`;
    this.summary.textContent = strings.table;
    this.rows.setAttribute("aria-label", strings.table);
    const names = this.terms.map(({ name }) => name).join(", ");
    this.canvas.setAttribute("aria-label", fill(strings.label, { rows: tokens.length, width, names }));
    this.side = Math.min(Math.max(ROW.all / tokens.length, ROW.least), ROW.most);
    this.picture.style.height = `${TOP + this.side * tokens.length}px`;
    this.cell = NO_CELL;
    this.#drawTable();
    this.#draw();
    this.#read();
    this.root.dataset.drawn = "true";
  }

  /** Where the maps are, in CSS pixels. */
  get #maps() {
    const count = this.terms.length;
    const room = this.picture.clientWidth - LABEL - BARS - GAP * count;
    const wide = Math.max(room / count, 1);
    return this.terms.map((_, at) => ({ x: LABEL + at * (wide + GAP), wide }));
  }

  #under({ offsetX, offsetY }) {
    const { tokens, width } = this.data;
    const row = Math.floor((offsetY - TOP) / this.side);
    const map = this.#maps.find(({ x, wide }) => offsetX >= x && offsetX < x + wide);
    if (row < 0 || row >= tokens.length || !map) return NO_CELL;
    return { row, column: Math.floor(((offsetX - map.x) / map.wide) * width) };
  }

  #move(event) {
    const size = { rows: this.data.tokens.length, columns: this.data.width };
    const next = moveCell(event.key, this.cell, size, () => 0);
    if (!next) return;
    event.preventDefault();
    this.#look({ row: next.row, column: Math.max(next.column, 0) });
  }

  #look(cell) {
    if (cell.row === this.cell.row && cell.column === this.cell.column) return;
    this.cell = cell;
    this.#read();
    this.#draw();
  }

  #read() {
    const { strings, tokens, segments, width } = this.data;
    const { row, column } = this.cell;
    if (row < 0) {
      const own = this.terms.find(({ ownScale }) => ownScale);
      this.readout.textContent = fill(own ? strings.note : strings.noteShared, {
        shared: formatNumber(this.terms[0].full, 2),
        own: own ? formatNumber(own.full, 2) : "",
      });
      return;
    }
    const parts = this.terms.map(({ name, sign, vectors }) =>
      `${sign} ${name} ${formatNumber(vectors[row * width + column])}`.trim(),
    );
    this.readout.textContent = fill(strings.cell, {
      token: tokens[row],
      segment: segments[row],
      dimension: column,
      sum: parts.join(" "),
    });
  }

  #draw() {
    if (!this.data || !this.picture.clientWidth) return;
    const theme = readTheme(this.root);
    const { clientWidth, clientHeight } = this.picture;
    const context = prepareCanvas(this.canvas, clientWidth, clientHeight);
    const maps = this.#maps;
    this.#drawLabels(context, theme);
    const colours = lengthColours(theme);
    for (const [at, term] of this.terms.entries()) {
      this.#drawMap(context, theme, term, maps[at]);
      if (!term.ownScale) swatch(context, colours[at], maps[at].x);
    }
    this.#drawLengths(context, theme, maps.at(-1));
  }

  #drawLabels(context, { colours, monospace, pixels }) {
    const { tokens, segments } = this.data;
    context.font = `${Math.min(this.side * 0.78, pixels * 0.78)}px ${monospace}`;
    context.textBaseline = "middle";
    for (const [row, token] of tokens.entries()) {
      const middle = TOP + (row + 0.5) * this.side;
      context.textAlign = "right";
      context.fillStyle = row === this.cell.row ? colours.text : colours.muted;
      context.fillText(shorten(context, token, LABEL - 24), LABEL - 18, middle);
      context.fillStyle = segments[row] === "A" ? colours.accent : colours.mark;
      context.fillText(segments[row], LABEL - 6, middle);
    }
  }

  #drawMap(context, theme, { name, sign, vectors, full, ownScale }, { x, wide }) {
    const { tokens, width } = this.data;
    const tall = this.side * tokens.length;
    const image = new ImageData(width, tokens.length);
    const pixels = new Uint32Array(image.data.buffer);
    const table = divergingTable(theme.dark);
    for (let at = 0; at < pixels.length; at += 1) {
      const level = Math.round(127.5 + (127.5 * vectors[at]) / full);
      pixels[at] = table[Math.min(Math.max(level, 0), 255)];
    }
    const small = document.createElement("canvas");
    small.width = width;
    small.height = tokens.length;
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, x, TOP, wide, tall);
    context.strokeStyle = theme.colours.hairline;
    context.strokeRect(x - 0.5, TOP - 0.5, wide + 1, tall + 1);
    context.fillStyle = theme.colours.text;
    context.font = `${theme.pixels * 0.8}px ${theme.font}`;
    context.textAlign = "left";
    context.fillText(name, ownScale ? x : x + SWATCH + 4, TOP / 2);
    context.textAlign = "center";
    context.font = `600 ${theme.pixels}px ${theme.font}`;
    context.fillText(sign, x - GAP / 2, TOP / 2 + 1);
    if (this.cell.row < 0) return;
    context.strokeStyle = theme.colours.text;
    const left = x + (this.cell.column / width) * wide;
    context.strokeRect(left - 2, TOP + this.cell.row * this.side, 4, this.side);
  }

  /** A row of short lines, one a term, all on one scale but that after the norm. */
  #drawLengths(context, theme, last) {
    const { tokens, strings } = this.data;
    const x = last.x + last.wide + GAP;
    const room = this.picture.clientWidth - x - 2;
    const drawn = this.terms.filter(({ ownScale }) => !ownScale);
    const longest = Math.max(...drawn.flatMap(({ lengths }) => [...lengths]));
    const colours = lengthColours(theme);
    context.font = `${theme.pixels * 0.8}px ${theme.font}`;
    context.textAlign = "left";
    context.fillStyle = theme.colours.text;
    context.fillText(strings.lengths, x, TOP / 2);
    const thick = Math.max((this.side - 2) / drawn.length, 1);
    for (const row of tokens.keys()) {
      for (const [at, { lengths }] of drawn.entries()) {
        context.fillStyle = colours[at];
        const y = TOP + row * this.side + 1 + at * thick;
        context.fillRect(x, y, (lengths[row] / longest) * room, Math.max(thick - 0.5, 0.75));
      }
    }
  }

  #drawTable() {
    const { tokens, strings } = this.data;
    const cell = (tag, text) => element(tag, tag === "th" ? { scope: "col" } : {}, [text]);
    const head = [strings.token, ...this.terms.map(({ name }) => name)].map((one) => cell("th", one));
    const rows = tokens.map((token, row) =>
      element("tr", {}, [
        element("th", { scope: "row" }, [token]),
        ...this.terms.map(({ lengths }) => cell("td", formatNumber(lengths[row], 2))),
      ]),
    );
    this.rows.replaceChildren(
      element("table", {}, [
        element("thead", {}, [element("tr", {}, head)]),
        element("tbody", {}, rows),
      ]),
    );
  }
}

/** Of the terms' lengths, in the order of the sum. */
function lengthColours({ colours: { accent, mark, muted, text } }) {
  return [accent, mark, muted, text];
}

/** Before the name of a picture: which of the lines beside the pictures is its own. */
function swatch(context, colour, x) {
  context.fillStyle = colour;
  context.fillRect(x, TOP / 2 - 2, SWATCH, 4);
}

export const mount = mounting(".input-terms", TermsView, unpack);
