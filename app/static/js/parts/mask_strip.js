/** The tokens that ran, as chips; choosing one hides its word or shows it again. */

import { element } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { roving } from "../lib/keyboard.js";
import { mounting } from "../lib/picture.js";
import { Shared } from "../lib/shared.js";

class Strip {
  constructor(root) {
    this.chips = element("div", { class: "chips", role: "group" });
    this.note = element("p", { class: "note", "aria-live": "polite" });
    this.hidden = new Shared([]);
    this.drawn = "";
    root.replaceChildren(this.chips, this.note);
    this.moving = roving(this.chips, "button");
    this.chips.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) this.#choose(chip);
    });
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    this.hidden.take(data.hidden, data.answered.hide);
    this.chips.setAttribute("aria-label", data.strings.words);
    // Which mask a token is changes with every answer; new chips for that would lose the focus.
    const tokens = JSON.stringify(data.tokens.map(({ piece, word }) => [piece, word]));
    if (tokens !== this.drawn) this.chips.replaceChildren(...data.tokens.map(chipOf));
    this.#mark();
    if (tokens !== this.drawn) {
      this.#reveal();
      document.fonts.ready.then(() => this.#reveal()); // lines break elsewhere in it
    }
    this.drawn = tokens;
    this.note.textContent = data.note;
    this.chips.dataset.answered = String(data.answered.hide);
  }

  /** A word is hidden or shown; of a mask that stands in the text its own candidates are shown. */
  #choose(chip) {
    const { word, typed } = this.data.tokens[Number(chip.dataset.token)];
    if (typed) {
      const masks = [...this.chips.querySelectorAll(".masked")];
      this.send("mask", { number: masks.indexOf(chip) });
      return;
    }
    const others = this.hidden.value.filter((one) => one !== word);
    const words = others.length < this.hidden.value.length ? others : [...others, word];
    this.hidden.set(words, this.send("hide", { words }));
    this.#mark();
  }

  #mark() {
    const { tokens, maskToken, selected, strings } = this.data;
    for (const [at, { piece, word, special, typed }] of tokens.entries()) {
      const chip = this.chips.children[at];
      if (special) continue;
      const masked = typed || this.hidden.value.includes(word);
      chip.firstChild.textContent = masked ? maskToken : piece;
      chip.classList.toggle("masked", masked);
      chip.classList.toggle("selected", masked && at === selected);
      if (typed) {
        chip.setAttribute("aria-label", fill(strings.typed, { mask: maskToken }));
        continue;
      }
      chip.setAttribute("aria-pressed", String(masked));
      if (masked) {
        chip.title = piece;
        chip.setAttribute("aria-label", fill(strings.hidden, { word: piece, mask: maskToken }));
      } else {
        chip.removeAttribute("title");
        chip.removeAttribute("aria-label");
      }
    }
    this.moving.update(this.chips.querySelector(".masked") ?? undefined);
  }

  /** Scroll the strip, but never the page, to the first mask. */
  #reveal() {
    const chip = this.chips.querySelector(".masked");
    if (!chip) return;
    const room = this.chips.getBoundingClientRect();
    const place = chip.getBoundingClientRect();
    if (place.bottom > room.bottom) this.chips.scrollTop += place.bottom - room.bottom;
  }
}

function chipOf({ piece, word, special }, at) {
  const text = element("bdi", {}, [piece]);
  if (special) return element("span", { class: "chip special" }, [text]);
  const attributes = { type: "button", class: "chip", "data-token": String(at) };
  const chip = element("button", attributes, [text]);
  chip.dataset.word = String(word);
  return chip;
}

export const mount = mounting(".mask-strip", Strip);
