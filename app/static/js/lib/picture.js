/** How a picture stands in its component: mounted once, shown at every call, and unmounted. */

import { element } from "./dom.js";
import { fill } from "./format.js";
import { Life } from "./life.js";
import { Said } from "./shared.js";

const MOVED = 5; // pixels, beyond which a press is a drag
const TAP = 50; // milliseconds within which a click follows the finger that was lifted

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
        entry.press = new Press(root, entry.life);
      }
      const { said, picture, payload } = entry;
      said.take(payload?.answered);
      const send = (name, message) => said.say(setTriggerValue, name, message);
      entry.press.afterwards(async () => {
        try {
          await picture.show(payload, send);
        } catch (error) {
          fail(entry, error, sentences);
        }
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

/**
 * A button of a picture that is held down. The browser makes no click of it when it is replaced
 * before it is let go, so an answer that comes in between is shown afterwards.
 */
class Press {
  #lasts = null; // what listens for its end
  #waiting = null;

  constructor(root, life) {
    root.addEventListener("pointerdown", ({ target, clientX, clientY }) => {
      if (this.#lasts || !target.closest("button")) return;
      this.#lasts = life.part();
      const over = () => this.#over();
      for (const type of ["pointerup", "pointercancel"]) {
        this.#lasts.listen(window, type, () => this.#lasts?.timeout(over, TAP));
      }
      this.#lasts.listen(window, "pointermove", (event) => {
        if (Math.hypot(event.clientX - clientX, event.clientY - clientY) > MOVED) over();
      });
    });
  }

  /** Call `show` at once, or when the press is over; of several only the last one. */
  afterwards(show) {
    if (this.#lasts) this.#waiting = show;
    else show();
  }

  #over() {
    const show = this.#waiting;
    this.#lasts.end();
    this.#lasts = null;
    this.#waiting = null;
    show?.();
  }
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
