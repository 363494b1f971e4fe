/** One small chart: lines over steps, with an axis that all charts of the page share. */

import { element, prepareCanvas } from "../../js/lib/dom.js";

const LEFT = 2.75; // times the size of the page's type, as its numbers grow with it
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 1.25; // likewise
const SMALLEST_DRAG = 6; // CSS pixels: less is a click
const STEPS_OF_TICKS = [1, 2, 5, 10];
const BAND = 0.16; // opacity

/**
 * A line over steps; where it is not a number, it has a gap.
 *
 * @typedef {{steps: Float32Array, values: Float32Array}} Series
 *
 * `band`, where there is one, holds the least and the most beside each value.
 *
 * @typedef {{label: string, colour: string, dash: number[], width: number,
 *   series: Series,
 *   band?: {low: Float32Array, high: Float32Array}}} Line
 */

export class Panel {
  /**
   * @param {{onMove(step: number | null, panel: Panel, y: number | null): void,
   *   onZoom(from: number, to: number): void, onKey(key: string, panel: Panel): boolean}} listeners
   */
  constructor(listeners) {
    this.title = element("strong");
    this.hint = element("span", { class: "hint" });
    this.values = element("span", { class: "values", "aria-hidden": "true" });
    this.tools = element("span", { class: "tools" });
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.room = element("div", { class: "plot" }, [this.canvas]);
    const words = element("span", {}, [this.title, " ", this.hint]);
    const caption = element("figcaption", {}, [words, this.tools]);
    this.node = element("figure", {}, [caption, this.room, this.values]);
    this.lines = [];
    this.dragFrom = null;
    this.#listen(listeners);
  }

  /**
   * @param {{lines: Line[], range: [number, number], step: number | null, theme: object,
   *   floor?: number | null, ceiling?: number | null, logarithmic?: boolean}} picture
   */
  draw(picture) {
    this.lines = picture.lines;
    this.picture = picture;
    const { clientWidth: width, clientHeight: height } = this.room;
    if (!width || !height) return;
    const context = prepareCanvas(this.canvas, width, height);
    const { colours, font, pixels } = picture.theme;
    this.size = { width, height };
    [this.left, this.bottom] = [LEFT * pixels, BOTTOM * pixels];
    this.scale = this.#scaleOf(picture);
    context.font = `${Math.round(pixels * 0.6875)}px ${font}`;
    this.#grid(context, colours);
    context.save();
    context.beginPath();
    context.rect(this.left, 0, width - this.left - RIGHT, height - this.bottom + 2);
    context.clip();
    for (const line of this.lines) if (line.band) this.#band(context, line);
    for (const line of this.lines) this.#line(context, line);
    this.#marks(context, colours);
    context.restore();
  }

  /** The line that runs nearest to a height, at a step. @returns {[Line, number] | null} */
  lineAt(step, y) {
    let best = null;
    for (const line of this.lines) {
      const value = valueAt(line, step);
      if (value === null) continue;
      const distance = Math.abs(this.#y(value) - y);
      if (best === null || distance < best[2]) best = [line, value, distance];
    }
    return best && [best[0], best[1]];
  }

  #x(step) {
    const [from, to] = this.picture.range;
    return this.left + ((step - from) / (to - from)) * (this.size.width - this.left - RIGHT);
  }

  #y(value) {
    const { low, high, logarithmic } = this.scale;
    const place = logarithmic ? Math.log10(Math.max(value, 1e-12)) : value;
    return TOP + (1 - (place - low) / (high - low)) * (this.size.height - TOP - this.bottom);
  }

  #scaleOf({ lines, range, floor = null, ceiling = null, logarithmic = false }) {
    let low = Infinity;
    let high = -Infinity;
    for (const { series, band } of lines) {
      for (const values of band ? [band.low, band.high] : [series.values]) {
        values.forEach((value, at) => {
          const step = series.steps[at];
          if (step < range[0] || step > range[1] || !Number.isFinite(value)) return;
          if (logarithmic && value <= 0) return;
          const place = logarithmic ? Math.log10(value) : value;
          low = Math.min(low, place);
          high = Math.max(high, place);
        });
      }
    }
    if (low > high) [low, high] = logarithmic ? [-1, 0] : [0, 1];
    if (floor !== null) low = floor;
    if (ceiling !== null) high = ceiling;
    if (high - low < 1e-9) high = low + (Math.abs(low) || 1);
    const air = ceiling === null ? (high - low) * 0.04 : 0;
    return { low, high: high + air, logarithmic };
  }

  #grid(context, colours) {
    const { width, height } = this.size;
    const { low, high, logarithmic } = this.scale;
    context.strokeStyle = colours.hairline;
    context.fillStyle = colours.muted;
    context.lineWidth = 1;
    context.setLineDash([]);
    context.textAlign = "right";
    context.textBaseline = "middle";
    const rows = height < 160 ? 3 : 5;
    for (const place of logarithmic ? decades(low, high, rows) : ticks(low, high, rows, false)) {
      const y = Math.round(this.#y(logarithmic ? 10 ** place : place)) + 0.5;
      stroke(context, [this.left, y], [width - RIGHT, y]);
      context.fillText(logarithmic ? power(place) : short(place), this.left - 6, y);
    }
    context.textBaseline = "top";
    const [from, to] = this.picture.range;
    const wanted = Math.max(2, Math.floor((width - this.left) / 70));
    for (const step of ticks(from, to, wanted, true)) {
      const x = this.#x(step);
      context.textAlign = x > width - 24 ? "right" : "center";
      context.fillText(short(step), x > width - 24 ? width - RIGHT : x, height - this.bottom + 6);
    }
  }

  #band(context, { series, band, colour }) {
    const there = [...series.steps.keys()].filter((at) => Number.isFinite(series.values[at]));
    context.fillStyle = colour;
    context.globalAlpha = BAND;
    context.beginPath();
    for (const at of there) context.lineTo(this.#x(series.steps[at]), this.#y(band.high[at]));
    for (const at of there.reverse()) {
      context.lineTo(this.#x(series.steps[at]), this.#y(band.low[at]));
    }
    context.fill();
    context.globalAlpha = 1;
  }

  #line(context, { series, colour, dash, width }) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.lineJoin = "round";
    context.beginPath();
    let open = false;
    series.values.forEach((value, at) => {
      if (!Number.isFinite(value)) {
        open = false;
        return;
      }
      const point = [this.#x(series.steps[at]), this.#y(value)];
      if (open) context.lineTo(...point);
      else context.moveTo(...point);
      open = true;
    });
    context.stroke();
    context.setLineDash([]);
  }

  #marks(context, colours) {
    const { height } = this.size;
    const { step } = this.picture;
    context.strokeStyle = colours.muted;
    context.lineWidth = 1;
    if (step !== null) {
      const x = Math.round(this.#x(step)) + 0.5;
      stroke(context, [x, TOP], [x, height - this.bottom]);
    }
    if (this.dragFrom === null) return;
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.15;
    const left = Math.min(this.dragFrom, this.dragTo);
    const wide = Math.abs(this.dragTo - this.dragFrom);
    context.fillRect(left, TOP, wide, height - TOP - this.bottom);
    context.globalAlpha = 1;
  }

  #stepAt(x) {
    const [from, to] = this.picture.range;
    const share = (x - this.left) / (this.size.width - this.left - RIGHT);
    return from + Math.min(Math.max(share, 0), 1) * (to - from);
  }

  #listen({ onMove, onZoom, onKey }) {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.size) return;
      canvas.setPointerCapture(event.pointerId);
      this.dragFrom = this.dragTo = event.offsetX;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.size) return;
      this.dragTo = event.offsetX;
      onMove(this.#stepAt(event.offsetX), this, event.offsetY);
    });
    canvas.addEventListener("pointerup", () => {
      const [from, to] = [this.dragFrom, this.dragTo];
      this.dragFrom = null;
      if (from === null || Math.abs(to - from) < SMALLEST_DRAG) return;
      onZoom(this.#stepAt(Math.min(from, to)), this.#stepAt(Math.max(from, to)));
    });
    canvas.addEventListener("pointerleave", () => {
      if (this.dragFrom === null) onMove(null, this, null);
    });
    canvas.addEventListener("dblclick", () => onKey("0", this));
    canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !onKey(event.key, this)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

/** What a line says at the step of its own that is nearest; null where it says nothing. */
export function valueAt({ series }, step) {
  const at = nearest(series.steps, step);
  const value = at < 0 ? NaN : series.values[at];
  return Number.isFinite(value) ? value : null;
}

/** A number in a few letters: 0.043, 1.2e-5, 12k. */
export function short(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 10_000) return `${+(value / 1000).toPrecision(3)}k`;
  if (size < 0.001) return value.toExponential(1).replace(".0e", "e").replace("-", "\u2212");
  return String(+value.toPrecision(3)).replace("-", "\u2212");
}

function power(place) {
  return short(10 ** place);
}

function stroke(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** Places of powers of ten; within two of them also of their doubles and fives. */
function decades(low, high, wanted) {
  if (high - low > 2) return ticks(low, high, wanted, true);
  const found = [];
  for (let power = Math.floor(low); power <= high; power += 1) {
    for (const factor of STEPS_OF_TICKS.slice(0, -1)) {
      const place = power + Math.log10(factor);
      if (place >= low && place <= high) found.push(place);
    }
  }
  return found;
}

function ticks(low, high, wanted, whole) {
  const raw = (high - low) / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  let step = size * STEPS_OF_TICKS.find((one) => one * size >= raw * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) {
    found.push(at * step);
  }
  return found;
}

/** The place of the step that is nearest; `steps` ascend. @returns {number} -1 where there is none */
function nearest(steps, step) {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < step) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && step - steps[low - 1] < steps[low] - step) return low - 1;
  return steps.length ? low : -1;
}
