/** The controls of the attention explorer, in one row that wraps. */

import { element, segmentedControl, selectControl } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { hasParts } from "./state.js";

// In thousandths of weight: a weight beyond a half leaves at most one line a row.
const LARGEST_LEAST = 500;
const LEAST_STEP = 5;

const EXPORTS = ["svg", "png", "csv"];

/** Draws the settings and reports what the reader makes of them. */
export class Toolbar {
  /**
   * @param {object} listeners
   * @param {(changes: object) => void} listeners.onChoose told of new settings
   * @param {(least: number) => void} listeners.onDrag told of a threshold, many times a second
   * @param {(kind: "svg" | "png" | "csv") => void} listeners.onExport
   */
  constructor({ onChoose, onDrag, onExport }) {
    this.sets = segmentedControl("set", (set) => onChoose({ set }));
    this.views = segmentedControl("view", (view) => onChoose({ view }));
    this.palettes = selectControl((palette) => onChoose({ palette }));
    this.parts = selectControl((part) => onChoose({ part }));
    this.specials = checkbox((hidden) => onChoose({ specials: !hidden }));
    this.sink = checkbox((sink) => onChoose({ sink }));
    this.merge = checkbox((merge) => onChoose({ merge }));
    this.#buildThreshold(onDrag);
    this.exportName = element("span", { class: "only-spoken", id: "export-name" });
    const buttons = EXPORTS.map((kind) => {
      const button = element("button", { type: "button", class: "plain" }, [kind.toUpperCase()]);
      button.addEventListener("click", () => onExport(kind));
      return button;
    });
    const attributes = { class: "exports", role: "group", "aria-labelledby": "export-name" };
    this.exports = element("div", attributes, [this.exportName, ...buttons]);
    this.node = element("div", { class: "tools" }, [
      this.sets.node,
      this.views.node,
      this.palettes.node,
      this.threshold,
      this.specials.node,
      this.sink.node,
      this.merge.node,
      this.parts.node,
      this.exports,
    ]);
  }

  /**
   * @param {Record<string, string>} strings
   * @param {object} values settings
   * @param {object[]} sets all sets of maps
   * @param {object} mapSet the one that is shown
   */
  show(strings, values, sets, mapSet) {
    this.sets.node.hidden = sets.length < 2;
    this.node.classList.toggle("of-kinds", sets.length > 1);
    const setOptions = sets.map(({ name, label }) => [name, label]);
    this.sets.show(strings.mapSet, setOptions, values.set);
    const views = [
      ["grid", strings.viewGrid],
      ["heads", strings.viewHeads],
      ["matrix", strings.viewMatrix],
      ["lines", strings.viewLines],
    ];
    this.views.show(strings.view, views, values.view);
    const palettes = [
      ["indigo", strings.paletteIndigo],
      ["viridis", strings.paletteViridis],
      ["cividis", strings.paletteCividis],
    ];
    this.palettes.show(strings.palette, palettes, values.palette);
    this.parts.node.hidden = !hasParts(mapSet);
    const parts = [
      ["", strings.partAll],
      ["aa", strings.partAA],
      ["ab", strings.partAB],
      ["ba", strings.partBA],
      ["bb", strings.partBB],
    ];
    this.parts.show(strings.part, parts, values.part);
    this.specials.show(strings.hideSpecials, strings.hideSpecialsHint, !values.specials);
    this.sink.show(strings.maskSink, strings.maskSinkHint, values.sink);
    this.merge.show(strings.mergePieces, strings.mergePiecesHint, values.merge);
    this.exportName.textContent = strings.exportView;
    this.exports.title = strings.exportView;
    this.strings = strings;
    this.showLeast(values.least);
  }

  /** Show a threshold and touch nothing else. */
  showLeast(least) {
    const weight = (least / 1000).toFixed(least % 10 === 0 ? 2 : 3);
    this.range.setAttribute("aria-label", this.strings.least);
    this.range.setAttribute("aria-valuetext", weight);
    this.leastShown.textContent = fill(this.strings.leastShown, { weight });
    if (Number(this.range.value) !== least) this.range.value = String(least);
  }

  #buildThreshold(onDrag) {
    const attributes = { type: "range", min: "0", max: LARGEST_LEAST, step: LEAST_STEP };
    this.range = element("input", attributes);
    this.leastShown = element("span", { class: "least", "aria-hidden": "true" });
    this.threshold = element("label", { class: "threshold" }, [this.leastShown, this.range]);
    this.range.addEventListener("input", () => onDrag(Number(this.range.value)));
  }
}

function checkbox(onChoose) {
  const input = element("input", { type: "checkbox" });
  const words = element("span");
  input.addEventListener("change", () => onChoose(input.checked));
  const node = element("label", { class: "check" }, [input, words]);
  return {
    node,
    show(label, hint, checked) {
      words.textContent = label;
      node.title = hint;
      input.checked = checked;
    },
  };
}
