/** The tokens in a row; one may be chosen by click or by arrow keys. */

import { element } from "../lib/dom.js";
import { isReserved, moveToken } from "../lib/keyboard.js";

/** A toolbar of token chips of which one is in the tab order. */
export class TokenStrip {
  /**
   * @param {HTMLElement} node
   * @param {(token: number | null) => void} onChoose null when the chosen token is clicked again
   */
  constructor(node, onChoose) {
    this.node = node;
    this.chips = [];
    this.chosen = null;
    this.tokens = [];
    this.special = [];
    node.addEventListener("click", (event) => {
      const token = this.#tokenOf(event.target);
      if (token !== null) onChoose(token === this.chosen ? null : token);
    });
    node.addEventListener("keydown", (event) => {
      const token = this.#tokenOf(event.target);
      if (token === null || isReserved(event)) return;
      const next = event.key === "Escape" ? null : moveToken(event.key, token, this.chips.length);
      if (next === null && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      onChoose(next);
      if (next !== null) this.chips[next].focus({ preventScroll: true });
    });
  }

  /**
   * @param {string} label what the row is for
   * @param {string[]} tokens
   * @param {ArrayLike<number>} special 1 for tokens such as [CLS]
   * @param {number | null} chosen
   */
  show(label, tokens, special, chosen) {
    this.node.setAttribute("aria-label", label);
    const isNew = !areEqual(tokens, this.tokens) || !areEqual(special, this.special);
    if (isNew) {
      this.tokens = tokens;
      this.special = special;
      this.chosen = null;
      this.chips = tokens.map((token, index) => createChip(token, index, special[index] === 1));
      this.node.replaceChildren(...this.chips);
    }
    if (isNew || chosen !== this.chosen) this.#mark(chosen);
    if (chosen !== null) this.#reveal(this.chips[chosen]);
  }

  /** One chip is in the tab order: the chosen one, else the first. */
  #mark(chosen) {
    const before = this.chips[this.chosen ?? 0];
    before.setAttribute("aria-pressed", "false");
    before.tabIndex = -1;
    const now = this.chips[chosen ?? 0];
    now.setAttribute("aria-pressed", String(chosen !== null));
    now.tabIndex = 0;
    this.chosen = chosen;
  }

  #tokenOf(target) {
    const chip = target.closest?.("button");
    return chip ? Number(chip.dataset.index) : null;
  }

  /** Scroll the strip, but never the page. */
  #reveal(chip) {
    const room = this.node.getBoundingClientRect();
    const place = chip.getBoundingClientRect();
    if (place.top < room.top) this.node.scrollTop -= room.top - place.top;
    if (place.bottom > room.bottom) this.node.scrollTop += place.bottom - room.bottom;
  }
}

function createChip(token, index, special) {
  const attributes = {
    type: "button",
    class: special ? "chip special" : "chip",
    "data-index": index,
    dir: "auto",
    "aria-pressed": "false",
    tabindex: "-1",
  };
  return element("button", attributes, [token]);
}

function areEqual(left, right) {
  return (
    left === right ||
    (left.length === right.length && left.every((value, index) => value === right[index]))
  );
}
