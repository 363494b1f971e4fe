/** The small attention canvas: the atlas of all heads, and the lines of one head beside it. */

import { element, heading, segmentedControl } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { isReserved, moveHead } from "../lib/keyboard.js";
import { createLookupTable, gradient } from "../lib/palette.js";
import { Atlas } from "./atlas.js";
import { Lines } from "./lines.js";
import { projectionOf } from "./projection.js";
import { Suggestions } from "./suggestions.js";
import { TokenStrip } from "./token_strip.js";
import { SCALE_STRINGS, ViewBase } from "./view_base.js";

// The shadow root keeps it apart from the rest of the page.
const KEYS_ID = "atlas-keys";

/** Atlas and lines, side by side. */
export class CanvasView extends ViewBase {
  /** Takes what `ViewBase` takes. */
  constructor(root, life) {
    super(root, life);
    this.hoveredHead = null;
    this.hovered = null;
    this.#build();
    this.#listen();
  }

  /** Forget what the pointer was over: other maps come. */
  settle() {
    this.hoveredHead = null;
    this.hovered = null;
    this.note.hidden = true;
  }

  /** Everything on the page that depends on maps and settings. */
  draw(mapSet, values) {
    this.#say(mapSet, values);
    this.strip.show(this.strings.tokens, mapSet.queryTokens, mapSet.querySpecial, values.token);
    this.#drawAtlas();
    this.#drawLines();
  }

  #build() {
    this.strip = new TokenStrip(element("div", { class: "strip", role: "toolbar" }), (token) =>
      this.choose({ token }),
    );
    this.sets = segmentedControl("set", (set) => this.choose({ set }));
    this.scales = segmentedControl("scale", (scale) => this.choose({ scale }));

    this.atlas = new Atlas(createAtlasCanvas());
    this.atlasRoom = element("div", { class: "atlas-room" }, [this.atlas.canvas]);
    this.atlasTitle = heading();
    this.keys = element("span", { class: "keys", id: KEYS_ID });
    this.atlasTitle.node.append(this.keys);
    this.ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    this.legend = element("span", { class: "legend-words" });
    this.legendRoom = element("span", { class: "legend" }, ["0", this.ramp, this.legend]);
    this.suggestions = new Suggestions((head) => this.choose(head));
    this.note = element("div", { class: "hover-note", "aria-hidden": "true", hidden: "" });
    const atlasCard = element("section", { class: "card" }, [
      element("div", { class: "card-head" }, [
        this.atlasTitle.node,
        this.legendRoom,
        this.scales.node,
      ]),
      this.atlasRoom,
      this.suggestions.node,
      this.note,
    ]);

    this.lines = new Lines(element("canvas", { role: "img" }));
    this.linesRoom = element("div", { class: "lines-room" }, [this.lines.canvas]);
    this.linesTitle = heading();
    this.sides = element("p", { class: "sides" });
    this.summary = element("p", { class: "note summary" });
    this.tableName = element("summary");
    this.tableRoom = element("div", { class: "table-room" });
    this.details = element("details", {}, [this.tableName, this.tableRoom]);
    const linesCard = element("section", { class: "card" }, [
      element("div", { class: "card-head" }, [this.linesTitle.node]),
      this.sides,
      this.linesRoom,
      this.summary,
      this.details,
    ]);

    this.spoken = element("p", { class: "only-spoken", "aria-live": "polite" });
    this.cards = element("div", { class: "cards" }, [atlasCard, linesCard]);
    this.fillRoot([this.sets.node, this.strip.node, this.cards, this.spoken]);
  }

  #listen() {
    this.atlas.canvas.addEventListener("pointermove", (event) => {
      this.#hoverHead(headUnder(this.atlas, event));
    });
    this.atlas.canvas.addEventListener("pointerleave", () => this.#hoverHead(null));
    this.atlas.canvas.addEventListener("click", (event) => {
      const head = headUnder(this.atlas, event);
      if (head) this.choose(head);
    });
    this.atlas.canvas.addEventListener("keydown", (event) => {
      if (isReserved(event)) return;
      const head = moveHead(event.key, this.state.values, this.state.mapSet);
      if (!head) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(head);
    });
    this.lines.canvas.addEventListener("pointermove", (event) => {
      this.#hover(this.lines.at(event.offsetX, event.offsetY));
    });
    this.lines.canvas.addEventListener("pointerleave", () => this.#hover(null));
    this.lines.canvas.addEventListener("click", (event) => {
      const { row, column } = this.lines.at(event.offsetX, event.offsetY) ?? {};
      // Rows are tokens here: this layout merges and hides nothing.
      if (row !== undefined && column === undefined) this.choose({ token: row });
    });
    // Drawn text does not change by itself when a font arrives late.
    this.life.listen(document.fonts, "loadingdone", () => {
      this.lines.remeasure();
      this.renderSoon();
    });
    this.life.observe(this.atlasRoom, () => this.renderSoon());
    this.life.observe(this.linesRoom, () => this.renderSoon());
  }

  #hoverHead(head) {
    const before = this.hoveredHead;
    if (before?.layer === head?.layer && before?.head === head?.head) return;
    this.hoveredHead = head;
    this.#drawAtlas();
    this.note.hidden = head === null;
    if (!head) return;
    this.note.textContent = this.readout.hoverNote(head);
    const cell = this.atlas.cellOf(head.layer, head.head);
    const room = this.atlasRoom;
    const left = Math.min(cell.x, Math.max(room.clientWidth - this.note.offsetWidth, 0));
    this.note.style.left = `${room.offsetLeft + left}px`;
    this.note.style.top = `${room.offsetTop + cell.y + cell.size + 6}px`;
  }

  #hover(what) {
    const before = this.hovered;
    if (before?.row === what?.row && before?.column === what?.column) return;
    this.hovered = what;
    const isRow = what?.row !== undefined && what.column === undefined;
    this.lines.canvas.style.cursor = isRow ? "pointer" : "default";
    this.#drawLines();
  }

  #say(mapSet, values) {
    const { readout, strings } = this;
    const options = this.state.sets.map(({ name, label }) => [name, label]);
    this.sets.node.hidden = options.length < 2;
    this.sets.show(strings.mapSet, options, values.set);
    const scales = Object.entries(SCALE_STRINGS).map(([name, [label]]) => [name, strings[label]]);
    this.scales.show(strings.scale, scales, values.scale);
    this.atlasTitle.say(strings.allHeads, strings.allHeadsHint);
    this.atlas.canvas.setAttribute("aria-label", fill(strings.atlas, { head: readout.head }));
    this.legend.textContent = strings[SCALE_STRINGS[values.scale][1]];
    // Its words may find no room.
    this.legendRoom.title = this.legend.textContent;
    this.ramp.style.background = gradient(createLookupTable(values.palette, this.theme.dark));
    this.keys.textContent = strings.keys;
    this.suggestions.show(strings.worthALook, mapSet.suggestions, values);
    this.linesTitle.say(readout.head, readout.from);
    this.sides.hidden = !mapSet.queryLabel || !mapSet.keyLabel;
    this.sides.textContent = `${mapSet.queryLabel} → ${mapSet.keyLabel}`;
    this.summary.textContent = readout.summary;
    const spoken = { head: readout.head, from: readout.from, summary: readout.summary };
    this.lines.canvas.setAttribute("aria-label", fill(strings.lines, spoken));
    this.tableName.textContent = strings.table;
    this.tableRoom.replaceChildren(readout.table);
  }

  #drawAtlas() {
    const { mapSet, values } = this.state;
    const scene = { mapSet, values, theme: this.theme };
    this.atlas.draw(scene, this.hoveredHead, this.atlasRoom.clientWidth);
  }

  #drawLines() {
    const { mapSet, values } = this.state;
    // What was drawn stays, faint, until the layer is here.
    this.linesRoom.classList.toggle("fetching", !this.readout.isHere);
    if (!this.readout.isHere) return;
    const projection = projectionOf(mapSet, values);
    const scene = { mapSet, projection, values, theme: this.theme, strings: this.strings };
    const { clientWidth, clientHeight } = this.linesRoom;
    this.lines.draw(scene, this.hovered, clientWidth, clientHeight);
  }
}

function createAtlasCanvas() {
  return element("canvas", { tabindex: "0", role: "application", "aria-describedby": KEYS_ID });
}

function headUnder(atlas, event) {
  return atlas.headAt(event.offsetX, event.offsetY);
}
