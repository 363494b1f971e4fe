/**
 * The runs of the warm-up lab: a table that says where each is, and six charts that grow.
 *
 * An update appends the new rows alone to one view on a canvas. In Chromium on two cores, without a
 * graphics card, it takes the main thread 13 ms with two runs of 600 steps, and 24 ms with what the
 * page allows at most: four runs of 2,000 steps and 8 layers.
 */

import { element, segmentedControl, swatch } from "../../js/lib/dom.js";
import { fill, percent } from "../../js/lib/format.js";
import { measure } from "../../js/lib/measure.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { unpack } from "../../js/lib/wire.js";
import { FigureValues } from "../../js/parts/figure_values.js";
import { endsOf, linesOf, nearest, Rows, valueAt } from "./series.js";

// What is drawn in each panel, by the names of the figure's data.
const PANELS = {
  loss: ["loss", "held_out"],
  accuracy: ["accuracy"],
  rate: ["rate"],
  gradients: ["gradients"],
  variance: ["expected", "variance"],
  entropy: ["entropy"],
};
const LOGARITHMIC = "gradients";
const ZOOM = 0.6; // of a key
const EXACT = 6; // digits at the pointer
const MOST_SAID = 9; // lines at the pointer
const LETTER = 0.85; // width of one, in zeros, as a rule
const WIDE = 48; // times the size of the page's type: three panels beside each other
const NARROW = 30; // below it, one

class Curves {
  constructor(root, life) {
    Object.assign(this, { root, life });
    this.kind = "cross";
    this.hidden = []; // numbers of runs
    this.at = null; // the step looked at
    this.zoom = null; // the steps that are seen, where not all are
    this.rows = new Rows();
    this.caption = element("caption", { class: "unseen" });
    this.head = element("tr");
    this.body = element("tbody");
    this.table = element("div", { class: "runs", tabindex: "0", role: "region" }, [
      element("table", {}, [this.caption, element("thead", {}, [this.head]), this.body]),
    ]);
    this.inside = element("span", { class: "hint" });
    this.kinds = segmentedControl("lab-kind", (kind) => {
      this.kind = kind;
      this.draw();
    });
    this.slider = element("input", { type: "range", min: "0", step: "1" });
    this.step = element("output");
    this.name = element("span");
    const slider = element("label", { class: "step" }, [this.name, this.slider, this.step]);
    this.tools = element("div", { class: "tools" }, [slider, this.inside, this.kinds.node]);
    this.note = element("p", { class: "hint note" });
    this.slider.addEventListener("input", () => this.#look(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => this.#press(event));
  }

  /** What needs to know where Vega is. */
  #begin(life, vega) {
    this.chart = new VegaChart(life, vega, { renderer: "canvas" });
    const zoom = ({ step }) => this.#zoomTo(step ? [Math.min(...step), Math.max(...step)] : null);
    const onView = (view) => view.addSignalListener("zoom", (_name, ends) => zoom(ends));
    this.whole = new VegaChart(life, vega, { onView });
    this.whole.node.classList.add("whole");
    this.values = new FigureValues(element("div", { class: "figure-values" }), life);
    const { node } = this.chart;
    node.addEventListener("pointermove", (event) => this.#follow(event));
    node.addEventListener("pointerleave", () => {
      this.chart.tell(null, null);
      this.#look(null);
    });
    node.addEventListener("dblclick", () => this.#zoomTo(null));
    const below = [this.whole.node, this.values.root, this.note];
    this.root.replaceChildren(this.table, this.tools, node, ...below);
  }

  /** @returns {Promise<void>} when the charts stand; all else does at once */
  async show(data) {
    const start = performance.now();
    this.model = data;
    const { strings, runs } = data;
    if (!this.chart) this.#begin(this.life, data.vega);
    const identity = JSON.stringify(runs.map(({ number, name }) => [number, name]));
    if (this.identity !== identity) {
      Object.assign(this, { identity, hidden: [], zoom: null, at: null });
      this.#name();
    }
    this.root.dataset.steps = String(Math.max(0, ...runs.map(({ step }) => step)));
    this.root.dataset.states = runs.map(({ state }) => state).join(" ");
    this.kinds.show(strings.kind, strings.kinds, this.kind);
    await this.draw();
    this.root.dataset.drawn = "true";
    measure("warm-up update", start);
  }

  /** @returns {Promise<void>} when the charts stand */
  draw() {
    const { model, kind } = this;
    const { strings, runs, looked, most } = model;
    this.theme = readTheme(this.root);
    this.lines = linesOf(model, kind);
    const inside = `${runs[looked].number} ${kind}`;
    const lists = this.rows.take(this.lines, this.identity, inside, most);
    this.inside.textContent = fill(strings.inside, { run: runs[looked].name });
    this.#numbers();
    return this.#draw(lists);
  }

  /** What changes with the pointer, the keys and the part that is seen. */
  #draw(lists = this.lists) {
    const { model } = this;
    const { strings, runs, most, specs } = model;
    this.lists = lists;
    const [first, last] = this.range;
    this.#cells();
    this.slider.max = String(most);
    this.slider.value = String(this.at ?? most);
    const said = this.at === null ? strings.newest : fill(strings.atStep, { step: this.at });
    this.slider.setAttribute("aria-valuetext", said);
    this.step.textContent = said;
    this.ends = Object.fromEntries(
      Object.entries(PANELS).map(([name, data]) => [
        name,
        name === "accuracy"
          ? [0, 1]
          : endsOf(this.#drawn(data), this.range, name === LOGARITHMIC),
      ]),
    );
    const ends = Object.entries(this.ends).flatMap(([name, [low, high]]) => [
      [`${name}_low`, low],
      [`${name}_high`, high],
    ]);
    const looks = specs[this.theme.dark ? "dark" : "light"];
    this.spec = looks.panels;
    const panels = this.chart.show({
      spec: looks.panels,
      label: fill(strings.label, { runs: runs.map(({ name }) => name).join("; ") }),
      data: { ...lists, at: this.at === null ? [] : [{ step: this.at }] },
      parameters: { first, last, hidden: this.hidden, ...Object.fromEntries(ends) },
      lay: (spec, size) => layOut(spec, this.#places(spec, size)),
    });
    const whole = this.whole.show({
      spec: looks.whole,
      label: fill(strings.seen, { first: Math.round(first), last: Math.round(last) }),
      data: {},
      parameters: { first, last, whole: most },
    });
    return Promise.all([panels, whole]);
  }

  /** The lines of these data that are not hidden. */
  #drawn(data) {
    return this.lines.filter((one) => data.includes(one.data) && !this.hidden.includes(one.row.run));
  }

  /** The steps that are seen. @returns {[number, number]} */
  get range() {
    return this.zoom ?? [0, this.model.most];
  }

  #places(spec, size) {
    const letters = this.root.clientWidth / this.theme.pixels;
    return placesOf(spec, size, letters > WIDE ? 3 : letters > NARROW ? 2 : 1);
  }

  /** Everything that is written of the runs once. */
  #name() {
    const { strings, runs, styles } = this.model;
    this.caption.textContent = strings.table;
    this.table.setAttribute("aria-label", strings.table);
    this.name.textContent = strings.step;
    this.note.textContent = strings.keys;
    this.head.replaceChildren(
      ...strings.columns.map((title) => element("th", { scope: "col" }, [title])),
    );
    this.cells = runs.map((run, at) => {
      const box = element("input", { type: "checkbox" });
      box.checked = true;
      box.addEventListener("change", () => this.#hide(at, !box.checked));
      const label = element("label", {}, [box, swatch(styles[at]), run.name]);
      const fillNode = element("span", { class: "fill" });
      fillNode.style.background = styles[at].colour;
      const steps = element("span");
      // As wide as it gets: nothing moves with the number.
      const longest = fill(strings.steps, { step: run.wanted, steps: run.wanted });
      steps.style.minWidth = `${LETTER * longest.length}ch`;
      const bar = element("span", { class: "bar", "aria-hidden": "true" }, [fillNode]);
      const [state, ...values] = Array.from({ length: strings.columns.length - 2 }, () =>
        element("td"),
      );
      const node = element("tr", {}, [
        element("th", { scope: "row" }, [label]),
        element("td", {}, [element("div", { class: "progress" }, [bar, steps])]),
        state,
        ...values,
      ]);
      return { node, fill: fillNode, steps, state, values };
    });
    this.body.replaceChildren(...this.cells.map(({ node }) => node));
  }

  /** The table of the runs, at the step looked at or at the last. */
  #cells() {
    const { runs, strings } = this.model;
    const read = ["loss", "held_out", "accuracy", "whole"];
    for (const [at, run] of runs.entries()) {
      const { node, fill: bar, steps, state, values } = this.cells[at];
      node.dataset.state = run.state;
      bar.style.width = `${(100 * run.step) / run.wanted}%`;
      steps.textContent = fill(strings.steps, { step: run.step, steps: run.wanted });
      state.textContent = run.stateText;
      for (const [number, name] of read.entries()) {
        const value = valueAt(run.series[name], this.at ?? run.wanted);
        const words = number < 2 ? (loss) => loss.toFixed(3) : percent;
        values[number].textContent = value === null ? "–" : words(value);
      }
    }
  }

  /** Every number that is drawn: a row a step, of which the table shows those with looks. */
  #numbers() {
    const { runs, strings } = this.model;
    const lines = this.lines.filter((one) => !this.hidden.includes(one.row.run));
    const name = ({ data, name: own }) => `${strings.titles[data]}: ${own}`;
    const steps = new Set();
    for (const { series } of lines) for (const step of series.steps) steps.add(step);
    const told = [...steps].sort((one, other) => one - other);
    const looks = new Set(runs.flatMap(({ series }) => [...series.held_out.steps]));
    this.values.show({
      name: "headlight-runs",
      columns: [strings.axis, ...lines.map(name)],
      get cells() {
        return [told, ...lines.map(({ series }) => told.map((step) => exactly(series, step)))];
      },
      rows: [...told.keys()].filter((at) => looks.has(told[at])),
      pictures: true,
      picture: () => this.chart.picture(),
      place: this.chart.node,
      strings: strings.saved,
      written: (cell) => (cell === null ? "–" : short(cell)),
    });
  }

  #hide(at, isHidden) {
    // A list of its own: Vega looks only whether it is another one.
    this.hidden = isHidden ? [...this.hidden, at] : this.hidden.filter((one) => one !== at);
    this.draw();
  }

  #look(step) {
    if (this.at === step || !this.model) return;
    this.at = step;
    this.#draw();
  }

  #zoomTo(range) {
    const { most } = this.model;
    if (range) {
      const [first, last] = [Math.max(range[0], 0), Math.min(range[1], most)];
      if (last - first < 1) return;
      this.zoom = first <= 0 && last >= most ? null : [first, last];
    } else this.zoom = null;
    this.#draw();
  }

  #press(event) {
    const [first, last] = this.range;
    const middle = Math.min(Math.max(this.at ?? last, first), last);
    const around = (factor) => [
      middle - (middle - first) * factor,
      middle + (last - middle) * factor,
    ];
    const ranges = { "+": around(ZOOM), "-": around(1 / ZOOM), 0: null, Escape: null };
    if (!(event.key in ranges) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (ranges[event.key] === null) this.#look(null);
    this.#zoomTo(ranges[event.key]);
  }

  /** Read the values at the pointer. */
  #follow(event) {
    if (!this.spec) return;
    const { x, y } = this.chart.placeOf(event);
    const places = this.#places(this.spec, this.chart.size);
    const column = Math.floor(x / (places.width + places.column));
    const row = Math.floor(y / (places.height + places.row));
    const [right, down] = [
      x - column * (places.width + places.column),
      y - row * (places.height + places.row),
    ];
    const name = Object.keys(PANELS)[row * places.columns + column];
    const isIn = x >= 0 && y >= 0 && column < places.columns && row < places.rows;
    if (!name || !isIn || right > places.width || down > places.height) {
      this.chart.tell(null, null);
      this.#look(null);
      return;
    }
    const [first, last] = this.range;
    const step = Math.round(first + (right / places.width) * (last - first));
    this.chart.tell(event, this.#said(name, step, 1 - down / places.height));
    this.#look(step);
  }

  /** What a panel's lines are at a step; of many, the one that is nearest to a height. */
  #said(panel, step, height) {
    const { strings } = this.model;
    const found = this.#drawn(PANELS[panel])
      .map((line) => ({ line, value: valueAt(line.series, step) }))
      .filter(({ value }) => value !== null);
    if (!found.length) return null;
    const [low, high] = this.ends[panel];
    const share =
      panel === LOGARITHMIC
        ? (value) => Math.log(value / low) / Math.log(high / low)
        : (value) => (value - low) / (high - low);
    const far = ({ value }) => Math.abs(share(value) - height);
    const told =
      found.length <= MOST_SAID ? found : [found.reduce((a, b) => (far(b) < far(a) ? b : a))];
    const own = told[0].line.series.steps;
    return Object.fromEntries([
      [strings.step, String(own[nearest(own, step)])],
      ...told.map(({ line, value }) => [
        found.length <= MOST_SAID && PANELS[panel].length > 1 && line.data !== "expected"
          ? `${line.name}, ${strings.titles[line.data]}`
          : line.name,
        String(Number(value.toPrecision(EXACT))),
      ]),
    ]);
  }
}

/** Where the panels lie: how many in a row, their size and distances, in pixels. */
function placesOf({ concat, spacing: { row, column } }, { width, height }, columns) {
  const rows = Math.ceil(concat.length / columns);
  return {
    columns,
    rows,
    row,
    column,
    width: (width - (columns - 1) * column) / columns,
    height: (height - (rows - 1) * row) / rows,
  };
}

/** The spec with the sizes of its views. */
function layOut(spec, { columns, width, height }) {
  return { ...spec, columns, concat: spec.concat.map((one) => ({ ...one, width, height })) };
}

/** The value of a series at a step of its own. @returns {number | null} */
function exactly({ steps, values }, step) {
  const at = nearest(steps, step);
  return at >= 0 && steps[at] === step && Number.isFinite(values[at]) ? values[at] : null;
}

/** A number in a few letters: 0.0432, 1.23e−5. */
function short(value) {
  const size = Math.abs(value);
  const text =
    size !== 0 && size < 0.001 ? value.toExponential(2) : String(+value.toPrecision(4));
  return text.replaceAll("-", "\u2212");
}

/**
 * The lines of a run by name, each with the steps of its values.
 *
 * @returns {object} of each name `{steps, values}`, or for `gradients` and `entropy` a list of
 *   `{name, kind, layer, series}`
 */
function seriesOf({ steps, looks, byStep, byLook, gradients, entropy }) {
  const over = (places, lines) =>
    Object.entries(lines).map(([name, values]) => [name, { steps: places, values }]);
  const many = (lines) =>
    lines.map((line) => ({ ...line, series: { steps: looks, values: line.values } }));
  return {
    ...Object.fromEntries([...over(steps, byStep), ...over(looks, byLook)]),
    gradients: many(gradients),
    entropy: many(entropy),
  };
}

export const mount = mounting(".lab-curves", Curves, (data) => {
  const model = unpack(data);
  for (const run of model.runs) run.series = seriesOf(run);
  return model;
});
