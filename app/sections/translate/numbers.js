/** The weights of a step as a table, for those who do not see the maps, or want the numbers. */

import { element } from "../../js/lib/dom.js";

/** The table, made when it is opened. */
export class Numbers {
  constructor() {
    this.summary = element("summary");
    this.room = element("div", { class: "rows", tabindex: "0" });
    this.node = element("details", {}, [this.summary, this.room]);
    this.node.addEventListener("toggle", () => this.#fill());
  }

  /**
   * @param {string} name of the table
   * @param {{title: string, tokens: string[], weights: Float32Array}[]} columns one a map
   */
  show(name, columns) {
    this.summary.textContent = name;
    this.room.setAttribute("aria-label", name);
    this.columns = columns;
    this.#fill();
  }

  #fill() {
    if (!this.node.open || !this.columns) return;
    this.room.replaceChildren(...this.columns.map(table));
  }
}

function table({ title, tokens, weights }) {
  const rows = tokens.map((token, at) =>
    element("tr", {}, [
      element("th", { scope: "row" }, [element("bdi", {}, [token])]),
      element("td", {}, [weights[at].toFixed(4)]),
    ]),
  );
  return element("table", {}, [
    element("caption", {}, [title]),
    element("tbody", {}, rows),
  ]);
}
