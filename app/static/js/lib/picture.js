/** How a picture stands in its component: mounted once, shown at every call, and unmounted. */

import { element } from "./dom.js";
import { fill } from "./format.js";
import { Life } from "./life.js";
import { Said } from "./shared.js";

/**
 * What Streamlit calls when a component appears, and when its data or the theme change.
 *
 * @param {string} selector of the element that is drawn into
 * @param {new (root: HTMLElement, life: Life) => {show(payload: object, send: Function): unknown}}
 *   Picture made once; what it begins it begins through its life. `send(name, message)` tells the
 *   server and returns the message's stamp; what is told is told again until the payload's
 *   `answered` says that it was read. `show` may return a promise.
 * @param {(data: unknown, earlier: object | null) => object} [decode] called once for the same data
 * @returns {(component: object) => () => void} `mount`
 */
export function mounting(selector, Picture, decode = (data) => data) {
  const mounted = new WeakMap();
  return function mount({ data, parentElement, setTriggerValue, sentences }) {
    const root = parentElement.querySelector(selector);
    let entry = mounted.get(parentElement);
    if (entry?.root !== root) {
      entry?.life?.end();
      entry = { root, picture: null, life: null, data: null, payload: null, said: new Said() };
      mounted.set(parentElement, entry);
    }
    try {
      if (entry.data !== data) entry.payload = decode(data, entry.payload);
      entry.data = data;
      if (!entry.picture) {
        entry.life = new Life();
        entry.picture = new Picture(root, entry.life);
      }
      const { said } = entry;
      said.take(entry.payload?.answered);
      const send = (name, message) => said.say(setTriggerValue, name, message);
      entry.picture.show(entry.payload, send)?.catch?.((error) => {
        fail(entry, error, sentences);
      });
    } catch (error) {
      fail(entry, error, sentences);
    }
    return () => {
      // Streamlit runs the cleanup of a call that a newer one has overtaken, before or after the
      // newer one: what stands in the page lives on, with what the reader has set in it.
      if (root.isConnected) return;
      entry.life?.end();
      if (mounted.get(parentElement) === entry) mounted.delete(parentElement);
    };
  };
}

/** A sentence where the picture would have been; the next call tries again. */
function fail(entry, error, sentences) {
  entry.life?.end();
  Object.assign(entry, { picture: null, life: null, data: null });
  const { root } = entry;
  root.classList.remove("waiting");
  root.setAttribute("aria-busy", "false");
  root.dataset.drawn = "false";
  const text = fill(sentences.unreadable, { reason: sentences[error.reason] ?? error.message });
  root.replaceChildren(element("p", { class: "failure", role: "alert" }, [text]));
}
