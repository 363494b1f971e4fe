/** The tokens that ran, each with the bits by which it surprised the model, and the next place. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { roving } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { Shared } from "../../js/lib/shared.js";

const FULL_BITS = 16; // from here on a chip has its full colour

class Strip {
  constructor(root) {
    this.chips = element("div", { class: "chips", role: "group" });
    this.note = element("p", { class: "note", "aria-live": "polite" });
    this.place = new Shared(0);
    this.drawn = "";
    root.replaceChildren(this.chips, this.note);
    this.moving = roving(this.chips, "button");
    this.chips.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (!chip) return;
      const place = Number(chip.dataset.place);
      this.place.set(place, this.send("place", { number: place }));
      this.#mark();
    });
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    this.place.take(data.place, data.answered.place);
    this.chips.setAttribute("aria-label", data.strings.tokens);
    const tokens = JSON.stringify(data.tokens);
    if (tokens !== this.drawn) {
      const next = element("button", { type: "button", class: "chip next" }, ["?"]);
      next.dataset.place = String(data.tokens.length);
      next.setAttribute("aria-label", data.strings.next);
      this.chips.replaceChildren(
        ...data.tokens.map((one, at) => chipOf(one, at, data.strings)),
        next,
      );
    }
    this.#mark();
    if (tokens !== this.drawn) this.#reveal();
    this.drawn = tokens;
    this.note.textContent = data.note;
  }

  #mark() {
    for (const [at, chip] of [...this.chips.children].entries()) {
      const here = at === this.place.value;
      chip.classList.toggle("here", here);
      chip.classList.toggle("unseen", at > this.place.value);
      if (chip.tagName === "BUTTON") chip.setAttribute("aria-pressed", String(here));
    }
    this.moving.update(this.chips.children[this.place.value]);
  }

  /** Scroll the strip, but never the page, to the place that is asked for. */
  #reveal() {
    const chip = this.chips.children[this.place.value];
    const room = this.chips.getBoundingClientRect();
    const { bottom } = chip.getBoundingClientRect();
    if (bottom > room.bottom) this.chips.scrollTop += bottom - room.bottom;
  }
}

/** The first token is nothing that could be asked for: nothing comes before it. */
function chipOf({ piece, bits }, at, strings) {
  const text = element("bdi", {}, [piece]);
  if (bits === null) {
    const first = element("span", { class: "bits" }, ["–"]);
    return element("span", { class: "chip first", title: strings.first }, [text, first]);
  }
  const shown = bits.toFixed(1);
  const chip = element("button", { type: "button", class: "chip", "data-place": String(at) }, [
    text,
    element("span", { class: "bits" }, [shown]),
  ]);
  chip.style.setProperty("--surprise", `${Math.min(bits / FULL_BITS, 1) * 45}%`);
  chip.title = fill(strings.bits, { bits: shown });
  return chip;
}

export const mount = mounting(".next-strip", Strip);
