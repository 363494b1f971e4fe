/** A view as a figure that stands for itself: title, what its colours mean, and the picture. */

import { fill } from "../../lib/format.js";
import { createLookupTable, swatches } from "../../lib/palette.js";
import { ExplorerReadout } from "../explorer_readout.js";
import { fontOf } from "../marks.js";
import { legendEntries } from "../overlay.js";
import { SCALE_STRINGS } from "../view_base.js";
import { PICTURES } from "./pictures.js";

// In sizes of the root's type.
const MARGIN = 1;
const TITLE = 1;
const SMALL = 0.8125;
const LINE = 1.5;
const RAMP_WIDTH = 6;
const RAMP_HEIGHT = 0.625;
const GAP = 0.5;

/**
 * @param {"grid" | "heads" | "matrix" | "lines"} view
 * @param {object} scene
 * @param {{width: number, height: number}} size of the picture in CSS pixels
 * @returns {{width: number, height: number, title: string, marks: object[]}} marks of marks.js, on
 *   the ground of the reader's theme
 */
export function figureOf(view, scene, size) {
  const { theme } = scene;
  const shown = { ...scene, values: { ...scene.values, view } };
  const picture = PICTURES[view](shown, size.width, size.height);
  const margin = MARGIN * theme.pixels;
  const head = new Head(shown, picture.width);
  const width = picture.width + 2 * margin;
  const height = head.height + picture.height + 2.5 * margin;
  const ground = { kind: "rect", x: 0, y: 0, width, height, fill: theme.colours.card };
  const marks = [
    ground,
    ...head.marks.map((mark) => moved(mark, margin, margin)),
    ...picture.marks.map((mark) => moved(mark, margin, 1.5 * margin + head.height)),
  ];
  return { width, height, title: head.title, marks };
}

/** Title, legend and notes, one below the other. */
class Head {
  constructor(scene, width) {
    const { strings, theme, values } = scene;
    this.scene = scene;
    this.width = width;
    this.context = document.createElement("canvas").getContext("2d");
    this.marks = [];
    this.height = 0;
    const readout = new ExplorerReadout(scene);
    this.title = readout.title.join(" · ");
    const [words, qualifier] = readout.title;
    const { colours } = theme;
    const tail = { text: ` · ${qualifier}`, colour: colours.muted };
    this.#text(0, words, { size: TITLE, bold: true, colour: colours.text, tail });
    this.height += LINE * theme.pixels;
    this.#legend(strings, values);
    for (const line of this.#wrapped(readout.notes)) {
      this.#text(0, line);
      this.height += LINE * SMALL * theme.pixels;
    }
  }

  #legend(strings, values) {
    const { theme } = this.scene;
    const gap = GAP * theme.pixels;
    const isLines = values.view === "lines";
    let x = isLines ? this.#heads(strings, values, gap) : this.#ramp(strings, values, gap);
    if (values.least > 0) {
      // As many digits as thousandths need.
      const weight = String(values.least / 1000);
      x = this.#text(x + (x > 0 ? 2 * gap : 0), fill(strings.leastShown, { weight }));
    }
    if (x > 0) this.height += LINE * theme.pixels;
  }

  #ramp(strings, { heads, palette, scale, view }, gap) {
    const { theme } = this.scene;
    const x = this.#text(0, "0") + gap;
    const [width, height] = [RAMP_WIDTH * theme.pixels, RAMP_HEIGHT * theme.pixels];
    const y = this.height + (LINE * theme.pixels - height) / 2;
    const place = { x, y, width, height };
    const colours = swatches(createLookupTable(palette, theme.dark));
    this.marks.push({ kind: "ramp", ...place, colours });
    this.marks.push({ kind: "rect", ...place, stroke: theme.colours.hairline });
    const isMean = view === "matrix" && heads.length > 0 && scale === "head";
    const fullColour = isMean ? strings.legendMean : strings[SCALE_STRINGS[scale][1]];
    return this.#text(x + width + gap, fullColour);
  }

  #heads(strings, values, gap) {
    const { theme } = this.scene;
    const size = RAMP_HEIGHT * theme.pixels;
    let x = 0;
    for (const { head, colour } of legendEntries(values, theme.dark)) {
      const name = fill(strings.oneHead, { head });
      const room = size + gap + this.#widthOf(name);
      if (x > 0 && x + room > this.width) {
        x = 0;
        this.height += LINE * SMALL * theme.pixels;
      }
      const y = this.height + (LINE * theme.pixels - size) / 2;
      this.marks.push({ kind: "rect", x, y, width: size, height: size, radius: 2, fill: colour });
      x = this.#text(x + size + gap, name) + 2 * gap;
    }
    return x;
  }

  /** @returns {number} where the text ends */
  #text(x, text, { size = SMALL, bold = false, colour, tail } = {}) {
    const { theme } = this.scene;
    const mark = {
      kind: "text",
      x,
      y: this.height + (LINE * theme.pixels) / 2,
      text,
      anchor: "start",
      colour: colour ?? theme.colours.muted,
      size: size * theme.pixels,
      family: theme.font,
      bold,
      tail,
    };
    this.marks.push(mark);
    this.context.font = fontOf(mark);
    return x + this.context.measureText(text).width;
  }

  #widthOf(text) {
    const { font: family, pixels } = this.scene.theme;
    this.context.font = fontOf({ size: SMALL * pixels, family });
    return this.context.measureText(text).width;
  }

  #wrapped(text) {
    const lines = [];
    for (const word of text.split(" ").filter(Boolean)) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && this.#widthOf(longer) <= this.width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }
}

function moved(mark, right, down) {
  if (mark.kind !== "curve") return { ...mark, x: mark.x + right, y: mark.y + down };
  const { x1, y1, x2, y2 } = mark;
  return { ...mark, x1: x1 + right, y1: y1 + down, x2: x2 + right, y2: y2 + down };
}
