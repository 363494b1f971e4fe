/** Heads as points beside the grid of all heads: a drag lights some of them, a click chooses one. */

import { element } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { adoptStyles } from "../lib/styles.js";
import { VegaChart } from "../lib/vega.js";
import { FigureValues } from "../parts/figure_values.js";

// Between the pointer and a point that it means, in CSS pixels; a finger is less exact.
const REACH = 14;
// A press that moves further is a drag.
const STILL = 4;
const DIGITS = 4;

/** The panel. What it draws comes by the canvas's channel. */
export class HeadPoints {
  /**
   * @param {HTMLElement} room that it fills
   * @param {import("./surface.js").HoverNote} note
   * @param {object} listeners
   * @param {(head: {layer: number, head: number}) => void} listeners.onHead told of a chosen head
   * @param {(lit: Set<string> | null) => void} listeners.onLit told of lit heads, `LAYER-HEAD` each;
   *   null for none
   */
  constructor(room, note, { onHead, onLit }) {
    this.note = note;
    this.onHead = onHead;
    this.onLit = onLit;
    this.place = element("div", { class: "points-chart" });
    this.said = element("p", { class: "note points-said", role: "status" });
    this.node = element("div", { class: "points" }, [this.place, this.said]);
    room.append(this.node);
    this.lit = null;
  }

  /**
   * @param {{strings: object, values: object}} scene
   * @param {object | null} answer of `app/parts/head_points.py`; null while it is on its way
   * @param {import("../lib/life.js").Life} life
   */
  show({ strings, values }, answer, life) {
    this.strings = strings;
    if (answer !== this.answer) {
      this.#light(null);
      this.node.dataset.drawn = "false";
    }
    this.answer = answer;
    this.node.classList.toggle("fetching", answer === null);
    const figure = answer?.figure ?? null;
    this.#say();
    if (figure === null) {
      if (this.chart && answer) this.chart.node.hidden = this.numbers.root.hidden = true;
      return;
    }
    this.#build(life, answer.vega);
    this.chart.node.hidden = this.numbers.root.hidden = false;
    this.chart
      .show({
        spec: figure,
        label: answer.strings.table,
        data: {},
        parameters: { chosen: `${values.layer}-${values.head}` },
      })
      .then(
        () => {
          if (answer === this.answer) this.node.dataset.drawn = "true";
        },
        () => {
          this.said.textContent = strings.pointsMissing;
        },
      );
    if (this.shown === answer) return;
    this.shown = answer;
    const { columns, cells, strings: said } = answer;
    this.numbers.show({ name: "heads", columns, cells, strings: said, pictures: true, place: this.place });
  }

  #build(life, vega) {
    if (this.chart) return;
    adoptStyles(this.node, ["figure_values"]);
    this.chart = new VegaChart(life, vega, { onView: (view) => this.#follow(view) });
    this.numbers = new FigureValues(element("div", { class: "figure-values" }), life);
    this.place.append(this.chart.node);
    this.node.append(this.numbers.root);
    this.#listen(this.chart.node);
  }

  /** A new picture stands: nothing in it is chosen yet. */
  #follow(view) {
    this.view = view;
    this.#light(null);
    view.addSignalListener("brush", (_name, ends) => this.#light(ends));
  }

  #listen(node) {
    let from = null;
    node.addEventListener("pointerdown", (event) => {
      from = event;
    });
    node.addEventListener("pointermove", (event) => {
      const row = this.#nearest(event);
      node.classList.toggle("pointed", row !== null);
      this.note.show(row && this.#describe(row), event);
    });
    node.addEventListener("pointerleave", () => this.note.show(null));
    node.addEventListener("click", (event) => {
      const moved = from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY);
      const row = moved <= STILL ? this.#nearest(event) : null;
      if (row) this.onHead({ layer: row.layer, head: row.head });
    });
  }

  /** The head below the pointer; null where none is near. */
  #nearest({ clientX, clientY }) {
    if (!this.view) return null;
    const [across, down] = ["x", "y"].map((name) => this.view.scale(name));
    const { padding } = this.answer.figure;
    const box = this.chart.node.getBoundingClientRect();
    const x = clientX - box.left - padding.left;
    const y = clientY - box.top - padding.top;
    let found = null;
    let least = REACH;
    for (const row of this.#rows()) {
      const away = Math.hypot(across(row.distance) - x, down(row.entropy) - y);
      if (away < least) [found, least] = [row, away];
    }
    return found;
  }

  #rows() {
    return this.answer.figure.data.values;
  }

  #describe({ layer, head, distance, entropy, first }) {
    return fill(this.answer.says, {
      head: fill(this.strings.head, { layer, head }),
      distance: distance.toFixed(DIGITS),
      entropy: entropy.toFixed(DIGITS),
      first: first.toFixed(DIGITS),
    });
  }

  /** @param {{distance: number[], entropy: number[]} | null} ends of what was dragged over */
  #light(ends) {
    const { distance, entropy } = ends ?? {};
    const isIn = (value, between) => value >= Math.min(...between) && value <= Math.max(...between);
    const lit =
      distance && entropy
        ? this.#rows().filter((row) => isIn(row.distance, distance) && isIn(row.entropy, entropy))
        : [];
    const before = this.lit;
    this.lit = lit.length ? new Set(lit.map(({ name }) => name)) : null;
    if (this.lit === before) return;
    this.#say();
    this.onLit(this.lit);
  }

  #say() {
    const { strings, answer, lit } = this;
    if (!answer) this.said.textContent = strings.pointsWaiting;
    else if (!answer.figure) this.said.textContent = answer.said;
    else if (lit) {
      this.said.textContent = fill(strings.pointsLit, { count: lit.size, all: this.#rows().length });
    } else this.said.textContent = `${strings.pointsHow} ${answer.said}`;
  }
}
