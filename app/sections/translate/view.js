/** A translation step by step: chips, maps, the softmax, and the search as a tree. */

import { element, selectControl } from "../../js/lib/dom.js";
import { createLookupTable, gradient } from "../../js/lib/palette.js";
import { readTheme } from "../../js/lib/theme.js";
import { Choices } from "./choices.js";
import { LookCard } from "./look_card.js";
import { MapCard } from "./map_card.js";
import { Numbers } from "./numbers.js";
import { Softmax } from "./softmax.js";
import { Stepper } from "./stepper.js";
import { Strips } from "./strips.js";
import { Tree } from "./tree.js";

/** The whole component. */
export class TranslationView {
  /**
   * @param {HTMLElement} root
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.choices = new Choices();
    const toStep = (step) => this.#choose({ step });
    this.stepper = new Stepper(toStep, life);
    this.strips = new Strips(toStep);
    this.tree = new Tree({ onStep: toStep, onFollow: (number) => this.send("follow", { number }) });
    this.softmax = new Softmax();
    this.look = new LookCard();
    this.numbers = new Numbers();
    this.cards = [];
    this.layer = selectControl((value) => this.#choose({ layer: Number(value) }));
    this.head = selectControl((value) => this.#choose({ head: Number(value) }));
    this.names = [element("span"), element("span")];
    this.picker = element("div", { class: "picker" }, [
      element("label", {}, [this.names[0], this.layer.node]),
      element("label", {}, [this.names[1], this.head.node]),
    ]);
    this.legend = element("p", { class: "legend" });
    this.maps = element("div", { class: "maps" });
    root.replaceChildren(
      element("div", { class: "controls" }, [this.stepper.node, this.picker]),
      this.strips.node,
      this.maps,
      this.legend,
      this.tree.node,
      this.numbers.node,
    );
    life.listen(window, "popstate", () => this.#follow());
    life.observe(this.maps, () => this.#drawSoon());
    life.listen(document.fonts, "loadingdone", () => this.#remeasure());
    life.onEnd(() => this.choices.release());
  }

  /** Show new data, or the same in another theme. */
  show(data, send) {
    this.data = data;
    this.send = send;
    this.choices.open(data);
    this.#arrange();
    this.#render();
  }

  #choose(changes) {
    this.choices.set(changes);
    this.#render();
  }

  #follow() {
    if (!this.choices.address.isCurrent || !this.data) return;
    this.choices.follow();
    this.#render();
  }

  /** Which cards there are. */
  #arrange() {
    const { maps, scores } = this.data;
    const names = [...maps.map((one) => one.name), scores === null].join();
    if (this.arranged === names) return;
    this.arranged = names;
    this.cards = maps.map(() => new MapCard());
    const look = scores === null ? [] : [this.look.node];
    this.maps.replaceChildren(...this.cards.map((one) => one.node), ...look, this.softmax.node);
    this.maps.dataset.cards = String(maps.length);
    const one = maps.every(({ layers, heads }) => layers * heads === 1);
    this.picker.hidden = one;
  }

  #render() {
    const { data } = this;
    if (!data) return;
    const { strings, maps } = data;
    this.theme = readTheme(this.root);
    const count = data.steps.length;
    const step = this.choices.step(count);
    const most = {
      layers: Math.max(...maps.map((one) => one.layers)),
      heads: Math.max(...maps.map((one) => one.heads)),
    };
    const chosen = this.choices.head(most);
    this.#showPicker(most, chosen, strings);
    this.stepper.show({ step, count, strings, piece: data.written[step] });
    maps.forEach((kind, at) => {
      const layer = Math.min(chosen.layer, kind.layers - 1);
      const head = Math.min(chosen.head, kind.heads - 1);
      this.cards[at].show(kind, data, { layer, head, step }, this.theme);
    });
    const cross = this.cards.at(-1).row;
    this.strips.show(data, step, cross);
    this.softmax.show(data, step);
    if (data.scores) this.look.show(data, step, cross);
    this.tree.show(data, step);
    this.#showLegend(strings);
    this.#showNumbers(step);
    Object.assign(this.root.dataset, {
      step: String(step), layer: String(chosen.layer), head: String(chosen.head), drawn: "true",
    });
  }

  #showPicker({ layers, heads }, { layer, head }, strings) {
    const numbers = (count) => Array.from({ length: count }, (_, at) => [String(at), String(at)]);
    this.names[0].textContent = strings.layer;
    this.names[1].textContent = strings.head;
    this.layer.show(strings.layer, numbers(layers), String(layer));
    this.head.show(strings.head, numbers(heads), String(head));
  }

  #showLegend(strings) {
    const ramp = element("span", { class: "ramp" });
    ramp.style.background = gradient(createLookupTable("indigo", this.theme.dark));
    const key = (name, text) => element("span", { class: `key ${name}` }, [element("i"), text]);
    const keys = [key("row", strings.keyRow)];
    if (this.data.maps.some(({ name }) => name === "decoder")) {
      keys.push(key("later", strings.keyLater));
    }
    if (this.data.padding) keys.push(key("padding", strings.keyPadding));
    this.legend.replaceChildren(
      element("span", { class: "key" }, ["0 ", ramp, ` ${strings.largest}`]),
      ...keys,
      element("span", { class: "keys" }, [strings.keys]),
    );
  }

  #showNumbers(step) {
    const { data } = this;
    const columns = this.cards.flatMap((card) => {
      if (!card.row) return [];
      const side = data[card.kind.columns];
      const seen = card.kind.columns === "target" ? side.slice(0, step + 1) : side;
      return [{ title: card.kind.title, tokens: seen.map(({ text }) => text), weights: card.row }];
    });
    this.numbers.show(data.strings.numbers, columns);
  }

  #drawSoon() {
    this.forgetFrame?.();
    this.forgetFrame = this.life.frame(() => this.cards.forEach((card) => card.draw()));
  }

  #remeasure() {
    for (const card of this.cards) card.remeasure();
    this.#drawSoon();
  }
}
