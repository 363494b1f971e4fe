/** The runs of the warm-up lab: a table that says where each is, and six charts that grow. */

import { element, segmentedControl } from "../../js/lib/dom.js";
import { fill, percent } from "../../js/lib/format.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { unpack } from "../../js/lib/wire.js";
import { SharedAxis } from "./axis.js";
import { Panel, short, valueAt } from "./panel.js";
import { DASHES, RUNS, stripes } from "./run_styles.js";

// Layers differ in lightness, and decoders are dashed.
const LAYERS = {
  light: ["#440154", "#3b528b", "#21918c", "#4f9a35"],
  dark: ["#b79cff", "#7aa2f7", "#35c4b5", "#e8e337"],
};
const FAINT = "55";

const PANELS = [
  { id: "loss", floor: 0 },
  { id: "accuracy", floor: 0, ceiling: 1 },
  { id: "rate", floor: 0 },
  { id: "gradients", logarithmic: true },
  { id: "variance", floor: 0 },
  { id: "entropy", floor: 0 },
];

class Curves {
  constructor(root, life) {
    this.root = root;
    this.axis = new SharedAxis();
    this.kind = "cross";
    this.caption = element("caption", { class: "unseen" });
    this.head = element("tr");
    this.body = element("tbody");
    const table = element("table", {}, [
      this.caption,
      element("thead", {}, [this.head]),
      this.body,
    ]);
    this.panels = PANELS.map((one) => Object.assign(new Panel(this.#listeners()), one));
    this.kinds = segmentedControl("lab-kind", (kind) => {
      this.kind = kind;
      this.draw();
    });
    this.panels.at(-1).tools.append(this.kinds.node);
    this.charts = element(
      "div",
      { class: "charts" },
      this.panels.map(({ node }) => node),
    );
    this.note = element("p", { class: "hint keys" });
    root.replaceChildren(table, this.charts, this.note);
    life.observe(this.charts, () => this.draw());
  }

  show(data) {
    this.model = data;
    const { strings, runs } = this.model;
    this.caption.textContent = strings.table;
    this.note.textContent = strings.keys;
    this.head.replaceChildren(
      ...strings.columns.map((title) => element("th", { scope: "col" }, [title])),
    );
    this.kinds.show(strings.kind, strings.kinds, this.kind);
    this.draw();
    this.root.dataset.steps = String(Math.max(0, ...runs.map(({ step }) => step)));
    this.root.dataset.drawn = "true";
    this.root.dataset.states = runs.map(({ state }) => state).join(" ");
  }

  draw() {
    if (!this.model) return;
    const { strings, looked, runs } = this.model;
    this.theme = readTheme(this.root);
    const mode = this.theme.dark ? "dark" : "light";
    this.colours = RUNS[mode];
    this.layers = LAYERS[mode];
    this.#rows();
    this.axis.reaches(0, this.model.most);
    const { range, at: step } = this.axis;
    for (const panel of this.panels) {
      const { floor = null, ceiling = null, logarithmic = false } = panel;
      panel.title.textContent = strings.titles[panel.id];
      panel.hint.textContent = fill(strings.hints[panel.id], { run: runs[looked]?.name ?? "" });
      const lines = this.#lines(panel.id);
      const { theme } = this;
      panel.draw({ lines, range, step, theme, floor, ceiling, logarithmic });
      panel.canvas.setAttribute("aria-label", this.#spoken(panel));
    }
    this.#values();
  }

  #rows() {
    const { runs, strings } = this.model;
    const cell = (text, name = "") => element("td", { class: name }, [text]);
    this.body.replaceChildren(
      ...runs.map((run, at) => {
        const line = element("span", { class: "swatch", "aria-hidden": "true" });
        line.style.background = stripes(this.colours[at], DASHES[at]);
        const share = run.step / run.wanted;
        const bar = element("span", { class: "bar", "aria-hidden": "true" });
        const done = element("span", { class: "fill" });
        done.style.width = `${100 * share}%`;
        done.style.background = this.colours[at];
        bar.append(done);
        const steps = fill(strings.steps, { step: run.step, steps: run.wanted });
        const look = (name, words) => {
          const value = last(run.series[name].values);
          return value === null ? "–" : words(value);
        };
        return element("tr", { "data-state": run.state }, [
          element("th", { scope: "row" }, [line, run.name]),
          element("td", {}, [element("div", { class: "progress" }, [bar, steps])]),
          cell(run.stateText, "state"),
          cell(look("heldOut", (value) => value.toFixed(3))),
          cell(look("accuracy", percent)),
          cell(look("whole", percent)),
        ]);
      }),
    );
  }

  #lines(id) {
    const { runs, looked } = this.model;
    const style = (at) => ({ colour: this.colours[at], dash: DASHES[at], width: 2 });
    const of = (name) =>
      runs.map((run, at) => ({ label: run.name, series: run.series[name], ...style(at) }));
    if (id === "loss") {
      const faint = of("loss").map((line) => ({
        ...line,
        colour: line.colour + FAINT,
        dash: [],
        width: 1,
        faint: true,
      }));
      return [...faint, ...of("heldOut")];
    }
    if (id === "accuracy") return of("accuracy");
    if (id === "rate") return of("rate");
    if (id === "variance") {
      const theory = runs[looked] && {
        label: this.model.strings.theory,
        series: runs[looked].series.expected,
        colour: this.theme.colours.muted,
        dash: [1, 3],
        width: 2,
      };
      return theory ? [theory, ...of("variance")] : [];
    }
    const lines = runs[looked]?.series[id] ?? [];
    const wanted = id === "entropy" ? lines.filter(({ kind }) => kind === this.kind) : lines;
    const deepest = Math.max(1, ...wanted.map(({ layer }) => layer));
    return wanted.map(({ name, kind, layer, series }) => ({
      label: name,
      series,
      colour: layer < 0 ? this.theme.colours.muted : this.#shade(layer / deepest),
      dash: kind === "decoder" && id === "gradients" ? [5, 3] : [],
      width: 1.25,
    }));
  }

  #shade(share) {
    return this.layers[Math.round(share * (this.layers.length - 1))];
  }

  /** The last value of every line in words, for who does not see the chart. */
  #spoken(panel) {
    const lines = panel.lines.filter(({ faint }) => !faint);
    const said = lines
      .map((line) => [line.label, valueAt(line, this.axis.at ?? this.model.most)])
      .filter(([, value]) => value !== null)
      .slice(0, 12)
      .map(([label, value]) => `${label}: ${short(value)}`);
    return `${panel.title.textContent}. ${said.join("; ")}`;
  }

  #values() {
    for (const panel of this.panels) {
      panel.values.replaceChildren();
      if (this.axis.at === null) continue;
      const at = fill(this.model.strings.atStep, { step: Math.round(this.axis.at) });
      panel.values.append(element("span", {}, [at]));
      const found =
        panel === this.over && this.height !== null
          ? [panel.lineAt(this.axis.at, this.height)].filter(Boolean)
          : panel.lines
              .filter(({ faint }) => !faint)
              .slice(0, 4)
              .map((line) => [line, valueAt(line, this.axis.at)]);
      for (const [line, value] of found) {
        if (value === null) continue;
        const words = panel === this.over ? `${line.label}: ${short(value)}` : short(value);
        const node = element("span", {}, [words]);
        node.style.borderColor = line.colour;
        panel.values.append(node);
      }
    }
  }

  #listeners() {
    return {
      onMove: (step, panel, height) => {
        this.axis.at = step;
        this.over = panel;
        this.height = height;
        this.draw();
      },
      onZoom: (from, to) => {
        this.axis.zoomTo(from, to);
        this.draw();
      },
      onKey: (key, panel) => {
        if (!this.axis.press(key)) return false;
        [this.over, this.height] = [panel, null];
        this.draw();
        return true;
      },
    };
  }
}

/**
 * The lines of a run by name, each with the steps of its values.
 *
 * @returns {object} of each name a Series, or for `gradients` and `entropy` a list of
 *   `{name, kind, layer, series}`
 */
function seriesOf({ steps, looks, byStep, byLook, gradients, entropy }) {
  const over = (places, lines) =>
    Object.entries(lines).map(([name, values]) => [name, { steps: places, values }]);
  const many = (lines) =>
    lines.map((line) => ({ ...line, series: { steps: looks, values: line.values } }));
  return {
    ...Object.fromEntries([...over(steps, byStep), ...over(looks, byLook)]),
    gradients: many(gradients),
    entropy: many(entropy),
  };
}

function last(values) {
  const value = values.at(-1);
  return Number.isFinite(value) ? value : null;
}

export const mount = mounting(".lab-curves", Curves, (data) => {
  const model = unpack(data);
  for (const run of model.runs) run.series = seriesOf(run);
  return model;
});
