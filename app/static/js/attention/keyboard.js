/** What a key means, apart from where it was pressed. */

/**
 * Where a key leads from one head.
 *
 * @param {string} key `KeyboardEvent.key`
 * @param {{layer: number, head: number}} from
 * @param {{layers: number, heads: number}} size
 * @returns {{layer: number, head: number} | null} null when the key means nothing here
 */
export function moveHead(key, { layer, head }, { layers, heads }) {
  const targets = {
    ArrowLeft: { layer, head: Math.max(head - 1, 0) },
    ArrowRight: { layer, head: Math.min(head + 1, heads - 1) },
    ArrowUp: { layer: Math.max(layer - 1, 0), head },
    ArrowDown: { layer: Math.min(layer + 1, layers - 1), head },
    Home: { layer, head: 0 },
    End: { layer, head: heads - 1 },
  };
  return targets[key] ?? null;
}

/**
 * Where a key leads from one token.
 *
 * @param {string} key `KeyboardEvent.key`
 * @param {number} from
 * @param {number} count
 * @returns {number | null} null when the key means nothing here
 */
export function moveToken(key, from, count) {
  const previous = Math.max(from - 1, 0);
  const next = Math.min(from + 1, count - 1);
  const targets = {
    ArrowLeft: previous,
    ArrowUp: previous,
    ArrowRight: next,
    ArrowDown: next,
    Home: 0,
    End: count - 1,
  };
  return targets[key] ?? null;
}

/** True when a browser or a screen reader should have this key. @param {KeyboardEvent} event */
export function isReserved(event) {
  return event.altKey || event.ctrlKey || event.metaKey || event.isComposing;
}
