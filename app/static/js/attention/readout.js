/** What the picture says, in words: headings, summary, table, spoken line, hover note. */

import { element } from "../lib/dom.js";
import { fill, formatWeight, quoted, strongest } from "../lib/format.js";

const IN_WORDS = 3;
const IN_TABLE = 10;

/** Words about one scene. */
export class Readout {
  /**
   * @param {import("./map_set.js").MapSet} mapSet
   * @param {object} values settings
   * @param {Record<string, string>} strings
   */
  constructor(mapSet, values, strings) {
    this.mapSet = mapSet;
    this.values = values;
    this.strings = strings;
  }

  /** "Layer 2, head 1" */
  get head() {
    return fill(this.strings.head, this.values);
  }

  /** "from “it”" */
  get from() {
    const { token } = this.values;
    if (token === null) return this.strings.fromAll;
    return fill(this.strings.from, { token: quoted(this.mapSet.queryTokens[token]) });
  }

  /** False as long as the weights of the shown layer are on their way. */
  get isHere() {
    return this.mapSet.hasLayer(this.values.layer);
  }

  /** The strongest keys in one sentence. */
  get summary() {
    const { mapSet, strings } = this;
    const { layer, token } = this.values;
    if (!this.isHere) return fill(strings.fetching, { layer });
    if (token === null) return strings.chooseToken;
    const query = quoted(mapSet.queryTokens[token]);
    if (mapSet.isRowMasked(token)) return fill(strings.looksNowhere, { query });
    const list = this.#strongestKeys(IN_WORDS).map(({ key, weight }) =>
      fill(strings.keyWeight, { key: quoted(key), weight }),
    );
    return fill(strings.looksMost, { query, list: list.join(", ") });
  }

  /** What a screen reader says after a choice. */
  get spoken() {
    const { token } = this.values;
    if (!this.isHere || token === null || this.mapSet.isRowMasked(token)) {
      return `${this.head}. ${this.summary}`;
    }
    const [{ key, weight }] = this.#strongestKeys(1);
    const query = quoted(this.mapSet.queryTokens[token]);
    return fill(this.strings.attends, { head: this.head, query, key: quoted(key), weight });
  }

  /** The note at a hovered head. */
  hoverNote({ layer, head }) {
    const name = fill(this.strings.head, { layer, head });
    const best = this.mapSet.strongestOfHead(layer, head);
    if (!best) return name;
    const strongestPair = fill(this.strings.strongest, {
      query: quoted(this.mapSet.queryTokens[best.query]),
      key: quoted(this.mapSet.keyTokens[best.key]),
      weight: formatWeight(best.weight, best.weight),
    });
    return `${name} · ${strongestPair}`;
  }

  /** The strongest keys as a table. @returns {HTMLTableElement} */
  get table() {
    const { strings, values } = this;
    const { isHere, mapSet } = this;
    const hasRow = isHere && values.token !== null && !mapSet.isRowMasked(values.token);
    const entries = hasRow ? this.#strongestKeys(IN_TABLE) : [];
    const caption = fill(strings.tableCaption, { head: this.head, from: this.from });
    const columns = [strings.token, strings.position, strings.weight];
    const rows = entries.map(({ key, position, weight }) =>
      element("tr", {}, [
        element("th", { scope: "row", dir: "auto" }, [key]),
        element("td", {}, [String(position)]),
        element("td", {}, [weight]),
      ]),
    );
    if (rows.length === 0) {
      rows.push(element("tr", {}, [element("td", { colspan: "3" }, [this.summary])]));
    }
    return element("table", {}, [
      element("caption", {}, [caption]),
      element("thead", {}, [
        element(
          "tr",
          {},
          columns.map((name) => element("th", { scope: "col" }, [name])),
        ),
      ]),
      element("tbody", {}, rows),
    ]);
  }

  #strongestKeys(count) {
    const { layer, head, token } = this.values;
    const weights = this.mapSet.row(layer, head, token);
    const largest = this.mapSet.scales[this.mapSet.rowIndex(layer, head, token)];
    return strongest(weights, count).map((position) => ({
      position,
      key: this.mapSet.keyTokens[position],
      weight: formatWeight(weights[position], largest),
    }));
  }
}
