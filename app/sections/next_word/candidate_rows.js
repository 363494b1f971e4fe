/** Pieces with two bars each: what the model says, and what sampling makes of it. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";

const PERCENT = 100;

/** A share between 0 and 1 with one digit where it is small: "40 %", "3.9 %", "< 0.1 %". */
export function share(value) {
  const percent = PERCENT * value;
  if (value > 0 && percent < 0.05) return "<\u00a00.1\u00a0%";
  return `${percent >= 9.95 || value === 0 ? Math.round(percent) : percent.toFixed(1)}\u00a0%`;
}

/** A count with its thousands apart: "8,000". */
export function apart(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** What stands above the columns. */
export function heads(strings) {
  const names = ["piece", "", "model", "bits", "sampling", ""];
  return names.map((name) => element("span", {}, [name ? strings[name] : ""]));
}

export class CandidateRows {
  /** @param {HTMLOListElement} list */
  constructor(list) {
    this.list = list;
  }

  /**
   * @param {object} data of the distribution
   * @param {{values: Float64Array, kept: number, plain: Float64Array, tally: Map<number, number>,
   *   rows: number}} drawn `plain` is what the model says, `values` what sampling makes of it
   */
  show(data, { values, kept, plain, tally, rows }) {
    const { names, adds, rank, scores, strings } = data;
    const count = scores.length;
    const ranks = ranksOf(rank, Math.min(rows, names.length, count));
    const rest = others(ranks, { values, plain, tally });
    const longest = Math.max(plain[0], values[0]);
    const lines = ranks.map((at) => ({
      rank: at,
      name: at < names.length ? names[at] : data.there,
      alone: at < adds.length && !adds[at],
      there: at === rank,
      plain: plain[at],
      sampling: values[at],
      fallen: at >= kept,
      drawn: tally.get(at) ?? 0,
    }));
    const left = count - ranks.length;
    if (left > 0) {
      lines.push({ ...rest, name: fill(strings.others, { count: apart(left) }), fallen: false });
    }
    while (this.list.children.length > lines.length) this.list.lastChild.remove();
    while (this.list.children.length < lines.length) this.list.append(emptyRow());
    for (const [at, line] of lines.entries()) {
      fillRow(this.list.children[at], line, longest, strings);
    }
  }
}

/** The likeliest pieces; the one that stands there in the last row where it is none of them. */
function ranksOf(rank, rows) {
  const first = Array.from({ length: rows }, (_, at) => at);
  if (rank !== null && rank >= first.length) first[first.length - 1] = rank;
  return first;
}

function others(ranks, { values, plain, tally }) {
  const shown = (shares) => ranks.reduce((sum, at) => sum + shares[at], 0);
  let drawn = 0;
  for (const [at, times] of tally) if (!ranks.includes(at)) drawn += times;
  const sampling = 1 - shown(values);
  return {
    rank: null,
    plain: Math.max(1 - shown(plain), 0),
    sampling: sampling < 1e-9 ? 0 : sampling,
    drawn,
  };
}

function emptyRow() {
  const track = element("span", { class: "track" }, [
    element("span", { class: "own" }),
    element("span", { class: "fill" }),
  ]);
  const parts = [
    element("bdi", { class: "token" }),
    track,
    ...["plain", "bits", "sampling", "drawn"].map((name) => element("span", { class: name })),
  ];
  return element("li", {}, [element("button", { type: "button", class: "candidate" }, parts)]);
}

function fillRow(item, line, longest, strings) {
  let [row] = item.children;
  const wanted = line.rank === null ? "DIV" : "BUTTON";
  if (row.tagName !== wanted) {
    // What cannot be chosen is no button.
    const other = element(wanted, { class: "candidate" }, [...row.children]);
    if (wanted === "BUTTON") other.type = "button";
    item.replaceChildren(other);
    row = other;
  }
  const [token, track, plain, bits, sampling, drawn] = row.children;
  row.classList.toggle("fallen", line.fallen);
  row.classList.toggle("there", Boolean(line.there));
  row.classList.toggle("others", line.rank === null);
  if (line.rank !== null) {
    row.dataset.rank = String(line.rank);
    row.setAttribute("aria-disabled", String(line.alone));
    row.title = line.alone ? strings.alone : line.there ? strings.there : "";
  }
  token.textContent = line.name;
  // The sum of thousands would dwarf every bar that a piece has, and the page would scroll to it.
  track.style.visibility = line.rank === null ? "hidden" : "";
  const percent = line.rank === null ? 0 : PERCENT / longest;
  track.children[0].style.width = `${percent * line.plain}%`;
  track.children[1].style.width = `${percent * line.sampling}%`;
  plain.textContent = share(line.plain);
  bits.textContent = line.rank === null ? "" : (-Math.log2(line.plain)).toFixed(1);
  sampling.textContent = share(line.sampling);
  drawn.textContent = line.drawn ? `×${line.drawn}` : "";
}
