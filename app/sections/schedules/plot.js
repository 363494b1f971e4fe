/** A chart of curves over steps, as SVG: axes, curves, one step looked at. */

const SVG = "http://www.w3.org/2000/svg";
// A slider in `schedules.css` runs along the axis: it has the same margins.
const MARGIN = { left: 58, right: 14, top: 12, bottom: 40 };
const TICK_PIXELS = { x: 110, y: 46 };
const DOT_PIXELS = 4;

/**
 * @typedef {object} Curve
 * @property {string} name also the class of what is drawn
 * @property {[number, number][]} points step and value, steps rising
 *
 * @typedef {object} Picture
 * @property {Curve[]} curves
 * @property {[number, number]} steps first and last one
 * @property {boolean} [logarithmic] whether the axis of steps is
 * @property {number} highest of the values
 * @property {(value: number) => string} value how a value is written at its axis
 * @property {(step: number) => string} step how a step is
 * @property {{at: number, name: string}[]} [marks] steps with a name
 * @property {{from: number, to: number, name: string} | null} [band] steps that stand apart
 * @property {number} chosen the step looked at; negative for none
 * @property {Record<string, number | null>} values of the curves at that step
 * @property {string} label the picture in words
 * @property {string} axis what the steps count
 */

function svg(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

/** Round numbers from 0 up, so many at most. */
export function ticks(highest, count) {
  const rough = highest / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) * power;
  const found = [];
  // Counted, not added up: 0.3 is three times 0.1, not 0.30000000000000004.
  for (let at = 0; at * step <= highest * (1 + 1e-9); at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}

/** Powers of ten from the first step to the last. */
function powers([first, last]) {
  const found = [];
  for (let at = 1; at <= last; at *= 10) if (at >= first) found.push(at);
  return found;
}

export class Plot {
  /**
   * @param {(step: number) => void} onChoose called while the pointer moves over the chart
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(onChoose, life) {
    this.node = svg("svg", { role: "img" });
    this.picture = null;
    const choose = (event) => {
      const step = this.#stepAt(event);
      if (step !== null) onChoose(step);
    };
    this.node.addEventListener("pointermove", choose);
    this.node.addEventListener("pointerdown", choose);
    life.observe(this.node, () => this.#draw());
  }

  /** @param {Picture} picture */
  show(picture) {
    this.picture = picture;
    this.#draw();
  }

  /** How many columns of pixels the curves have. */
  get columns() {
    return Math.max(this.node.clientWidth - MARGIN.left - MARGIN.right, 1);
  }

  #x(step) {
    const { steps, logarithmic } = this.picture;
    const place = logarithmic
      ? Math.log(step / steps[0]) / Math.log(steps[1] / steps[0])
      : (step - steps[0]) / (steps[1] - steps[0]);
    return MARGIN.left + place * this.columns;
  }

  #y(value) {
    const height = this.node.clientHeight - MARGIN.top - MARGIN.bottom;
    return MARGIN.top + height * (1 - value / this.picture.highest);
  }

  #stepAt(event) {
    const box = this.node.getBoundingClientRect();
    if (!this.picture || !box.width) return null;
    const { steps, logarithmic } = this.picture;
    const place = (event.clientX - box.left - MARGIN.left) / this.columns;
    const inside = Math.min(Math.max(place, 0), 1);
    return Math.round(
      logarithmic
        ? steps[0] * (steps[1] / steps[0]) ** inside
        : steps[0] + inside * (steps[1] - steps[0]),
    );
  }

  #draw() {
    if (!this.picture || !this.node.clientWidth) return;
    const { curves, label } = this.picture;
    this.node.setAttribute("aria-label", label);
    const lines = curves.map(({ name, points }) =>
      svg("path", { class: `curve ${name}`, d: this.#path(points) }),
    );
    this.node.replaceChildren(
      ...this.#band(),
      ...this.#axes(),
      ...this.#marks(),
      ...lines,
      ...this.#chosen(),
    );
  }

  #path(points) {
    return points
      .map(([step, value], at) => {
        const place = `${this.#x(step).toFixed(2)} ${this.#y(value).toFixed(2)}`;
        return `${at ? "L" : "M"}${place}`;
      })
      .join("");
  }

  #axes() {
    const { steps, logarithmic, highest, value, step, axis } = this.picture;
    const bottom = this.#y(0);
    const right = this.#x(steps[1]);
    const count = (size, pixels) => Math.floor(size / pixels);
    const parts = ticks(highest, count(bottom - MARGIN.top, TICK_PIXELS.y)).flatMap((at) => {
      const y = this.#y(at);
      return [
        svg("line", { class: "rule", x1: MARGIN.left, x2: right, y1: y, y2: y }),
        svg("text", { class: "tick value", x: MARGIN.left - 8, y: y + 4 }, value(at)),
      ];
    });
    const along = logarithmic ? powers(steps) : ticks(steps[1], count(this.columns, TICK_PIXELS.x));
    for (const at of along) {
      const x = this.#x(at);
      parts.push(svg("line", { class: "notch", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
      // The last number stays inside the picture.
      const anchor = x > right - 24 ? "end" : "middle";
      const attributes = { class: "tick", x, y: bottom + 18, "text-anchor": anchor };
      parts.push(svg("text", attributes, step(at)));
    }
    const middle = (MARGIN.left + right) / 2;
    const below = { class: "tick", x: middle, y: bottom + 34, "text-anchor": "middle" };
    parts.push(svg("text", below, axis));
    return parts;
  }

  #band() {
    const { band } = this.picture;
    if (!band) return [];
    const [from, to] = [this.#x(band.from), this.#x(band.to)];
    const height = this.#y(0) - MARGIN.top;
    const area = { class: "band", x: from, y: MARGIN.top, width: to - from, height };
    const words = { class: "mark", x: from + 6, y: MARGIN.top + height / 2 };
    return [svg("rect", area), svg("text", words, band.name)];
  }

  #marks() {
    return (this.picture.marks ?? []).flatMap(({ at, name }) => {
      const x = this.#x(at);
      const late = x > this.#x(this.picture.steps[1]) - 120;
      const words = { class: "mark", x: x + (late ? -5 : 5), y: this.#y(0) - 6 };
      if (late) words["text-anchor"] = "end";
      return [
        svg("line", { class: "limit", x1: x, x2: x, y1: MARGIN.top, y2: this.#y(0) }),
        svg("text", words, name),
      ];
    });
  }

  #chosen() {
    const { chosen, steps, values, curves } = this.picture;
    if (chosen < steps[0] || chosen > steps[1]) return [];
    const x = this.#x(chosen);
    const line = { class: "chosen", x1: x, x2: x, y1: MARGIN.top, y2: this.#y(0) };
    const dots = curves
      .filter(({ name }) => Number.isFinite(values[name]))
      .map(({ name }) =>
        svg("circle", { class: `dot ${name}`, cx: x, cy: this.#y(values[name]), r: DOT_PIXELS }),
      );
    return [svg("line", line), ...dots];
  }
}
