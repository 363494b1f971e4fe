/** What a pinned row says in numbers, and which heads do nearly the same: the card at the right. */

import { element } from "../lib/dom.js";
import { fill, percent, quoted, strongest } from "../lib/format.js";

const IN_TABLE = 8;
const MOST_SIMILAR = 3;
const DIGITS = 3;
// From this share on a head is said to rest on its sink.
const RESTING = 0.3;
const WAITING = "…";

/** A card about the pinned row and the shown head. */
export class PinnedCard {
  /** @param {(head: {layer: number, head: number}) => void} onHead told of a chosen similar head */
  constructor(onHead) {
    this.title = element("h3", { class: "pinned-title" });
    this.source = element("p", { class: "note pinned-source" });
    this.table = element("table", { class: "pinned-table" });
    this.measures = element("ul", { class: "measures" });
    this.resting = element("p", { class: "resting" });
    this.company = new SimilarHeads(onHead);
    this.node = element("section", { class: "card pinned" }, [
      this.title,
      this.source,
      this.table,
      this.measures,
      this.resting,
      this.company.node,
    ]);
  }

  /**
   * @param {{mapSet, projection, values, strings, theme}} scene
   * @param {object | null} answer exact rows of the pinned row, as they come by the channel
   * @param {{heads: {layer, head, distance}[]} | null} similar
   */
  show(scene, answer, similar) {
    const { mapSet, strings, values } = scene;
    const row = values.token === null ? -1 : scene.projection.rowOf(values.token);
    this.#showRow(scene, row, answer);
    const { key, share } = mapSet.sinkOf(values.layer, values.head);
    this.resting.hidden = share < RESTING;
    this.resting.textContent = fill(strings.resting, {
      share: percent(share),
      key: quoted(mapSet.keyTokens[key]),
    });
    this.company.show(strings, values, similar);
  }

  #showRow(scene, row, answer) {
    const { projection, strings, values } = scene;
    const query = row < 0 ? "" : quoted(projection.rows[row].label);
    this.title.textContent = row < 0 ? strings.nothingPinned : fill(strings.looksAt, { query });
    const isMasked = row >= 0 && projection.isRowMasked(row);
    const found = row < 0 || isMasked ? null : weightsOf(scene, row, answer);
    this.source.textContent = found ? strings[found.isExact ? "exact" : "rounded"] : "";
    if (row < 0) this.source.textContent = strings.howToPin;
    else if (isMasked) this.source.textContent = fill(strings.looksNowhere, { query });
    else if (!found) this.source.textContent = fill(strings.fetching, values);
    else if (values.heads.length > 0) {
      // The picture shows several heads, the card one of them.
      this.source.textContent = `${fill(strings.head, values)} · ${this.source.textContent}`;
    }
    this.table.hidden = found === null;
    this.measures.hidden = found === null;
    if (!found) return;
    this.table.replaceChildren(...tableOf(scene, row, found));
    const lines = sentencesOf(scene, answer?.measures);
    this.measures.replaceChildren(...lines.map((line) => element("li", {}, [line])));
  }
}

/** The heads of all layers that are nearest to the shown one. */
class SimilarHeads {
  constructor(onHead) {
    this.heads = [];
    this.title = element("h3");
    // The buttons stay: a chosen one keeps the focus while its next head is on its way.
    this.buttons = Array.from({ length: MOST_SIMILAR }, (_, place) => {
      const name = element("span", { class: "similar-name" });
      const distance = element("span", { class: "similar-distance" });
      const node = element("button", { type: "button", class: "similar" }, [name, distance]);
      node.addEventListener("click", () => {
        const { layer, head } = this.heads[place] ?? {};
        if (layer !== undefined) onHead({ layer, head });
      });
      return { node, name, distance };
    });
    const nodes = this.buttons.map(({ node }) => node);
    this.node = element("div", { class: "company" }, [this.title, ...nodes]);
  }

  show(strings, { layer, head }, similar) {
    this.heads = similar?.heads ?? [];
    this.title.textContent = fill(strings.similarTo, { layer, head });
    this.title.title = strings.distanceMeans;
    this.node.hidden = similar !== null && this.heads.length === 0;
    this.buttons.forEach(({ node, name, distance }, place) => {
      const one = this.heads[place];
      node.hidden = similar !== null && !one;
      node.setAttribute("aria-disabled", String(!one));
      name.textContent = one ? fill(strings.head, one) : WAITING;
      distance.textContent = one ? one.distance.toFixed(DIGITS) : "";
      node.setAttribute("aria-label", one ? fill(strings.similarHead, inWords(one)) : WAITING);
    });
  }
}

function inWords({ layer, head, distance }) {
  return { layer, head, distance: distance.toFixed(DIGITS) };
}

/**
 * The weights of a row: exact ones once they have come, those of the picture before that.
 *
 * @returns {{weights: Float32Array, sum: number, isExact: boolean} | null} `sum` over all keys,
 *   hidden ones too; null while there is nothing yet
 */
function weightsOf({ mapSet, projection, values }, row, answer) {
  const { layer, head } = values;
  if (answer) {
    return { weights: projection.project(answer.rows), sum: answer.measures.sum, isExact: true };
  }
  if (!mapSet.hasLayer(layer)) return null;
  const rows = projection.rows[row].tokens.map((query) => mapSet.row(layer, head, query));
  const total = rows.flatMap((weights) => Array.from(weights)).reduce((sum, one) => sum + one, 0);
  return { weights: projection.project(rows), sum: total / rows.length, isExact: false };
}

/** The strongest keys, the pinned one, what is left of the row, and its sum. */
function tableOf({ projection, strings, values }, row, { weights, sum }) {
  const { layer, head, key } = values;
  const pinned = key === null ? -1 : projection.columnOf(key);
  const shown = strongest(weights, weights.length).filter(
    (column) => !projection.isSink(layer, head, column) && !projection.isCellMasked(row, column),
  );
  const listed = shown.slice(0, IN_TABLE);
  if (pinned >= 0 && !listed.includes(pinned)) listed.splice(IN_TABLE - 1, 1, pinned);
  const others = listed.reduce((left, column) => left - weights[column], sum);
  const line = (name, weight, attributes = {}, place = []) =>
    element("tr", attributes, [
      element("th", { scope: "row", dir: "auto" }, [name, ...place]),
      element("td", {}, [weight]),
    ]);
  const labels = listed.map((column) => projection.columns[column].label);
  const lines = listed.map((column) => {
    const attributes = column === pinned ? { class: "is-pinned", "aria-current": "true" } : {};
    const isMasked = projection.isCellMasked(row, column);
    const weight = isMasked ? strings.masked : weights[column].toFixed(DIGITS);
    const { label, tokens } = projection.columns[column];
    const isRepeated = labels.filter((other) => other === label).length > 1;
    const place = isRepeated ? [element("span", { class: "place" }, [` ${tokens[0]}`])] : [];
    return line(label, weight, attributes, place);
  });
  const caption = fill(strings.tableCaption, {
    head: fill(strings.head, { layer, head }),
    from: fill(strings.from, { token: quoted(projection.rows[row].label) }),
  });
  return [
    element("caption", { class: "only-spoken" }, [caption]),
    element("thead", {}, [
      element("tr", {}, [
        element("th", { scope: "col" }, [strings.token]),
        element("th", { scope: "col" }, [strings.weight]),
      ]),
    ]),
    element("tbody", {}, lines),
    element("tfoot", {}, [
      line(strings.allOthers, Math.max(others, 0).toFixed(DIGITS)),
      line(strings.rowSum, sum.toFixed(DIGITS), { class: "row-sum" }),
    ]),
  ];
}

/** What is measured on the exact row, in the order of the lines; dots until it is here. */
function sentencesOf({ mapSet, strings }, measures) {
  const say = (template, facts) =>
    fill(
      template,
      Object.fromEntries(
        Object.entries(facts).map(([name, write]) => [name, measures ? write() : WAITING]),
      ),
    );
  const lines = [
    say(strings.entropy, {
      entropy: () => measures.entropy.toFixed(2),
      most: () => measures.mostEntropy.toFixed(2),
    }),
  ];
  // Between two texts a distance means nothing.
  if (!mapSet.keyLabel) {
    lines.push(say(strings.meanDistance, { distance: () => measures.distance.toFixed(1) }));
  }
  lines.push(say(strings.onFirst, { share: () => percent(measures.first) }));
  lines.push(say(strings.onSeparators, { share: () => percent(measures.separators) }));
  return lines;
}
