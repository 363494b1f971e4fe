/** Numbers of a comparison, as the reader sees them. */

const MINUS = "\u2212";
const DIGITS = 4;

/** A weight, or a distance: `0.0312`. */
export function readable(value) {
  return value.toFixed(DIGITS);
}

/** A difference with its sign: `+0.0312`, `−0.0020`; none is `0.0000`. */
export function signed(value) {
  const written = Math.abs(value).toFixed(DIGITS);
  if (Number(written) === 0) return written;
  return (value < 0 ? MINUS : "+") + written;
}
