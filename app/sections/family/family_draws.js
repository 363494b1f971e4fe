/** What each model reads and has to say while it learns, reading after reading, as if it ran. */

import { AddressChoices } from "../../js/lib/choices.js";
import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";

const NAME = "reading";
const PAUSE_MILLISECONDS = 1600;

class Choices extends AddressChoices {
  constructor() {
    super([NAME]);
  }

  /** Number of the reading that is shown. @returns {number} */
  reading(count) {
    const text = this.text(NAME);
    const number = /^\d{1,2}$/.test(text) ? Number(text) : Number(this.defaults[NAME]);
    return Math.min(number, count - 1);
  }
}

class Draws {
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.choices = new Choices();
    this.halt = null; // of what plays
    this.play = element("button", { type: "button", class: "play" });
    this.slider = element("input", { type: "range", min: "1", step: "1" });
    this.count = element("output", { class: "hint" });
    this.legend = element("ul", { class: "legend" });
    this.rows = element("div", { class: "rows" });
    const bar = element("div", { class: "controls" }, [this.play, this.slider, this.count]);
    root.replaceChildren(element("div", { class: "head" }, [bar, this.legend]), this.rows);
    this.play.addEventListener("click", () => this.#toggle());
    this.slider.addEventListener("input", () => {
      this.#stop();
      this.#choose(Number(this.slider.value) - 1);
    });
  }

  show(data) {
    const { strings, marks, members, readings } = data;
    const { lastScene } = Choices;
    this.data = data;
    this.strings = strings;
    this.choices.open(data);
    if (Choices.lastScene !== lastScene) this.#stop();
    this.slider.max = String(readings);
    this.slider.setAttribute("aria-label", strings.reading);
    this.legend.replaceChildren(
      ...Object.entries(marks).map(([mark, said]) =>
        element("li", {}, [element("span", { class: `swatch ${mark}` }), said]),
      ),
    );
    this.rows.replaceChildren(...members.map((one) => this.#row(one)));
    this.#render();
    this.root.dataset.drawn = "true";
  }

  get reading() {
    return this.choices.reading(this.data.readings);
  }

  #row({ title, hides, why, published }) {
    const parts = [
      element("div", { class: "about" }, [
        element("h3", {}, [title]),
        element("span", { class: "hint" }, [hides]),
        element("span", { class: "copy hint" }),
      ]),
      element("div", { class: "chips" }),
      element("p", { class: "why" }, [why]),
    ];
    if (published) parts.push(element("p", { class: "published" }, [published]));
    return element("article", {}, parts);
  }

  #choose(reading) {
    this.choices.set({ [NAME]: reading });
    this.#render();
  }

  #render() {
    const { members, readings } = this.data;
    const { reading, strings } = this;
    this.slider.value = String(reading + 1);
    this.count.textContent = fill(strings.count, { number: reading + 1, count: readings });
    this.play.textContent = this.halt ? strings.pause : strings.play;
    this.root.dataset.reading = String(reading);
    members.forEach(({ pieces, soft, draws, copies }, at) => {
      const article = this.rows.children[at];
      const [, chips] = article.children;
      const nodes = pieces.map((piece) => chipOf(piece, soft ? "soft" : ""));
      for (const [position, piece, mark, rank, span] of draws[reading]) {
        nodes[position] = chipOf(piece, mark, rank, span);
        if (piece !== pieces[position]) {
          nodes[position].title = fill(strings.named, { piece: pieces[position] });
        }
      }
      chips.replaceChildren(...nodes);
      const copy = copies ? { number: (reading % copies) + 1, count: copies } : null;
      article.querySelector(".copy").textContent = copy ? fill(strings.copy, copy) : "";
    });
  }

  #toggle() {
    if (this.halt) {
      this.#stop();
      this.#render();
      return;
    }
    const goOn = () => this.#choose((this.reading + 1) % this.data.readings);
    this.halt = this.life.interval(goOn, PAUSE_MILLISECONDS);
    goOn();
  }

  #stop() {
    this.halt?.();
    this.halt = null;
    if (this.strings) this.play.textContent = this.strings.play;
  }
}

function chipOf(piece, mark, rank = null, span = 0) {
  const kind = ["chip", mark, span ? "span" : ""].filter(Boolean).join(" ");
  const chip = element("span", { class: kind }, [element("bdi", {}, [piece])]);
  if (rank) {
    chip.append(element("sup", {}, [String(rank)]));
    chip.style.setProperty("--rank", String(rank));
  }
  return chip;
}

export const mount = mounting(".family-draws", Draws);
