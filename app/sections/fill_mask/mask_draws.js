/** Random masking as in training: one reading draw by draw, or a table of tokens by epochs. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { DrawAxis } from "./draw_axis.js";
import { DrawStrip } from "./draw_strip.js";
import { EpochTable } from "./epoch_table.js";

/** The tokens with their uniform numbers, the draws on a line, and the chosen tokens in a table. */
class DrawsCard {
  constructor(root, life) {
    this.notes = element("div", { class: "notes" });
    this.strip = new DrawStrip();
    this.decisions = element("div", { class: "notes" });
    this.axis = new DrawAxis(life);
    this.caption = element("caption", { class: "unseen" });
    this.head = element("thead");
    this.body = element("tbody");
    const table = element("table", { class: "chosen" }, [this.caption, this.head, this.body]);
    this.scroller = element("div", { class: "rows" }, [table]);
    const parts = [this.notes, this.strip.node, this.decisions, this.axis.node, this.scroller];
    root.replaceChildren(...parts);
  }

  show(data) {
    const { strings, draws, tokens, corruptions } = data;
    showNotes(this.notes, data.notes);
    this.strip.show(data);
    showNotes(this.decisions, data.decisions);
    this.axis.show(data);
    this.caption.textContent = strings.table;
    const titles = strings.columns.map((title) => element("th", { scope: "col" }, [title]));
    this.head.replaceChildren(element("tr", {}, titles));
    this.body.replaceChildren(
      ...draws.map((draw) => chosenRow(draw, tokens[draw.at].piece, corruptions, strings)),
    );
    reachable(this.scroller, strings.table);
  }
}

function chosenRow(draw, token, corruptions, strings) {
  const { at, corruption, because, seen, guess, guessShare, share } = draw;
  const cell = (...children) => element("td", {}, children);
  const why = fill(strings.corruption, { draw: because, corruption: corruptions[corruption] });
  return element("tr", { "data-token": String(at), "data-corruption": corruption }, [
    element("th", { scope: "row" }, [element("bdi", { class: "token" }, [token])]),
    cell(why),
    cell(element("bdi", { class: `token piece ${corruption}` }, [seen])),
    cell(element("bdi", { class: "token" }, [guess]), ` ${guessShare}`),
    cell(share),
  ]);
}

/** The table of epochs, and words about it. */
class EpochsCard {
  constructor(root) {
    this.notes = element("div", { class: "notes" });
    this.table = new EpochTable();
    root.replaceChildren(this.table.node, this.table.words, this.notes);
  }

  show(data) {
    this.table.show(data);
    showNotes(this.notes, data.notes);
    reachable(this.table.node, data.strings.table);
  }
}

function showNotes(node, notes) {
  node.hidden = notes.length === 0;
  node.replaceChildren(...notes.map((note) => element("p", {}, [note])));
}

/** Who has no mouse scrolls with the keys, unless something inside takes them. */
function reachable(scroller, label) {
  const inside = scroller.querySelector("[tabindex]");
  if (!inside && scroller.scrollHeight > scroller.clientHeight) {
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", label);
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) scroller.removeAttribute(name);
  }
}

/** Either of them, as the data say. */
class MaskDraws {
  constructor(root, life) {
    Object.assign(this, { root, life });
  }

  show(data) {
    this.card ??= data.part === "draws" ? new DrawsCard(this.root, this.life) : new EpochsCard(this.root);
    this.card.show(data);
    this.root.dataset.drawn = "true";
  }
}

export const mount = mounting(".mask-draws", MaskDraws);
