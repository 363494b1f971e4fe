/** Heads in order of a share, each with a button that opens it and one that turns it off. */

import { bar, element, setBar } from "../../js/lib/dom.js";
import { mounting } from "../../js/lib/picture.js";

function line({ layer, head, name, share, percent, detail, off }, strings) {
  const length = bar();
  setBar(length, share, 1);
  const about = `${name}: `;
  const place = { "data-layer": String(layer), "data-head": String(head) };
  const toggle = element("button", { type: "button", ...place, "data-does": "toggle" });
  toggle.dataset.off = String(!off);
  toggle.append(off ? strings.on : strings.off);
  toggle.setAttribute("aria-label", about + toggle.textContent);
  const link = element("button", { type: "button", ...place, "data-does": "open" }, [strings.open]);
  link.setAttribute("aria-label", about + strings.open);
  return element("li", off ? { class: "is-off" } : {}, [
    element("span", { class: "name" }, [name]),
    length,
    element("span", { class: "share" }, [percent]),
    element("bdi", { class: "detail", title: detail }, [detail]),
    element("span", { class: "does" }, [link, toggle]),
  ]);
}

function listOf({ title, hint, rows }, strings) {
  return element("section", {}, [
    element("h3", {}, [title]),
    element("p", { class: "about" }, [hint]),
    element("ol", {}, rows.map((row) => line(row, strings))),
  ]);
}

/** Number of the list and of the row in it. */
function placeOf(button) {
  const row = button.closest("li");
  const lists = [...button.closest(".lists").querySelectorAll("ol")];
  const list = lists.indexOf(row.parentElement);
  return { list, row: [...row.parentElement.children].indexOf(row) };
}

class Ranking {
  constructor(root) {
    this.root = root;
    root.onclick = ({ target }) => {
      const button = target.closest("button");
      if (!button) return;
      const { does, layer, head, off } = button.dataset;
      if (does === "open") this.send("open", placeOf(button));
      else this.send("off", { heads: [[Number(layer), Number(head)]], off: off === "true" });
    };
  }

  show(data, send) {
    const { root } = this;
    this.send = send;
    const drawn = JSON.stringify(data);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    const focused = root.getRootNode().activeElement?.getAttribute("aria-label");
    const place = [...root.querySelectorAll("button")].findIndex(
      (button) => button.getAttribute("aria-label") === focused,
    );
    const { strings } = data;
    const title = element("h2", {}, [strings.title]);
    const hint = element("span", { class: "hint" }, [` · ${strings.hint}`]);
    const lists = element("div", { class: "lists" }, data.lists.map((one) => listOf(one, strings)));
    root.replaceChildren(element("div", {}, [title, hint]), lists);
    // A button that has just been chosen says the opposite now, in the same place.
    if (focused && place >= 0) root.querySelectorAll("button")[place]?.focus();
  }
}

export const mount = mounting(".ranking", Ranking);
