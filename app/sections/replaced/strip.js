/** The tokens that ran, as chips: lit, marked, or turned into a field for another word. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { roving } from "../../js/lib/keyboard.js";
import { verdictOf } from "./judge.js";

const LONGEST_WORD = 80;

/**
 * A probability in two digits; one that is neither 0 nor 1 is not written as either.
 *
 * @param {number} value
 * @param {number} [threshold] one that would look equal to it is written with a digit more
 */
export function share(value, threshold = NaN) {
  if (value > 0 && value < 0.005) return "<0.01";
  if (value < 1 && value >= 0.995) return ">0.99";
  return value.toFixed(value.toFixed(2) === threshold.toFixed(2) ? 3 : 2);
}

export class Strip {
  /**
   * @param {{onLook(at: number | null): void, onMark(word: number): void,
   *   onEdit(word: number, text: string): void}} listeners
   */
  constructor(listeners) {
    this.listeners = listeners;
    this.node = element("div", { class: "chips", role: "group" });
    this.moving = roving(this.node, "button.chip");
    const tokenAt = (event) => {
      const chip = event.target.closest?.("button.chip");
      return chip ? Number(chip.dataset.at) : null;
    };
    this.node.addEventListener("click", (event) => {
      const at = tokenAt(event);
      if (at !== null) this.#choose(at);
    });
    for (const name of ["pointerover", "focusin"]) {
      this.node.addEventListener(name, (event) => listeners.onLook(tokenAt(event)));
    }
    this.node.addEventListener("pointerleave", () => listeners.onLook(null));
  }

  /**
   * @param {{tokens: object[], words: object[] | null, strings: object, identity: string}} payload
   * @param {{threshold: number, marked: number[], blind: boolean, marking: boolean}} state `blind`
   *   while the answer waits; `marking` where marks are shown
   */
  show(payload, state) {
    const { tokens, strings, words } = payload;
    Object.assign(this, { payload, state });
    const open = words ? strings.editHint : strings.lookHint;
    const hint = state.blind ? strings.markHint : open;
    this.node.setAttribute("aria-label", fill(strings.tokens, { hint }));
    if (this.drawn !== payload) {
      this.drawn = payload;
      const focused = [...this.node.children].indexOf(this.node.getRootNode().activeElement);
      this.chips = tokens.map(chipOf);
      const { editing } = this;
      this.editing = null; // its field takes leave of the old chips without being read
      this.node.replaceChildren(...this.chips);
      this.node.children[focused]?.focus(); // who writes word after word stays in place
      if (editing) this.#moveField(editing);
    }
    for (const [at, token] of tokens.entries()) this.#dress(this.chips[at], token);
    this.moving.update();
  }

  #dress(chip, token) {
    const { strings } = this.payload;
    const { blind, threshold, marked, marking } = this.state;
    const [was, piece, number, verdict] = ["was", "piece", "number", "verdict"].map((name) =>
      chip.querySelector(`.${name}`),
    );
    const isMarked = marking && marked.includes(token.word);
    const kind = blind ? (isMarked ? "marked" : "") : verdictOf(token, threshold);
    const lit = blind || token.probability === null ? 0 : token.probability;
    const written = blind || token.probability === null ? "" : share(token.probability, threshold);
    chip.style.setProperty("--lit", `${(100 * lit).toFixed(1)}%`);
    chip.dataset.verdict = kind;
    chip.classList.toggle("marked", isMarked);
    was.textContent = blind ? "" : token.was;
    piece.textContent = token.piece;
    number.textContent = written;
    verdict.textContent = kind ? strings.verdicts[kind] : "";
    if (chip.tagName !== "BUTTON") return;
    const said = kind ? `, ${strings.verdicts[kind]}` : "";
    const label = blind ? strings.markLabel : strings.tokenLabel;
    chip.setAttribute(
      "aria-label",
      fill(label, { piece: token.piece, share: written, verdict: said }),
    );
    if (blind) chip.setAttribute("aria-pressed", String(isMarked));
    else chip.removeAttribute("aria-pressed");
  }

  #choose(at) {
    const { word } = this.payload.tokens[at];
    if (word === null) return;
    if (this.state.blind) this.listeners.onMark(word);
    else if (this.payload.words) this.#edit(at, word);
    else this.listeners.onLook(at);
  }

  /** A field in the place of a word's first chip; the others of the word wait beside it. */
  #edit(at, word) {
    const known = this.payload.words.find((one) => one.number === word);
    if (!known) return;
    const field = element("input", {
      type: "text",
      class: "edit",
      maxlength: String(LONGEST_WORD),
      size: String(Math.max(known.text.length, 6)),
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": fill(this.payload.strings.editLabel, { word: known.text }),
    });
    field.value = known.text;
    const end = (keep, stay) => {
      if (this.editing?.field !== field) return;
      const { chip } = this.editing;
      this.editing = null;
      field.replaceWith(chip);
      if (stay) chip.focus();
      const text = field.value.trim();
      if (keep && text !== known.text) this.listeners.onEdit(word, text);
    };
    field.addEventListener("keydown", (event) => {
      // Arrow keys move in the field, not along the chips; scenes keep their own keys.
      if (event.key === "Enter" || event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        end(event.key === "Enter", true);
      } else if (!event.key.startsWith("Page")) event.stopPropagation();
    });
    field.addEventListener("blur", () => end(true, false));
    this.#openField({ field, word, chip: this.chips[at] });
    field.select();
  }

  #openField(editing) {
    this.editing = editing;
    editing.chip.replaceWith(editing.field);
    editing.field.focus();
  }

  /** An answer has come while a word is being written: the field stays with what is in it. */
  #moveField({ field, word }) {
    const at = this.payload.tokens.findIndex((one) => one.word === word);
    if (at < 0 || !this.payload.words) return;
    const { selectionStart, selectionEnd } = field;
    this.#openField({ field, word, chip: this.chips[at] });
    field.setSelectionRange(selectionStart, selectionEnd);
  }
}

function chipOf(token, at) {
  const parts = [
    element("span", { class: "top" }, [
      element("s", { class: "was" }),
      element("bdi", { class: "piece" }),
    ]),
    element("span", { class: "number" }),
    element("span", { class: "verdict" }),
  ];
  if (token.word === null) return element("span", { class: "chip special" }, parts);
  return element("button", { type: "button", class: "chip", "data-at": String(at) }, parts);
}
