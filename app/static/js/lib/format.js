/** Numbers and sentences as the reader sees them. */

const MOST_DIGITS = 6;
const LONGEST_QUOTED = 24;
const RAISED = Object.fromEntries(Array.from("0123456789-", (one, at) => [one, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"[at]]));
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

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
 * A token inside a sentence: long ones cut, right-to-left ones kept from turning their neighbours.
 *
 * @param {string} token
 * @returns {string}
 */
export function quoted(token) {
  const letters = Array.from(token);
  const text =
    letters.length > LONGEST_QUOTED ? `${letters.slice(0, LONGEST_QUOTED - 1).join("")}…` : token;
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
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

/** A share between 0 and 1 as people say it, in the spelling of `app/theme.py`. */
export function percent(share) {
  return share > 0 && share < 0.005 ? "< 1\u00a0%" : `${Math.round(share * 100)}\u00a0%`;
}

/**
 * A number of any size, with a true minus; a tiny one as "1.2 × 10⁻⁵".
 *
 * @param {number} value
 * @param {number} [digits] after the point
 * @returns {string}
 */
export function formatNumber(value, digits = 3) {
  const size = Math.abs(value);
  const sign = value < 0 ? "\u2212" : "";
  if (size === 0 || size >= 10 ** -digits) return sign + size.toFixed(size === 0 ? 0 : digits);
  const [factor, power] = size.toExponential(1).split("e");
  const raised = Array.from(power, (letter) => RAISED[letter]).join("");
  return `${sign}${factor} × 10${raised}`;
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
