/** Forward and back through the steps: buttons, a slider, arrow keys, or by itself. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";

const PAUSE_MILLISECONDS = 900;
const SIGNS = { first: "«", back: "‹", on: "›", last: "»" };
const OWN_KEYS = new Set(["INPUT", "TEXTAREA", "SELECT"]);

/** The row of controls. */
export class Stepper {
  /**
   * @param {(step: number) => void} onStep
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(onStep, life) {
    this.life = life;
    this.onStep = onStep;
    this.step = 0;
    this.count = 1;
    this.buttons = {};
    for (const [name, sign] of Object.entries(SIGNS)) {
      const button = element("button", { type: "button" }, [sign]);
      button.addEventListener("click", () => this.#go(this.#target(name)));
      this.buttons[name] = button;
    }
    this.play = element("button", { type: "button", class: "play" });
    this.play.addEventListener("click", () => this.#toggle());
    this.slider = element("input", { type: "range", min: "0", step: "1" });
    this.slider.addEventListener("input", () => this.#go(Number(this.slider.value)));
    this.words = element("output");
    const { first, back, on, last } = this.buttons;
    this.node = element("div", { class: "stepper" }, [
      first, back, on, last, this.play, this.slider, this.words,
    ]);
    life.listen(document, "keydown", (event) => this.#onKey(event));
  }

  /** @param {{step: number, count: number, strings: object, piece: string}} shown */
  show({ step, count, strings, piece }) {
    Object.assign(this, { step, count, strings });
    for (const [name, button] of Object.entries(this.buttons)) {
      button.title = strings[name];
      button.setAttribute("aria-label", strings[name]);
      button.disabled = this.#target(name) === step;
    }
    this.slider.max = String(count - 1);
    this.slider.value = String(step);
    this.slider.setAttribute("aria-label", strings.step);
    this.words.replaceChildren(
      fill(strings.stepOf, { step: step + 1, count }),
      element("b", {}, [element("bdi", {}, [piece])]),
    );
    this.slider.setAttribute("aria-valuetext", this.words.textContent);
    this.#sayPlay();
  }

  #target(name) {
    const last = this.count - 1;
    const targets = { first: 0, back: this.step - 1, on: this.step + 1, last };
    return Math.min(Math.max(targets[name], 0), last);
  }

  #go(step) {
    this.#stop();
    if (step !== this.step) this.onStep(step);
  }

  #toggle() {
    if (this.halt) {
      this.#stop();
      return;
    }
    if (this.step === this.count - 1) this.onStep(0);
    this.halt = this.life.interval(() => {
      if (this.step < this.count - 1) this.onStep(this.step + 1);
      if (this.step >= this.count - 1) this.#stop();
    }, PAUSE_MILLISECONDS);
    this.#sayPlay();
  }

  #stop() {
    this.halt?.();
    this.halt = null;
    if (this.strings) this.#sayPlay();
  }

  #sayPlay() {
    this.play.textContent = this.halt ? this.strings.stop : this.strings.play;
    this.play.disabled = this.count < 2;
  }

  /** Arrow keys anywhere on the page, but where somebody types or chooses. */
  #onKey(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
    const name = keys[event.key];
    const from = event.composedPath()[0];
    if (!name || event.shiftKey || OWN_KEYS.has(from.tagName) || from.isContentEditable) return;
    if (from.closest?.("[role=listbox], [role=radiogroup], [role=slider], [role=dialog]")) return;
    event.preventDefault();
    this.#go(this.#target(name));
  }
}
