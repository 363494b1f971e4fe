/** Two buttons that lead one layer up and down. */

import { element } from "../lib/dom.js";

/** The layer before and the layer after. */
export class LayerStepper {
  /** @param {(layer: number) => void} onChoose */
  constructor(onChoose) {
    this.layer = 0;
    this.before = createButton("‹", () => onChoose(this.layer - 1));
    this.after = createButton("›", () => onChoose(this.layer + 1));
    this.node = element("span", { class: "stepper" }, [this.before, this.after]);
  }

  /**
   * @param {Record<string, string>} strings
   * @param {number} layer
   * @param {number} layers
   */
  show(strings, layer, layers) {
    this.layer = layer;
    label(this.before, strings.layerBefore, layer === 0);
    label(this.after, strings.layerAfter, layer === layers - 1);
  }
}

function createButton(sign, onClick) {
  const button = element("button", { type: "button", class: "plain" }, [sign]);
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") onClick();
  });
  return button;
}

// A button that is disabled under the reader's finger would lose the focus.
function label(button, name, isEnd) {
  button.setAttribute("aria-label", name);
  button.title = name;
  button.setAttribute("aria-disabled", String(isEnd));
}
