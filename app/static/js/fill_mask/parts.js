/** What the parts of the page "Fill in the mask" share. Text always arrives as text. */

const version = new URL(import.meta.url).search;
const modules = ["dom", "format", "keyboard"].map(
  (name) => import(`../attention/${name}.js${version}`),
);
const [{ element }, { fill }, { isReserved }] = await Promise.all(modules);
export { element, fill, isReserved };

/**
 * One value that the reader sets here and the server remembers. What was set last counts until the
 * server has answered it, so that an older answer takes nothing back.
 */
export class Shared {
  #sent = 0;

  /** @param {*} value to start with */
  constructor(value) {
    this.value = value;
  }

  /** The server's value, where nothing newer was set here. */
  take(value, answered) {
    if (answered >= this.#sent) this.value = value;
  }

  /** Set a value. @returns {number} the stamp that the server sends back with its answer */
  set(value) {
    this.value = value;
    this.#sent = Date.now();
    return this.#sent;
  }
}

/** A bar as long as its share of the longest one. @returns {HTMLElement} */
export function bar() {
  return element("span", { class: "bar" }, [element("span", { class: "fill" })]);
}

/** Give a bar its length. */
export function setBar(node, share, longest) {
  node.firstChild.style.width = `${Math.max((100 * share) / longest, 1)}%`;
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
