/** What both cards of the page write and draw alike. */

/**
 * Steps at which a curve is drawn: one for every column of pixels, and its corners.
 *
 * @param {[number, number]} ends first and last step; with a logarithmic axis the first is above 0
 * @param {number} columns
 * @param {number[]} corners whole steps; those out of the run are passed over
 * @param {boolean} [isLogarithmic] whether the axis is
 * @returns {number[]} rising, both ends included
 */
export function sample([first, last], columns, corners, isLogarithmic = false) {
  const steps = new Set(corners.filter((step) => step >= first && step <= last));
  const count = Math.min(last - first, Math.ceil(columns));
  for (let at = 0; at <= count; at += 1) {
    const share = at / count;
    const step = isLogarithmic ? first * (last / first) ** share : first + (last - first) * share;
    steps.add(Math.round(step));
  }
  return [...steps].sort((one, other) => one - other);
}

/** A learning rate in three digits: "6.99e-4"; none is "0". */
export function formatRate(rate) {
  return rate === 0 ? "0" : rate.toExponential(2);
}

/** A count with its thousands apart: "100,000". */
export function formatStep(step) {
  return String(step).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Choose the step below the pointer. @param {import("../../js/lib/vega.js").VegaChart} chart */
export function followPointer(chart, onChoose) {
  const choose = (event) => {
    const step = chart.valueAt(event);
    if (step !== null) onChoose(Math.round(step));
  };
  chart.node.addEventListener("pointermove", choose);
  chart.node.addEventListener("pointerdown", choose);
}
