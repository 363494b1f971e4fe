/** Lines over whole numbers, as SVG: axes, bands, marks. */

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 44, right: 10, top: 8, bottom: 22 };
const TICK_PIXELS = { x: 64, y: 28 };
// Beyond the lines, of their height: a band of few numbers does not flatten them.
const BAND_ROOM = 0.5;
const DOTS_UP_TO = 64;

/**
 * @typedef {object} Line
 * @property {ArrayLike<number>} values one for every place
 * @property {string} colour
 * @property {string} [kind] class of what is drawn: "faint", "dashed"
 * @property {[ArrayLike<number>, ArrayLike<number>]} [band] from one row of numbers to another
 *
 * @typedef {object} Picture
 * @property {Line[]} lines the first one is drawn first
 * @property {number} first place of the first value
 * @property {number} count of places that are drawn
 * @property {{from: number, to: number, name: string} | null} [step] places that stand out
 * @property {number | null} [at] the place that is looked at
 * @property {string} label the picture in words
 */

/** Round numbers between two, so many at most. @returns {number[]} */
export function ticks(least, largest, most) {
  const rough = (largest - least) / Math.max(Math.floor(most), 1);
  if (!(rough > 0)) return [least];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) * power;
  const found = [];
  for (let at = Math.ceil(least / step - 1e-9); at * step <= largest + step * 1e-9; at += 1) {
    // Counted, not added up: 0.3 is three times 0.1, not 0.30000000000000004.
    found.push(Number((at * step).toPrecision(12)));
  }
  return found.filter((one) => Number.isInteger(one) || step < 1);
}

function rangeOf(rows, count) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    for (let at = 0; at < count; at += 1) {
      low = Math.min(low, row[at]);
      high = Math.max(high, row[at]);
    }
  }
  return [low, high];
}

function svg(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

export class Chart {
  /** @param {import("../../js/lib/life.js").Life} life */
  constructor(life) {
    this.node = svg("svg", { role: "img" });
    this.picture = null;
    life.observe(this.node, () => this.#draw());
  }

  /** @param {Picture} picture */
  show(picture) {
    this.picture = picture;
    this.#draw();
  }

  #draw() {
    if (!this.picture || !this.node.clientWidth) return;
    const { lines, label } = this.picture;
    this.node.setAttribute("aria-label", label);
    this.range = this.#range();
    this.node.replaceChildren(
      ...this.#axes(),
      ...this.#step(),
      ...lines.flatMap((line) => this.#line(line)),
      ...this.#looked(),
    );
  }

  get #width() {
    return Math.max(this.node.clientWidth - MARGIN.left - MARGIN.right, 1);
  }

  #x(place) {
    const { first, count } = this.picture;
    return MARGIN.left + ((place - first) / Math.max(count - 1, 1)) * this.#width;
  }

  #y(value) {
    const [low, high] = this.range;
    const height = this.node.clientHeight - MARGIN.top - MARGIN.bottom;
    return MARGIN.top + height * (1 - (value - low) / (high - low));
  }

  #range() {
    const { lines, count } = this.picture;
    const [low, high] = rangeOf(lines.map(({ values }) => values), count);
    const [least, most] = rangeOf(lines.flatMap(({ values, band = [values] }) => band), count);
    const room = (high - low) * BAND_ROOM || Math.abs(high) * 0.1 || 1;
    const edge = (high - low) * 0.04 || room;
    return [
      Math.max(Math.min(low, least), low - room) - edge,
      Math.min(Math.max(high, most), high + room) + edge,
    ];
  }

  #axes() {
    const { first, count } = this.picture;
    const bottom = this.node.clientHeight - MARGIN.bottom;
    const right = MARGIN.left + this.#width;
    const height = bottom - MARGIN.top;
    const rules = ticks(...this.range, height / TICK_PIXELS.y).flatMap((at) => {
      const y = this.#y(at);
      const text = String(at).replace("-", "\u2212");
      return [
        svg("line", { class: "rule", x1: MARGIN.left, x2: right, y1: y, y2: y }),
        svg("text", { class: "tick", x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" }, text),
      ];
    });
    const along = ticks(first, first + count - 1, this.#width / TICK_PIXELS.x).map((at) => {
      const x = this.#x(at);
      const anchor = x > right - 14 ? "end" : "middle";
      const text = String(at).replace("-", "\u2212");
      return svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": anchor }, text);
    });
    return [...rules, ...along];
  }

  #line({ values, colour, kind = "", band }) {
    const { first, count } = this.picture;
    const [low, high] = this.range;
    const place = (row, at) => {
      const y = this.#y(Math.min(Math.max(row[at], low), high));
      return `${this.#x(first + at).toFixed(1)} ${y.toFixed(1)}`;
    };
    const places = Array.from({ length: count }, (_, at) => at);
    const parts = [];
    if (band) {
      const there = places.map((at) => place(band[0], at));
      const back = places.toReversed().map((at) => place(band[1], at));
      const d = `M${[...there, ...back].join("L")}Z`;
      parts.push(svg("path", { class: "band", d, fill: colour }));
    }
    const d = `M${places.map((at) => place(values, at)).join("L")}`;
    parts.push(svg("path", { class: `line ${kind}`, d, stroke: colour }));
    if (kind === "" && count <= DOTS_UP_TO) {
      for (const at of places) {
        const [cx, cy] = place(values, at).split(" ");
        parts.push(svg("circle", { cx, cy, r: 1.8, fill: colour }));
      }
    }
    return parts;
  }

  #step() {
    const { step, first, count } = this.picture;
    if (!step || step.to > first + count - 1) return [];
    const [from, to] = [this.#x(step.from), this.#x(step.to)];
    const height = this.node.clientHeight - MARGIN.top - MARGIN.bottom;
    const area = { class: "step", x: from, y: MARGIN.top, width: Math.max(to - from, 2), height };
    const late = to > MARGIN.left + this.#width * 0.6;
    const words = { class: "mark", x: late ? from - 5 : to + 5, y: MARGIN.top + 13 };
    if (late) words["text-anchor"] = "end";
    return [svg("rect", area), svg("text", words, step.name)];
  }

  #looked() {
    const { at = null, first, count } = this.picture;
    if (at === null || at < first || at >= first + count) return [];
    const x = this.#x(at);
    const bottom = this.node.clientHeight - MARGIN.bottom;
    return [svg("line", { class: "looked", x1: x, x2: x, y1: MARGIN.top, y2: bottom })];
  }
}
