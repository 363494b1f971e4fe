/** Numbers and sentences as the reader sees them. */

const MOST_DIGITS = 6;

/**
 * Fill the named places of a translated sentence.
 *
 * @param {string} template for example "Layer {layer}, head {head}"
 * @param {Record<string, string | number>} values
 * @returns {string}
 */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (place, name) =>
    name in values ? String(values[name]) : place,
  );
}

/**
 * A weight with as many digits as one step of its row can tell apart.
 *
 * @param {number} weight
 * @param {number} largest largest weight of the row; 255 steps lead up to it
 * @returns {string}
 */
export function formatWeight(weight, largest) {
  if (!(largest > 0)) return "0";
  const digits = Math.floor(-Math.log10(largest / 255));
  return weight.toFixed(Math.min(Math.max(digits, 1), MOST_DIGITS));
}

/**
 * Positions of the largest weights, strongest first; equal ones in reading order.
 *
 * @param {ArrayLike<number>} weights
 * @param {number} count
 * @returns {number[]}
 */
export function strongest(weights, count) {
  return Array.from(weights, (_, index) => index)
    .sort((left, right) => weights[right] - weights[left] || left - right)
    .slice(0, count);
}
