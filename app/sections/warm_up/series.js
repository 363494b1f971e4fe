/** What runs have told, as rows that are drawn: each is made once, when it comes. */

// A panel has about so many columns of pixels. Of more steps, those that share one are a group: its
// least and its most are drawn, once it is whole; of two, that is both. The files have every value.
const COLUMNS = 300;

const BY_STEP = ["loss", "rate"];
const BY_LOOK = ["held_out", "accuracy", "variance"];
const INSIDE = ["gradients", "entropy"];
const ALL = [...BY_STEP, ...BY_LOOK, "expected", ...INSIDE];

/** The value of a series at the step of its own that is nearest. @returns {number | null} */
export function valueAt({ steps, values }, step) {
  const at = nearest(steps, step);
  const value = at < 0 ? NaN : values[at];
  return Number.isFinite(value) ? value : null;
}

/** Of ascending steps the place of the nearest; -1 where there are none. */
export function nearest(steps, step) {
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

/**
 * The lines of a panel.
 *
 * @typedef {object} Line
 * @property {string} data the name that the figure has for its rows
 * @property {string} key tells it from the others of these data
 * @property {string} name for readers
 * @property {{steps: Float32Array, values: Float32Array}} series
 * @property {object} row what each of its rows has besides
 * @property {boolean} isOver whether its run has ended
 */

/** @returns {Line[]} all that is drawn of the runs, of which one is looked into */
export function linesOf({ runs, looked, strings }, kind) {
  const over = (run) => !["waiting", "running", "stopping"].includes(run.state);
  const lines = runs.flatMap((run, at) =>
    [...BY_STEP, ...BY_LOOK].map((data) => ({
      data,
      key: String(at),
      name: run.name,
      series: run.series[data],
      row: { run: at },
      isOver: over(run),
    })),
  );
  const inside = runs[looked];
  lines.push({
    data: "expected",
    key: "",
    name: strings.theory,
    series: inside.series.expected,
    row: {},
    isOver: over(inside),
  });
  for (const data of INSIDE) {
    const wanted = inside.series[data].filter((one) => data === "gradients" || one.kind === kind);
    const deepest = Math.max(1, ...wanted.map(({ layer }) => layer));
    for (const { name, kind: stack, layer, series } of wanted) {
      const dashed = Number(data === "gradients" && stack === "decoder");
      const row = { line: name, shade: layer < 0 ? -1 : layer / deepest, dashed };
      lines.push({ data, key: name, name, series, row, isOver: over(inside) });
    }
  }
  return lines;
}

/** Lists of rows by the names of their data, which grow while lines do. */
export class Rows {
  #lists = {};
  #counts = new Map();
  #identity = {};

  /**
   * Add what is new. Where lines have others in their place, are shorter than they were or are
   * gone, the list is another one.
   *
   * @param {Line[]} lines
   * @param {string} identity of the runs
   * @param {string} inside of the run that is looked into, and of what is drawn of it
   * @param {number} whole the last step of all
   * @returns {Record<string, object[]>}
   */
  take(lines, identity, inside, whole) {
    const group = Math.max(1, Math.ceil(whole / COLUMNS));
    for (const name of ALL) {
      const own = lines.filter(({ data }) => data === name);
      const isOfRuns = BY_STEP.includes(name) || BY_LOOK.includes(name);
      const now = `${identity} ${group} ${isOfRuns ? "" : inside}`;
      const isShorter = own.some((one) => one.series.steps.length < (this.#counts.get(id(one)) ?? 0));
      const isGone = !own.length && this.#lists[name]?.length > 0;
      if (this.#identity[name] !== now || isShorter || isGone) {
        this.#identity[name] = now;
        this.#lists[name] = [];
        for (const key of [...this.#counts.keys()]) {
          if (key.startsWith(`${name}/`)) this.#counts.delete(key);
        }
      }
      for (const line of own) this.#add(line, BY_STEP.includes(name) ? group : 1);
    }
    return { ...this.#lists };
  }

  #add(line, group) {
    const { steps, values } = line.series;
    const list = this.#lists[line.data];
    let at = this.#counts.get(id(line)) ?? 0;
    while (at < steps.length) {
      let end = at;
      const last = Math.ceil(steps[at] / group) * group;
      while (end < steps.length && steps[end] <= last) end += 1;
      const isWhole = end < steps.length || steps[end - 1] >= last || line.isOver;
      if (!isWhole) break;
      for (const place of extremes(values, at, end)) {
        const value = Number.isFinite(values[place]) ? values[place] : null;
        list.push({ step: steps[place], value, ...line.row });
      }
      at = end;
    }
    this.#counts.set(id(line), at);
  }
}

const id = ({ data, key }) => `${data}/${key}`;

/** Places of the least and the most between two places, in their order; all, if one has no number. */
function extremes(values, from, to) {
  const places = Array.from({ length: to - from }, (_, at) => from + at);
  if (places.some((at) => !Number.isFinite(values[at]))) return places;
  const low = places.reduce((best, at) => (values[at] < values[best] ? at : best));
  const high = places.reduce((best, at) => (values[at] > values[best] ? at : best));
  return [...new Set([Math.min(low, high), Math.max(low, high)])];
}

/**
 * The ends of an axis that holds the lines between two steps: round numbers, so that they seldom
 * change while lines grow.
 *
 * @param {Line[]} lines
 * @param {[number, number]} range
 * @param {boolean} isLogarithmic
 * @returns {[number, number]}
 */
export function endsOf(lines, [first, last], isLogarithmic) {
  let [low, high] = [Infinity, -Infinity];
  for (const { series } of lines) {
    series.values.forEach((value, at) => {
      const step = series.steps[at];
      if (step < first || step > last || !Number.isFinite(value)) return;
      if (isLogarithmic && value <= 0) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    });
  }
  if (low > high) return isLogarithmic ? [0.1, 1] : [0, 1];
  if (isLogarithmic) return [round(low, Math.floor), round(high, Math.ceil) * 1.0001];
  return [0, high > 0 ? round(high * 1.02, Math.ceil) : 1];
}

/** The next number of one digit, or of 1.5 and 2.5, at least as far out. */
function round(value, outwards) {
  const unit = 10 ** Math.floor(Math.log10(value));
  const halves = value / unit < 3 ? 2 : 1;
  return (outwards((value / unit) * halves - 1e-9 * (outwards === Math.ceil)) / halves) * unit;
}
