/** An order of reading as masks: what each stream of XLNet may look at. */

import { AddressChoices } from "../../js/lib/choices.js";
import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";

const NAME = "order";

class Choices extends AddressChoices {
  constructor() {
    super([NAME]);
  }
}

class Orders {
  constructor(root) {
    this.root = root;
    this.choices = new Choices();
    this.own = []; // positions named so far
    this.query = null; // the row that is looked at
    this.presets = element("div", { class: "presets", role: "group" });
    this.words = element("div", { class: "words", role: "group" });
    this.hint = element("p", { class: "hint" });
    this.chain = element("div", { class: "chain" });
    this.masks = element("div", { class: "masks" });
    this.said = element("p", { class: "said", "aria-live": "polite" });
    const left = element("div", { class: "left" }, [
      this.presets, this.words, this.hint, this.chain, this.said,
    ]);
    root.replaceChildren(left, this.masks);
  }

  show(data) {
    this.data = data;
    this.known = new Map(data.orders.map((one) => [one.order.join("."), one]));
    const { lastScene } = Choices;
    this.choices.open(data);
    if (Choices.lastScene !== lastScene) {
      this.own = [];
      this.query = null;
    }
    this.#render();
    this.root.dataset.drawn = "true";
  }

  get order() {
    return this.known.get(this.choices.text(NAME)) ?? this.known.get(this.data.defaults[NAME]);
  }

  #choose(order) {
    this.own = [];
    this.query = null;
    this.choices.set({ [NAME]: order.join(".") });
    this.#render();
  }

  #render() {
    const { strings, presets, words } = this.data;
    const chosen = this.order;
    const { order } = chosen;
    this.query ??= order[order.length - 1];
    this.presets.setAttribute("aria-label", strings.presets);
    this.presets.replaceChildren(
      ...presets.map((one) => {
        const pressed = String(one.join(".") === order.join("."));
        const text = one.map((position) => position + 1).join(" – ");
        const node = element("button", { type: "button", "aria-pressed": pressed }, [text]);
        node.addEventListener("click", () => this.#choose(one));
        return node;
      }),
    );
    this.words.setAttribute("aria-label", strings.own);
    this.words.replaceChildren(
      ...words.map((word, position) => {
        const rank = this.own.length ? this.own.indexOf(position) : order.indexOf(position);
        const node = element("button", { type: "button", class: "word" }, [
          element("bdi", {}, [word]),
          element("sub", {}, [String(position + 1)]),
          element("span", { class: "rank" }, [rank < 0 ? "" : String(rank + 1)]),
        ]);
        node.setAttribute("aria-label", fill(strings.word, { word, at: position + 1 }));
        node.addEventListener("click", () => {
          if (this.own.includes(position)) return;
          this.own.push(position);
          if (this.own.length === words.length) this.#choose([...this.own]);
          else this.#render();
          this.words.children[position].focus();
        });
        return node;
      }),
    );
    this.hint.textContent = strings.ownHint;
    this.#renderChain(order);
    this.masks.replaceChildren(
      this.#mask(chosen.content, strings.content, strings.contentHint),
      this.#mask(chosen.query, strings.query, strings.queryHint),
    );
    this.#say(chosen);
    this.root.dataset.order = order.join(".");
  }

  #renderChain(order) {
    this.chain.replaceChildren(
      ...order.map((position, rank) => {
        const name = (at) => `x${at + 1}`;
        const before = order.slice(0, rank).map(name);
        const text = `p(${name(position)}${before.length ? ` | ${before.join(", ")}` : ""})`;
        const pressed = String(position === this.query);
        const node = element("button", { type: "button", "aria-pressed": pressed }, [text]);
        node.addEventListener("click", () => {
          this.query = position;
          this.#render();
          this.chain.children[rank].focus();
        });
        return node;
      }),
    );
  }

  #mask(rows, title, hint) {
    const { words, strings } = this.data;
    const heads = words.map((word, at) =>
      element("th", { scope: "col" }, [element("bdi", {}, [word]), element("sub", {}, [`${at + 1}`])]),
    );
    const body = rows.map((cells, row) =>
      element("tr", row === this.query ? { class: "chosen" } : {}, [
        element("th", { scope: "row" }, [
          element("bdi", {}, [words[row]]),
          element("sub", {}, [`${row + 1}`]),
        ]),
        ...cells.map((sees, column) => {
          const kind = sees ? (row === column ? "seen own" : "seen") : "unseen";
          const said = sees ? strings.sees : strings.seesNot;
          return element("td", { class: kind }, [element("span", { class: "sr" }, [said])]);
        }),
      ]),
    );
    return element("figure", {}, [
      element("figcaption", {}, [
        element("strong", {}, [title]),
        element("span", { class: "hint" }, [hint]),
      ]),
      element("table", {}, [
        element("thead", {}, [element("tr", {}, [element("td"), ...heads])]),
        element("tbody", {}, body),
      ]),
    ]);
  }

  #say({ order, query }) {
    const { strings, words } = this.data;
    const seen = order.filter((at) => query[this.query][at]).map((at) => at + 1);
    const values = { word: words[this.query], at: this.query + 1, list: seen.join(", ") };
    this.said.textContent = fill(seen.length ? strings.said : strings.saidNothing, values);
  }
}

export const mount = mounting(".family-orders", Orders);
