/** The tokens in a row; one may be chosen by click or by arrow keys. */

const version = new URL(import.meta.url).search;
const { element } = await import(`./dom.js${version}`);
const { isReserved, moveToken } = await import(`./keyboard.js${version}`);

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
    this.drawn = "";
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
    const wanted = JSON.stringify([tokens, Array.from(special)]);
    if (wanted !== this.drawn) {
      this.drawn = wanted;
      this.chips = tokens.map((token, index) => createChip(token, index, special[index] === 1));
      this.node.replaceChildren(...this.chips);
    }
    this.node.setAttribute("aria-label", label);
    this.chosen = chosen;
    this.chips.forEach((chip, index) => {
      chip.setAttribute("aria-pressed", String(index === chosen));
      chip.tabIndex = index === (chosen ?? 0) ? 0 : -1;
    });
    if (chosen !== null) this.#reveal(this.chips[chosen]);
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
  return element(
    "button",
    { type: "button", class: special ? "chip special" : "chip", "data-index": index, dir: "auto" },
    [token],
  );
}
