/** The cards below the sentence: candidates, changes, losses and the score, as plain tables. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { addUp, verdictOf, workedLosses } from "./judge.js";
import { share } from "./strip.js";

const MOST_WRITTEN = 4; // terms of a sum that are written out
const DIGITS = 4;

const number = (value, digits = DIGITS) => value.toFixed(digits);

/** A card's heading in plain words with a grey qualifier. */
export function heading(title, hint) {
  return element("div", {}, [
    element("h2", {}, [title]),
    element("span", { class: "hint" }, [` · ${hint}`]),
  ]);
}

/** @param {number[]} [numbers] the columns that hold numbers */
function table(columns, rows, label, numbers = []) {
  const head = columns.map((title, at) =>
    element("th", { scope: "col", class: numbers.includes(at) ? "number" : "text" }, [title]),
  );
  const body = rows.map((cells) =>
    element(
      "tr",
      {},
      cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : td([cell]))),
    ),
  );
  return element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": label }, [
    element("table", {}, [
      element("thead", {}, [element("tr", {}, head)]),
      element("tbody", {}, body),
    ]),
  ]);
}

const td = (children, kind = "") => element("td", kind ? { class: kind } : {}, children);
const piece = (text) => element("bdi", { class: "mono" }, [text]);

/** What the generator finds likely for every hidden token, and what was drawn. */
export function samplesCard({ samples, strings }) {
  const rows = samples.map((sample) => [
    td([piece(sample.hidden)]),
    td([
      element(
        "div",
        { class: "candidates" },
        sample.candidates.map((one) => candidateOf(one, sample.hidden)),
      ),
    ]),
    td([
      sample.same ? element("b", {}, [piece(sample.drawn)]) : piece(sample.drawn),
      element("span", { class: "share" }, [` ${shareOf(sample.probability)}`]),
    ]),
    td([number(sample.nats)], "number"),
  ]);
  return [
    heading(strings.samples, strings.samplesHint),
    table(strings.samplesColumns, rows, strings.samples, [3]),
    element("p", { class: "note" }, [strings.samplesNote]),
  ];
}

/** A candidate with its probability; the piece that was hidden stands out. */
function candidateOf([text, likely], hidden) {
  return element("span", { class: "candidate" }, [
    text === hidden ? element("b", {}, [piece(text)]) : piece(text),
    element("span", { class: "share" }, [share(likely)]),
    element("span", { class: "bar" }, [
      element("i", { style: `width:${(100 * likely).toFixed(1)}%` }),
    ]),
  ]);
}

/** The probability of one draw among thousands: two digits that count. */
function shareOf(likely) {
  return likely < 0.01 ? likely.toPrecision(1) : likely.toFixed(2);
}

/** The words that the reader has changed, and whether the model noticed. */
export function changesCard({ words, tokens, strings }, threshold) {
  const changed = words.filter((one) => one.text !== one.original);
  const rows = changed.map((one) => {
    const mine = tokens.filter((token) => token.word === one.number);
    const highest = mine.reduce(
      (best, token) => (best && best.probability >= token.probability ? best : token),
      null,
    );
    const verdict = highest ? verdictOf(highest, threshold) : "";
    return [
      td([piece(one.original)]),
      td([one.text ? piece(one.text) : strings.nothing]),
      td([highest ? share(highest.probability, threshold) : "–"], "number"),
      td([verdict ? strings.verdicts[verdict] : ""], `verdict ${verdict}`),
    ];
  });
  return [
    heading(strings.changes, strings.changesHint),
    rows.length
      ? table(strings.changesColumns, rows, strings.changes, [2])
      : element("p", { class: "note" }, [strings.changesNone]),
  ];
}

/** A sum as it is written: all terms of a short one. */
function sumText({ terms, sum }, strings) {
  if (terms.length < 2 || terms.length > MOST_WRITTEN) {
    return terms.length > 1 ? fill(strings.sumOf, { count: terms.length }) : "";
  }
  return `${terms.map((one) => number(one)).join(" + ")} = ${number(sum)}`;
}

/** Both networks' losses, worked so that the numbers shown add up. */
export function lossesCard({ tokens, samples, losses, weight, strings }) {
  const head = heading(strings.losses, strings.lossesHint);
  if (!losses) return [head, element("p", { class: "note" }, [strings.lossesNone])];
  const worked = workedLosses(tokens, samples, weight);
  const { masked, replaced, original, count, sum, mean, weighted, together } = worked;
  const rows = [];
  const add = (label, how, result, kind = "") =>
    rows.push(
      element("tr", kind ? { class: kind } : {}, [
        element("th", { scope: "row" }, [label]),
        td([how], "how"),
        td([result], "number"),
      ]),
    );
  if (masked.mean !== null) {
    const text = sumText(masked, strings);
    const many = masked.terms.length;
    const how = many > 1 ? `${text}${text.includes("=") ? "" : ` = ${number(masked.sum)}`}` : "";
    const label = fill(strings.masked, { count: many });
    add(label, many > 1 ? `${how}; ÷ ${many}` : "", number(masked.mean), "result");
  }
  for (const [label, part] of [[strings.ofReplaced, replaced], [strings.ofOriginal, original]]) {
    add(fill(label, { count: part.terms.length }), terms(part), number(part.sum));
  }
  const added = `(${number(replaced.sum)} + ${number(original.sum)}) = ${number(sum)}; ÷ ${count}`;
  add(fill(strings.mean, { count }), added, number(mean, 5), "result");
  if (together !== null) {
    add(fill(strings.weighted, { weight }), `${weight} × ${number(mean, 5)}`, number(weighted));
    const both = `${number(masked.mean)} + ${number(weighted)}`;
    add(strings.together, both, number(together), "result");
  }
  const exact = number(losses.together ?? losses.replaced, 3);
  const note = fill(together === null ? strings.lossesReader : strings.lossesNote, { exact });
  return [
    head,
    element("table", { class: "worked" }, [element("tbody", {}, rows)]),
    element("p", { class: "note" }, [note]),
    termsTable(tokens, strings),
  ];

  function terms(part) {
    return sumText(part, strings).split(" = ")[0];
  }
}

function termsTable(tokens, strings) {
  const rows = tokens
    .filter((one) => one.nats !== null)
    .map((one) => [
      td([piece(one.piece)]),
      td([one.probability.toFixed(DIGITS)], "number"),
      td([strings.truths[Number(one.truth)]]),
      td([number(one.nats)], "number"),
    ]);
  return element("details", {}, [
    element("summary", {}, [strings.terms]),
    table(strings.termColumns, rows, strings.terms, [1, 3]),
  ]);
}

/** The running score of the reader, the model, and who marks nothing. */
export function scoreCard({ strings }, rounds, onClear) {
  const { words, replaced, players } = addUp(rounds);
  const of = (some, all) => fill(strings.of, { some, all });
  const rows = players.map(({ found, alarms, points, right }, at) => [
    element("th", { scope: "row" }, [strings.players[at]]),
    td([of(found, replaced)], "number"),
    td([String(alarms)], "number"),
    td([element("b", {}, [String(points).replace("-", "\u2212")])], "number"),
    td([of(right, words)], "number"),
  ]);
  const clear = element("button", { type: "button", class: "plain" }, [strings.clear]);
  clear.disabled = rounds.length === 0;
  clear.addEventListener("click", onClear);
  return [
    element("div", { class: "head" }, [
      heading(strings.score, fill(strings.scoreHint, { count: rounds.length })),
      clear,
    ]),
    element("div", { class: "both" }, [
      table(strings.scoreColumns, rows, strings.score, [1, 2, 3, 4]),
      element("p", { class: "note" }, [strings.scoreNote]),
    ]),
  ];
}
