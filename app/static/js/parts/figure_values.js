/** What a figure shows in numbers: a table behind its heading, and buttons that save the figure. */

import { element } from "../lib/dom.js";
import { commaSeparated, download } from "../lib/files.js";
import { mounting } from "../lib/picture.js";

const PLOTLYS = ".modebar-btn[data-title^='Download plot']";
const SCALE = 2; // pixels of a saved picture for each of the page, at least

/**
 * The table and the buttons of one figure.
 *
 * @typedef {object} Model
 * @property {string} name of the files
 * @property {string[]} columns headings
 * @property {(number | string | null)[][]} cells column by column, as exact as they are known; read
 *   when they are needed
 * @property {boolean} pictures whether the figure can be saved as one
 * @property {{values: string, table: string, save: string}} strings
 * @property {HTMLElement} [place] what holds the chart, where that is not one of Streamlit's
 * @property {() => Promise<SVGSVGElement>} [picture] the chart to be saved, where it is no SVG
 * @property {number[]} [rows] of the cells, those that the table shows; without it, all
 * @property {(cell: number | string | null) => string} [written] a cell as the table has it
 */
export class FigureValues {
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.heading = element("summary");
    this.table = element("div", { class: "values", tabindex: "0", role: "region" });
    this.details = element("details", {}, [this.heading, this.table]);
    this.details.addEventListener("toggle", () => this.#fill());
    this.buttons = element("div", { class: "save", role: "group" });
    root.replaceChildren(this.details, this.buttons);
  }

  /** The figure that this belongs to, chart and all. */
  get #place() {
    const { name, place } = this.model;
    return place ?? this.root.getRootNode().host.closest(`.st-key-figure-${name}`);
  }

  /**
   * Have the chart do nothing that the page does not want of it.
   *
   * Plotly's pictures of space keep the wheel for themselves, and the page would stand still. The
   * marks of Vega are no words: what is read aloud is the sentence of the chart, on the element
   * around it, and the table. Streamlit draws the chart anew when its width or its data change.
   */
  #tame() {
    const place = this.#place;
    if (!this.model.pictures) {
      const options = { capture: true, passive: true };
      return this.life.listen(place, "wheel", (event) => event.stopPropagation(), options);
    }
    const hide = () => place.querySelector("svg.marks")?.setAttribute("aria-hidden", "true");
    hide();
    return this.life.observeNodes(place, hide);
  }

  show(model) {
    this.model = model;
    const { strings, pictures } = model;
    this.heading.textContent = strings.values;
    this.table.setAttribute("aria-label", strings.table);
    this.buttons.setAttribute("aria-label", strings.save);
    if (!this.buttons.hasChildNodes()) {
      const kinds = pictures ? ["svg", "png", "csv"] : ["svg", "csv"];
      this.buttons.append(strings.save, ...kinds.map((kind) => this.#button(kind)));
    }
    this.#fill();
    this.tamed ??= this.#tame();
    this.root.dataset.drawn = "true";
  }

  /** The table is made when it is opened: most readers never do, and it may be long. */
  #fill() {
    if (!this.details.open) return this.table.replaceChildren();
    const { columns, cells, rows = [...(cells[0] ?? []).keys()], written = shown } = this.model;
    const head = columns.map((name) => element("th", { scope: "col" }, [name]));
    const lines = rows.map((at) =>
      element(
        "tr",
        {},
        cells.map((column) => element("td", {}, [written(column[at])])),
      ),
    );
    const caption = element("caption", { class: "unseen" }, [this.model.strings.table]);
    const parts = [caption, element("thead", {}, [element("tr", {}, head)])];
    // At once, so that who has scrolled down stays there.
    return this.table.replaceChildren(element("table", {}, [...parts, element("tbody", {}, lines)]));
  }

  #button(kind) {
    const button = element("button", { type: "button" }, [kind.toUpperCase()]);
    button.onclick = () => this.#save(kind);
    return button;
  }

  async #save(kind) {
    // Plotly writes its own file: its button for it shows under the pointer only, and not at all
    // where it cannot draw.
    if (kind === "svg" && !this.model.pictures) return this.#place.querySelector(PLOTLYS)?.click();
    download(await this.#blob(kind), `${this.model.name}.${kind}`);
  }

  async #blob(kind) {
    if (kind === "csv") {
      const { columns, cells } = this.model;
      const lines = (cells[0] ?? []).map((_, at) => cells.map((column) => column[at]));
      return new Blob([commaSeparated([columns, ...lines])], { type: "text/csv;charset=utf-8" });
    }
    const picture = await this.#picture();
    const text = new XMLSerializer().serializeToString(picture);
    const blob = new Blob([text], { type: "image/svg+xml" });
    return kind === "svg" ? blob : pixels(blob, picture);
  }

  /** The chart as it stands, on the ground of the page. */
  async #picture() {
    const { picture: drawn } = this.model;
    const picture = drawn
      ? await drawn()
      : this.#place.querySelector("svg.marks").cloneNode(true);
    picture.removeAttribute("aria-hidden");
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const fill = getComputedStyle(this.root).getPropertyValue("--card");
    for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill })) {
      ground.setAttribute(name, value);
    }
    picture.prepend(ground);
    picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return picture;
  }
}

/** A number in as many digits as a reader compares; a text as it is. */
function shown(cell) {
  if (typeof cell !== "number") return cell ?? "–";
  if (Number.isInteger(cell)) return cell.toLocaleString("en");
  return Math.abs(cell) < 0.1 ? String(Number(cell.toPrecision(4))) : cell.toFixed(4);
}

async function pixels(blob, picture) {
  const address = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.max(SCALE, window.devicePixelRatio || 1);
    const canvas = element("canvas");
    canvas.width = Math.round(picture.getAttribute("width") * scale);
    canvas.height = Math.round(picture.getAttribute("height") * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export const mount = mounting(".figure-values", FigureValues);
