/** One kind of attention: the map of one head, its rows growing with the text. */

import { Matrix } from "../../js/attention/matrix.js";
import { OneMap, OneSheet } from "../compare/one_map.js";
import { element } from "../../js/lib/dom.js";
import { fill, percent, quoted } from "../../js/lib/format.js";
import { partOf } from "../../js/lib/wire.js";

const LARGEST_LEVEL = 65_535; // a weight of 1
const HATCH = 5; // pixels between two lines
const NO_BREAK = "\u00a0";

/**
 * @typedef {object} KindOfAttention
 * @property {string} name "encoder", "decoder" or "cross"
 * @property {string} rows which text looks, "source" or "target"
 * @property {string} columns which text is looked at
 * @property {number} layers
 * @property {number} heads
 * @property {Uint16Array} weights `[layer, head, row, column]`, 65,535 for 1
 */

/** The card of a map. */
export class MapCard {
  constructor() {
    this.title = element("h2");
    this.hint = element("span", { class: "hint" });
    this.canvas = element("canvas", { role: "img" });
    this.room = element("div", { class: "room" }, [this.canvas]);
    this.readout = element("p", { class: "readout" });
    this.node = element("article", { class: "map" }, [
      element("div", { class: "title" }, [this.title, this.hint]),
      this.room,
      this.readout,
    ]);
    this.matrix = new Matrix(this.canvas, { sheet: new OneSheet() });
    this.hovered = null;
    this.canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
      this.#hover(this.shown ? this.matrix.at(offsetX, offsetY) : null);
    });
    this.canvas.addEventListener("pointerleave", () => this.#hover(null));
  }

  /**
   * @param {KindOfAttention} kind
   * @param {object} data of `app/sections/translate/translation_view.py`
   * @param {{layer: number, head: number, step: number}} chosen
   * @param {object} theme
   */
  show(kind, data, chosen, theme) {
    Object.assign(this, { kind, data, chosen, theme });
    this.title.textContent = kind.title;
    this.hint.textContent = ` · ${kind.hint}`;
    const name = [data.identity, chosen.layer, chosen.head, chosen.step].join();
    if (this.prepared !== name) {
      this.prepared = name;
      this.shown = this.#map();
      this.hovered = null;
    }
    this.node.dataset.row = String(this.#row());
    this.draw();
  }

  /** The weights of the row of this step; null for the encoder, whose rows are all there. */
  get row() {
    if (this.kind.rows === "source") return null;
    const width = this.shown.columns.length;
    const start = this.chosen.step * width;
    return this.shown.weights.subarray(start, start + width);
  }

  /** Draw again: the size has changed, or a font has come. */
  draw() {
    if (!this.shown) return;
    const { clientWidth, clientHeight } = this.room;
    if (!clientWidth || !clientHeight) return;
    const values = {
      layer: 0, head: 0, heads: [], token: this.#row(), key: null, palette: "indigo",
      scale: "absolute", least: 0,
    };
    const scene = { projection: this.shown, values, theme: this.theme };
    this.matrix.draw(scene, this.hovered, clientWidth, clientHeight);
    this.#drawOver();
    this.#say();
  }

  /** Measure labels anew. */
  remeasure() {
    this.matrix.remeasure();
  }

  #row() {
    return this.kind.rows === "source" ? null : this.chosen.step;
  }

  /** Rows and columns that are written by now keep their names, the others their place. */
  #map() {
    const { kind, data, chosen } = this;
    const levels = partOf(kind.weights, chosen.layer, chosen.head);
    const weights = Float32Array.from(levels, (level) => level / LARGEST_LEVEL);
    const labels = (side) =>
      data[side].map(({ text }, at) =>
        side === "target" && at > chosen.step ? NO_BREAK.repeat(Array.from(text).length) : text,
      );
    const special = (side) => data[side].map((one) => one.kind !== "");
    const columns = data[kind.columns].length;
    const masked = Uint8Array.from(weights, (_, cell) =>
      Number(this.#isMasked(Math.floor(cell / columns), cell % columns)),
    );
    const full = weights.reduce((most, one) => Math.max(most, one), 0);
    return new OneMap(
      weights,
      {
        rows: labels(kind.rows),
        columns: labels(kind.columns),
        specialRows: special(kind.rows),
        specialColumns: special(kind.columns),
      },
      masked,
      { full },
    );
  }

  #isMasked(row, column) {
    return this.kind.name === "decoder"
      ? column > row
      : this.data.source[column].kind === "padding";
  }

  /** Hatching over padding, and nothing where nothing is written yet. */
  #drawOver() {
    const { left, top, cell, rows, columns } = this.matrix.layout;
    const context = this.canvas.getContext("2d");
    const { kind, data, chosen, theme } = this;
    if (kind.columns === "source" && data.padding) {
      const first = columns - data.padding;
      const height = (kind.rows === "source" ? rows : chosen.step + 1) * cell;
      hatch(context, left + first * cell, top, data.padding * cell, height, theme.colours.muted);
    }
    if (kind.rows === "source") return;
    const written = (chosen.step + 1) * cell;
    if (chosen.step + 1 === rows) return;
    context.fillStyle = theme.colours.card;
    context.fillRect(left, top + written + 1, columns * cell, rows * cell - written - 1);
    context.strokeStyle = theme.colours.hairline;
    context.setLineDash([2, 3]);
    context.strokeRect(left - 0.5, top - 0.5, columns * cell + 1, rows * cell + 1);
    context.setLineDash([]);
  }

  #hover(place) {
    const before = this.hovered;
    const there = place && place.row !== undefined && place.column !== undefined;
    const written = there && (this.kind.rows === "source" || place.row <= this.chosen.step);
    this.hovered = written ? { row: place.row, column: place.column } : null;
    if (before?.row === this.hovered?.row && before?.column === this.hovered?.column) return;
    this.draw();
  }

  #say() {
    const { data, kind, shown, hovered } = this;
    const { strings } = data;
    const name = (side, at) => quoted(data[side][at].text);
    let said = strings.encoderRow;
    if (hovered) {
      const { row, column } = hovered;
      const names = { query: name(kind.rows, row), key: name(kind.columns, column) };
      const weight = shown.at(hovered).toFixed(4);
      const masked = this.#isMasked(row, column);
      const why = kind.name === "decoder" ? strings.maskedLater : strings.maskedPadding;
      said = fill(masked ? why : strings.cell, { ...names, weight });
    } else if (this.row) {
      const best = this.row.reduce((found, one, at, all) => (one > all[found] ? at : found), 0);
      said = fill(strings.row, {
        query: name(kind.rows, this.chosen.step),
        key: name(kind.columns, best),
        share: percent(this.row[best]),
      });
    }
    this.readout.textContent = said;
    const { layer, head } = this.chosen;
    const place = fill(strings.mapLabel, { title: kind.title, layer, head });
    this.canvas.setAttribute("aria-label", `${place} ${said}`);
  }
}

function hatch(context, x, y, width, height, colour) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.globalAlpha = 0.55;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -height; at < width; at += HATCH) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.restore();
}
