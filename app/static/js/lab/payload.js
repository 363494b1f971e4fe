/** Opens the blobs of `app/lab/payload.py`: the curves of up to four runs. */

import { floats, openBlob } from "../lib/blob.js";

const MAGIC = "HLLC";
const VERSION = 1;

/**
 * A line over steps; where it is not a number, it has a gap.
 *
 * @typedef {{steps: Float32Array, values: Float32Array}} Series
 */

/**
 * @param {Uint8Array} data
 * @returns {{runs: object[], looked: number, most: number, strings: Record<string, string>}}
 *   every run with its words, and `series`: by name, a Series or for `gradients` and `entropy` a
 *   list of `{name, kind, layer, series}`
 */
export function decode(data) {
  const { header, body } = openBlob(data, MAGIC, VERSION);
  const read = ({ offset, count }) => floats(body, offset, count);
  for (const run of header.runs) {
    const steps = read(run.steps);
    const looks = read(run.looks);
    run.series = Object.fromEntries([
      ...Object.entries(run.byStep).map(([name, at]) => [name, { steps, values: read(at) }]),
      ...Object.entries(run.byLook).map(([name, at]) => [name, { steps: looks, values: read(at) }]),
    ]);
    for (const name of ["gradients", "entropy"]) {
      run.series[name] = run[name].map((line) => ({
        ...line,
        series: { steps: looks, values: read(line.values) },
      }));
    }
  }
  return header;
}

/**
 * The place of the step that is nearest.
 *
 * @param {Float32Array} steps ascending
 * @param {number} step
 * @returns {number} -1 where there is none
 */
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
