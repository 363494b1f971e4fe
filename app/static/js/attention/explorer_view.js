/** The whole attention explorer: every view of the maps, a pinned row and a pinned cell. */

import { element } from "../lib/dom.js";
import { strongest } from "../lib/format.js";
import { moveCell, moveHead, moveInLayer } from "../lib/keyboard.js";
import { measure } from "../lib/measure.js";
import { ExplorerReadout } from "./explorer_readout.js";
import { ExplorerStage } from "./explorer_stage.js";
import { PinnedCard } from "./pinned.js";
import { projectionOf } from "./projection.js";
import { TokenStrip } from "./token_strip.js";
import { Toolbar } from "./toolbar.js";
import { Breakdown } from "./breakdown.js";
import { ViewBase } from "./view_base.js";

// A threshold that is still being dragged is not written down.
const PAUSE_MILLISECONDS = 150;

/** Token strip, controls, the picture with its neighbours, and what is pinned. */
export class ExplorerView extends ViewBase {
  /** Takes what `ViewBase` takes. */
  constructor(root, life) {
    super(root, life);
    this.isDragged = false;
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
    this.stage = new ExplorerStage({
      onChoose: (changes) => this.choose(changes),
      onHead: (head, isFurther) => this.#chooseHead(head, isFurther),
      onCell: (cell) => this.#chooseCell(cell),
      onKey: (kind, key, columns) => this.#move(kind, key, columns),
      onUnpin: () => this.#unpin(),
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
    this.scene = { mapSet, projection, values, theme: this.theme, strings: this.strings };
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
    const refusal = await exportView(kind, { view, scene: this.scene, canvas: this.stage.canvas });
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
