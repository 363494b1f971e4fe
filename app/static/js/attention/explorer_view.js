/** The whole attention explorer: every view of the maps, a pinned row and a pinned cell. */

import { element, heading, segmentedControl } from "../lib/dom.js";
import { fill, strongest } from "../lib/format.js";
import { moveCell, moveHead, moveInLayer } from "../lib/keyboard.js";
import { measure } from "../lib/measure.js";
import { createLookupTable, gradient } from "../lib/palette.js";
import { Atlas } from "./atlas.js";
import { Breakdown } from "./breakdown.js";
import { ExplorerReadout } from "./explorer_readout.js";
import { LayerHeads } from "./layer_heads.js";
import { LayerStepper } from "./layer_stepper.js";
import { Lines } from "./lines.js";
import { Matrix } from "./matrix.js";
import { legendEntries } from "./overlay.js";
import { PinnedCard } from "./pinned.js";
import { projectionOf } from "./projection.js";
import { HoverNote, Surface } from "./surface.js";
import { TokenStrip } from "./token_strip.js";
import { Toolbar } from "./toolbar.js";
import { SCALE_STRINGS, ViewBase } from "./view_base.js";

// A threshold that is still being dragged is not written down.
const PAUSE_MILLISECONDS = 150;
// The shadow root keeps it apart from the rest of the page.
const KEYS_ID = "picture-keys";

/** Token strip, controls, the picture with its neighbours, and what is pinned. */
export class ExplorerView extends ViewBase {
  /** Takes what `ViewBase` takes. */
  constructor(root, life) {
    super(root, life);
    this.isDragged = false;
    this.lit = null;
    life.onEnd(() => this.root.classList.remove("explorer"));
    this.#build();
    this.#listen();
  }

  /** How much of the window is left below the controls: the cards grow into it. */
  fillWindow() {
    let top = this.cards.getBoundingClientRect().top;
    for (let node = this.cards; node; node = node.parentNode ?? node.host) {
      top += node.scrollTop ?? 0;
    }
    this.root.style.setProperty("--fill", `${Math.round(window.innerHeight - top)}px`);
  }

  /** Forget what the pointer was over: other maps come. */
  settle() {
    this.stage.leave();
  }

  /** Words of this layout. */
  createReadout(mapSet, values) {
    this.#compose(mapSet, values);
    return new ExplorerReadout(this.scene);
  }

  /** Everything on the page that depends on maps and settings. */
  draw(mapSet, values) {
    const { readout, scene, strings } = this;
    this.strip.show(strings.tokens, mapSet.queryTokens, mapSet.querySpecial, values.token);
    this.toolbar.show(strings, values, this.state.sets, mapSet);
    this.fillWindow();
    this.stage.show(scene, readout);
    const cell = this.#cell(mapSet, values);
    const head = { set: mapSet.identity, layer: values.layer, head: values.head };
    // The weights that are drawn come first.
    if (readout.isHere) this.answers.want(head, cell);
    this.stage.showPoints(this.answers, this.life);
    this.pinned.show(scene, this.answers.rowOf(cell), this.answers.similarTo(head));
    this.breakdown.show(scene, this.breakdown.isOpen ? this.answers.cellOf(cell) : null);
    Object.assign(this.root.dataset, {
      view: values.view,
      key: values.key ?? "",
      heads: values.heads.join("."),
      least: values.least,
    });
  }

  #build() {
    this.strip = new TokenStrip(element("div", { class: "strip", role: "toolbar" }), (token) =>
      token === null ? this.#unpin() : this.choose({ token, key: null }),
    );
    this.toolbar = new Toolbar({
      onChoose: (changes) => this.choose(changes),
      onDrag: (least) => this.#drag(least),
      onExport: (kind) => this.#export(kind),
    });
    this.stage = new Stage({
      onChoose: (changes) => this.choose(changes),
      onHead: (head, isFurther) => this.#chooseHead(head, isFurther),
      onCell: (cell) => this.#chooseCell(cell),
      onKey: (kind, key, columns) => this.#move(kind, key, columns),
      onUnpin: () => this.#unpin(),
      onLit: (lit) => this.#light(lit),
    });
    this.pinned = new PinnedCard((head) => this.#chooseHead(head, false));
    this.breakdown = new Breakdown();
    this.spoken = element("p", { class: "only-spoken", "aria-live": "polite" });
    this.cards = element("div", { class: "cards" }, [...this.stage.nodes, this.pinned.node]);
    this.root.classList.add("explorer");
    const parts = [this.strip.node, this.toolbar.node, this.cards, this.breakdown.node, this.spoken];
    this.fillRoot(parts);
  }

  #listen() {
    const unpin = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !this.#unpin()) return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.root.addEventListener("keydown", unpin);
    // With the focus nowhere, Esc means what is pinned, too.
    this.life.listen(document, "keydown", (event) => {
      if (event.target === document.body) unpin(event);
    });
    this.breakdown.button.addEventListener("click", () => this.renderSoon());
    // Drawn text does not change by itself when a font arrives late.
    this.life.listen(document.fonts, "loadingdone", () => {
      this.stage.remeasure();
      this.renderSoon();
    });
    this.life.listen(window, "resize", () => this.renderSoon());
    this.life.observe(this.cards, () => this.renderSoon());
  }

  #compose(mapSet, values) {
    const projection = projectionOf(mapSet, values);
    const { lit, strings, theme } = this;
    this.scene = { mapSet, projection, values, theme, strings, lit: values.points ? lit : null };
  }

  /** Heads that were dragged over as points, or none. */
  #light(lit) {
    this.lit = lit;
    this.root.dataset.lit = [...(lit ?? [])].join(".");
    this.renderSoon();
  }

  /** A threshold under the reader's finger: the pictures follow at once, the rest at a pause. */
  #drag(least) {
    this.state.choose({ least });
    this.forgetPause?.();
    this.forgetPause = this.life.timeout(() => this.render(), PAUSE_MILLISECONDS);
    if (this.isDragged) return;
    this.isDragged = true;
    this.life.frame(() => {
      const start = performance.now();
      this.isDragged = false;
      const { mapSet, values } = this.state;
      this.#compose(mapSet, values);
      this.toolbar.showLeast(values.least);
      this.stage.draw(this.scene);
      measure("headlight:draw", start);
    });
  }

  /** Save what is shown, or say why that is not possible. */
  async #export(kind) {
    const { exportView } = await import("./exports/index.js");
    const { view } = this.state.values;
    const refusal = await exportView(kind, {
      view,
      scene: this.scene,
      canvas: this.stage.canvas,
      fetchExact: (...heads) => this.requests.fetchExact(...heads),
    });
    if (!refusal) return;
    this.stage.remark(refusal, true);
    this.spoken.textContent = refusal;
  }

  /** The row that Python is asked about, and its cell where that is broken down; null for none. */
  #cell(mapSet, { layer, head, key }) {
    const { column, row } = this.readout;
    if (row < 0) return null;
    const queries = this.scene.projection.rows[row].tokens;
    const isBrokenDown = mapSet.breaksDown && column >= 0 && this.breakdown.isOpen;
    return { set: mapSet.identity, layer, head, queries, key: isBrokenDown ? key : null };
  }

  /** Take a cell back, then the row. @returns {boolean} false when nothing is pinned */
  #unpin() {
    const { key, token } = this.state.values;
    if (token === null) return false;
    this.choose(key === null ? { token: null } : { key: null });
    return true;
  }

  #chooseHead({ layer, head }, isFurther) {
    const { values } = this.state;
    if (!isFurther || layer !== values.layer) {
      this.choose({ layer, head, heads: [] });
      return;
    }
    const others = values.heads.filter((one) => one !== head);
    if (head !== values.head) {
      const isNew = others.length === values.heads.length;
      this.choose({ heads: isNew ? [...others, head] : others });
    } else if (others.length > 0) {
      this.choose({ head: others[0], heads: others.slice(1) });
    }
  }

  #chooseCell({ head, row, column }) {
    const { projection, values } = this.scene;
    const pinned = this.readout;
    const line = row ?? pinned.row;
    if (line < 0) return;
    const token = projection.rows[line].tokens[0];
    if (column === undefined) {
      if (line === pinned.row) this.#unpin();
      else this.choose({ token, key: null });
      return;
    }
    const isOther = values.view === "lines" && head !== undefined && head !== values.head;
    if (line === pinned.row && column === pinned.column && !isOther) {
      this.choose({ key: null });
      return;
    }
    const others = [values.head, ...values.heads].filter((one) => one !== head);
    const key = projection.columns[column].tokens[0];
    this.choose({ token, key, ...(isOther ? { head, heads: others } : {}) });
  }

  /** A key in a picture. @returns {boolean} false when it means nothing there */
  #move(kind, key, columns) {
    const { mapSet, values } = this.state;
    if (kind === "grid" || kind === "heads") {
      const head =
        kind === "grid" ? moveHead(key, values, mapSet) : moveInLayer(key, values, mapSet, columns);
      if (head) this.choose({ ...head, ...(this.stage.isComparing ? {} : { heads: [] }) });
      return head !== null;
    }
    const { rows, columns: places } = this.scene.projection;
    const { readout } = this;
    const size = { rows: rows.length, columns: places.length };
    const strongestColumn = () => strongest(readout.weights(readout.heads, readout.row), 1)[0];
    if (!readout.isHere) return false;
    const cell = moveCell(key, readout, size, strongestColumn);
    if (!cell) return false;
    const token = rows[cell.row].tokens[0];
    this.choose({ token, key: cell.column < 0 ? null : places[cell.column].tokens[0] });
    return true;
  }
}

/** Two cards: the heads of the shown layer to choose from, and the view that was chosen. */
class Stage {
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
   * @param {(lit: Set<string> | null) => void} listeners.onLit told of heads dragged over as points
   */
  constructor({ onChoose, onHead, onCell, onKey, onUnpin, onLit }) {
    this.onHead = onHead;
    this.onLit = onLit;
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
    this.asPoints = element("input", { type: "checkbox" });
    this.asPoints.addEventListener("change", () => onChoose({ points: this.asPoints.checked }));
    this.asPointsWords = element("span");
    this.asPointsNode = element("label", { class: "check" }, [this.asPoints, this.asPointsWords]);
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

  /**
   * Heads as points beside the grid, where the reader wants them and there is somebody to ask.
   *
   * @param {import("./answers.js").Answers} answers
   * @param {import("../lib/life.js").Life} life
   */
  showPoints(answers, life) {
    const { mapSet, strings, theme, values } = this.scene;
    const isPossible = values.view === "grid" && answers.channel !== null;
    const isShown = isPossible && values.points;
    this.asPointsNode.hidden = !isPossible;
    this.asPointsNode.title = strings.pointsHint;
    this.asPointsWords.textContent = strings.points;
    this.asPoints.checked = values.points;
    this.pointsRoom.hidden = !isShown;
    this.centreCard.classList.toggle("with-points", isShown);
    if (!isShown) return;
    const wanted = { set: mapSet.identity, dark: theme.dark };
    answers.wantPoints(wanted);
    if (this.points) this.points.show(this.scene, answers.pointsOf(wanted), life);
    else this.#loadPoints().then(() => this.showPoints(answers, life));
  }

  /** Most readers never ask for it. */
  async #loadPoints() {
    const { HeadPoints } = await import("./head_points.js");
    this.points ??= new HeadPoints(this.pointsRoom, this.note, {
      onHead: (head) => this.onHead(head, false),
      onLit: (lit) => this.onLit(lit),
    });
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
    this.note = note;
    this.points = null;
    this.pointsRoom = element("div", { class: "points-room", hidden: "" });
    this.foot = element("div", { class: "card-foot" }, [
      this.asPointsNode,
      this.colours,
      this.heads,
      this.scales.node,
    ]);
    this.notes = element("p", { class: "note remarks" });
    const rooms = Object.values(this.surfaces).map(({ room }) => room);
    const parts = [this.head, ...rooms, this.pointsRoom, this.foot, this.notes, note.node];
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
