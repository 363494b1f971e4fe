/** P(replaced) of every token, the ROC curve and the precision-recall curve, with one threshold. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { readTheme } from "../../js/lib/theme.js";
import { VegaChart } from "../../js/lib/vega.js";
import { FigureValues } from "../../js/parts/figure_values.js";
import { heading } from "./cards.js";
import { countTokens } from "./judge.js";

const DIGITS = 4;
const STEPS = 100; // of the threshold, from 0 to 1

const written = (value) => (value === null ? "–" : value.toFixed(2));
const share = (part, whole) => (whole ? part / whole : null);

/** A chart with its heading, its numbers and its files. */
class Panel {
  constructor(name, life, vega, onDrag) {
    this.title = element("h3");
    this.chart = new VegaChart(life, vega);
    this.values = new FigureValues(element("div", { class: "figure-values" }), life);
    this.node = element("div", { class: `panel ${name}` }, [
      this.title,
      this.chart.node,
      this.values.root,
    ]);
    const { node } = this.chart;
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      node.setPointerCapture(event.pointerId);
      onDrag(event);
    });
    node.addEventListener("pointermove", (event) => {
      if (node.hasPointerCapture(event.pointerId)) onDrag(event);
    });
  }
}

/** What precision over recall is drawn through: the first precision holds from no recall on. */
function stepsOf(points) {
  const drawn = points.filter(({ precision }) => precision !== null);
  return [{ ...drawn[0], recall: 0 }, ...drawn].map((point, at) => ({ ...point, at }));
}

export class ThresholdCurves {
  #points = null;
  #rows = null; // by chart and name of its data, what does not change with the threshold
  #of = null; // the payload that they are of

  /**
   * @param {import("../../js/lib/life.js").Life} life
   * @param {string} vega address of the library
   * @param {(hundredths: number) => void} onThreshold
   */
  constructor(life, vega, onThreshold) {
    this.node = element("section", { class: "card curves" });
    this.head = element("div");
    this.point = element("p", { class: "point" });
    this.why = element("p", { class: "note" });
    this.note = element("p", { class: "note" });
    const drags = {
      tokens: (chart, event) => chart.valueAt(event, "y"),
      roc: (chart, event) => this.#nearest(chart, event, "rate", "recall"),
      precision: (chart, event) => this.#nearest(chart, event, "recall", "precision"),
    };
    this.panels = Object.fromEntries(
      Object.entries(drags).map(([name, threshold]) => {
        const onDrag = (event) => {
          const value = threshold(this.panels[name].chart, event);
          if (value !== null) onThreshold(Math.round(value * STEPS));
        };
        return [name, new Panel(name, life, vega, onDrag)];
      }),
    );
    this.room = element(
      "div",
      { class: "panels" },
      Object.values(this.panels).map(({ node }) => node),
    );
    this.node.append(this.head, this.point, this.why, this.room, this.note);
  }

  /** @param {boolean} blind whether the answer waits @returns {Promise<unknown>} when it stands */
  show(payload, threshold, blind) {
    const { strings, curves } = payload;
    this.payload = payload;
    this.head.replaceChildren(heading(strings.curves, strings.curvesHint));
    const isDrawn = Boolean(curves) && !blind;
    for (const one of [this.point, this.room, this.note]) one.hidden = !isDrawn;
    this.why.hidden = isDrawn;
    this.node.dataset.drawn = String(isDrawn);
    if (!isDrawn) {
      this.why.textContent = blind ? strings.later : strings.noCurves[this.#reason()];
      return Promise.resolve();
    }
    if (this.#of !== payload) this.#prepare();
    return this.#draw(threshold);
  }

  #reason() {
    const { known, replaced } = countTokens(this.payload.tokens, 0);
    if (!known) return "unknown";
    return replaced ? "allReplaced" : "noneReplaced";
  }

  #prepare() {
    const { payload } = this;
    const { strings, tokens, curves } = payload;
    this.#of = payload;
    const judged = tokens.filter(
      (one) => !one.special && one.probability !== null && one.truth !== null,
    );
    const points = curves.thresholds.map((threshold, at) => ({
      at,
      threshold,
      said:
        threshold === null
          ? strings.below
          : fill(strings.fromThreshold, { threshold: threshold.toFixed(DIGITS) }),
      recall: curves.recall[at],
      rate: curves.rate[at],
      precision: curves.precision[at],
    }));
    const share = judged.filter(({ truth }) => truth).length / judged.length;
    this.#points = points;
    this.#rows = {
      tokens: {
        tokens: judged.map(({ piece, probability, truth }, at) => ({
          at: `${at}:${piece}`,
          piece,
          score: probability,
          kind: strings.truths[Number(truth)],
        })),
      },
      // Vega takes rows for its own, so each chart has copies.
      roc: { points: points.map((one) => ({ ...one })) },
      precision: {
        points: points.map((one) => ({ ...one })),
        steps: stepsOf(points),
        share: [{ share }],
      },
    };
    const numbers = (names) => names.map((name) => points.map((one) => one[name]));
    const { least, rate, recall, precision } = strings.points;
    this.#tell("tokens", strings.tokensTitle, strings.termColumns.slice(0, 3), [
      judged.map(({ piece }) => piece),
      judged.map(({ probability }) => probability),
      judged.map(({ truth }) => strings.truths[Number(truth)]),
    ]);
    const area = fill(strings.rocTitle, { area: curves.rocArea.toFixed(3) });
    this.#tell("roc", area, [least, rate, recall], numbers(["threshold", "rate", "recall"]));
    const average = fill(strings.precisionTitle, { average: curves.averagePrecision.toFixed(3) });
    const columns = [least, recall, precision];
    this.#tell("precision", average, columns, numbers(["threshold", "recall", "precision"]));
    const { replaced, base } = countTokens(tokens, 0);
    this.note.textContent = fill(strings.curvesNote, { replaced, original: base });
  }

  #tell(name, title, columns, cells) {
    const { strings } = this.payload;
    const panel = this.panels[name];
    panel.title.textContent = title;
    panel.values.show({
      name: `headlight-${name}`,
      columns,
      cells,
      pictures: true,
      strings: { ...strings.saved, table: title },
      place: panel.chart.node,
    });
  }

  #draw(threshold) {
    const { strings, tokens, specs } = this.payload;
    const { found, replaced, alarms, base } = countTokens(tokens, threshold);
    const called = found + alarms;
    const chosen = {
      threshold,
      said: threshold.toFixed(2),
      precision: share(found, called),
      recall: share(found, replaced),
      rate: share(alarms, base),
    };
    const facts = { called, found, replaced, alarms, original: base, threshold: chosen.said };
    const shares = ["precision", "recall", "rate"].map((name) => [name, written(chosen[name])]);
    this.point.textContent = fill(strings.operatingPoint, {
      ...facts,
      ...Object.fromEntries(shares),
    });
    this.node.dataset.threshold = chosen.said;
    const looks = specs[readTheme(this.node.parentElement).dark ? "dark" : "light"];
    return Promise.all(
      Object.entries(this.panels).map(([name, { chart, title }]) =>
        chart.show({
          spec: looks[name],
          label: `${title.textContent}. ${this.point.textContent}`,
          data: { ...this.#rows[name], chosen: [{ ...chosen }] },
          parameters: {},
        }),
      ),
    );
  }

  /** The threshold of the operating point that is drawn nearest to the pointer. */
  #nearest(chart, event, x, y) {
    const [column, row] = [chart.valueAt(event, "x"), chart.valueAt(event, "y")];
    if (column === null || row === null) return null;
    let best = null;
    for (const [at, point] of this.#points.entries()) {
      if (point[y] === null) continue;
      const distance = Math.hypot(point[x] - column, point[y] - row);
      if (!best || distance < best.distance) best = { at, distance };
    }
    return this.#thresholdOf(best.at);
  }

  /** The middle of the thresholds that give a point. */
  #thresholdOf(at) {
    const points = this.#points;
    const least = points[at].threshold ?? 0;
    const most = at ? points[at - 1].threshold : 1;
    return (least + most) / 2;
  }
}
