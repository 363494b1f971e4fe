/** What the attention explorer says in words: headings, notes at the pointer, spoken lines. */

import { fill, formatNumber, formatWeight, quoted, strongest } from "../lib/format.js";
import { shownHeads } from "./overlay.js";
import { SCALE_STRINGS } from "./view_base.js";

/** Words about one scene. */
export class ExplorerReadout {
  /** @param {{mapSet: object, projection: object, values: object, strings: object}} scene */
  constructor({ mapSet, projection, values, strings }) {
    this.mapSet = mapSet;
    this.projection = projection;
    this.values = values;
    this.strings = strings;
    this.heads = shownHeads(values);
    const { token, key } = values;
    /** The pinned row, -1 for none, also while it is hidden. */
    this.row = token === null ? -1 : projection.rowOf(token);
    /** The pinned column, -1 for none. */
    this.column = this.row < 0 || key === null ? -1 : projection.columnOf(key);
  }

  /** False as long as the weights of the shown layer are on their way. */
  get isHere() {
    return this.mapSet.hasLayer(this.values.layer);
  }

  /** "Layer 2, head 1", or which heads a picture is the mean or the overlay of. */
  get head() {
    return this.#named(this.strings.headsOfLayer);
  }

  /** Heading of the picture in the middle and its qualifier. @returns {[string, string]} */
  get title() {
    const { mapSet, strings, values } = this;
    const layer = fill(strings.layer, values);
    if (values.view === "grid") return [strings.allHeads, strings.allHeadsHint];
    if (values.view === "heads") return [layer, strings.headsHint];
    if (values.view === "lines") return [this.head, this.#from];
    const isCross = mapSet.queryLabel && mapSet.keyLabel;
    const sides = `${mapSet.queryLabel} → ${mapSet.keyLabel}`;
    return [this.#named(strings.meanOfHeads), isCross ? sides : strings.rowsLookAt];
  }

  /** What full colour means in a map. */
  get fullColour() {
    const { strings, values } = this;
    const isMean = values.view === "matrix" && this.heads.length > 1 && values.scale === "head";
    return isMean ? strings.legendMean : strings[SCALE_STRINGS[values.scale][1]];
  }

  /** What the picture leaves out, or draws otherwise than the model computed it. */
  get notes() {
    const { mapSet, projection, strings, values } = this;
    const isOverview = values.view === "grid" && mapSet.thumbnails !== null;
    if (isOverview && !projection.isIdentity) return strings.overviewWhole;
    const isLess = !values.specials || values.sink || values.part !== "";
    const notes = [];
    if (isLess) notes.push(strings.notOne);
    if (values.merge) notes.push(strings.mergedNote);
    return notes.join(" ");
  }

  /** What a screen reader says after a choice. */
  get spoken() {
    const { column, row, strings, values } = this;
    if (values.view === "grid" || values.view === "heads") {
      return this.describe({ layer: values.layer, head: values.head });
    }
    if (!this.isHere) return `${this.head}. ${fill(strings.fetching, values)}`;
    if (row < 0) return `${this.head}. ${strings.chooseToken}`;
    const query = quoted(this.projection.rows[row].label);
    if (this.projection.isRowMasked(row)) {
      return `${this.head}. ${fill(strings.looksNowhere, { query })}`;
    }
    if (column >= 0) return `${this.head}: ${this.#cell(this.heads, row, column)}`;
    const weights = this.weights(this.heads, row);
    const [best] = strongest(weights, 1);
    const key = quoted(this.projection.columns[best].label);
    const weight = formatWeight(weights[best], weights[best]);
    return fill(strings.attends, { head: this.head, query, key, weight });
  }

  /**
   * The note at what the pointer is over; null where there is nothing to say.
   *
   * @param {{layer: number, head?: number, row?: number, column?: number}} what
   * @param {boolean} [isMean] whether the picture shows the chosen heads as one
   */
  describe({ layer, head, row, column }, isMean = false) {
    if (row !== undefined && column !== undefined) {
      const heads = isMean ? this.heads : [head];
      const cell = this.#cell(heads, row, column, layer);
      const isClear = head === undefined || (isMean && heads.length > 1) || this.#isAlone(head);
      return isClear ? cell : `${fill(this.strings.head, { layer, head })} · ${cell}`;
    }
    if (head === undefined || row !== undefined || column !== undefined) return null;
    const name = fill(this.strings.head, { layer, head });
    const best = this.projection.strongestOfHead(layer, head);
    if (!best) return name;
    const pair = fill(this.strings.strongest, {
      query: quoted(this.projection.rows[best.row].label),
      key: quoted(this.projection.columns[best.column].label),
      weight: formatWeight(best.weight, best.weight),
    });
    return `${name} · ${pair}`;
  }

  /**
   * The weights of a row, as the mean of some heads.
   *
   * @param {number[]} heads
   * @param {number} row
   * @param {number} [layer]
   * @returns {Float32Array}
   */
  weights(heads, row, layer = this.values.layer) {
    const mean = new Float32Array(this.projection.columns.length);
    for (const head of heads) {
      this.projection
        .row(layer, head, row)
        .forEach((weight, column) => (mean[column] += weight / heads.length));
    }
    return mean;
  }

  #cell(heads, row, column, layer = this.values.layer) {
    const { projection, strings } = this;
    const query = quoted(projection.rows[row].label);
    const key = quoted(projection.columns[column].label);
    const weights = this.weights(heads, row, layer);
    const isExact = heads.every((head) => projection.isExact(layer, head, row));
    let weight = isExact
      ? formatNumber(weights[column])
      : formatWeight(weights[column], Math.max(...weights));
    if (heads.every((head) => projection.isSink(layer, head, column))) weight = strings.sinkMasked;
    if (projection.isCellMasked(row, column)) weight = strings.masked;
    return fill(strings.cell, { query, key, weight });
  }

  /** True where the heading names the head already. */
  #isAlone(head) {
    const { values } = this;
    const isOneMap = values.view === "matrix" || values.view === "lines";
    return isOneMap && this.heads.length === 1 && head === values.head;
  }

  #named(template) {
    const { layer, head } = this.values;
    if (this.heads.length === 1) return fill(this.strings.head, { layer, head });
    return fill(template, { layer, list: this.heads.join(", ") });
  }

  get #from() {
    if (this.row < 0) return this.strings.fromAll;
    return fill(this.strings.from, { token: quoted(this.projection.rows[this.row].label) });
  }
}
