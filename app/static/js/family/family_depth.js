/** The choice of the layer that all small maps show. */

import { element, segmentedControl } from "../lib/dom.js";
import { depth } from "./depth.js";

const controls = new WeakMap();

function controlIn(root) {
  const control = segmentedControl("family-depth", (value) => depth.set(Number(value)));
  const label = element("span", { class: "hint", "aria-hidden": "true" });
  root.replaceChildren(label, control.node);
  const drawn = { data: null };
  const show = () => {
    if (!drawn.data) return;
    const { strings, stops } = drawn.data;
    label.textContent = strings.label;
    const nearest = stops.reduce((best, [value]) =>
      Math.abs(value - depth.value) < Math.abs(best - depth.value) ? value : best,
      stops[0][0],
    );
    control.show(
      strings.label,
      stops.map(([value, text]) => [String(value), text]),
      String(nearest),
    );
    root.dataset.depth = String(nearest);
  };
  depth.follow(show);
  return (data) => {
    drawn.data = data;
    depth.open(data);
  };
}

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".family-depth");
  if (!controls.has(root)) controls.set(root, controlIn(root));
  controls.get(root)(data);
}
