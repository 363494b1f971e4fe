/** How a picture stands in its component: made once, told of changes, a sentence where it fails. */

import { element } from "./dom.js";
import { fill } from "./format.js";

const BROKEN = "The picture could not be drawn: {reason} Please reload the page.";

/**
 * What Streamlit calls when a component appears, and when its data or the theme change.
 *
 * @param {string} selector of the element that is drawn into
 * @param {new (root: Element) => {show(payload: object, send: Function): void,
 *   release?: () => void}} View
 * @param {(data: Uint8Array) => object} decode called once for the same data
 * @returns {Function} `mount`
 */
export function mounting(selector, View, decode) {
  const mounted = new WeakMap();
  return function mount({ data, parentElement, setTriggerValue }) {
    const root = parentElement.querySelector(selector);
    if (!mounted.has(root)) mounted.set(root, { view: null, data: null, payload: null, calls: 0 });
    const entry = mounted.get(root);
    entry.calls += 1;
    const { calls } = entry;
    try {
      if (entry.data !== data) entry.payload = decode(data);
      entry.data = data;
      entry.view ??= new View(root);
      entry.view.show(entry.payload, setTriggerValue);
    } catch (error) {
      entry.view?.release?.();
      mounted.delete(root);
      const text = fill(BROKEN, { reason: error.message });
      root.replaceChildren(element("p", { role: "alert" }, [text]));
    }
    return () => {
      // Streamlit runs the cleanup of a call that a newer call has overtaken.
      if (entry.calls !== calls) return;
      entry.view?.release?.();
      mounted.delete(root);
    };
  };
}
