/** How the weight of the pinned cell came about: product, scale, mask, softmax, number by number. */

import { element } from "../lib/dom.js";
import { fill, formatNumber, quoted } from "../lib/format.js";
import { ProductBars } from "./product_bars.js";

const BODY_ID = "how-it-came-about";
const SCALE_DIGITS = 4;

/** A band that a button opens and closes; it stays open from cell to cell. */
export class Breakdown {
  constructor() {
    this.isOpen = false;
    this.scene = null;
    this.answer = null;
    this.button = element("button", { type: "button", class: "plain breakdown-button" });
    this.button.setAttribute("aria-controls", BODY_ID);
    this.button.addEventListener("click", () => {
      this.isOpen = !this.isOpen;
      this.#update();
      if (this.isOpen) this.node.scrollIntoView({ block: "nearest" });
    });
    this.cell = element("span", { class: "breakdown-cell" });
    this.bars = new ProductBars();
    this.remark = element("p", { class: "note" });
    this.steps = element("ol", { class: "steps" });
    this.body = element("div", { id: BODY_ID, class: "breakdown-body" }, [this.remark, this.steps]);
    const head = element("div", { class: "breakdown-head" }, [this.button, this.cell]);
    this.node = element("section", { class: "card breakdown" }, [head, this.body]);
  }

  /**
   * @param {{mapSet, projection, values, strings, theme}} scene
   * @param {object | null} answer about the pinned cell, as it comes by the channel
   */
  show(scene, answer) {
    this.scene = scene;
    this.answer = answer;
    this.#update();
  }

  #update() {
    const { mapSet, projection, strings, values } = this.scene;
    const row = values.token === null ? -1 : projection.rowOf(values.token);
    const column = row < 0 || values.key === null ? -1 : projection.columnOf(values.key);
    const isCell = column >= 0;
    const isMerged =
      isCell && [projection.rows[row], projection.columns[column]].some(isSeveral);
    const isOffered = isCell && !isMerged && mapSet.breaksDown;
    this.button.hidden = !isOffered;
    this.button.textContent = strings.breakdown;
    this.button.setAttribute("aria-expanded", String(this.isOpen));
    this.cell.textContent = isMerged ? strings.breakdownMerged : strings.breakdownHint;
    if (!mapSet.breaksDown) this.cell.textContent = strings.breakdownElsewhere;
    if (isOffered) {
      const query = quoted(projection.rows[row].label);
      const key = quoted(projection.columns[column].label);
      this.cell.textContent = fill(strings.breakdownCell, {
        query,
        key,
        head: fill(strings.head, values),
      });
    }
    this.body.hidden = !isOffered || !this.isOpen;
    if (!this.body.hidden) this.#breakDown();
  }

  #breakDown() {
    const { strings, theme } = this.scene;
    const brokenDown = this.answer?.breakdown;
    this.steps.hidden = !brokenDown;
    this.remark.hidden = Boolean(brokenDown);
    this.remark.textContent = this.answer ? strings.breakdownMissing : strings.breakdownWaiting;
    if (!brokenDown) return;
    this.steps.replaceChildren(...this.#stepsOf(brokenDown, strings));
    // Its place on the page decides how wide the canvas is.
    this.bars.show(brokenDown.products, theme, strings);
  }

  #stepsOf(brokenDown, strings) {
    const { dot, scale, bias, score, allowed, largest, exponential, total, weight } = brokenDown;
    const count = brokenDown.products.length;
    const facts = {
      count,
      keys: this.answer.rows[0].length,
      dot: formatNumber(dot),
      scale: formatNumber(scale, SCALE_DIGITS),
      bias: bias === null ? "" : formatNumber(bias),
      score: formatNumber(score),
      largest: formatNumber(largest),
      exponential: formatNumber(exponential),
      total: formatNumber(total),
      weight: formatNumber(weight),
    };
    const say = (name) => fill(strings[name], facts);
    const isRoot = Math.abs(scale - count ** -0.5) < 1e-9;
    const scaled = [`${facts.dot} × ${facts.scale}${withSign(bias)} = ${facts.score}`];
    const softmax = allowed
      ? [
          `exp(${facts.score}${withSign(-largest)}) = ${facts.exponential}`,
          `${facts.exponential} ÷ ${facts.total} = ${facts.weight}`,
        ]
      : [`${facts.exponential} ÷ ${facts.total} = ${facts.weight}`];
    return [
      step(say("stepProduct"), [`q · k = ${facts.dot}`], say("spokenProduct"), [this.bars.node]),
      step(
        say("stepScale"),
        scaled,
        say(bias === null ? "spokenScale" : "spokenBias"),
        [isRoot && say("scaleIsRoot"), bias !== null && say("biasIsPosition")],
      ),
      step(say("stepMask"), [say(allowed ? "mayLook" : "mayNotLook")], null, [
        say(allowed ? "mayLookMeans" : "mayNotLookMeans"),
      ]),
      step(say("stepSoftmax"), softmax, say(allowed ? "spokenSoftmax" : "spokenMasked"), [
        say("softmaxMeans"),
      ]),
    ];
  }
}

function isSeveral({ tokens }) {
  return tokens.length > 1;
}

/** " + 1.5", " − 1.5", or nothing for a term that is not there. */
function withSign(term) {
  if (term === null) return "";
  return ` ${term < 0 ? "\u2212" : "+"} ${formatNumber(Math.abs(term))}`;
}

/**
 * @param {string} title
 * @param {string[]} formulas as they are written
 * @param {string | null} spoken the same for a screen reader; null where a formula is a sentence
 * @param {(Node | string | false)[]} notes
 */
function step(title, formulas, spoken, notes) {
  const lines = formulas.map((formula) => {
    const node = element("p", { class: "formula" }, [formula]);
    if (spoken !== null) node.setAttribute("aria-hidden", "true");
    return node;
  });
  const words = spoken === null ? [] : [element("p", { class: "only-spoken" }, [spoken])];
  const below = notes
    .filter(Boolean)
    .map((note) => (note instanceof Node ? note : element("p", { class: "note" }, [note])));
  return element("li", {}, [element("h4", {}, [title]), ...lines, ...words, ...below]);
}
