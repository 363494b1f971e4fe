/** What could stand in the place of a mask, as bars to choose from, and the sentence read back. */

import { bar, element, setBar } from "../../js/lib/dom.js";
import { roving } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { Shared } from "../../js/lib/shared.js";

class Predictions {
  constructor(root) {
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.top = element("select");
    this.topName = element("span");
    this.tabs = element("div", { class: "tabs", role: "tablist" });
    this.list = element("ol", { class: "candidates" });
    this.readback = element("p", { class: "readback", dir: "auto", "aria-live": "polite" });
    const label = element("label", { class: "top" }, [this.topName, this.top]);
    const head = element("div", { class: "head" }, [
      element("div", {}, [this.heading, this.hint]),
      label,
    ]);
    root.replaceChildren(head, this.tabs, this.list, this.readback);
    this.counted = new Shared(0);
    this.chosen = new Shared(0);
    this.moving = roving(this.list, "button");
    this.movingTabs = roving(this.tabs, "button");
    this.#listen();
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    this.counted.take(data.top, data.answered.top);
    this.chosen.take(data.chosen, data.answered.choice);
    const { strings } = data;
    this.heading.textContent = strings.title;
    this.hint.textContent = data.hint ? ` · ${data.hint}` : "";
    this.topName.textContent = strings.top;
    this.top.setAttribute("aria-label", strings.top);
    this.#drawTop(data.most);
    this.#drawTabs();
    this.#drawList();
    this.#readBack();
  }

  #listen() {
    this.top.addEventListener("change", () => {
      const count = Number(this.top.value);
      this.counted.set(count, this.send("top", { number: count }));
      this.#drawList();
    });
    this.tabs.addEventListener("click", (event) => {
      const tab = event.target.closest("button");
      if (!tab) return;
      this.#select(tab);
      this.send("mask", { number: Number(tab.dataset.mask) });
    });
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const index = Number(button.dataset.index);
      this.chosen.set(index, this.send("choice", { mask: this.data.mask, index }));
      this.#markChosen();
      this.#readBack();
    });
  }

  #drawTop(most) {
    if (this.top.options.length !== most) {
      const numbers = Array.from({ length: most }, (_, at) => String(at + 1));
      this.top.replaceChildren(...numbers.map((one) => element("option", { value: one }, [one])));
    }
    this.top.value = String(this.counted.value);
  }

  #drawTabs() {
    const { masks, mask, strings } = this.data;
    this.tabs.hidden = masks.length < 2;
    this.tabs.setAttribute("aria-label", strings.masks);
    if (this.tabs.hidden) {
      this.tabs.replaceChildren();
      return;
    }
    while (this.tabs.children.length > masks.length) this.tabs.lastChild.remove();
    for (const [at, { name, word }] of masks.entries()) {
      let tab = this.tabs.children[at];
      if (!tab) {
        tab = element("button", { type: "button", role: "tab", "data-mask": String(at) });
        this.tabs.append(tab);
      }
      tab.replaceChildren(`${at + 1} · `, element("bdi", {}, [word]));
      tab.setAttribute("aria-label", name);
    }
    this.#select(this.tabs.children[mask]);
  }

  #select(chosen) {
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-selected", String(tab === chosen));
    }
    this.movingTabs.update(chosen);
    const { left, right } = this.tabs.getBoundingClientRect();
    const place = chosen.getBoundingClientRect();
    if (place.right > right) this.tabs.scrollLeft += place.right - right;
    if (place.left < left) this.tabs.scrollLeft -= left - place.left;
  }

  #drawList() {
    const { candidates, strings } = this.data;
    const shown = candidates.slice(0, this.counted.value);
    this.list.setAttribute("aria-label", strings.candidates);
    this.list.style.setProperty("--rows", String(this.counted.value));
    while (this.list.children.length > shown.length) this.list.lastChild.remove();
    for (const [at, one] of shown.entries()) {
      if (!this.list.children[at]) this.list.append(emptyLine(at));
      fillLine(this.list.children[at].firstChild, one, candidates[0].share);
    }
    this.#markChosen();
  }

  #markChosen() {
    for (const { firstChild: button } of this.list.children) {
      const chosen = Number(button.dataset.index) === this.chosen.value;
      button.setAttribute("aria-pressed", String(chosen));
    }
    this.moving.update();
  }

  #readBack() {
    const { sentence, mask, candidates, chosen } = this.data;
    const nodes = [];
    for (const part of sentence) {
      if (part.mask === null) {
        nodes.push(part.text);
        continue;
      }
      // The others are as the server knows them; this one may have been chosen just now.
      const now = part.mask === mask && this.chosen.value !== chosen;
      const { text, joins } = now ? candidates[this.chosen.value] : part;
      // A piece that goes on with a word stands close to what is before it.
      if (joins && typeof nodes.at(-1) === "string") nodes.push(nodes.pop().trimEnd());
      const name = part.mask === mask ? "filled current" : "filled";
      nodes.push(element("b", { class: name }, [text]));
    }
    const words = nodes.map((node) => node.textContent ?? node).join("");
    if (words !== this.readback.textContent || this.readback.dataset.mask !== String(mask)) {
      this.readback.replaceChildren(...nodes);
      this.readback.dataset.mask = String(mask);
    }
    // Who has no mouse scrolls with the keys.
    if (this.readback.scrollHeight > this.readback.clientHeight) this.readback.tabIndex = 0;
    else this.readback.removeAttribute("tabindex");
  }
}

function emptyLine(at) {
  const parts = [element("bdi", { class: "token" }), bar(), element("span", { class: "share" })];
  const attributes = { type: "button", class: "candidate", "data-index": String(at) };
  return element("li", {}, [element("button", attributes, parts)]);
}

function fillLine(button, { word, share, percent }, longest) {
  const [token, line, text] = button.children;
  token.textContent = word;
  token.title = word;
  setBar(line, share, longest);
  text.textContent = percent;
}

export const mount = mounting(".predictions", Predictions);
