/** Heads worth a look: one button each, below the atlas. */

import { element } from "../lib/dom.js";

/** A row of suggestions of which one may be the head that is shown. */
export class Suggestions {
  /** @param {(head: {layer: number, head: number}) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.label = element("span", { class: "suggestions-label", id: "suggestions" });
    this.list = element("span", { class: "suggestions-list" });
    this.node = element(
      "div",
      { class: "suggestions", role: "group", "aria-labelledby": "suggestions" },
      [this.label, this.list],
    );
    this.buttons = [];
    this.drawn = "";
  }

  /**
   * @param {string} label
   * @param {{label: string, share: string, layer: number, head: number}[]} suggestions
   * @param {{layer: number, head: number}} shown
   */
  show(label, suggestions, shown) {
    this.label.textContent = label;
    this.node.hidden = suggestions.length === 0;
    const wanted = JSON.stringify(suggestions);
    if (wanted !== this.drawn) {
      this.drawn = wanted;
      this.buttons = suggestions.map((suggestion) => this.#createButton(suggestion));
      this.list.replaceChildren(...this.buttons);
    }
    suggestions.forEach(({ layer, head }, index) => {
      const isShown = layer === shown.layer && head === shown.head;
      this.buttons[index].setAttribute("aria-pressed", String(isShown));
    });
  }

  #createButton({ label, share, layer, head }) {
    const button = element("button", { type: "button", class: "suggestion" }, [
      element("bdi", {}, [label]),
      " ",
      element("span", {}, [share]),
    ]);
    button.addEventListener("click", () => this.onChoose({ layer, head }));
    return button;
  }
}
