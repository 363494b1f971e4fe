/** What comes next: the distribution, what sampling makes of it, and a piece to go on with. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { roving } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { unpack } from "../../js/lib/wire.js";
import * as rows from "./candidate_rows.js";
import * as sampling from "./sampling.js";
import { Choices } from "./choices.js";
import { RuleSliders } from "./rule_sliders.js";
import { shown } from "./shown.js";
const { samplingOf, entropyOf, massOf, pieceAt } = sampling;
const { CandidateRows, apart, heads, share } = rows;

const MANY = 100;
const SEGMENTS = 60; // of the strip, beyond which they are too thin to see
const ROWS = 12;
const LARGE = matchMedia("(min-width: 100rem) and (min-height: 60rem)");
const MORE_ROWS = 18; // where the screen is large
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const FALL_MILLISECONDS = 400;
const PLAIN = { temperature: 1, topK: 0, topP: 1 };

class Distribution {
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.choices = new Choices();
    this.heading = element("h2");
    this.hint = element("span", { class: "hint" });
    this.sliders = new RuleSliders((changes) => {
      this.choices.set(changes);
      this.#forgetDraws();
      this.#draw();
    });
    this.line = element("div", { class: "line", "aria-hidden": "true" });
    this.marker = element("i", { class: "marker", hidden: "" });
    this.heads = element("div", { class: "heads", "aria-hidden": "true" });
    this.list = element("ol", { class: "candidates" });
    this.rows = new CandidateRows(this.list);
    this.says = element("p", { class: "says", role: "status" });
    this.kept = element("p", { class: "kept" });
    this.buttons = Object.fromEntries(
      ["one", "many", "back", "write"].map((name) => [name, element("button", { type: "button" })]),
    );
    root.replaceChildren(
      element("div", { class: "head" }, [element("div", {}, [this.heading, this.hint])]),
      this.sliders.node,
      element("div", { class: "line-frame" }, [this.line, this.marker]),
      element("div", { class: "acts" }, Object.values(this.buttons)),
      this.says,
      this.heads,
      this.list,
      this.kept,
    );
    this.moving = roving(this.list, "button");
    this.#forgetDraws();
    this.#listen();
    life.onEnd(() => shown.set(null));
    life.listen(LARGE, "change", () => this.data && this.#draw());
  }

  show(data, send) {
    const changed = this.data?.identity !== data.identity;
    this.data = data;
    this.send = send;
    this.choices.open(data);
    if (changed) {
      this.plain = samplingOf(data.scores, PLAIN).values;
      this.tally = new Map();
      this.fallen = null;
      this.marker.hidden = true; // it fell on another line
    }
    const { strings } = data;
    this.heading.textContent = strings.title;
    this.hint.textContent = ` · ${data.hint}`;
    this.list.setAttribute("aria-label", strings.candidates);
    this.heads.replaceChildren(...heads(strings));
    for (const [name, button] of Object.entries(this.buttons)) {
      button.textContent = strings[name];
    }
    this.buttons.back.disabled = !data.canTakeBack;
    this.#draw();
    this.root.dataset.drawn = data.identity;
  }

  #listen() {
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button || button.getAttribute("aria-disabled") === "true") return;
      this.#forgetDraws();
      this.#pick(Number(button.dataset.rank));
    });
    const { one, many, back, write } = this.buttons;
    one.addEventListener("click", () => this.#drawOne());
    many.addEventListener("click", () => this.#drawMany());
    back.addEventListener("click", () => {
      this.#forgetDraws();
      this.send("back", {});
    });
    write.addEventListener("click", () => {
      const { identity } = this.data;
      this.send("write", { identity, ...this.choices.numbers });
    });
  }

  #pick(rank) {
    this.send("pick", { identity: this.data.identity, rank });
  }

  /** What was said of an earlier distribution no longer holds. */
  #forgetDraws() {
    this.tally = new Map();
    this.fallen = null;
    this.marker.hidden = true;
    this.says.textContent = "";
  }

  #drawOne() {
    this.#forgetDraws();
    const number = Math.random();
    const rank = pieceAt(this.sampling.values, number);
    this.fallen = rank;
    this.marker.hidden = false;
    this.marker.style.left = `${100 * number}%`;
    const { strings, names, adds } = this.data;
    const known = rank < names.length;
    const alone = known && !adds[rank];
    const template = alone ? strings.drewEnd : strings.drew;
    const piece = known ? names[rank] : fill(strings.rank, { rank: rank + 1 });
    this.says.textContent = fill(template, { number: number.toFixed(3), piece });
    this.#draw();
    // Long enough to see where the number fell.
    const { identity } = this.data;
    const pick = () => this.data.identity === identity && this.#pick(rank);
    if (!alone) this.life.timeout(pick, STILL.matches ? 0 : FALL_MILLISECONDS);
  }

  #drawMany() {
    this.#forgetDraws();
    for (let time = 0; time < MANY; time += 1) {
      const rank = pieceAt(this.sampling.values, Math.random());
      this.tally.set(rank, (this.tally.get(rank) ?? 0) + 1);
    }
    this.says.textContent = fill(this.data.strings.drewMany, { pieces: this.tally.size });
    this.#draw();
  }

  #draw() {
    const { data, plain } = this;
    const { scores, strings } = data;
    this.sampling = samplingOf(scores, this.choices.rule);
    const { values, kept } = this.sampling;
    this.sliders.show(this.choices.numbers, strings.rule, strings.all);
    const rows = LARGE.matches ? MORE_ROWS : ROWS;
    this.rows.show(data, { values, kept, plain, tally: this.tally, rows });
    this.moving.update();
    this.#drawLine(values, kept);
    this.kept.textContent = fill(strings.kept, {
      kept: apart(kept),
      count: apart(scores.length),
      mass: share(massOf(plain, kept)),
      bits: entropyOf(values).toFixed(1),
      plain: entropyOf(plain).toFixed(1),
    });
    this.root.dataset.kept = String(kept);
    const { rule } = this.choices;
    const draws = this.fallen === null ? this.tally : new Map([[this.fallen, 1]]);
    shown.set({ data, rule, sampling: this.sampling, plain, draws });
  }

  /** The probabilities side by side; a random number from 0 to 1 falls on one of them. */
  #drawLine(values, kept) {
    const drawn = Math.min(kept, SEGMENTS);
    while (this.line.children.length > drawn) this.line.lastChild.remove();
    while (this.line.children.length < drawn) this.line.append(element("span"));
    for (const [at, segment] of [...this.line.children].entries()) {
      segment.style.width = `${100 * values[at]}%`;
      const wide = values[at] > 0.07 && at < this.data.names.length;
      segment.textContent = wide ? this.data.names[at] : "";
    }
  }
}

export const mount = mounting(".distribution", Distribution, unpack);
