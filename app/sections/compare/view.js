/** Two maps and their difference: linked under the pointer, on one scale. */

import { Matrix } from "../../js/attention/matrix.js";
import { PageAddress } from "../../js/lib/address.js";
import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { isReserved, moveCell } from "../../js/lib/keyboard.js";
import { createDivergingTable, createLookupTable, gradient } from "../../js/lib/palette.js";
import { readTheme } from "../../js/lib/theme.js";
import { Choices, PARAMETERS, SCALES } from "./choices.js";
import { readable, signed } from "./numbers.js";
import { OneMap, OneSheet } from "./one_map.js";
import { buildParts } from "./parts.js";
import { largestDifference } from "./readout.js";
import { apart, isHere, mapOf } from "./sides.js";

const NAMES = ["left", "right", "both"];
const FURTHEST = 4;
// A held arrow key should not make a screen reader stammer.
const SPEECH_PAUSE_MILLISECONDS = 300;
// Pairs that a reader only passes are drawn here alone.
const TELLING_PAUSE_MILLISECONDS = 300;

/** The whole component. */
export class ComparedView {
  /**
   * @param {HTMLElement} root
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.choices = new Choices();
    this.address = new PageAddress("", PARAMETERS);
    this.choices.read(this.address.readOrKeep());
    this.hovered = null;
    this.known = {};
    this.taken = null;
    this.told = "";
    this.asked = "";
    this.parts = buildParts(root, {
      onLeft: (place) => this.#chooseLeft(place),
      onRight: ({ layer, head }) => this.#choose({ other_layer: layer, other_head: head }),
      onLink: (linked) => this.#link(linked),
      onEnlarge: (enlarge) => this.#choose({ enlarge }),
      onScale: (scale) => this.#choose({ scale }),
    });
    this.matrices = NAMES.map(
      (name) => new Matrix(this.parts[name].canvas, { sheet: new OneSheet() }),
    );
    this.matrices.forEach((matrix, at) => this.#listen(matrix, this.parts[NAMES[at]].canvas));
    life.listen(window, "popstate", () => {
      if (this.address.isCurrent) this.#follow();
    });
    life.observe(this.parts.left.room, () => this.#drawSoon());
    life.listen(document.fonts, "loadingdone", () => {
      for (const matrix of this.matrices) matrix.remeasure();
      this.#drawSoon();
    });
    life.onEnd(() => this.address.release());
  }

  /** Show new data, or the same in another theme. */
  show(data, send) {
    const isOther = this.data?.identity !== data.identity;
    this.data = data;
    this.send = send;
    if (isOther) {
      this.hovered = null;
      this.known = {};
    }
    if (data.choice && data.choice[0] !== this.taken) {
      // Of an earlier visit to the page if this is the first picture: the address is newer.
      if (this.taken !== null) this.#takeScene(data.choice[1]);
      this.taken = data.choice[0];
    } else if (this.address.hasNews) {
      this.choices.forget();
      this.choices.read(this.address.read());
    }
    this.taken ??= 0;
    this.#render();
  }

  #takeScene(settings) {
    const { palette } = this.choices.chosen;
    this.choices.forget();
    this.choices.read({ palette, ...settings });
    // Python has written the scene into the address: that is no news to follow.
    this.address.read();
  }

  #follow() {
    this.choices.forget();
    this.choices.read(this.address.read());
    this.#render();
  }

  #choose(changes) {
    this.choices.choose(changes);
    this.#render();
    this.forgetSpeech?.();
    this.forgetSpeech = this.life.timeout(() => {
      this.parts.live.textContent = this.sentence;
    }, SPEECH_PAUSE_MILLISECONDS);
  }

  #chooseLeft({ layer, head }) {
    const { right } = this.choices.values(this.data);
    const held = this.linked ? {} : { other_layer: right.layer, other_head: right.head };
    this.#choose({ layer, head, ...held });
  }

  #link(linked) {
    const { right } = this.choices.values(this.data);
    this.#choose({
      other_layer: linked ? null : right.layer,
      other_head: linked ? null : right.head,
    });
  }

  #listen(matrix, canvas) {
    const under = (event) => {
      const place = this.maps && matrix.at(event.offsetX, event.offsetY);
      return place && { row: place.row ?? -1, column: place.column ?? -1 };
    };
    const hover = (place) => {
      const name = place && `${place.row} ${place.column}`;
      if (name === this.hoveredName) return;
      this.hoveredName = name;
      this.hovered = place;
      this.#draw();
    };
    canvas.addEventListener("pointermove", (event) => hover(under(event)));
    canvas.addEventListener("pointerleave", () => hover(null));
    canvas.addEventListener("click", (event) => {
      const place = under(event);
      if (place) this.#pin(place);
    });
    canvas.addEventListener("keydown", (event) => {
      if (isReserved(event) || !this.maps) return;
      if (!this.#onKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #pin({ row, column }) {
    const { token, key } = this.choices.values(this.data);
    if (row < 0 || column < 0) return; // a label
    const isPinned = token === row && key === column;
    this.#choose(isPinned ? { token: null, key: null } : { token: row, key: column });
  }

  #onKey(name) {
    const { token, key } = this.choices.values(this.data);
    if (name === "Escape") {
      this.#choose({ token: null, key: null });
      return true;
    }
    const { rows, columns } = this.data;
    const size = { rows: rows.left.length, columns: columns.left.length };
    const most = largestDifference(this.maps.both);
    const from = { row: token ?? -1, column: key ?? -1 };
    const place = moveCell(name, from, size, () => most.column);
    if (!place) return false;
    this.#choose(
      from.row < 0
        ? { token: most.row, key: most.column }
        : { token: place.row, key: Math.max(place.column, 0) },
    );
    return true;
  }

  get linked() {
    const { left, right } = this.data;
    const sameSize = left.layers === right.layers && left.heads === right.heads;
    return sameSize && this.choices.values(this.data).linked;
  }

  #render() {
    this.theme = readTheme(this.root);
    const { data } = this;
    const values = this.choices.values(data);
    const { left, right } = values;
    this.address.write(this.choices.texts);
    const areHere = isHere(data.left, left) && isHere(data.right, right);
    this.root.classList.toggle("fetching", !areHere);
    this.#sayTools(values);
    if (areHere) this.#prepare(values);
    else this.#ask(left, right);
    this.#tellSoon(left, right);
    this.#draw();
    Object.assign(this.root.dataset, {
      left: `${left.layer}-${left.head}`,
      right: `${right.layer}-${right.head}`,
      drawn: String(areHere),
    });
  }

  /** The pair is not in the browser: a long text's maps come one by one. */
  #ask(left, right) {
    const pair = [left.layer, left.head, right.layer, right.head];
    const name = `${this.data.identity} ${pair}`;
    if (this.asked === name) return;
    this.asked = name;
    this.send("pair", { pair });
  }

  /** A chart on the page follows the pair, once the reader has come to rest at it. */
  #tellSoon(left, right) {
    const pair = [left.layer, left.head, right.layer, right.head].join();
    this.forgetTelling?.();
    if (!this.data.follows || pair === this.told) return;
    this.forgetTelling = this.life.timeout(() => {
      this.told = pair;
      this.#ask(left, right);
    }, TELLING_PAUSE_MILLISECONDS);
  }

  /** The three maps. */
  #prepare({ left, right, scale, enlarge }) {
    const { data } = this;
    const name = [data.identity, left.layer, left.head, right.layer, right.head, scale, enlarge].join();
    if (this.prepared === name && this.maps) return;
    this.prepared = name;
    const [first, second] = [mapOf(data.left, left), mapOf(data.right, right)];
    const difference = Float32Array.from(second, (weight, cell) => weight - first[cell]);
    const most = (weights) => weights.reduce((found, one) => Math.max(found, Math.abs(one)), 0);
    const full = scale === "absolute" ? 1 : Math.max(most(first), most(second));
    const ofDifference = enlarge ? most(difference) : full;
    const both = data.left.masked?.map((one, cell) => one & (data.right.masked?.[cell] ?? 0)) ?? null;
    const map = (weights, side, masked, colours) =>
      new OneMap(weights, labelsOf(data, side), masked, colours);
    this.apart = apart(first, second, data.rows.left.length);
    this.full = { weights: full, differences: ofDifference };
    this.maps = {
      left: map(first, "left", data.left.masked, { full }),
      right: map(second, "right", data.right.masked, { full }),
      both: map(difference, "both", both, { full: ofDifference, signed: true }),
    };
  }

  #sayTools(values) {
    const { data, parts, theme } = this;
    const { strings } = data;
    const { linked } = this;
    for (const name of NAMES) {
      const title = name === "both" ? strings.difference : data[name].title;
      parts[name].title.textContent = title;
      parts[name].title.title = title;
    }
    parts.both.hint.textContent = strings.rightMinusLeft;
    parts.leftPicker.show(data.left, values.left, strings);
    parts.rightPicker.show(data.right, values.right, strings);
    parts.rightPicker.node.hidden = linked;
    const sameSize = data.left.layers === data.right.layers && data.left.heads === data.right.heads;
    parts.link.node.hidden = !sameSize;
    parts.link.input.checked = linked;
    parts.link.text.textContent = strings.sameHead;
    parts.enlarge.input.checked = values.enlarge;
    parts.enlarge.text.textContent = strings.enlarge;
    parts.scale.show(strings.scale, SCALES.map((one) => [one, strings[`scale-${one}`]]), values.scale);
    parts.keys.textContent = strings.keys;
    const look = { strings, palette: values.palette, dark: theme.dark };
    const [ofLeft, ofRight] = this.#distances(values, linked);
    parts.leftGrid.show(data.left, values.left, ofLeft, { ...look, label: strings.headsLeft });
    parts.rightGrid.show(data.right, values.right, ofRight, { ...look, label: strings.headsRight });
    parts.rightGrid.node.hidden = linked;
    this.#sayFurthest(linked ? ofLeft : null);
  }

  /** How far the heads of either side lie from what they are compared with. */
  #distances({ left, right }, linked) {
    const { data } = this;
    if (data.left.only) return [null, null];
    const name = linked ? "linked" : `${left.layer} ${left.head} ${right.layer} ${right.head}`;
    if (this.known.name === name) return this.known.found;
    const rows = data.rows.left.length;
    const of = (side, other) =>
      Float32Array.from({ length: side.layers * side.heads }, (_, number) => {
        const place = { layer: Math.floor(number / side.heads), head: number % side.heads };
        return apart(mapOf(side, place), other(place), rows);
      });
    const found = [of(data.left, (place) => mapOf(data.right, linked ? place : right))];
    found.push(linked ? found[0] : of(data.right, () => mapOf(data.left, left)));
    this.known = { name, found };
    return found;
  }

  #sayFurthest(distances) {
    const { furthest } = this.parts;
    furthest.hidden = distances === null;
    if (distances === null) return;
    const { strings, left } = this.data;
    const order = [...distances.keys()].sort((one, other) => distances[other] - distances[one]);
    const buttons = order.slice(0, FURTHEST).map((number) => {
      const place = { layer: Math.floor(number / left.heads), head: number % left.heads };
      const attributes = { type: "button", "data-layer": String(place.layer), "data-head": String(place.head) };
      const name = fill(strings.head, place);
      return element("button", attributes, [`${name}: ${readable(distances[number])}`]);
    });
    furthest.replaceChildren(element("span", { class: "hint" }, [strings.furthest]), ...buttons);
  }

  #drawSoon() {
    this.forgetFrame?.();
    this.forgetFrame = this.life.frame(() => this.data && this.#render());
  }

  #draw() {
    const { maps, parts, theme, data } = this;
    if (!maps) return;
    const { token, key, palette } = this.choices.values(data);
    const values = { layer: 0, head: 0, heads: [], token, key, palette, scale: "absolute", least: 0 };
    const width = Math.min(...NAMES.map((name) => parts[name].room.clientWidth));
    const height = parts.left.room.clientHeight;
    this.matrices.forEach((matrix, at) => {
      matrix.draw({ projection: maps[NAMES[at]], values, theme }, this.hovered, width, height);
    });
    const isCell = (place) => place && place.row >= 0 && place.column >= 0;
    const pinned = { row: token ?? -1, column: key ?? -1 };
    const cell = [this.hovered, pinned].find(isCell) ?? null;
    this.sentence = parts.readout.show(maps, cell, {
      titles: { left: data.left.title, right: data.right.title },
      apart: this.apart,
      strings: data.strings,
    });
    NAMES.forEach((name) => {
      const label = fill(data.strings.map, { title: parts[name].title.textContent });
      parts[name].canvas.setAttribute("aria-label", `${label} ${this.sentence}`);
    });
    this.#drawLegend(palette);
  }

  #drawLegend(palette) {
    const { weights, differences } = this.parts;
    const { full, theme } = this;
    weights.least.textContent = "0";
    weights.most.textContent = readable(full.weights);
    weights.bar.style.background = gradient(createLookupTable(palette, theme.dark));
    differences.least.textContent = signed(-full.differences);
    differences.most.textContent = signed(full.differences);
    differences.bar.style.background = gradient(createDivergingTable(theme.dark));
    const { strings } = this.data;
    differences.node.title = strings.diverging;
  }
}

/** How rows and columns are called on one side; beside the difference there is room for one name. */
function labelsOf({ rows, columns }, side) {
  const of = ({ left, right }) => (side === "right" ? right : left);
  return {
    rows: of(rows),
    columns: of(columns),
    specialRows: rows.special,
    specialColumns: columns.special,
  };
}
