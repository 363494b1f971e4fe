/** What a key means, apart from where it was pressed. */

const CELL_KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

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

/**
 * Where a key leads from one head among those of its layer, which stand in rows of `columns`;
 * beyond the first and the last row lie the layers before and after.
 *
 * @param {string} key `KeyboardEvent.key`
 * @param {{layer: number, head: number}} from
 * @param {{layers: number, heads: number}} size
 * @param {number} columns
 * @returns {{layer: number, head: number} | null} null when the key means nothing here
 */
export function moveInLayer(key, from, size, columns) {
  const { layer, head } = from;
  const { layers, heads } = size;
  if (key === "ArrowUp") {
    if (head >= columns) return { layer, head: head - columns };
    if (layer === 0) return { layer, head };
    const below = head + columns * Math.floor((heads - 1 - head) / columns);
    return { layer: layer - 1, head: below };
  }
  if (key === "ArrowDown") {
    if (head + columns < heads) return { layer, head: head + columns };
    return layer === layers - 1 ? { layer, head } : { layer: layer + 1, head: head % columns };
  }
  return moveHead(key, from, size);
}

/**
 * Where a key leads from one cell of a map. From a row alone, sideways leads into its strongest
 * cell; from nothing, every key leads into the first row.
 *
 * @param {string} key `KeyboardEvent.key`
 * @param {{row: number, column: number}} from -1 for none
 * @param {{rows: number, columns: number}} size
 * @param {() => number} strongestColumn of the row
 * @returns {{row: number, column: number} | null} null when the key means nothing here
 */
export function moveCell(key, { row, column }, { rows, columns }, strongestColumn) {
  if (!CELL_KEYS.includes(key)) return null;
  if (row < 0) return { row: 0, column: -1 };
  if (key === "ArrowUp") return { row: Math.max(row - 1, 0), column };
  if (key === "ArrowDown") return { row: Math.min(row + 1, rows - 1), column };
  if (key === "Home") return { row, column: 0 };
  if (key === "End") return { row, column: columns - 1 };
  if (column < 0) return { row, column: strongestColumn() };
  const next = key === "ArrowLeft" ? column - 1 : column + 1;
  return { row, column: Math.min(Math.max(next, 0), columns - 1) };
}

/** True when a browser or a screen reader should have this key. @param {KeyboardEvent} event */
export function isReserved(event) {
  return event.altKey || event.ctrlKey || event.metaKey || event.isComposing;
}

/**
 * Of a row of things one is in the tab order; arrow keys, Home and End move on from it.
 *
 * @param {HTMLElement} group
 * @param {string} selector of the things in it
 * @param {(node: HTMLElement) => void} [arrived] called after a move
 * @returns {{update(preferred?: HTMLElement): void}} to be called when the things have changed
 */
export function roving(group, selector, arrived = () => {}) {
  const things = () => [...group.querySelectorAll(selector)];
  const makeReachable = (chosen, all) => {
    for (const one of all) one.tabIndex = one === chosen ? 0 : -1;
  };
  group.addEventListener("focusin", (event) => {
    const all = things();
    if (all.includes(event.target)) makeReachable(event.target, all);
  });
  group.addEventListener("keydown", (event) => {
    const all = things();
    const here = all.indexOf(event.target);
    if (here < 0 || isReserved(event)) return;
    const steps = {
      ArrowRight: here + 1,
      ArrowDown: here + 1,
      ArrowLeft: here - 1,
      ArrowUp: here - 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = all[steps[event.key]];
    if (!next) return;
    event.preventDefault();
    next.focus();
    arrived(next);
  });
  return {
    update(preferred) {
      const all = things();
      const focused = group.getRootNode().activeElement;
      makeReachable(all.includes(focused) ? focused : (preferred ?? all[0]), all);
    },
  };
}
