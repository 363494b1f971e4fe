/**
 * The whole picture: a table of vectors or curves by distance, and how near positions are.
 *
 * Drawn by hand, because its parts are linked: a column that is pressed is a wave at once, a cell
 * that is pointed at is a distance in the curve, one slider zooms all. Plotly's heat maps select
 * nothing in Streamlit (a click told Python an empty list), and a wave that Python draws with
 * Altair came 0.4 s after its slider on two cores, one that the browser draws after 0.04 s.
 */

import { element, selectControl } from "../../js/lib/dom.js";
import { fill, formatNumber } from "../../js/lib/format.js";
import { headColour } from "../../js/lib/head_colours.js";
import { createLookupTable, gradient } from "../../js/lib/palette.js";
import { readTheme } from "../../js/lib/theme.js";
import { Chart } from "./chart.js";
import { divergingTable } from "./colours.js";
import { HeatMap } from "./heat_map.js";
import { NumbersTable } from "./numbers_table.js";
import { Choices } from "./values.js";

const FEWEST_SHOWN = 2;
const FULL_FROM = 0.99; // of all numbers, ordered by their size

export class PositionView {
  /** @param {HTMLElement} root */
  constructor(root, life) {
    this.root = root;
    this.choices = new Choices();
    this.cell = null; // looked at among the products
    this.matrix = new HeatMap({
      onHover: (cell) => this.#readMatrix(cell),
      onChoose: ({ column }) => this.#toggle(column),
    }, life);
    this.products = new HeatMap({ onHover: (cell) => this.#readProducts(cell) }, life);
    this.waves = new Chart(life);
    this.heads = new Chart(life);
    this.curve = new Chart(life);
    this.zoom = slider((value) => this.#choose({ shown: value }));
    this.wave = slider((value) => {
      const now = this.choices.waves(this.payload.table.columns);
      const rest = now.slice(0, -1).filter((one) => one !== value);
      this.#choose({ waves: [...rest, value].join(".") });
    });
    this.chips = element("ul", { class: "chips" });
    this.mapPicker = selectControl((value) => this.#choose({ map: value }));
    this.bars = [0, 1].map(() => element("div", { class: "legend", "aria-hidden": "true" }));
    this.readouts = [0, 1].map(() => element("output", { class: "readout" }));
    this.properties = element("ul", { class: "properties" });
    this.numbers = new NumbersTable();
    this.left = element("section", { class: "card" });
    this.right = element("section", { class: "card" });
    root.replaceChildren(this.left, this.right, this.numbers.node);
  }

  /** @param {object} payload of `app/sections/positions/position_view.py` */
  show(payload) {
    this.payload = payload;
    this.strings = payload.strings;
    this.choices.open(payload);
    this.#arrange();
    this.#render();
    this.root.dataset.drawn = "true";
  }

  #choose(changes) {
    this.choices.set(changes);
    this.#render();
  }

  #toggle(dimension) {
    const { columns } = this.payload.table;
    this.#choose({ waves: this.choices.toggled(dimension, columns).join(".") });
  }

  /** Which parts there are. */
  #arrange() {
    const { strings } = this;
    const { table, maps } = this.payload;
    const [left, right] = this.readouts;
    const zoom = labelled(strings.zoom, this.zoom);
    const parts = table
      ? [
          head(table.title, table.hint, zoom),
          element("div", { class: "both wide" }, [this.matrix.node, this.bars[0]]),
          left,
          head(strings.waves, strings.wavesHint, labelled(strings.dimension, this.wave)),
          this.waves.node,
          this.chips,
        ]
      : [head(strings.byHead, strings.byHeadHint, zoom), this.heads.node, left];
    this.heads.node.classList.add("high");
    this.left.replaceChildren(...parts);
    const picker = maps.length > 1 ? [this.mapPicker.node] : [];
    const nearness = [
      head(strings.near, this.payload.hint, ...picker),
      element("div", { class: "both" }, [this.products.node, this.bars[1]]),
      right,
    ];
    if (table) nearness.push(this.curve.node);
    this.right.replaceChildren(...nearness, this.properties);
  }

  #render() {
    if (!this.payload) return;
    this.theme = readTheme(this.root);
    const { maps, count, table } = this.payload;
    this.shown = this.choices.shown(count);
    this.number = this.choices.map(maps.length);
    this.map = maps[this.number];
    this.zoom.show(FEWEST_SHOWN, count, this.shown);
    if (table) this.#renderTable(table);
    else this.#renderHeads(maps);
    this.#renderProducts(maps);
    this.#renderProperties();
    this.numbers.show(this.payload, this.map, this.strings);
    Object.assign(this.root.dataset, { shown: this.shown, map: this.number });
  }

  #renderTable(table) {
    const { first, strings } = { first: this.payload.first, strings: this.strings };
    const waves = this.choices.waves(table.columns);
    const colours = divergingTable(this.theme.dark);
    this.most = fullColour(table.values);
    const colourOf = (at) => headColour(at, this.theme.dark);
    this.matrix.show({
      values: table.values,
      rows: this.shown,
      columns: table.columns,
      stride: table.columns,
      range: [-this.most, this.most],
      table: colours,
      firstRow: first,
      firstColumn: 0,
      square: false,
      marks: waves.map((column, at) => ({ column, colour: colourOf(at) })),
      label: fill(strings.matrixLabel, { rows: this.shown, columns: table.columns }),
      theme: this.theme,
    });
    showColours(this.bars[0], [-this.most, this.most], colours, rangeOf(table.values));
    const column = (dimension) =>
      Float32Array.from(
        { length: this.shown },
        (_, row) => table.values[row * table.columns + dimension],
      );
    this.waves.show({
      lines: waves.map((one, at) => ({ values: column(one), colour: colourOf(at) })),
      first,
      count: this.shown,
      label: fill(strings.wavesLabel, { list: waves.map((one) => table.names[one]).join("; ") }),
    });
    this.wave.show(0, table.columns - 1, waves.at(-1));
    this.chips.replaceChildren(...waves.map((one, at) => this.#chip(one, colourOf(at), table)));
    this.root.dataset.waves = waves.join(".");
    this.#readMatrix(this.matrix.cell);
  }

  #chip(dimension, colour, table) {
    const swatch = element("span", { class: "swatch", style: `background:${colour}` });
    const name = element("span", {}, [table.names[dimension]]);
    const remove = element("button", { type: "button" }, ["×"]);
    remove.setAttribute("aria-label", fill(this.strings.remove, { name: table.names[dimension] }));
    remove.disabled = this.choices.waves(table.columns).length === 1;
    remove.addEventListener("click", () => this.#toggle(dimension));
    return element("li", {}, [swatch, name, remove]);
  }

  #renderHeads(maps) {
    const curve = ({ means, before }, values) =>
      Float32Array.from({ length: 2 * this.shown - 1 }, (_, at) => {
        const distance = at - this.shown + 1;
        return distance < 0 ? values.before[-distance] : values.after[distance];
      });
    const mean = (map) => curve(map, { before: map.before, after: map.means });
    const others = maps.filter((one) => one !== this.map && one.group === this.map.group);
    const { muted } = this.theme.colours;
    this.heads.show({
      lines: [
        ...others.map((one) => ({ values: mean(one), colour: muted, kind: "faint" })),
        { values: mean(this.map), colour: this.theme.colours.accent },
      ],
      first: 1 - this.shown,
      count: 2 * this.shown - 1,
      at: 0,
      label: fill(this.strings.byHeadLabel, { name: this.map.name }),
    });
    this.readouts[0].textContent = this.strings.byHeadNote;
  }

  #renderProducts(maps) {
    const { first, count } = this.payload;
    const { dark } = this.theme;
    const { scores, least, means, most, before, rise } = this.map;
    const [low, high] = rangeOf(scores);
    const signed = low < 0;
    const full = fullColour(scores);
    const range = signed ? [-full, full] : [low, high];
    const table = signed ? divergingTable(dark) : createLookupTable("indigo", dark);
    this.products.show({
      values: scores,
      rows: this.shown,
      columns: this.shown,
      stride: count,
      range,
      table,
      firstRow: first,
      firstColumn: first,
      square: true,
      marks: [],
      label: fill(this.strings.nearLabel, { rows: this.shown }),
      theme: this.theme,
    });
    showColours(this.bars[1], range, table, [low, high]);
    const options = maps.map(({ name }, at) => [String(at), name]);
    this.mapPicker.show(this.strings.mapPicker, options, String(this.number));
    const { accent, mark } = this.theme.colours;
    const lines = [{ values: means, colour: accent, band: [least, most] }];
    if (!this.map.symmetric) lines.unshift({ values: before, colour: mark, kind: "dashed" });
    const step = { from: rise, to: rise + 1, name: fill(this.strings.rise, { from: rise }) };
    this.curve.show({
      lines,
      first: 0,
      count: this.shown,
      step: rise === null ? null : step,
      at: this.cell && Math.abs(this.cell.column - this.cell.row),
      label: this.strings.curveLabel,
    });
    this.#readProducts(this.products.cell, false);
  }

  #renderProperties() {
    this.properties.replaceChildren(
      ...this.map.properties.map(({ title, holds, verdict, words }) =>
        element("li", { "data-holds": String(holds) }, [
          element("b", {}, [title]),
          element("span", { class: "verdict" }, [verdict]),
          element("span", { class: "words" }, [words]),
        ]),
      ),
    );
  }

  #readMatrix(cell) {
    const { table, first } = this.payload;
    if (!table) return;
    const [readout] = this.readouts;
    if (!cell) {
      readout.textContent = fill(this.strings.matrixHint, { most: short(this.most) });
      return;
    }
    const value = table.values[cell.row * table.columns + cell.column];
    readout.textContent = fill(this.strings.matrixCell, {
      position: first + cell.row,
      name: table.names[cell.column],
      value: formatNumber(value, 4),
    });
  }

  #readProducts(cell, draw = true) {
    const { first, count } = this.payload;
    this.cell = cell;
    const readout = this.readouts[1];
    if (cell) {
      readout.textContent = fill(this.strings.nearCell, {
        row: first + cell.row,
        column: first + cell.column,
        distance: Math.abs(cell.column - cell.row),
        value: formatNumber(this.map.scores[cell.row * count + cell.column], 2),
      });
    } else {
      const { symmetric } = this.map;
      const dashed = this.payload.table && !symmetric;
      readout.textContent = dashed ? this.strings.nearHintDashed : this.strings.nearHint;
    }
    if (draw && this.curve.picture) {
      this.curve.show({
        ...this.curve.picture,
        at: cell && Math.abs(cell.column - cell.row),
      });
    }
  }
}

function head(title, hint, ...controls) {
  const words = element("div", {}, [
    element("h2", {}, [title]),
    element("span", { class: "hint" }, [` · ${hint}`]),
  ]);
  return element("div", { class: "head" }, [words, ...controls]);
}

function labelled(text, { node, input }) {
  input.setAttribute("aria-label", text);
  return element("label", { class: "control" }, [element("span", {}, [text]), node]);
}

/** A native slider with its value beside it. */
function slider(onChange) {
  const input = element("input", { type: "range", step: "1" });
  const value = element("output");
  const node = element("span", { class: "slider" }, [input, value]);
  input.addEventListener("input", () => onChange(Number(input.value)));
  return {
    node,
    input,
    show(least, most, now) {
      Object.assign(input, { min: String(least), max: String(most) });
      input.value = String(now);
      value.textContent = String(now);
    },
  };
}

/** A bar of colours; where some numbers lie beyond full colour, its ends say so. */
function showColours(node, [low, high], table, [least, largest]) {
  const bar = element("span", { class: "bar" });
  bar.style.background = gradient(table).replace("to right", "to top");
  const ends = [
    `${largest > high ? "≥ " : ""}${short(high)}`,
    `${least < low ? "≤ " : ""}${short(low)}`,
  ].map((one) => element("span", {}, [one]));
  node.replaceChildren(ends[0], bar, ends[1]);
}

function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const one of values) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  return [low, high];
}

/** The size from which on a colour is full: few numbers of unusual size do not pale all others. */
function fullColour(values) {
  const sizes = Float32Array.from(values, Math.abs).sort();
  return sizes[Math.floor((sizes.length - 1) * FULL_FROM)] || 1;
}

function short(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return formatNumber(value, digits);
}
