/**
 * Learning rates step by step: the arithmetic of `core/training/schedules.py` and
 * `core/training/rectification.py`, operation by operation, so that both give the same numbers.
 *
 * @typedef {object} Values
 * @property {number} total steps of the run
 * @property {number} warm steps of warm-up
 * @property {number} peak highest rate, in millionths; the Transformer's has its own
 * @property {number} model_width width of the Transformer, which decides on its peak
 * @property {number} period steps of the first half wave of the cosine
 * @property {number} growth how many times as long the next one is
 */

/** The schedules, in the order in which they are listed. */
export const SCHEDULES = ["constant", "linear", "transformer", "cosine", "bert"];

/** Which of them begin with a warm-up. */
export const WARM = ["transformer", "cosine", "bert"];

const ROUNDING = 1e-9;
const MILLION = 1e6;
const TRACTABLE = 4;

/**
 * The values as a run can have them: it is longer than its warm-up and than a half wave.
 *
 * @param {Values} values
 * @returns {Values}
 */
export function possible(values) {
  const { total } = values;
  return {
    ...values,
    warm: Math.min(values.warm, total - 1),
    period: Math.min(values.period, total),
  };
}

/** Steps of warm-up of the Transformer's schedule, which cannot do without. */
export function transformerWarmUp({ warm }) {
  return Math.max(warm, 1);
}

/**
 * The highest rate of a schedule.
 *
 * @param {string} name
 * @param {Values} values
 * @returns {number}
 */
export function peakOf(name, values) {
  if (name !== "transformer") return values.peak / MILLION;
  return (values.model_width * transformerWarmUp(values)) ** -0.5;
}

/**
 * The rate at a step; `step` updates have been made before.
 *
 * @param {string} name
 * @param {number} step from 0 to the total
 * @param {Values} values `possible()` ones
 * @returns {number}
 */
export function rateAt(name, step, values) {
  return peakOf(name, values) * factorAt(name, step / values.total, values);
}

function factorAt(name, progress, values) {
  const { total } = values;
  if (name === "constant") return 1;
  if (name === "linear") return Math.max(0, 1 - progress);
  const warmUp = (name === "transformer" ? transformerWarmUp(values) : values.warm) / total;
  if (progress < warmUp) return progress / warmUp;
  if (name === "transformer") return Math.sqrt(warmUp / progress);
  if (name === "bert") return Math.max(0, (1 - progress) / (1 - warmUp));
  return 0.5 * (1 + Math.cos(Math.PI * phaseAt(progress, warmUp, values)));
}

/** Share of the present half wave that is over; a wave that ends with the run is at 1. */
function phaseAt(progress, warmUp, { period, growth, total }) {
  const passed = (progress - warmUp) / (period / total);
  let start = Math.floor(passed + ROUNDING);
  let length = 1;
  if (growth > 1) {
    const whole = Math.log(1 + passed * (growth - 1)) / Math.log(growth);
    length = growth ** Math.floor(whole + ROUNDING);
    start = (length - 1) / (growth - 1);
  }
  const phase = Math.max(0, (passed - start) / length);
  return progress >= 1 && phase < ROUNDING ? 1 : phase;
}

/**
 * Steps at which the cosine is at its peak again after the warm-up.
 *
 * @param {Values} values `possible()` ones
 * @returns {number[]}
 */
export function restartsOf({ total, warm, period, growth }) {
  const found = [];
  let length = period;
  for (let at = warm + length; at < total; at += length) {
    found.push(at);
    length *= growth;
  }
  return found;
}

/** Over how many gradients Adam's average of squares runs: rho of 1908.03265, algorithm 2. */
export function degreesOfFreedom(step, beta) {
  const decay = beta ** step;
  return mostDegreesOfFreedom(beta) - (2 * step * decay) / (1 - decay);
}

/** What the degrees of freedom come close to in a long run. */
export function mostDegreesOfFreedom(beta) {
  return 2 / (1 - beta) - 1;
}

/**
 * RAdam's factor on an adaptive step.
 *
 * @param {number} step counted from 1
 * @param {number} beta Adam's second decay
 * @returns {number | null} null where RAdam takes no adaptive step
 */
export function rectification(step, beta) {
  const now = degreesOfFreedom(step, beta);
  const most = mostDegreesOfFreedom(beta);
  if (now <= TRACTABLE) return null;
  return Math.sqrt(((now - 4) * (now - 2) * most) / ((most - 4) * (most - 2) * now));
}

/**
 * The warm-up in a straight line that Ma and Yarats 2021 (1910.04209) find as good as RAdam.
 *
 * @param {number} beta
 * @returns {number} its steps
 */
export function untunedWarmUp(beta) {
  return 2 / (1 - beta);
}
