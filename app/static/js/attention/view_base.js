/**
 * What every layout of the attention canvas shares: its settings, the page address, the rhythm of
 * drawing and of speech, and where missing layers come from.
 */

import { PageAddress } from "../lib/address.js";
import { measure } from "../lib/measure.js";
import { PALETTE_NAMES } from "../lib/palette.js";
import { readTheme } from "../lib/theme.js";
import { Answers } from "./answers.js";
import { LayerRequests } from "./layer_requests.js";
import { Readout } from "./readout.js";
import { CanvasState, parametersOf } from "./state.js";

/** Names of the strings of each colour scale: the scale itself, and what full colour means. */
export const SCALE_STRINGS = {
  absolute: ["scaleAbsolute", "legendAbsolute"],
  head: ["scaleHead", "legendHead"],
  row: ["scaleRow", "legendRow"],
};

// A held arrow key should not make a screen reader stammer.
const SPEECH_PAUSE_MILLISECONDS = 300;

// What was chosen goes along to the other pages of the same tab, one entry for each prefix.
const carried = new Map();

/**
 * A layout over one root element. Those that extend it build their parts after `super()`, put the
 * live region into `this.spoken`, and have `settle()` and `draw(mapSet, values)`.
 */
export class ViewBase {
  /**
   * @param {HTMLElement} root
   * @param {import("../lib/life.js").Life} life
   */
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.requests = new LayerRequests(() => this.render());
    this.answers = new Answers({
      onChange: () => this.renderSoon(),
      onScene: (settings) => this.#takeScene(settings),
    });
    this.state = new CanvasState(PALETTE_NAMES);
    this.address = null;
    this.strings = null;
    life.onEnd(() => {
      this.requests.release();
      this.answers.release();
      this.address?.release();
    });
    // Back and forward in the browser's history.
    life.listen(window, "popstate", () => {
      if (!this.address?.isCurrent) return;
      this.#followAddress();
      this.render();
    });
  }

  /** Show new maps, or the same ones in another theme: the message, its sets as `MapSet`. */
  show({ sets, settings, strings }) {
    this.strings = strings;
    this.settle();
    this.requests.settle();
    this.requests.connect(settings.channel);
    this.answers.connect(settings.channel);
    this.state.adopt(sets, settings);
    if (this.address?.prefix !== settings.urlPrefix) {
      this.address?.release();
      this.address = new PageAddress(settings.urlPrefix, parametersOf(settings.layout));
      this.state.choose(carried.get(settings.urlPrefix) ?? {});
      this.state.readTexts(this.address.read());
    } else if (this.address.hasNews) {
      this.#followAddress();
    }
    this.theme = readTheme(this.root);
    this.render();
  }

  /** Put the parts into the root, which waited for them. @param {HTMLElement[]} parts */
  fillRoot(parts) {
    this.root.replaceChildren(...parts);
    this.root.classList.remove("waiting");
    this.root.setAttribute("aria-busy", "false");
  }

  /** Do what the reader asked for, and say it. @param {object} changes settings by name */
  choose(changes) {
    this.state.choose(changes);
    this.render();
    this.speakSoon();
  }

  /** Tell a screen reader what is shown, once nothing has changed for a moment. */
  speakSoon() {
    this.forgetSpeech?.();
    this.forgetSpeech = this.life.timeout(() => {
      this.spoken.textContent = this.readout.spoken;
    }, SPEECH_PAUSE_MILLISECONDS);
  }

  /** Bring everything up to date before the next frame. */
  renderSoon() {
    this.forgetFrame?.();
    this.forgetFrame = this.life.frame(() => {
      if (!this.strings) return;
      this.theme = readTheme(this.root);
      this.render();
    });
  }

  /** Bring everything up to date: picture, words, address. */
  render() {
    const start = performance.now();
    const { mapSet, values } = this.state;
    this.readout = this.createReadout(mapSet, values);
    this.draw(mapSet, values);
    this.requests.want(mapSet, values.layer);
    this.address.write(this.state.texts);
    carried.set(this.address.prefix, { ...this.state.choices });
    Object.assign(this.root.dataset, {
      layer: values.layer,
      head: values.head,
      token: values.token ?? "",
      set: values.set,
      drawn: "true",
    });
    measure("headlight:draw", start, mapSet.identity);
  }

  /** What is shown, in words; at least what is `spoken`. */
  createReadout(mapSet, values) {
    return new Readout(mapSet, values, this.strings);
  }

  /** A scene says what is shown; what it leaves out stays as the reader chose it. */
  #takeScene(settings) {
    this.state.readValues(settings);
    // Python has written the scene into the address: that is no news to follow.
    this.address.read();
    this.render();
    this.speakSoon();
  }

  #followAddress() {
    this.address.release();
    this.state.forget();
    this.state.readTexts(this.address.read());
  }
}
