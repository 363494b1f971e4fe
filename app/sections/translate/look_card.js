/** How a recurrent decoder looks in one step: a score for each state, their softmax, the context. */

import { element } from "../../js/lib/dom.js";
import { fill, formatNumber, percent, quoted } from "../../js/lib/format.js";
import { partOf } from "../../js/lib/wire.js";

/** The card. */
export class LookCard {
  constructor() {
    this.title = element("h2");
    this.hint = element("span", { class: "hint" });
    this.head = element("tr");
    this.body = element("tbody");
    this.stack = element("div", { class: "stack", "aria-hidden": "true" });
    this.note = element("p", { class: "readout" });
    this.node = element("article", { class: "look" }, [
      element("div", { class: "title" }, [this.title, this.hint]),
      element("div", { class: "scroll", tabindex: "0" }, [
        element("table", {}, [element("thead", {}, [this.head]), this.body]),
      ]),
      this.stack,
      this.note,
    ]);
  }

  /**
   * @param {object} data
   * @param {number} step
   * @param {Float32Array} weights of this step over the source
   */
  show(data, step, weights) {
    const { strings, source } = data;
    const scores = partOf(data.scores, step);
    this.title.textContent = strings.look;
    this.hint.textContent = ` · ${strings.lookHint}`;
    this.node.querySelector(".scroll").setAttribute("aria-label", strings.look);
    this.head.replaceChildren(
      ...[strings.lookToken, strings.lookScore, strings.lookWeight].map((one, at) =>
        element("th", { scope: "col", class: at ? "number" : "" }, [one]),
      ),
    );
    const best = weights.reduce((found, one, at, all) => (one > all[found] ? at : found), 0);
    this.body.replaceChildren(...source.map((one, at) => this.#line(one, at, scores, weights, best)));
    this.#reveal(this.body.children[best]);
    this.stack.replaceChildren(
      ...source.map(({ text }, at) => {
        const part = element("span", {}, [weights[at] > 0.08 ? text : ""]);
        part.style.flexGrow = String(weights[at]);
        part.style.setProperty("--weight", String(weights[at]));
        return part;
      }),
    );
    this.note.textContent = fill(strings.lookNote, {
      key: quoted(source[best].text),
      share: percent(weights[best]),
    });
  }

  /** As far down as a row needs: a long source has more rows than there is room for. */
  #reveal(row) {
    const room = row.closest(".scroll");
    room.scrollTop = 0;
    room.scrollTop = row.getBoundingClientRect().bottom - room.getBoundingClientRect().bottom;
  }

  #line({ text, kind }, at, scores, weights, best) {
    const masked = kind === "padding";
    const row = element("tr", at === best ? { "aria-current": "true" } : {}, [
      element("th", { scope: "row" }, [element("bdi", {}, [text])]),
      element("td", { class: "number" }, [masked ? "−∞" : formatNumber(scores[at], 2)]),
      element("td", { class: "number" }, [weights[at].toFixed(3)]),
    ]);
    row.style.setProperty("--weight", String(weights[at]));
    return row;
  }
}
