/** Filled blanks: the finished texts, what either side reads and writes, and every step. */

import { element } from "../../js/lib/dom.js";
import { fill, percent } from "../../js/lib/format.js";
import { roving } from "../../js/lib/keyboard.js";
import { mounting } from "../../js/lib/picture.js";
import { readTheme } from "../../js/lib/theme.js";
import { partOf, unpack } from "../../js/lib/wire.js";
import { Choices } from "./choices.js";
import { HeadMap } from "./head_map.js";
import { Options } from "./options.js";
import { heading } from "./parts.js";
import { finished, sourcePieces, writtenPieces } from "./texts.js";

const LARGEST_BYTE = 255;

class View {
  /**
   * @param {HTMLElement} root
   * @param {import("../../js/lib/life.js").Life} life
   */
  constructor(root, life) {
    this.root = root;
    this.choices = new Choices();
    this.samples = element("div", { class: "samples", role: "radiogroup" });
    this.note = element("p", { class: "note" });
    this.source = element("ol", { class: "pieces" });
    this.written = element("div", { class: "pieces", role: "group" });
    this.moving = roving(this.written, "button", (button) => this.#go(Number(button.dataset.step)));
    this.says = element("output", { class: "says" });
    this.optionsHead = element("div");
    this.options = new Options();
    const listeners = (name) => ({
      onLook: (cell) => this.#read(name, cell),
      onChoose: (head) => this.#choose({ head }),
    });
    this.cross = new HeadMap(listeners("cross"), life);
    this.self = new HeadMap(listeners("self"), life);
    this.readout = element("output", { class: "hint readout" });
    this.layers = element("select");
    this.back = element("button", { type: "button", class: "walk" }, ["‹"]);
    this.on = element("button", { type: "button", class: "walk" }, ["›"]);
    this.#listen();
  }

  /** @param {object} payload of `app/sections/spans/span_view.py` */
  show(payload, send) {
    this.payload = payload;
    this.send = send;
    this.choices.open(payload);
    this.#arrange();
    this.#render();
    this.root.dataset.drawn = "true";
  }

  #listen() {
    this.samples.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.send("sample", { number: Number(button.dataset.sample) });
    });
    this.movingSamples = roving(this.samples, "button");
    this.written.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.#go(Number(button.dataset.step));
    });
    this.layers.addEventListener("change", () => {
      this.#choose({ layer: Number(this.layers.value) });
    });
    this.back.addEventListener("click", () => this.#go(this.step - 1));
    this.on.addEventListener("click", () => this.#go(this.step + 1));
  }

  #go(step) {
    this.#choose({ step: Math.min(Math.max(step, 0), this.payload.steps.length - 1) });
  }

  #choose(changes) {
    this.choices.set(changes);
    this.#render();
  }

  /** Which parts there are. */
  #arrange() {
    const { attention, strings } = this.payload;
    const texts = element("section", { class: "card finished" }, [
      heading(strings.finished, strings.finishedHint),
      this.samples,
      this.note,
    ]);
    const pieces = element("section", { class: "card both" }, [
      heading(strings.source, strings.sourceHint),
      this.source,
      heading(strings.target, strings.targetHint),
      this.written,
    ]);
    this.samples.setAttribute("aria-label", strings.finished);
    this.written.setAttribute("aria-label", strings.target);
    this.back.setAttribute("aria-label", strings.back);
    this.on.setAttribute("aria-label", strings.on);
    const walk = element("span", { class: "walks" }, [this.back, this.on]);
    const top = element("div", { class: "head" }, [this.says, walk]);
    const step = element("section", { class: "card step" }, [top, this.#stepParts()]);
    this.root.replaceChildren(texts, pieces, step);
    if (!attention) return;
    const numbers = Array.from({ length: attention.layers }, (_, at) => String(at));
    this.layers.replaceChildren(
      ...numbers.map((one) => element("option", { value: one }, [`${strings.layer} ${one}`])),
    );
    this.layers.setAttribute("aria-label", strings.layer);
    walk.before(this.layers);
  }

  #stepParts() {
    const { attention, strings } = this.payload;
    const left = element("div", {}, [this.optionsHead, this.options.node]);
    if (!attention) {
      return element("div", { class: "columns" }, [
        left,
        element("p", { class: "hint" }, [strings.noMaps]),
      ]);
    }
    return element("div", { class: "columns" }, [
      left,
      element("div", { class: "cross" }, [
        heading(strings.cross, strings.crossHint),
        this.cross.node,
        this.readout,
      ]),
      element("div", { class: "self" }, [
        heading(strings.self, strings.selfHint),
        this.self.node,
      ]),
    ]);
  }

  #render() {
    if (!this.payload) return;
    this.theme = readTheme(this.root);
    const { dark } = this.theme;
    const { parts, sizes, texts, notes, sample, source, steps, attention, strings } = this.payload;
    this.step = this.choices.step(steps.length);
    if (this.drawn !== dark || this.shown !== this.payload) {
      this.samples.replaceChildren(
        ...texts.map((fillings, at) =>
          sampleButton(finished(parts, fillings, dark), at, at === sample),
        ),
      );
      this.movingSamples.update(this.samples.children[sample]);
      this.note.textContent = notes[sample];
      this.source.replaceChildren(...sourcePieces(source, dark));
      this.written.replaceChildren(...writtenPieces(steps, sizes.length, dark));
      this.drawn = dark;
      this.shown = this.payload;
    }
    const now = steps[this.step];
    const read = this.step ? steps[this.step - 1].piece : (attention?.reads[0] ?? "<pad>");
    const number = fill(strings.step, { number: this.step + 1, count: steps.length });
    this.says.replaceChildren(
      element("b", {}, [number]),
      ` · ${fill(strings.reads, { read, piece: now.piece })}`,
    );
    const hint = now.forced ? strings.forced : strings.optionsHint;
    this.optionsHead.replaceChildren(heading(strings.options, hint));
    this.back.disabled = this.step === 0;
    this.on.disabled = this.step === steps.length - 1;
    this.options.show(now, strings);
    this.#markStep();
    if (attention) this.#renderMaps(attention, strings);
    Object.assign(this.root.dataset, { step: this.step, sample });
  }

  #markStep() {
    for (const [at, chip] of [...this.written.children].entries()) {
      chip.setAttribute("aria-pressed", String(at === this.step));
      chip.classList.toggle("later", at > this.step);
    }
    const chosen = this.written.children[this.step];
    this.moving.update(chosen);
    const room = this.written.getBoundingClientRect();
    const place = chosen.getBoundingClientRect();
    if (place.bottom > room.bottom) this.written.scrollTop += place.bottom - room.bottom;
    if (place.top < room.top) this.written.scrollTop -= room.top - place.top;
  }

  #renderMaps(attention, strings) {
    const layer = this.choices.layer(attention.layers);
    const head = this.choices.head(attention.heads);
    this.layers.value = String(layer);
    this.pieces = {
      cross: this.payload.source.map(({ piece }) => piece),
      self: attention.reads.slice(0, this.step + 1),
    };
    this.rows = {
      cross: rowsOf(attention.cross, layer, this.step),
      // Where this step may look: what comes later is not there yet.
      self: rowsOf(attention.decoder, layer, this.step, this.step + 1),
    };
    for (const name of ["cross", "self"]) {
      const label = fill(strings.mapLabel, { name: strings[name] });
      const picture = { rows: this.rows[name], pieces: this.pieces[name], head, label };
      this[name].show(picture, this.theme);
    }
    light(this.source.children, this.rows.cross[head]);
    // What was read at a step was written at the one before.
    light(this.written.children, this.rows.self[head].subarray(1));
    this.#read("cross", null);
    Object.assign(this.root.dataset, { layer, head });
  }

  #read(name, cell) {
    const { strings } = this.payload;
    if (!cell) {
      this.readout.textContent = strings.hint;
      return;
    }
    this.readout.textContent = fill(strings.cell, {
      head: cell.head,
      weight: percent(this.rows[name][cell.head][cell.key]),
      piece: `“${this.pieces[name][cell.key]}”`,
    });
  }
}

function sampleButton(nodes, at, chosen) {
  const button = element("button", { type: "button", role: "radio", "data-sample": String(at) }, [
    element("span", { dir: "auto" }, nodes),
  ]);
  button.setAttribute("aria-checked", String(chosen));
  return button;
}

/**
 * The weights of one step in every head of a layer.
 *
 * @param {{scales: Float32Array, levels: Uint8Array}} maps `[layer, head, step]`, `[..., key]`
 * @param {number} layer
 * @param {number} step
 * @param {number} [keys] of the first ones only
 * @returns {Float32Array[]}
 */
function rowsOf({ scales, levels }, layer, step, keys) {
  return Array.from({ length: levels.shape[1] }, (_, head) => {
    const unit = partOf(scales, layer, head)[step] / LARGEST_BYTE;
    const row = partOf(levels, layer, head, step).subarray(0, keys);
    return Float32Array.from(row, (level) => level * unit);
  });
}

/** A bar under each piece, as long as its weight. */
function light(chips, weights) {
  for (const [at, chip] of [...chips].entries()) {
    chip.style.setProperty("--weight", String(weights[at] ?? 0));
  }
}

export const mount = mounting(".span-view", View, unpack);
