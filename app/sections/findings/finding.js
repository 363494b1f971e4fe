/** The recorded runs of one finding: a table of its settings, and charts with bands over seeds. */

import { SharedAxis } from "../warm_up/axis.js";
import { Panel, short, valueAt } from "../warm_up/panel.js";
import { DASHES, RUNS, stripes } from "../warm_up/run_styles.js";
import { element } from "../../js/lib/dom.js";
import { fill } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { unpack } from "../../js/lib/wire.js";

const SPOKEN = 12; // lines, in the words that stand for a chart

class Finding {
  constructor(root, life) {
    this.root = root;
    this.panels = [];
    this.caption = element("caption", { class: "unseen" });
    this.head = element("tr");
    this.body = element("tbody");
    const head = element("thead", {}, [this.head]);
    this.charts = element("div", { class: "charts" });
    this.note = element("p", { class: "keys hint" });
    const table = element("table", {}, [this.caption, head, this.body]);
    root.replaceChildren(table, this.charts, this.note);
    life.observe(this.charts, () => this.draw());
  }

  show(model) {
    this.model = model;
    const { name, columns, panels, strings } = model;
    // Charts with the same kind of axis move together.
    this.axis = {};
    this.panels = panels.map((one) => this.#panel(one));
    this.charts.replaceChildren(...this.panels.map(({ node }) => node));
    this.caption.textContent = strings.table;
    this.note.textContent = strings.keys;
    this.head.replaceChildren(...columns.map((one) => element("th", { scope: "col" }, [one])));
    this.draw();
    this.root.dataset.finding = name;
    this.root.dataset.drawn = "true";
  }

  draw() {
    if (!this.model) return;
    this.theme = readTheme(this.root);
    this.colours = RUNS[this.theme.dark ? "dark" : "light"];
    this.#rows();
    for (const panel of this.panels) {
      panel.lines = panel.told.map((line) => ({ ...line, ...this.#style(line.setting) }));
      const { range, at: step } = this.axis[panel.axis];
      const { lines, theme, floor, ceiling, logarithmic } = { ...panel, theme: this.theme };
      panel.draw({ lines, range, step, theme, floor, ceiling, logarithmic });
      panel.canvas.setAttribute("aria-label", this.#spoken(panel));
    }
    this.#values();
  }

  #style(at) {
    return { colour: this.colours[at], dash: DASHES[at], width: 2 };
  }

  #panel({ title, hint, axis, least, most, lines, ...limits }) {
    const panel = Object.assign(new Panel(this.#listeners(axis)), limits, { axis });
    panel.title.textContent = title;
    panel.hint.textContent = hint;
    panel.told = lines.map(({ setting, band }) => ({
      label: this.model.settings[setting].name,
      setting,
      series: { steps: band.places, values: band.middle },
      band,
    }));
    this.axis[axis] ??= new SharedAxis();
    this.axis[axis].reaches(least, most);
    return panel;
  }

  #rows() {
    this.body.replaceChildren(
      ...this.model.settings.map(({ name, cells }, at) => {
        const line = element("span", { class: "swatch", "aria-hidden": "true" });
        line.style.background = stripes(this.colours[at], DASHES[at]);
        const values = cells.map((cell) => element("td", {}, [cell]));
        return element("tr", {}, [element("th", { scope: "row" }, [line, name]), ...values]);
      }),
    );
  }

  /** Where every line ends, or stands at the place looked at, for who does not see the chart. */
  #spoken(panel) {
    const { at, most } = this.axis[panel.axis];
    const said = panel.lines
      .map((line) => [line.label, valueAt(line, at ?? most)])
      .filter(([, value]) => value !== null)
      .slice(0, SPOKEN)
      .map(([label, value]) => `${label}: ${short(value)}`);
    return `${panel.title.textContent}. ${said.join("; ")}`;
  }

  #values() {
    for (const panel of this.panels) {
      panel.values.replaceChildren();
      const { at } = this.axis[panel.axis];
      if (at === null) continue;
      const place = fill(this.model.strings.at[panel.axis], { place: Math.round(at) });
      panel.values.append(element("span", {}, [place]));
      const near = panel === this.over && this.height !== null;
      const lines = near ? [panel.lineAt(at, this.height)?.[0]].filter(Boolean) : panel.lines;
      for (const line of lines) {
        // Shallow models have no deep layers, and a run that diverged has no late steps.
        const value = at > line.series.steps.at(-1) + 0.5 ? null : valueAt(line, at);
        if (value === null) continue;
        const node = element("span", {}, [near ? this.#withBand(line, at) : short(value)]);
        node.style.borderColor = line.colour;
        panel.values.append(node);
      }
    }
  }

  #withBand(line, at) {
    const { series, band } = line;
    const of = (values) => short(valueAt({ series: { steps: series.steps, values } }, at));
    const numbers = { middle: of(series.values), low: of(band.low), high: of(band.high) };
    return `${line.label}: ${fill(this.model.strings.band, numbers)}`;
  }

  #listeners(axis) {
    return {
      onMove: (place, panel, height) => {
        this.axis[axis].at = place;
        [this.over, this.height] = [panel, height];
        this.draw();
      },
      onZoom: (from, to) => {
        this.axis[axis].zoomTo(from, to);
        this.draw();
      },
      onKey: (key, panel) => {
        if (!this.axis[axis].press(key)) return false;
        [this.over, this.height] = [panel, null];
        this.draw();
        return true;
      },
    };
  }
}

export const mount = mounting(".lab-curves", Finding, unpack);
