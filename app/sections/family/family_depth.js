/** The choice of the layer that all small maps show. */

import { element, segmentedControl } from "../../js/lib/dom.js";
import { mounting } from "../../js/lib/picture.js";
import { depth } from "./depth.js";

class DepthControl {
  constructor(root, life) {
    this.root = root;
    this.control = segmentedControl("family-depth", (value) => depth.set(Number(value)));
    this.label = element("span", { class: "hint", "aria-hidden": "true" });
    root.replaceChildren(this.label, this.control.node);
    life.onEnd(depth.follow(() => this.#render()));
  }

  show(data) {
    this.data = data;
    depth.open(data);
  }

  #render() {
    if (!this.data) return;
    const { strings, stops } = this.data;
    this.label.textContent = strings.label;
    const away = (value) => Math.abs(value - depth.value);
    const values = stops.map(([value]) => value);
    const nearest = values.reduce((best, value) => (away(value) < away(best) ? value : best));
    const options = stops.map(([value, text]) => [String(value), text]);
    this.control.show(strings.label, options, String(nearest));
    this.root.dataset.depth = String(nearest);
  }
}

export const mount = mounting(".family-depth", DepthControl);
