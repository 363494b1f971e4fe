/** One picture under the reader's hands: it is drawn, hovered, clicked and moved in by keys. */

import { element } from "../lib/dom.js";
import { isReserved } from "../lib/keyboard.js";

// Between the pointer and its note, in CSS pixels.
const NOTE_DISTANCE = 14;

/** A note that follows the pointer. */
export class HoverNote {
  constructor() {
    this.node = element("div", { class: "hover-note", "aria-hidden": "true", hidden: "" });
  }

  /**
   * @param {string | null} text null hides it
   * @param {PointerEvent} [event]
   */
  show(text, event) {
    this.node.hidden = !text;
    if (!text) return;
    this.node.textContent = text;
    const room = this.node.offsetParent.getBoundingClientRect();
    const [x, y] = [event.clientX - room.left, event.clientY - room.top];
    const isLow = y + NOTE_DISTANCE + this.node.offsetHeight > room.height;
    const left = Math.min(x + NOTE_DISTANCE, room.width - this.node.offsetWidth);
    this.node.style.left = `${Math.max(left, 0)}px`;
    this.node.style.top = `${isLow ? y - this.node.offsetHeight - 6 : y + NOTE_DISTANCE}px`;
  }
}

/** A drawing and its events. */
export class Surface {
  /**
   * @param {object} drawing a view: `draw(scene, hovered, width, height)`, `at(x, y)`, `canvas`
   * @param {HoverNote} note
   * @param {object} listeners
   * @param {(what: object) => string | null} listeners.describe what the note says
   * @param {(what: object, event: MouseEvent) => void} listeners.onClick
   * @param {(key: string) => boolean} listeners.onKey false when the key means nothing here
   */
  constructor(drawing, note, { describe, onClick, onKey }) {
    this.drawing = drawing;
    this.canvas = drawing.canvas;
    this.room = element("div", { class: "surface" }, [this.canvas]);
    this.note = note;
    this.describe = describe;
    this.scene = null;
    this.hovered = null;
    this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => {
      const what = this.#under(event);
      if (what) onClick(what, event);
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (isReserved(event) || !onKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Draw a scene; null leaves what was drawn before, faint. */
  draw(scene) {
    this.room.classList.toggle("fetching", scene === null);
    this.scene = scene ?? this.scene;
    if (scene) this.#draw();
  }

  /** The pointer is elsewhere, or other maps have come. */
  leave() {
    this.note.show(null);
    if (this.hovered === null) return;
    this.hovered = null;
    if (this.scene && !this.room.hidden) this.#draw();
  }

  #draw() {
    const { clientWidth, clientHeight } = this.room;
    this.drawing.draw(this.scene, this.hovered, clientWidth, clientHeight);
  }

  #hover(event) {
    const what = this.#under(event);
    const before = this.hovered;
    this.hovered = what;
    this.canvas.style.cursor = what ? "pointer" : "default";
    if (!isSame(before, what)) this.#draw();
    this.note.show(what && this.describe(what), event);
  }

  #under(event) {
    if (!this.scene || this.room.classList.contains("fetching")) return null;
    return this.drawing.at(event.offsetX, event.offsetY);
  }
}

function isSame(one, other) {
  return ["layer", "head", "row", "column"].every((name) => one?.[name] === other?.[name]);
}
