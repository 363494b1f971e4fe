/** The picture in the middle of the attention explorer, in four views, and the heads beside it. */

import { element, heading, segmentedControl } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { createLookupTable, gradient } from "../lib/palette.js";
import { Atlas } from "./atlas.js";
import { LayerHeads } from "./layer_heads.js";
import { LayerStepper } from "./layer_stepper.js";
import { Lines } from "./lines.js";
import { Matrix } from "./matrix.js";
import { legendEntries } from "./overlay.js";
import { HoverNote, Surface } from "./surface.js";
import { SCALE_STRINGS } from "./view_base.js";

// The shadow root keeps it apart from the rest of the page.
const KEYS_ID = "picture-keys";

/** Two cards: the heads of the shown layer to choose from, and the view that was chosen. */
export class ExplorerStage {
  /**
   * @param {object} listeners
   * @param {(changes: object) => void} listeners.onChoose told of new settings
   * @param {(head: {layer, head}, isFurther: boolean) => void} listeners.onHead told of a clicked
   *   head, and whether it should come to those that are shown
   * @param {(cell: {head?: number, row?: number, column?: number}) => void} listeners.onCell told
   *   of a clicked cell, row or column
   * @param {(kind: string, key: string, columns: number) => boolean} listeners.onKey told of a key
   *   in a picture; false when it means nothing there
   * @param {() => void} listeners.onUnpin
   */
  constructor({ onChoose, onHead, onCell, onKey, onUnpin }) {
    this.onHead = onHead;
    this.onCell = onCell;
    this.onKey = onKey;
    this.readout = null;
    this.scene = null;
    this.stepper = new LayerStepper((layer) => onChoose({ layer }));
    this.compare = element("input", { type: "checkbox" });
    this.compare.addEventListener("change", () => {
      if (!this.compare.checked) onChoose({ heads: [] });
    });
    this.compareWords = element("span");
    this.comparing = element("label", { class: "check" }, [this.compare, this.compareWords]);
    this.unpin = element("button", { type: "button", class: "plain unpin" });
    this.unpin.addEventListener("click", onUnpin);
    this.scales = segmentedControl("scale", (scale) => onChoose({ scale }));
    this.#buildPicker();
    this.#buildCentre();
    this.nodes = [this.pickerCard, this.centreCard];
  }

  /** True while a clicked head comes to those that are shown. */
  get isComparing() {
    return this.compare.checked;
  }

  /** Bring pictures and words up to date. */
  show(scene, readout) {
    const { strings, values } = scene;
    this.readout = readout;
    for (const [view, surface] of Object.entries(this.surfaces)) {
      surface.room.hidden = view !== values.view;
    }
    this.#placeTools(values.view);
    this.#say(scene);
    if (values.heads.length > 0) this.compare.checked = true;
    const spoken = readout.spoken;
    const { canvas } = this.surfaces[values.view];
    canvas.setAttribute("aria-label", `${readout.title.join(", ")}. ${spoken}`);
    this.picker.canvas.setAttribute("aria-label", fill(strings.heads, { head: readout.head }));
    this.draw(scene);
  }

  /** Bring the pictures up to date and nothing else. */
  draw(scene) {
    this.scene = scene;
    const { mapSet, values } = scene;
    const isHere = mapSet.hasLayer(values.layer);
    const surface = this.surfaces[values.view];
    surface.draw(isHere || values.view === "grid" ? scene : null);
    if (!this.pickerCard.hidden) this.picker.draw(isHere ? scene : null);
  }

  /** The canvas of the view that is shown. */
  get canvas() {
    return this.surfaces[this.scene.values.view].canvas;
  }

  /**
   * Say something below the picture, until the next change.
   *
   * @param {string} sentence
   * @param {boolean} [wraps] whether it may take more than the one line that is kept for it
   */
  remark(sentence, wraps = false) {
    this.notes.classList.toggle("wraps", wraps);
    this.notes.textContent = sentence;
    this.notes.title = sentence;
  }

  /** The pointer is elsewhere, or other maps have come. */
  leave() {
    for (const surface of [...Object.values(this.surfaces), this.picker]) surface.leave();
  }

  /** Measure texts anew: their font has arrived late, under the same name. */
  remeasure() {
    this.surfaces.lines.drawing.remeasure();
    this.surfaces.matrix.drawing.remeasure();
    this.surfaces.matrix.drawing.remeasure();
  }

  #buildPicker() {
    const drawing = new LayerHeads(createCanvas(), { picker: true });
    const note = new HoverNote();
    this.picker = this.#surface("heads", drawing, note);
    this.pickerTitle = heading();
    this.pickerHead = element("div", { class: "card-head" }, [this.pickerTitle.node]);
    this.pickerFoot = element("div", { class: "card-foot" });
    this.pickerCard = element("section", { class: "card picker" }, [
      this.pickerHead,
      this.picker.room,
      this.pickerFoot,
      note.node,
    ]);
  }

  #buildCentre() {
    const note = new HoverNote();
    this.surfaces = {
      grid: this.#surface("grid", new Atlas(createCanvas()), note),
      heads: this.#surface("heads", new LayerHeads(createCanvas()), note),
      matrix: this.#surface("matrix", new Matrix(createCanvas()), note),
      lines: this.#surface("lines", new Lines(createCanvas()), note),
    };
    this.title = heading();
    this.keys = element("span", { class: "keys", id: KEYS_ID });
    this.title.node.append(this.keys);
    this.head = element("div", { class: "card-head" }, [this.title.node, this.unpin]);
    this.ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    this.legend = element("span", { class: "legend-meaning" });
    this.colours = element("span", { class: "legend" }, ["0", this.ramp, this.legend]);
    this.heads = element("span", { class: "legend head-legend" });
    this.foot = element("div", { class: "card-foot" }, [
      this.colours,
      this.heads,
      this.scales.node,
    ]);
    this.notes = element("p", { class: "note remarks" });
    const rooms = Object.values(this.surfaces).map(({ room }) => room);
    const parts = [this.head, ...rooms, this.foot, this.notes, note.node];
    this.centreCard = element("section", { class: "card centre" }, parts);
  }

  #surface(kind, drawing, note) {
    const isHead = kind === "grid" || kind === "heads";
    return new Surface(drawing, note, {
      describe: (what) => this.readout.describe(what, kind === "matrix"),
      onClick: (what, event) => {
        const isFurther = event.ctrlKey || event.metaKey || event.shiftKey || this.isComparing;
        if (isHead) this.onHead({ layer: what.layer, head: what.head }, isFurther);
        else this.onCell(what);
      },
      onKey: (key) => this.onKey(kind, key, drawing.layout?.across ?? 1),
    });
  }

  /** What chooses layer and heads stands where the heads of a layer are. */
  #placeTools(view) {
    const isBeside = view === "matrix" || view === "lines";
    this.pickerCard.hidden = !isBeside;
    this.comparing.hidden = view === "grid";
    this.stepper.node.hidden = view === "grid";
    const [head, foot] = isBeside ? [this.pickerHead, this.pickerFoot] : [this.head, this.foot];
    // Moving a node takes the focus off it.
    if (this.stepper.node.parentNode !== head) head.append(this.stepper.node);
    if (this.comparing.parentNode !== foot) foot.prepend(this.comparing);
  }

  #say({ mapSet, strings, theme, values }) {
    const { readout } = this;
    this.pickerTitle.say(fill(strings.layer, values), strings.headsHint);
    this.title.say(...readout.title);
    this.keys.textContent = strings.keys;
    this.stepper.show(strings, values.layer, mapSet.layers);
    this.compareWords.textContent = strings.compare;
    this.comparing.title = strings.compareHint;
    this.unpin.textContent = strings.unpin;
    this.unpin.classList.toggle("unseen", readout.row < 0);
    this.#sayColours(strings, theme, values);
    // As its title, too: it may find no room.
    this.remark(readout.isHere ? readout.notes : fill(strings.fetching, values));
  }

  #sayColours(strings, theme, values) {
    const isLines = values.view === "lines";
    this.colours.hidden = isLines;
    this.scales.node.hidden = isLines;
    const scales = Object.entries(SCALE_STRINGS).map(([name, [label]]) => [name, strings[label]]);
    this.scales.show(strings.scale, scales, values.scale);
    this.legend.textContent = this.readout.fullColour;
    // Its words may find no room.
    this.colours.title = this.legend.textContent;
    this.ramp.style.background = gradient(createLookupTable(values.palette, theme.dark));
    const entries = isLines ? legendEntries(values, theme.dark) : [];
    this.heads.hidden = entries.length === 0;
    this.heads.replaceChildren(
      ...entries.map(({ head, colour }) => {
        const swatch = element("span", { class: "swatch" });
        swatch.style.background = colour;
        return element("span", {}, [swatch, fill(strings.oneHead, { head })]);
      }),
    );
  }
}

function createCanvas() {
  return element("canvas", { tabindex: "0", role: "application", "aria-describedby": KEYS_ID });
}
