/** What could have come at a step: ten bars, and the piece that was drawn beyond them. */

import { bar, element, setBar } from "../../js/lib/dom.js";

const ROOM = 11; // rows that are kept, so that nothing jumps

export class Options {
  constructor() {
    this.node = element("ol", { class: "options" });
  }

  /**
   * @param {{options: [string, number, number][], chosen: number}} step
   * @param {object} strings
   */
  show({ options, chosen }, strings) {
    const longest = options[0][1];
    this.node.setAttribute("aria-label", strings.options);
    this.node.style.setProperty("--rows", String(ROOM));
    this.node.replaceChildren(
      ...options.map(([piece, probability], at) => {
        const line = bar();
        setBar(line, probability, longest);
        const token = element("bdi", { class: "token", title: piece }, [piece]);
        const share = element("span", { class: "share" }, [shareOf(probability)]);
        const row = element("li", { class: "option" }, [token, line, share]);
        if (at !== chosen) return row;
        row.dataset.chosen = "true";
        row.title = at === ROOM - 1 ? strings.unlikely : strings.chosen;
        token.append(element("span", { class: "spoken" }, [` (${row.title})`]));
        return row;
      }),
    );
  }
}

/** With a digit where whole per cents say nothing. */
function shareOf(probability) {
  const percent = 100 * probability;
  if (percent >= 9.95) return `${percent.toFixed(0)}\u00a0%`;
  return percent >= 0.05 ? `${percent.toFixed(1)}\u00a0%` : "< 0.1\u00a0%";
}
