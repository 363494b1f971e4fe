/** Times for the tests and the benchmarks, in the browser's own timeline. */

// A page may stay open for hours.
const MOST_ENTRIES = 200;

/** How long something took that began at `start` and ends now. */
export function measure(name, start, detail = null) {
  if (isFull(name)) performance.clearMeasures(name);
  performance.measure(name, { start, end: performance.now(), detail });
}

/** That something happened now. */
export function mark(name) {
  if (isFull(name)) performance.clearMarks(name);
  performance.mark(name);
}

function isFull(name) {
  return performance.getEntriesByName(name).length >= MOST_ENTRIES;
}
