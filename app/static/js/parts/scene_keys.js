/** Scenes of a page: two buttons, and the keys of a clicker anywhere on the page. */

import { mounting } from "../lib/picture.js";

const STEPS = { PageDown: 1, PageUp: -1 };

/** True where the key belongs to somebody else. @param {KeyboardEvent} event */
function isReserved(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return true;
  // The innermost element, below every shadow root, that has the focus.
  return event.composedPath()[0]?.tagName === "TEXTAREA";
}

function draw(nav, { titles, strings }, current) {
  const [back, on] = nav.querySelectorAll("button");
  const words = { number: current, count: titles.length, title: titles[current - 1] };
  nav.hidden = false;
  nav.setAttribute("aria-label", strings.label);
  nav.querySelector("span").textContent =
    current === 0 ? strings.none : strings.current.replace(/\{(\w+)\}/g, (_, name) => words[name]);
  for (const [button, name] of [[back, "back"], [on, "on"]]) {
    button.title = strings[name];
    button.setAttribute("aria-label", strings[name]);
  }
  back.disabled = current <= 1;
  on.disabled = current === titles.length;
}

class SceneKeys {
  constructor(nav, life) {
    this.nav = nav;
    this.page = null;
    const [back, on] = nav.querySelectorAll("button");
    back.onclick = () => this.#step(-1);
    on.onclick = () => this.#step(1);
    // Before any widget, and before the page scrolls.
    life.listen(document, "keydown", (event) => this.#onKey(event), { capture: true });
  }

  show(data, send) {
    this.send = send;
    this.data = data;
    // An answer to an earlier step comes late: the reader is further on by now.
    const isLate = this.page === data.page && data.answered.step < this.taken;
    if (!isLate) Object.assign(this, { page: data.page, current: data.current, taken: 0 });
    draw(this.nav, data, this.current);
  }

  /** The scene stands here at once, so that quick presses go on from it. */
  #step(by) {
    const next = Math.min(Math.max(this.current + by, 1), this.data.titles.length);
    if (next === this.current) return;
    this.current = next;
    draw(this.nav, this.data, next);
    this.taken = this.send("step", { number: next });
  }

  #onKey(event) {
    const by = STEPS[event.key];
    if (by === undefined || isReserved(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#step(by);
  }
}

export const mount = mounting("nav", SceneKeys);
