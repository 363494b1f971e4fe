/** The whole picture: the sentence with its light, and the cards below it. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { changesCard, heading, lossesCard, samplesCard, scoreCard } from "./cards.js";
import { ThresholdCurves } from "./curves.js";
import { countTokens, roundOf, verdictOf } from "./judge.js";
import { Strip } from "./strip.js";
import { Choices, Rounds } from "./values.js";

export class ReplacedView {
  /**
   * @param {HTMLElement} root
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(root, life) {
    Object.assign(this, { root, life });
    this.choices = new Choices();
    this.rounds = new Rounds();
    this.looked = null; // position of the token whose numbers are read
    this.strip = new Strip({
      onLook: (at) => this.#look(at),
      onMark: (word) => {
        this.choices.toggleMark(word);
        this.#render();
      },
      onEdit: (word, text) => this.send("edit", { word, text }),
    });
    this.title = element("div");
    this.slider = element("input", { type: "range", min: "0", max: "100", step: "1" });
    this.value = element("output");
    this.name = element("span");
    this.control = element("label", { class: "slider" }, [this.name, this.slider, this.value]);
    this.readout = element("p", { class: "readout" });
    this.counts = element("p", { class: "counts", role: "status" });
    this.button = element("button", { type: "button", class: "answer" });
    this.foot = element("div", { class: "head" }, [this.counts, this.button]);
    this.sentence = element("section", { class: "card sentence" }, [
      element("div", { class: "head" }, [this.title, this.control]),
      this.strip.node,
      this.readout,
      this.foot,
    ]);
    [this.left, this.right, this.score] = ["left", "right", "score"].map((name) =>
      element("section", { class: `card ${name}` }),
    );
    root.replaceChildren(this.sentence, this.score, this.left, this.right);
    this.slider.addEventListener("input", () => this.#setThreshold(Number(this.slider.value)));
    this.button.addEventListener("click", () => this.#answer());
  }

  #setThreshold(hundredths) {
    this.choices.set({ threshold: hundredths });
    this.#render();
  }

  /**
   * @param {object} payload what `app/sections/replaced/replaced_view.py` packs
   * @returns {Promise<unknown>} when the curves stand; all else does at once
   */
  show(payload, send) {
    this.send = send;
    this.payload = payload;
    this.strings = payload.strings;
    this.looked = null;
    if (!this.curves) {
      const move = (hundredths) => this.#setThreshold(hundredths);
      this.curves = new ThresholdCurves(this.life, payload.vega, move);
      this.right.after(this.curves.node);
    }
    this.choices.open(payload);
    const drawn = this.#render();
    this.root.dataset.drawn = "true";
    this.root.dataset.identity = payload.identity;
    return drawn;
  }

  #answer() {
    const { tokens, identity } = this.payload;
    this.choices.answered = !this.choices.answered;
    if (this.choices.answered) {
      if (tokens.some((one) => one.truth !== null)) {
        const { threshold, marked } = this.choices;
        this.rounds.add(identity, roundOf(tokens, threshold, marked));
      }
    } else this.choices.set({ marked: "" });
    this.#render();
  }

  #render() {
    const { payload, strings } = this;
    const { threshold, marked, answered } = this.choices;
    const marking = payload.markFirst;
    this.blind = marking && !answered;
    this.title.replaceChildren(
      heading(strings.title, this.blind ? strings.markHint : strings.lightHint),
    );
    this.name.textContent = strings.threshold;
    this.slider.value = String(Math.round(threshold * 100));
    this.slider.setAttribute("aria-valuetext", threshold.toFixed(2));
    this.value.textContent = threshold.toFixed(2);
    this.strip.show(payload, { threshold, marked, blind: this.blind, marking });
    this.button.hidden = !marking;
    this.button.textContent = this.blind ? strings.show : strings.again;
    this.#renderCounts(threshold);
    this.#look(this.looked);
    this.#renderCards(threshold);
    Object.assign(this.root.dataset, { blind: this.blind, threshold: threshold.toFixed(2) });
    return this.curves.show(payload, threshold, this.blind);
  }

  #renderCounts(threshold) {
    const { tokens } = this.payload;
    const counts = countTokens(tokens, threshold);
    const text = counts.known ? this.strings.counts : this.strings.countsUnknown;
    this.counts.textContent = this.blind
      ? ""
      : fill(text, { ...counts, threshold: threshold.toFixed(2) });
  }

  #renderCards(threshold) {
    const { payload, strings } = this;
    const scored = payload.markFirst || this.rounds.all.length > 0;
    this.root.classList.toggle("marking", payload.markFirst);
    this.score.hidden = !scored;
    if (scored) {
      const clear = () => {
        this.rounds.clear();
        this.#render();
      };
      this.score.replaceChildren(...scoreCard(payload, this.rounds.all, clear));
    }
    const later = (title, hint) => [
      heading(title, hint),
      element("p", { class: "note" }, [strings.later]),
    ];
    const { words } = payload;
    const open = this.right.querySelector("details")?.open ?? false;
    if (this.blind) {
      this.left.replaceChildren(
        ...(words
          ? later(strings.changes, strings.changesHint)
          : later(strings.samples, strings.samplesHint)),
      );
      this.right.replaceChildren(...later(strings.losses, strings.lossesHint));
      return;
    }
    this.left.replaceChildren(...(words ? changesCard(payload, threshold) : samplesCard(payload)));
    this.right.replaceChildren(...lossesCard(payload));
    const details = this.right.querySelector("details");
    if (details) details.open = open;
  }

  /** Read the numbers of a token below the sentence. */
  #look(at) {
    const { strings, payload } = this;
    this.looked = at;
    if (this.blind) {
      const there = new Set(payload.tokens.map((one) => one.word));
      const count = this.choices.marked.filter((one) => there.has(one)).length;
      this.readout.textContent = fill(strings.readoutMark, { count });
      return;
    }
    if (at === null) {
      this.readout.textContent = payload.words ? strings.readoutEdit : strings.readoutEmpty;
      return;
    }
    this.readout.textContent = this.#said(payload.tokens[at]);
  }

  #said(token) {
    const { strings } = this;
    if (token.probability === null) return fill(strings.notJudged, token);
    const facts = {
      piece: token.piece,
      was: token.was,
      share: token.probability.toFixed(4),
      original: (1 - token.probability).toFixed(4),
    };
    const said = [fill(token.was ? strings.readoutWas : strings.readout, facts)];
    if (token.nats !== null) {
      const truth = token.truth ? facts.share : facts.original;
      said.push(fill(strings.readoutNats, { truth, nats: token.nats.toFixed(4) }));
    }
    if (token.drawn_again) said.push(strings.readoutSame);
    const kind = verdictOf(token, this.choices.threshold);
    if (kind && kind !== "same") said.push(`(${strings.verdicts[kind]})`);
    return said.join(" ");
  }
}
