/** What both cards of the page write and draw alike. */

/**
 * Steps at which a curve is drawn: one for every column of pixels, and its corners.
 *
 * @param {number} total
 * @param {number} columns
 * @param {number[]} corners whole steps; those out of the run are passed over
 * @returns {number[]} rising, from 0 to the total
 */
export function sample(total, columns, corners) {
  const steps = new Set(corners.filter((step) => step >= 0 && step <= total));
  const count = Math.min(total, Math.ceil(columns));
  for (let at = 0; at <= count; at += 1) steps.add(Math.round((at * total) / count));
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

/** A short piece of a curve, beside its name. */
export function swatch(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("class", "swatch");
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const attributes = { class: `curve ${name}`, x1: 0, x2: 28, y1: 6, y2: 6 };
  for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, String(value));
  picture.append(line);
  return picture;
}
