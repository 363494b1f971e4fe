/** Charts of Altair in components of ours: drawn once, then moved in place. */

import { element } from "./dom.js";

const AWAY = 12; // pixels from the pointer to what is said there

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
 * @property {Record<string, object[]>} data a list that was shown before has only grown since: its
 *   new rows alone are drawn; another list takes its place
 * @property {Record<string, unknown>} parameters
 * @property {(spec: object, size: {width: number, height: number}) => object} [lay] gives the views
 *   of a spec of several their sizes; such a chart is drawn anew when its own changes
 */

/** One chart, as large as its node, whose height a style sheet says. */
export class VegaChart {
  #result = null;
  #latest = null;
  #shown = null;
  #wanted = null;
  #drawing = null;
  #drawnSize = "";
  #given = new Map(); // by the name of data: the list, and how many of its rows were given

  /**
   * @param {import("./life.js").Life} life
   * @param {string} address of Vega, as Python names it
   * @param {object} [options]
   * @param {"svg" | "canvas"} [options.renderer] canvas for what is drawn again and again
   * @param {(view: object) => void} [options.onView] told of Vega's view once it stands, and of each
   *   new one
   */
  constructor(life, address, { renderer = "svg", onView = () => {} } = {}) {
    Object.assign(this, { renderer, onView });
    this.node = element("div", { class: "vega-chart", role: "img" });
    this.tip = element("div", { class: "tip", "aria-hidden": "true" });
    this.tip.hidden = true;
    this.life = life;
    this.address = address;
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

  /**
   * The value of an axis at the pointer, at most that of its ends; null while nothing is drawn.
   *
   * @param {PointerEvent} event
   * @param {"x" | "y"} [axis]
   */
  valueAt({ clientX, clientY }, axis = "x") {
    if (!this.#shown) return null;
    const { x, y } = this.placeOf({ clientX, clientY });
    const { width, height } = this.size;
    const [place, most] = axis === "x" ? [x, width] : [y, height];
    return this.#result.view.scale(axis).invert(Math.min(Math.max(place, 0), most));
  }

  /** Where the pointer is, in pixels from the corner of what lies within the padding. */
  placeOf({ clientX, clientY }) {
    const { left, top } = this.node.getBoundingClientRect();
    const { padding } = this.#latest.spec;
    return { x: clientX - left - padding.left, y: clientY - top - padding.top };
  }

  /** The chart as it stands, as a picture to be saved. @returns {Promise<SVGSVGElement>} */
  async picture() {
    const written = await this.#result.view.toSVG();
    return new DOMParser().parseFromString(written, "image/svg+xml").documentElement;
  }

  /**
   * Say something beside the pointer, such as what a mark has in its tooltip.
   *
   * @param {PointerEvent} event
   * @param {Record<string, string> | null} said null for nothing
   */
  tell(event, said) {
    this.tip.hidden = !said;
    if (!said) return;
    const { clientX, clientY } = event;
    const { left, right, top, bottom } = this.node.getBoundingClientRect();
    const lines = Object.entries(said).map(([name, value]) =>
      element("div", {}, [element("span", {}, [name]), element("b", {}, [String(value)])]),
    );
    this.tip.replaceChildren(...lines);
    const [isRight, isLow] = [clientX > (left + right) / 2, clientY > (top + bottom) / 2];
    const place = {
      left: isRight ? "" : `${clientX - left + AWAY}px`,
      right: isRight ? `${right - clientX + AWAY}px` : "",
      top: isLow ? "" : `${clientY - top + AWAY}px`,
      bottom: isLow ? `${bottom - clientY + AWAY}px` : "",
    };
    Object.assign(this.tip.style, place);
  }

  /** What lies within the padding. */
  get size() {
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
      await (this.#isDrawnAs(picture) ? this.#move(picture) : this.#begin(embed, picture));
      this.#shown = picture;
    }
  }

  #isDrawnAs({ spec, lay }) {
    const shown = this.#shown?.spec;
    if (lay && this.#drawnSize !== JSON.stringify(this.size)) return false;
    return spec === shown || JSON.stringify(spec) === JSON.stringify(shown);
  }

  async #begin(embed, { spec, data, parameters, lay }) {
    const place = element("div", { "aria-hidden": "true" }); // the node says it in a sentence
    const params = spec.params?.map((one) =>
      one.name in parameters ? { ...one, value: parameters[one.name] } : one,
    );
    const options = { mode: "vega-lite", renderer: this.renderer, actions: false };
    const tooltip = (_handler, event, _mark, said) => this.tell(event, said);
    Object.assign(options, { defaultStyle: false, tooltip });
    const size = this.size;
    const sized = lay ? lay(spec, size) : { ...spec, ...size };
    // Vega takes a list for its own, and a growing one goes on growing meanwhile.
    const datasets = Object.fromEntries(
      Object.entries(data).map(([name, rows]) => [name, [...rows]]),
    );
    const given = Object.entries(data).map(([name, list]) => [name, { list, count: list.length }]);
    const whole = { ...sized, datasets, params };
    const drawn = begun.then(() => embed(place, whole, options));
    begun = drawn.then(
      () => {},
      () => {},
    );
    const result = await drawn;
    const { view } = result;
    if (lay) await view.width(size.width).height(size.height).runAsync();
    // What stands there stays until the new one is drawn.
    this.#result?.finalize();
    this.tip.hidden = true;
    this.node.replaceChildren(place, this.tip);
    this.#result = result;
    this.#drawnSize = JSON.stringify(size);
    this.#given = new Map(given);
    this.onView(view);
    if (this.life.hasEnded) result.finalize();
  }

  async #move({ parameters, data, lay }) {
    const { view } = this.#result;
    const size = lay ? {} : this.size;
    for (const [name, value] of Object.entries({ ...parameters, ...size })) {
      view.signal(name, value);
    }
    for (const [name, list] of Object.entries(data)) {
      const given = this.#given.get(name);
      if (given?.list !== list) view.data(name, [...list]);
      else if (given.count < list.length) view.insert(name, list.slice(given.count));
      this.#given.set(name, { list, count: list.length });
    }
    await view.runAsync();
  }
}
