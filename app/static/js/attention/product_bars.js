/** The products of a query's and a key's features as small bars, up and down from a line. */

import { element, prepareCanvas } from "../lib/dom.js";
import { fill, formatNumber } from "../lib/format.js";

const GAP = 1;

/** One bar a feature; the note below says the one under the pointer, else the largest. */
export class ProductBars {
  constructor() {
    this.products = new Float32Array(0);
    this.strings = null;
    this.canvas = element("canvas", { class: "product-bars", role: "img" });
    this.note = element("p", { class: "note" });
    this.node = element("div", {}, [this.canvas, this.note]);
    this.canvas.addEventListener("pointermove", (event) => {
      const { left, width } = this.canvas.getBoundingClientRect();
      const feature = Math.floor(((event.clientX - left) / width) * this.products.length);
      this.#say(this.strings.feature, feature);
    });
    this.canvas.addEventListener("pointerleave", () => this.#sayLargest());
  }

  /**
   * Draw; the node has to stand on the page, which gives the canvas its size.
   *
   * @param {Float32Array} products one a feature of the head
   * @param {{colours: Record<string, string>}} theme
   * @param {Record<string, string>} strings
   */
  show(products, theme, strings) {
    this.products = products;
    this.strings = strings;
    const positive = products.filter((product) => product > 0).length;
    const label = fill(strings.productBars, { count: products.length, positive });
    this.canvas.setAttribute("aria-label", label);
    this.#sayLargest();
    this.canvas.style.width = "";
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width > 0) this.#draw(width, height, theme.colours);
  }

  #draw(width, height, colours) {
    const context = prepareCanvas(this.canvas, width, height);
    const top = Math.max(0, ...this.products);
    const depth = Math.max(0, ...this.products.map((product) => -product));
    const unit = (height - 1) / (top + depth || 1);
    const line = Math.round(top * unit);
    const step = width / this.products.length;
    this.products.forEach((product, feature) => {
      const size = Math.abs(product) * unit;
      context.fillStyle = product < 0 ? colours.mark : colours.accent;
      const start = product < 0 ? line + 1 : line - size;
      context.fillRect(feature * step, start, Math.max(step - GAP, 1), size);
    });
    context.fillStyle = colours.muted;
    context.fillRect(0, line, width, 1);
  }

  #sayLargest() {
    const sizes = this.products.map(Math.abs);
    this.#say(this.strings.largestFeature, sizes.indexOf(Math.max(...sizes)));
  }

  #say(template, feature) {
    const product = this.products[feature];
    if (product === undefined) return;
    this.note.textContent = fill(template, { feature, product: formatNumber(product) });
  }
}
