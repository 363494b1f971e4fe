/** The same numbers as a table, for who reads rather than looks. */

import { element } from "../../js/lib/dom.js";
import { formatNumber } from "../../js/lib/format.js";

const MOST_ROWS = 64;

export class NumbersTable {
  constructor() {
    this.summary = element("summary");
    this.head = element("thead");
    this.body = element("tbody");
    this.scroller = element("div", { class: "rows", tabindex: "0", role: "region" }, [
      element("table", {}, [this.head, this.body]),
    ]);
    this.node = element("details", {}, [this.summary, this.scroller]);
    this.node.addEventListener("toggle", () => this.#fill());
  }

  /** @param {object} payload @param {object} map the one that is drawn @param {object} strings */
  show(payload, map, strings) {
    this.count = Math.min(payload.count, MOST_ROWS);
    this.map = map;
    this.summary.textContent = strings.numbers;
    this.scroller.setAttribute("aria-label", strings.numbers);
    const titles = strings.columns.map((title) => element("th", { scope: "col" }, [title]));
    this.head.replaceChildren(element("tr", {}, titles));
    this.#fill();
  }

  // Nobody waits for rows that nobody sees.
  #fill() {
    if (!this.node.open) return;
    const { means, least, most, before } = this.map;
    this.body.replaceChildren(
      ...Array.from({ length: this.count }, (_, distance) =>
        element("tr", {}, [
          element("th", { scope: "row" }, [String(distance)]),
          ...[means, least, most, before].map((row) =>
            element("td", {}, [formatNumber(row[distance], 4)]),
          ),
        ]),
      ),
    );
  }
}
