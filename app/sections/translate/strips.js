/** The source, lit by where this step looks, and the target as far as it is written. */

import { element } from "../../js/lib/dom.js";
import { fill, percent, quoted } from "../../js/lib/format.js";

/** Both rows of chips. */
export class Strips {
  /** @param {(step: number) => void} onStep a written piece is clicked */
  constructor(onStep) {
    this.source = row();
    this.target = row();
    this.text = element("p", { class: "so-far", dir: "auto", "aria-live": "polite" });
    this.node = element("div", { class: "strips" }, [
      this.source.node,
      this.target.node,
      this.text,
    ]);
    this.target.chips.addEventListener("click", ({ target }) => {
      const chip = target.closest("button");
      if (chip) onStep(Number(chip.dataset.step));
    });
  }

  /**
   * @param {object} data
   * @param {number} step
   * @param {Float32Array} weights of this step over the source
   */
  show(data, step, weights) {
    const { strings } = data;
    if (this.identity !== data.identity) this.#build(data);
    const most = weights.reduce((found, one) => Math.max(found, one), 0) || 1;
    for (const [at, chip] of [...this.source.chips.children].entries()) {
      chip.style.setProperty("--weight", String(weights[at] / most));
      const looked = fill(strings.lookedAt, { share: percent(weights[at]) });
      chip.title = looked;
      chip.setAttribute("aria-label", `${quoted(data.source[at].text)}, ${looked}`);
    }
    for (const [at, item] of [...this.target.chips.children].entries()) {
      item.classList.toggle("coming", at > step);
      item.firstChild.disabled = at > step;
      if (at === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    const written = data.texts[step];
    if (this.text.textContent !== written) this.text.textContent = written;
  }

  #build(data) {
    const { strings } = data;
    this.identity = data.identity;
    this.source.name.textContent = strings.source;
    this.target.name.textContent = strings.target;
    this.source.chips.setAttribute("aria-label", strings.source);
    this.target.chips.setAttribute("aria-label", strings.target);
    this.source.chips.replaceChildren(
      ...data.source.map(({ text, kind }) =>
        element("li", { class: kind }, [element("bdi", {}, [text])]),
      ),
    );
    this.target.chips.replaceChildren(
      ...data.written.map((text, at) => {
        const inner = [element("bdi", {}, [text])];
        const button = element("button", { type: "button", "data-step": String(at) }, inner);
        return element("li", {}, [button]);
      }),
    );
  }
}

function row() {
  const name = element("span", { class: "name" });
  const chips = element("ul", { class: "chips" });
  return { node: element("div", { class: "strip" }, [name, chips]), name, chips };
}
