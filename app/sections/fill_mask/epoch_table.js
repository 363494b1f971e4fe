/** Tokens by epochs, once for static and once for dynamic masking: a table to walk through. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { isReserved } from "../../js/lib/keyboard.js";

export class EpochTable {
  constructor() {
    this.table = element("table", { class: "epochs", role: "grid" });
    this.node = element("div", { class: "scroller" }, [this.table]);
    this.words = element("p", { class: "words" });
    this.cell = [0, 0];
    this.table.addEventListener("focusin", (event) => this.#arrive(event.target));
    this.table.addEventListener("focusout", () => this.#say(null));
    this.table.addEventListener("pointerover", (event) => {
      this.#say(event.target.closest("td") ?? this.#focused());
    });
    this.table.addEventListener("pointerleave", () => this.#say(this.#focused()));
    this.table.addEventListener("keydown", (event) => this.#move(event));
  }

  /** @param {object} data of the card */
  show(data) {
    const hadFocus = this.#focused() !== null;
    this.strings = data.strings;
    this.table.setAttribute("aria-label", data.strings.table);
    this.table.style.setProperty("--columns", String(data.tokens.length));
    const head = element("thead", {}, [headRow(data)]);
    const bodies = data.groups.map((group) => this.#body(group, data));
    this.table.replaceChildren(head, ...bodies);
    this.rows = [...this.table.querySelectorAll("tr.epoch")].map((row) => [
      ...row.querySelectorAll("td"),
    ]);
    const [row, column] = this.cell;
    this.cell = [
      Math.min(row, this.rows.length - 1),
      Math.min(column, data.tokens.length - 1),
    ];
    const cell = this.rows[this.cell[0]][this.cell[1]];
    cell.tabIndex = 0;
    if (hadFocus) cell.focus();
    this.#say(this.#focused());
  }

  #body({ title, hint, count, rows }, { tokens }) {
    const words = element("div", { class: "group-words" }, [
      element("span", {}, [element("strong", {}, [title]), ` · ${hint}`]),
      element("span", { class: "count" }, [count]),
    ]);
    const group = element("tr", { class: "group" }, [
      element("th", { scope: "rowgroup", colspan: String(tokens.length + 1) }, [words]),
    ]);
    return element("tbody", {}, [
      group,
      ...rows.map((row, at) => this.#row(row, at + 1, tokens)),
    ]);
  }

  #row({ name, draws }, number, tokens) {
    const chosen = new Map(draws.map((draw) => [draw.at, draw]));
    const cells = tokens.map((token, at) => {
      const draw = chosen.get(at);
      const cell = element("td", {
        "aria-label": this.#sentence(name, token, draw),
        "data-token": String(at),
        "data-corruption": draw?.corruption ?? "",
        tabindex: "-1",
      });
      if (draw) cell.append(element("bdi", { class: `piece ${draw.corruption}` }, [draw.seen]));
      else if (token.special) cell.className = "never";
      return cell;
    });
    const head = element("th", { scope: "row" }, [String(number)]);
    head.setAttribute("aria-label", name);
    return element("tr", { class: "epoch" }, [head, ...cells]);
  }

  /** What happened to a token in one epoch. */
  #sentence(epoch, { piece, special }, draw) {
    const token = `“${piece}”`;
    if (special) return fill(this.strings.special, { epoch, token });
    if (!draw) return fill(this.strings.left, { epoch, token });
    const { corruption, because, guessShare, share } = draw;
    const quoted = corruption === "mask" ? draw.seen : `“${draw.seen}”`;
    const happened = fill(this.strings[corruption], { epoch, token, because, seen: quoted });
    const guess = `“${draw.guess}”`;
    return `${happened} ${fill(this.strings.guess, { token, share, guess, guessShare })}`;
  }

  /** The cell that has the focus. @returns {HTMLElement | null} */
  #focused() {
    const active = this.table.getRootNode().activeElement;
    return active?.localName === "td" && this.table.contains(active) ? active : null;
  }

  #say(cell) {
    this.words.textContent = cell?.getAttribute("aria-label") ?? this.strings.hint;
    this.words.classList.toggle("hint", !cell);
  }

  #arrive(cell) {
    const row = this.rows.findIndex((cells) => cells.includes(cell));
    if (row < 0) return;
    this.rows[this.cell[0]][this.cell[1]].tabIndex = -1;
    this.cell = [row, this.rows[row].indexOf(cell)];
    cell.tabIndex = 0;
    this.#say(cell);
  }

  #move(event) {
    if (isReserved(event)) return;
    const [row, column] = this.cell;
    const targets = {
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      Home: [row, 0],
      End: [row, this.rows[row].length - 1],
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    this.rows[target[0]]?.[target[1]]?.focus();
  }
}

function headRow({ tokens, strings }) {
  const names = tokens.map(({ piece, special }) =>
    element("th", { scope: "col", class: special ? "special" : "" }, [element("bdi", {}, [piece])]),
  );
  return element("tr", {}, [element("th", { scope: "col" }, [strings.epoch]), ...names]);
}
