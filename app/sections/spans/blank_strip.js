/** A text as words to click and blanks with sizes to choose. */

import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { roving } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { colour } from "./parts.js";

const OTHER = "other";
const FREE = "free"; // the model chooses how many words

class Strip {
  constructor(root) {
    this.root = root;
    this.group = element("div", { class: "words", role: "group" });
    root.replaceChildren(this.group);
    this.moving = roving(this.group, "button, select, input");
    this.group.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.#want(Number(button.dataset.part), button.dataset.remove ? "0" : "1");
    });
    this.group.addEventListener("change", ({ target }) => {
      if (target.value === OTHER) this.#askNumber(target);
      else this.#want(Number(target.dataset.part), target.value);
    });
  }

  show(data, send) {
    this.send = send;
    const { dark } = readTheme(this.root);
    const drawn = JSON.stringify([data, dark]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.data = data;
    this.group.setAttribute("aria-label", data.strings.words);
    let blank = -1;
    const nodes = data.parts.map((part, at) => {
      const number = data.numbers[at];
      if (part.kind === "blank") {
        blank += 1;
        return this.#blank(part.words, number, blank, dark);
      }
      const text = element("bdi", {}, [part.text.trim()]);
      if (part.kind === "other") return element("span", { class: "mark" }, [text]);
      return element("button", { type: "button", "data-part": String(number) }, [text]);
    });
    this.group.replaceChildren(...nodes);
    this.moving.update();
  }

  #blank(words, number, blank, dark) {
    const { sizes, strings } = this.data;
    const named = { number: blank + 1 };
    const select = element("select", { "data-part": String(number) });
    select.setAttribute("aria-label", fill(strings.size, named));
    const known = [...new Set(words === null ? sizes : [...sizes, words])];
    const options = known
      .sort((one, two) => one - two)
      .map((one) => {
        const name = one === 1 ? strings.one : fill(strings.several, { count: one });
        return element("option", { value: String(one) }, [name]);
      });
    const further = { [FREE]: strings.free, [OTHER]: strings.other };
    for (const [value, name] of Object.entries(further)) {
      options.push(element("option", { value }, [name]));
    }
    select.replaceChildren(...options);
    select.value = words === null ? FREE : String(words);
    const remove = element("button", { type: "button", "data-part": String(number) }, ["×"]);
    remove.dataset.remove = "true";
    remove.setAttribute("aria-label", fill(strings.remove, named));
    const node = element("span", { class: "blank" }, [
      element("b", { "aria-hidden": "true" }, [`${blank}`]),
      select,
      remove,
    ]);
    colour(node, blank, dark);
    return node;
  }

  /** A number of the reader's own, in the place of the list. */
  #askNumber(select) {
    const { part } = select.dataset;
    const most = String(this.data.most);
    const input = element("input", { type: "number", min: "1", max: most, "data-part": part });
    input.setAttribute("aria-label", select.getAttribute("aria-label"));
    select.replaceWith(input);
    input.focus();
  }

  #want(part, value) {
    const bounded = Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), this.data.most);
    const words = value === FREE ? null : bounded;
    this.send("change", { text: this.data.text, part, words });
  }
}

export const mount = mounting(".blank-strip", Strip);
