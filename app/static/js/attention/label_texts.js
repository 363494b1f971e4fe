/** Texts cut to their room, measured once: measuring hundreds takes longer than drawing them. */

import { shorten } from "../lib/dom.js";

const MOST_KNOWN = 8192;

/** Remembers how texts fit. */
export class LabelTexts {
  constructor() {
    this.known = new Map();
  }

  /**
   * @param {CanvasRenderingContext2D} context with its font set
   * @param {string} text
   * @param {number} room width in CSS pixels
   * @returns {{text: string, width: number}} what is drawn, and how wide it is
   */
  fit(context, text, room) {
    const key = `${context.font}\n${room}\n${text}`;
    let fitted = this.known.get(key);
    if (!fitted) {
      const shown = shorten(context, text, room);
      fitted = { text: shown, width: context.measureText(shown).width };
      if (this.known.size >= MOST_KNOWN) this.known.clear();
      this.known.set(key, fitted);
    }
    return fitted;
  }

  /** Measure anew: a font has arrived late, under the same name. */
  forget() {
    this.known.clear();
  }
}
