/** A sentence whose words can be hidden, and bars for what a model puts in their place. */

function element(tag, className, children = []) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** A word as a button; while it is hidden, its mask stands there. */
function wordButton({ text, word, mask }) {
  const button = element("button", mask ? "word hidden-word" : "word", [mask || text]);
  button.type = "button";
  button.dir = "auto";
  button.dataset.word = word;
  button.setAttribute("aria-pressed", String(Boolean(mask)));
  if (mask) {
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

/** One word is in the tab order; arrow keys move on from it. */
function rove(sentence) {
  const words = [...sentence.querySelectorAll("button")];
  const start = words.find((word) => word.getAttribute("aria-pressed") === "true") ?? words[0];
  for (const word of words) word.tabIndex = word === start ? 0 : -1;
  sentence.onkeydown = (event) => {
    const here = words.indexOf(event.target);
    const steps = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: words.length - 1 };
    const next = words[steps[event.key]];
    if (here < 0 || !next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    words[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".guess");
  const focused = root.getRootNode().activeElement?.dataset?.word;
  const heading = element("h2", "", [data.strings.title]);
  const hint = element("span", "hint", [` · ${data.strings.hint}`]);
  const sentence = element(
    "p",
    "sentence",
    data.sentence.map((part) => (part.word === null ? part.text : wordButton(part))),
  );
  sentence.setAttribute("role", "group");
  sentence.setAttribute("aria-label", data.strings.words);
  sentence.dir = "auto";
  sentence.onclick = (event) => {
    const word = event.target.closest("button")?.dataset.word;
    if (word !== undefined) setTriggerValue("word", Number(word));
  };
  const rows = element("div", "rows", data.guesses.map(guessRow));
  rows.setAttribute("aria-live", "polite");
  root.replaceChildren(element("div", "head", [heading, hint]), sentence, rows);
  rove(sentence);
  if (focused !== undefined) root.querySelector(`[data-word="${focused}"]`)?.focus();
}
