/** The numbers of one cell on both sides, or of the pair of heads where no cell is looked at. */

import { element } from "../../js/lib/dom.js";
import { fill, quoted } from "../../js/lib/format.js";
import { readable, signed } from "./numbers.js";

/**
 * The cell where two maps differ most.
 *
 * @param {import("./one_map.js").OneMap} difference
 * @returns {{row: number, column: number, value: number}}
 */
export function largestDifference({ weights, columns }) {
  let place = 0;
  weights.forEach((value, at) => {
    if (Math.abs(value) > Math.abs(weights[place])) place = at;
  });
  const width = columns.length;
  return { row: Math.floor(place / width), column: place % width, value: weights[place] };
}

/** The panel. */
export class CellReadout {
  constructor() {
    this.where = element("p", { class: "where" });
    this.body = element("tbody");
    this.node = element("div", { class: "cell" }, [
      this.where,
      element("table", {}, [this.body]),
    ]);
  }

  /**
   * @param {{left: object, right: object, both: object}} maps of `one_map.js`
   * @param {{row: number, column: number} | null} cell
   * @param {{titles: {left: string, right: string}, apart: number, strings: object}} said
   * @returns {string} the same in one sentence
   */
  show(maps, cell, { titles, apart, strings }) {
    const shown = cell ?? largestDifference(maps.both);
    const name = nameOf(maps, shown, strings);
    const rows = [
      ["left", titles.left, readable(maps.left.at(shown))],
      ["right", titles.right, readable(maps.right.at(shown))],
      ["both", strings.difference, signed(maps.both.at(shown))],
    ];
    this.where.textContent = cell ? name : fill(strings.largest, { cell: name });
    this.body.replaceChildren(
      ...rows.map(([side, title, number]) =>
        element("tr", { class: side }, [
          element("th", { scope: "row" }, [element("bdi", {}, [title])]),
          element("td", {}, [number]),
        ]),
      ),
    );
    const numbers = rows.map(([, title, number]) => `${title} ${number}`).join(", ");
    return cell
      ? `${name}: ${numbers}`
      : `${fill(strings.apart, { apart: readable(apart) })} ${this.where.textContent}: ${numbers}`;
  }
}

function nameOf({ left, right }, { row, column }, strings) {
  return fill(strings.cell, {
    query: bothNames(left.rows[row].label, right.rows[row].label),
    key: bothNames(left.columns[column].label, right.columns[column].label),
  });
}

function bothNames(one, other) {
  return one === other ? quoted(one) : `${quoted(one)} / ${quoted(other)}`;
}
