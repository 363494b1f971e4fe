/** The parts of the page with two sides: what stands where. */

import { element, segmentedControl, selectControl } from "../../js/lib/dom.js";
import { HeadGrid } from "./head_grid.js";
import { CellReadout } from "./readout.js";

/** One of three columns: a heading, something to choose or read, a map. */
function column(name, between) {
  const title = element("bdi");
  const hint = element("span", { class: "hint" });
  const heading = element("h2", {}, [element("span", { class: "dot" }), title]);
  const tools = element("div", { class: "tools" });
  const canvas = element("canvas", {
    tabindex: "0",
    role: "application",
    "aria-describedby": "compared-keys",
  });
  const room = element("div", { class: "room" }, [canvas]);
  const node = element("article", { class: name }, [
    element("div", { class: "top" }, [element("div", {}, [heading, hint]), tools]),
    element("div", { class: "between" }, between),
    room,
  ]);
  return { node, title, hint, tools, canvas, room };
}

/** A box to tick. */
function box(onChange) {
  const input = element("input", { type: "checkbox" });
  const text = element("span");
  input.addEventListener("change", () => onChange(input.checked));
  return { node: element("label", { class: "box" }, [input, text]), input, text };
}

/** Two lists, one for the layer and one for the head. */
function headPicker(onChoose) {
  const take = () => onChoose({ layer: Number(layer.node.value), head: Number(head.node.value) });
  const layer = selectControl(take);
  const head = selectControl(take);
  const names = [element("span"), element("span")];
  const node = element("div", { class: "picker" }, [
    element("label", {}, [names[0], layer.node]),
    element("label", {}, [names[1], head.node]),
  ]);
  const numbers = (count) => Array.from({ length: count }, (_, at) => [String(at), String(at)]);
  return {
    node,
    show(side, chosen, strings) {
      names[0].textContent = strings.layer;
      names[1].textContent = strings.headName;
      layer.show(strings.layer, numbers(side.layers), String(chosen.layer));
      head.show(strings.headName, numbers(side.heads), String(chosen.head));
    },
  };
}

/**
 * Build everything, in its place.
 *
 * @param {HTMLElement} root
 * @param {object} listeners `onLeft`, `onRight` (a place), `onLink`, `onEnlarge` (a boolean),
 *   `onScale` (a name)
 * @returns {object} the parts by name
 */
export function buildParts(root, { onLeft, onRight, onLink, onEnlarge, onScale }) {
  const leftGrid = new HeadGrid(onLeft);
  const rightGrid = new HeadGrid(onRight);
  const furthest = element("div", { class: "furthest" });
  furthest.addEventListener("click", ({ target }) => {
    const { layer, head } = target.dataset;
    if (head !== undefined) onLeft({ layer: Number(layer), head: Number(head) });
  });
  const readout = new CellReadout();
  const left = column("left", [leftGrid.node]);
  const right = column("right", [rightGrid.node, furthest]);
  const both = column("both", [readout.node]);
  const leftPicker = headPicker(onLeft);
  const rightPicker = headPicker(onRight);
  const link = box(onLink);
  const enlarge = box(onEnlarge);
  const scale = segmentedControl("compared-scale", onScale);
  left.tools.append(leftPicker.node);
  right.tools.append(rightPicker.node, link.node);
  both.tools.append(enlarge.node);
  const ramp = (name) => ({
    node: element("div", { class: `ramp ${name}` }),
    bar: element("span", { class: "bar" }),
    least: element("span"),
    most: element("span"),
  });
  const [weights, differences] = [ramp("weights"), ramp("differences")];
  for (const one of [weights, differences]) one.node.append(one.least, one.bar, one.most);
  const keys = element("p", { id: "compared-keys", class: "keys" });
  const live = element("p", { class: "spoken", role: "status" });
  root.replaceChildren(
    element("div", { class: "sides" }, [left.node, right.node, both.node]),
    element("div", { class: "legend" }, [scale.node, weights.node, differences.node, keys]),
    live,
  );
  return {
    left, right, both, leftGrid, rightGrid, leftPicker, rightPicker, furthest, link, enlarge, scale,
    weights, differences, keys, live, readout,
  };
}
