/** Charts of Altair in components of ours: drawn once, then moved in place. */

import { element } from "./dom.js";

let loading = null;

// Charts are begun one after the other: so the first of a page stands sooner.
let begun = Promise.resolve();

/**
 * Vega as Streamlit brings it, so that a browser has it once, whoever draws.
 *
 * @param {string} address of Streamlit's module that loads it, relative to the app's own
 * @returns {Promise<{embed: Function}>}
 */
function loadVega(address) {
  loading ??= import(new URL(address, document.baseURI).href)
    .then((module) => Object.values(module)[0]())
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

/**
 * What a chart shows: the rows of its named data, and the values of its parameters.
 *
 * @typedef {object} Picture
 * @property {object} spec of Vega-Lite, without a size, with fixed padding; another one is drawn anew
 * @property {string} label the picture in words
 * @property {Record<string, object[]>} data
 * @property {Record<string, unknown>} parameters
 */

/** One chart, as large as its node, whose height a style sheet says. */
export class VegaChart {
  #result = null;
  #latest = null;
  #shown = null;
  #wanted = null;
  #drawing = null;

  /**
   * @param {import("./life.js").Life} life
   * @param {string} address of Vega, as Python names it
   * @param {(view: object) => void} [onView] told of Vega's view once it stands, and of each new one
   */
  constructor(life, address, onView = () => {}) {
    this.node = element("div", { class: "vega-chart", role: "img" });
    this.life = life;
    this.address = address;
    this.onView = onView;
    loadVega(address).catch(() => {}); // who shows the first picture is told
    life.observe(this.node, () => this.#draw());
    life.onEnd(() => this.#result?.finalize());
  }

  /**
   * Show a picture; of several that come while one is drawn, only the last.
   *
   * @param {Picture} picture
   * @returns {Promise<void>} when it stands
   */
  show(picture) {
    this.#latest = picture;
    this.node.setAttribute("aria-label", picture.label);
    return this.#draw();
  }

  /** How many columns of pixels it has. */
  get columns() {
    return Math.max(this.node.clientWidth, 1);
  }

  /** The value of the horizontal axis below the pointer, at most that of its ends. */
  valueAt({ clientX }) {
    if (!this.#shown) return null;
    const scale = this.#result.view.scale("x");
    const { width } = this.#size();
    const place = clientX - this.node.getBoundingClientRect().left - this.#shown.spec.padding.left;
    return scale.invert(Math.min(Math.max(place, 0), width));
  }

  #size() {
    const { left, right, top, bottom } = this.#latest.spec.padding;
    const { clientWidth, clientHeight } = this.node;
    return { width: clientWidth - left - right, height: clientHeight - top - bottom };
  }

  #draw() {
    if (!this.#latest || !this.node.clientWidth) return this.#drawing ?? Promise.resolve();
    this.#wanted = this.#latest;
    this.#drawing ??= this.#drawAll().finally(() => {
      this.#drawing = null;
    });
    return this.#drawing;
  }

  async #drawAll() {
    const { embed } = await loadVega(this.address);
    while (this.#wanted && !this.life.hasEnded) {
      const picture = this.#wanted;
      this.#wanted = null;
      await (this.#isDrawnAs(picture.spec) ? this.#move(picture) : this.#begin(embed, picture));
      this.#shown = picture;
    }
  }

  #isDrawnAs(spec) {
    const shown = this.#shown?.spec;
    return spec === shown || JSON.stringify(spec) === JSON.stringify(shown);
  }

  async #begin(embed, { spec, data, parameters }) {
    const place = element("div");
    const params = spec.params?.map((one) =>
      one.name in parameters ? { ...one, value: parameters[one.name] } : one,
    );
    const options = { mode: "vega-lite", renderer: "svg", actions: false };
    Object.assign(options, { defaultStyle: false, tooltip: false });
    const whole = { ...spec, ...this.#size(), datasets: data, params };
    const drawn = begun.then(() => embed(place, whole, options));
    begun = drawn.then(
      () => {},
      () => {},
    );
    const result = await drawn;
    // What stands there stays until the new one is drawn.
    this.#result?.finalize();
    this.node.replaceChildren(place);
    this.#result = result;
    this.onView(result.view);
    if (this.life.hasEnded) result.finalize();
  }

  async #move(picture) {
    const { view } = this.#result;
    for (const [name, value] of Object.entries({ ...picture.parameters, ...this.#size() })) {
      view.signal(name, value);
    }
    // Vega marks rows as its own: those that it has are not given again.
    const data = picture === this.#shown ? {} : picture.data;
    for (const [name, rows] of Object.entries(data)) view.data(name, rows);
    await view.runAsync();
  }
}
