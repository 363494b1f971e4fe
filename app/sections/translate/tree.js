/** The search as a tree: every beginning that was kept, step by step, from left to right. */

import { element } from "../../js/lib/dom.js";
import { fill, percent, quoted } from "../../js/lib/format.js";

const COLUMN = 112;
const ROW = 28;
const CHIP = { width: 84, height: 20 };
const EDGE = 6;
const LETTERS = 9; // of a piece that have room beside its probability
const SVG = "http://www.w3.org/2000/svg";

/** The card. */
export class Tree {
  /** @param {{onStep: (step: number) => void, onFollow: (number: number) => void}} listeners */
  constructor({ onStep, onFollow }) {
    this.title = element("h2");
    this.hint = element("span", { class: "hint" });
    this.room = element("div", { class: "forest", tabindex: "0", role: "group" });
    this.list = element("ol", { class: "found" });
    this.listTitle = element("h2");
    this.listHint = element("span", { class: "hint" });
    this.node = element("div", { class: "search" }, [
      element("article", { class: "tree" }, [
        element("div", { class: "title" }, [this.title, this.hint]),
        this.room,
      ]),
      element("article", { class: "results" }, [
        element("div", { class: "title" }, [this.listTitle, this.listHint]),
        this.list,
      ]),
    ]);
    this.room.addEventListener("click", ({ target }) => {
      const node = target.closest("[data-step]");
      if (node) onStep(Number(node.dataset.step));
    });
    this.list.addEventListener("change", ({ target }) => onFollow(Number(target.value)));
  }

  show(data, step) {
    const { strings } = data;
    this.title.textContent = strings.tree;
    this.hint.textContent = ` · ${strings.treeHint}`;
    this.room.setAttribute("aria-label", strings.treeLabel);
    this.listTitle.textContent = strings.found;
    this.listHint.textContent = ` · ${strings.foundHint}`;
    if (this.identity !== data.identity) {
      this.identity = data.identity;
      this.#plant(data);
      this.#list(data);
    }
    // The search may have gone on after the translation that is watched was complete.
    const isLast = step === data.steps.length - 1;
    for (const part of this.room.querySelectorAll("[data-step]")) {
      const at = Number(part.dataset.step);
      part.classList.toggle("coming", at > step && !isLast);
      part.classList.toggle("now", at === step);
    }
    this.light.setAttribute("x", String(step * COLUMN));
    this.#lookAt(step);
  }

  #plant({ tree, path, strings }) {
    const used = [];
    const spots = tree.map(({ step }) => {
      used[step] = (used[step] ?? 0) + 1;
      return { x: step * COLUMN + EDGE, y: EDGE + (used[step] - 1) * ROW };
    });
    const height = Math.max(...used) * ROW + EDGE;
    const width = used.length * COLUMN;
    const onPath = new Set(path);
    this.light = shape("rect", { class: "light", x: 0, y: 0, width: COLUMN, height, rx: 6 });
    const edges = tree.map((node, at) => edge(node, spots, at, onPath.has(at)));
    const chips = tree.map((node, at) => chip(node, spots[at], onPath.has(at), strings));
    const picture = shape("svg", {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": strings.treeLabel,
    });
    picture.append(this.light, ...edges.filter(Boolean), ...chips);
    this.room.replaceChildren(picture);
  }

  /** Whole translations; one of them is watched. */
  #list({ found, followed, strings }) {
    this.list.replaceChildren(
      ...found.map(({ text, about }, at) => {
        const attributes = { type: "radio", name: "followed", value: String(at) };
        const input = element("input", attributes);
        input.checked = at === followed;
        const words = element("span", {}, [
          element("span", { class: "whole", dir: "auto" }, [text || strings.nothing]),
          element("span", { class: "about" }, [about]),
        ]);
        return element("li", {}, [element("label", {}, [input, words])]);
      }),
    );
  }

  /** Bring the column of the step into sight, and move nothing where it is. */
  #lookAt(step) {
    const { scrollLeft, clientWidth } = this.room;
    const [left, right] = [step * COLUMN, (step + 1) * COLUMN];
    if (left < scrollLeft) this.room.scrollLeft = left - COLUMN;
    if (right > scrollLeft + clientWidth) this.room.scrollLeft = right - clientWidth + EDGE;
  }
}

function edge({ parent, step, state }, spots, at, isOnPath) {
  if (parent < 0) return null;
  const [from, to] = [spots[parent], spots[at]];
  const x = from.x + CHIP.width;
  const [start, end] = [from.y + CHIP.height / 2, to.y + CHIP.height / 2];
  const middle = (x + to.x) / 2;
  return shape("path", {
    class: `edge ${state}${isOnPath ? " path" : ""}`,
    "data-step": step,
    d: `M${x} ${start}C${middle} ${start} ${middle} ${end} ${to.x} ${end}`,
  });
}

function chip({ piece, share, step, state, log }, { x, y }, isOnPath, strings) {
  const node = shape("g", { class: `chip ${state}${isOnPath ? " path" : ""}`, "data-step": step });
  const box = shape("rect", { x, y, ...CHIP, rx: 5 });
  const letters = Array.from(piece);
  const cut = letters.length > LETTERS ? `${letters.slice(0, LETTERS - 1).join("")}…` : piece;
  const name = shape("text", { x: x + 5, y: y + 14, class: "piece" });
  name.textContent = cut;
  const number = shape("text", { x: x + CHIP.width - 4, y: y + 14, class: "number" });
  number.textContent = share > 0 && share < 0.005 ? "<1" : String(Math.round(100 * share));
  const title = shape("title", {});
  const values = { piece: quoted(piece), share: percent(share), log, state: strings.states[state] };
  title.textContent = fill(strings.node, values);
  node.append(title, box, name, number);
  return node;
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [one, value] of Object.entries(attributes)) node.setAttribute(one, String(value));
  return node;
}
