/** The likeliest pieces of a step, of all that the vocabulary has. */

import { bar, element, setBar } from "../../js/lib/dom.js";
import { fill, percent } from "../../js/lib/format.js";

/** The card. */
export class Softmax {
  constructor() {
    this.title = element("h2");
    this.hint = element("span", { class: "hint" });
    this.list = element("ol", { class: "candidates" });
    this.note = element("p", { class: "readout" });
    this.node = element("article", { class: "softmax" }, [
      element("div", { class: "title" }, [this.title, this.hint]),
      this.list,
      this.note,
    ]);
  }

  show(data, step) {
    const { strings } = data;
    const { candidates, share, rank } = data.steps[step];
    this.title.textContent = strings.next;
    this.hint.textContent = ` · ${strings.nextHint}`;
    this.list.setAttribute("aria-label", `${strings.next}, ${strings.nextHint}`);
    const shown = candidates.map(([piece, one], at) => ({ piece, share: one, at }));
    if (rank >= candidates.length) shown.push({ piece: data.written[step], share, at: rank });
    while (this.list.children.length > shown.length) this.list.lastChild.remove();
    for (const [place, one] of shown.entries()) {
      if (!this.list.children[place]) this.list.append(emptyLine());
      fillLine(this.list.children[place], one, candidates[0][1], one.at === rank);
    }
    const rest = 1 - shown.reduce((sum, one) => sum + one.share, 0);
    const others = fill(strings.others, { share: percent(Math.max(rest, 0)) });
    this.note.textContent =
      rank === 0 ? others : `${fill(strings.notArgmax, { rank: rank + 1 })} ${others}`;
  }
}

function emptyLine() {
  return element("li", {}, [
    element("bdi", { class: "token" }),
    bar(),
    element("span", { class: "share" }),
  ]);
}

function fillLine(line, { piece, share, at }, longest, isWritten) {
  const [token, length, text] = line.children;
  token.textContent = piece;
  token.title = piece;
  setBar(length, share, longest);
  text.textContent = percent(share);
  line.value = at + 1;
  if (isWritten) line.setAttribute("aria-current", "true");
  else line.removeAttribute("aria-current");
}
