/** A sentence whose words can be hidden, and bars for what a model puts in their place. */

import { mounting } from "../../js/lib/picture.js";

function element(tag, className, children = []) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/**
 * A word as a button; while it is hidden, its mask stands there. Not a `<button>`: that is a box
 * of its own, so words of a right-to-left language would stand in the wrong order.
 */
function wordButton({ text, word, mask }) {
  const button = element("span", mask ? "word hidden-word" : "word", [mask || text]);
  button.setAttribute("role", "button");
  button.dataset.word = word;
  button.setAttribute("aria-pressed", String(Boolean(mask)));
  if (mask) button.dir = "ltr";
  if (mask && mask !== text) {
    button.title = text;
    button.setAttribute("aria-label", `${text} ${mask}`);
  }
  return button;
}

function candidate([word, share, percent]) {
  const bar = element("span", "bar", [element("span", "fill")]);
  bar.firstChild.style.width = `${Math.max(share * 100, 0.5)}%`;
  const line = element("span", "line", [element("bdi", "token", [word]), element("span", "share", [percent])]);
  return element("li", "", [line, bar]);
}

function guessRow({ label, candidates }) {
  const list = element("ol", "candidates", candidates.map(candidate));
  if (label) list.setAttribute("aria-label", label);
  return element("div", "row", label ? [element("p", "label", [label]), list] : [list]);
}

/** One word is in the tab order; arrow keys move on from it, Enter and Space choose. */
function listen(sentence, choose) {
  const words = [...sentence.querySelectorAll(".word")];
  const start = words.find((word) => word.getAttribute("aria-pressed") === "true") ?? words[0];
  for (const word of words) word.tabIndex = word === start ? 0 : -1;
  sentence.onclick = (event) => {
    const word = event.target.closest(".word");
    if (word) choose(Number(word.dataset.word));
  };
  sentence.onkeydown = (event) => {
    const here = words.indexOf(event.target);
    if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: words.length - 1 };
    const next = words[steps[event.key]];
    const chooses = event.key === "Enter" || event.key === " ";
    if (!next && !chooses) return;
    event.preventDefault();
    if (chooses) {
      if (!event.repeat) choose(Number(words[here].dataset.word));
      return;
    }
    words[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
}

/** Scroll the sentence, but never the page, to the first hidden word. */
function reveal(sentence) {
  const word = sentence.querySelector('[aria-pressed="true"]');
  if (!word) return;
  const room = sentence.getBoundingClientRect();
  const place = word.getBoundingClientRect();
  if (place.top < room.top) sentence.scrollTop -= room.top - place.top;
  if (place.bottom > room.bottom) sentence.scrollTop += place.bottom - room.bottom;
}

/** The parts that stay while their contents change: a live region, and places that scroll. */
function build(root) {
  const hint = element("span", "hint");
  const sentence = element("p", "sentence");
  const rows = element("div", "rows");
  sentence.setAttribute("role", "group");
  sentence.dir = "auto";
  rows.setAttribute("role", "group");
  rows.setAttribute("aria-live", "polite");
  root.replaceChildren(element("div", "head", [element("h2"), hint]), sentence, rows);
}

class WordGuess {
  constructor(root) {
    this.root = root;
    build(root);
  }

  show(data, send) {
    const { root } = this;
    const [heading, hint, sentence, rows] = ["h2", ".hint", ".sentence", ".rows"].map((name) =>
      root.querySelector(name),
    );
    const focused = root.getRootNode().activeElement?.dataset?.word;
    heading.textContent = data.strings.title;
    hint.textContent = ` · ${data.strings.hint}`;
    sentence.setAttribute("aria-label", data.strings.words);
    sentence.replaceChildren(
      ...data.sentence.map((part) => (part.word === null ? part.text : wordButton(part))),
    );
    listen(sentence, (number) => send("word", { number }));
    reveal(sentence);
    rows.setAttribute("aria-label", data.strings.guesses);
    rows.replaceChildren(...data.guesses.map(guessRow));
    // Who has no mouse scrolls with the keys.
    if (rows.scrollHeight > rows.clientHeight) rows.tabIndex = 0;
    else rows.removeAttribute("tabindex");
    if (focused !== undefined) root.querySelector(`[data-word="${focused}"]`)?.focus();
  }
}

export const mount = mounting(".guess", WordGuess);
