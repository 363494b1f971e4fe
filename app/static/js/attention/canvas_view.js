/** One attention canvas on a page: its parts, its events and the way from a choice to a picture. */

const version = new URL(import.meta.url).search;
const [
  { PageAddress },
  { Atlas },
  { element, segmentedControl },
  { fill },
  { isReserved, moveHead },
  { LayerRequests },
  { Lines },
  { createLookupTable, gradient, PALETTE_NAMES },
  { Readout },
  { CanvasState, PARAMETERS },
  { Suggestions },
  { readTheme },
  { TokenStrip },
] = await Promise.all(
  [
    "address",
    "atlas",
    "dom",
    "format",
    "keyboard",
    "layer_requests",
    "lines",
    "palette",
    "readout",
    "state",
    "suggestions",
    "theme",
    "token_strip",
  ].map((name) => import(`./${name}.js${version}`)),
);

const SCALE_STRINGS = {
  absolute: ["scaleAbsolute", "legendAbsolute"],
  head: ["scaleHead", "legendHead"],
  row: ["scaleRow", "legendRow"],
};

// The shadow root keeps it apart from the rest of the page.
const KEYS_ID = "atlas-keys";

// A held arrow key should not make a screen reader stammer.
const SPEECH_PAUSE_MILLISECONDS = 300;

// What was chosen goes along to the other pages of the same tab, one entry for each prefix.
const carried = new Map();

/** Everything inside the component's root element. */
export class CanvasView {
  /**
   * @param {HTMLElement} root
   * @param {object} listeners
   * @param {(token: number | null) => void} listeners.onToken told when the reader chooses a token
   * @param {(layers: number[]) => void} listeners.onMissing told which layers are needed next
   */
  constructor(root, { onToken, onMissing }) {
    this.root = root;
    this.onToken = onToken;
    this.requests = new LayerRequests(onMissing);
    this.state = new CanvasState(PALETTE_NAMES);
    this.address = null;
    this.strings = null;
    this.hoveredHead = null;
    this.hovered = null;
    this.frame = null;
    this.speech = null;
    this.listening = new AbortController();
    this.#build();
    this.#listen();
  }

  /**
   * Show new maps, or the same ones in another theme.
   *
   * @param {{sets: object[], settings: object, strings: Record<string, string>}} payload
   */
  show({ sets, settings, strings }) {
    this.strings = strings;
    this.hoveredHead = null;
    this.hovered = null;
    this.note.hidden = true;
    this.requests.settle();
    this.state.adopt(sets, settings);
    if (this.address?.prefix !== settings.urlPrefix) {
      this.address?.release();
      this.address = new PageAddress(settings.urlPrefix, PARAMETERS);
      this.state.choose(carried.get(settings.urlPrefix) ?? {});
      this.state.readTexts(this.address.read());
    } else if (this.address.hasNews) {
      this.#followAddress();
    }
    this.theme = readTheme(this.root);
    this.#render();
  }

  /** Stop listening to the page and to time. */
  release() {
    this.listening.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.speech);
    this.requests.settle();
    this.address?.release();
  }

  #build() {
    this.strip = new TokenStrip(element("div", { class: "strip", role: "toolbar" }), (token) =>
      this.#choose({ token }),
    );
    this.sets = segmentedControl("set", (set) => this.#choose({ set }));
    this.scales = segmentedControl("scale", (scale) => this.#choose({ scale }));

    this.atlas = new Atlas(createAtlasCanvas());
    this.atlasRoom = element("div", { class: "atlas-room" }, [this.atlas.canvas]);
    this.atlasTitle = heading();
    this.keys = element("span", { class: "keys", id: KEYS_ID });
    this.atlasTitle.node.append(this.keys);
    this.ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    this.legend = element("span", { class: "legend-words" });
    this.legendRoom = element("span", { class: "legend" }, ["0", this.ramp, this.legend]);
    this.suggestions = new Suggestions((head) => this.#choose(head));
    this.note = element("div", { class: "hover-note", "aria-hidden": "true", hidden: "" });
    const atlasCard = element("section", { class: "card" }, [
      element("div", { class: "card-head" }, [
        this.atlasTitle.node,
        this.legendRoom,
        this.scales.node,
      ]),
      this.atlasRoom,
      this.suggestions.node,
      this.note,
    ]);

    this.lines = new Lines(element("canvas", { role: "img" }));
    this.linesRoom = element("div", { class: "lines-room" }, [this.lines.canvas]);
    this.linesTitle = heading();
    this.sides = element("p", { class: "sides" });
    this.summary = element("p", { class: "note summary" });
    this.tableName = element("summary");
    this.tableRoom = element("div", { class: "table-room" });
    this.details = element("details", {}, [this.tableName, this.tableRoom]);
    const linesCard = element("section", { class: "card" }, [
      element("div", { class: "card-head" }, [this.linesTitle.node]),
      this.sides,
      this.linesRoom,
      this.summary,
      this.details,
    ]);

    this.spoken = element("p", { class: "only-spoken", "aria-live": "polite" });
    this.cards = element("div", { class: "cards" }, [atlasCard, linesCard]);
    const parts = [this.sets.node, this.strip.node, this.cards, this.spoken];
    this.root.replaceChildren(...parts);
    this.root.classList.remove("waiting");
    this.root.setAttribute("aria-busy", "false");
  }

  #listen() {
    const { signal } = this.listening;
    const on = (node, type, listener) => node.addEventListener(type, listener, { signal });
    on(this.atlas.canvas, "pointermove", (event) => this.#hoverHead(headUnder(this.atlas, event)));
    on(this.atlas.canvas, "pointerleave", () => this.#hoverHead(null));
    on(this.atlas.canvas, "click", (event) => {
      const head = headUnder(this.atlas, event);
      if (head) this.#choose(head);
    });
    on(this.atlas.canvas, "keydown", (event) => {
      if (isReserved(event)) return;
      const head = moveHead(event.key, this.state.values, this.state.mapSet);
      if (!head) return;
      event.preventDefault();
      event.stopPropagation();
      this.#choose(head);
    });
    on(this.lines.canvas, "pointermove", (event) => {
      this.#hover(this.lines.at(event.offsetX, event.offsetY));
    });
    on(this.lines.canvas, "pointerleave", () => this.#hover(null));
    on(this.lines.canvas, "click", (event) => {
      const { query, key } = this.lines.at(event.offsetX, event.offsetY) ?? {};
      if (query !== undefined && key === undefined) this.#choose({ token: query });
    });
    // Back and forward in the browser's history.
    on(window, "popstate", () => {
      if (!this.address?.isCurrent) return;
      this.#followAddress();
      this.#render();
    });
    // Drawn text does not change by itself when a font arrives late.
    on(document.fonts, "loadingdone", () => {
      this.lines.remeasure();
      this.#renderSoon();
    });
    this.observer = new ResizeObserver(() => this.#renderSoon());
    this.observer.observe(this.atlasRoom);
    this.observer.observe(this.linesRoom);
  }

  #followAddress() {
    this.address.release();
    this.state.forget();
    this.state.readTexts(this.address.read());
  }

  #choose(changes) {
    this.state.choose(changes);
    this.#render();
    clearTimeout(this.speech);
    this.speech = setTimeout(() => {
      this.spoken.textContent = this.readout.spoken;
    }, SPEECH_PAUSE_MILLISECONDS);
    if ("token" in changes) this.onToken(changes.token);
  }

  #hoverHead(head) {
    const before = this.hoveredHead;
    if (before?.layer === head?.layer && before?.head === head?.head) return;
    this.hoveredHead = head;
    this.#drawAtlas();
    this.note.hidden = head === null;
    if (!head) return;
    this.note.textContent = this.readout.hoverNote(head);
    const cell = this.atlas.cellOf(head.layer, head.head);
    const room = this.atlasRoom;
    const left = Math.min(cell.x, Math.max(room.clientWidth - this.note.offsetWidth, 0));
    this.note.style.left = `${room.offsetLeft + left}px`;
    this.note.style.top = `${room.offsetTop + cell.y + cell.size + 6}px`;
  }

  #hover(what) {
    const before = this.hovered;
    if (before?.query === what?.query && before?.key === what?.key) return;
    this.hovered = what;
    const isQuery = what?.query !== undefined && what.key === undefined;
    this.lines.canvas.style.cursor = isQuery ? "pointer" : "default";
    this.#drawLines();
  }

  #renderSoon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (!this.strings) return;
      this.theme = readTheme(this.root);
      this.#render();
    });
  }

  #render() {
    const start = performance.now();
    const { mapSet, values } = this.state;
    this.readout = new Readout(mapSet, values, this.strings);
    this.#say(mapSet, values);
    this.strip.show(this.strings.tokens, mapSet.queryTokens, mapSet.querySpecial, values.token);
    this.#drawAtlas();
    this.#drawLines();
    this.requests.want(mapSet, values.layer);
    this.address.write(this.state.texts);
    carried.set(this.address.prefix, { ...this.state.choices });
    Object.assign(this.root.dataset, {
      layer: values.layer,
      head: values.head,
      token: values.token ?? "",
      set: values.set,
      drawn: "true",
    });
    performance.measure("headlight:draw", { start, end: performance.now() });
  }

  #say(mapSet, values) {
    const { readout, strings } = this;
    const options = this.state.sets.map(({ name, label }) => [name, label]);
    this.sets.node.hidden = options.length < 2;
    this.sets.show(strings.mapSet, options, values.set);
    const scales = Object.entries(SCALE_STRINGS).map(([name, [label]]) => [name, strings[label]]);
    this.scales.show(strings.scale, scales, values.scale);
    this.atlasTitle.say(strings.allHeads, strings.allHeadsHint);
    this.atlas.canvas.setAttribute("aria-label", fill(strings.atlas, { head: readout.head }));
    this.legend.textContent = strings[SCALE_STRINGS[values.scale][1]];
    // Its words may find no room.
    this.legendRoom.title = this.legend.textContent;
    this.ramp.style.background = gradient(createLookupTable(values.palette, this.theme.dark));
    this.keys.textContent = strings.keys;
    this.suggestions.show(strings.worthALook, mapSet.suggestions, values);
    this.linesTitle.say(readout.head, readout.from);
    this.sides.hidden = !mapSet.queryLabel || !mapSet.keyLabel;
    this.sides.textContent = `${mapSet.queryLabel} → ${mapSet.keyLabel}`;
    this.summary.textContent = readout.summary;
    const spoken = { head: readout.head, from: readout.from, summary: readout.summary };
    this.lines.canvas.setAttribute("aria-label", fill(strings.lines, spoken));
    this.tableName.textContent = strings.table;
    this.tableRoom.replaceChildren(readout.table);
  }

  #drawAtlas() {
    const { mapSet, values } = this.state;
    const scene = { mapSet, values, theme: this.theme, hovered: this.hoveredHead };
    this.atlas.draw(scene, this.atlasRoom.clientWidth);
  }

  #drawLines() {
    const { mapSet, values } = this.state;
    // What was drawn stays, faint, until the layer is here.
    this.linesRoom.classList.toggle("fetching", !this.readout.isHere);
    if (!this.readout.isHere) return;
    const scene = { mapSet, values, theme: this.theme, strings: this.strings };
    const { clientWidth, clientHeight } = this.linesRoom;
    this.lines.draw(scene, this.hovered, clientWidth, clientHeight);
  }
}

function createAtlasCanvas() {
  return element("canvas", { tabindex: "0", role: "application", "aria-describedby": KEYS_ID });
}

function headUnder(atlas, event) {
  return atlas.headAt(event.offsetX, event.offsetY);
}

/** A heading in plain words with a grey qualifier. */
function heading() {
  const words = element("strong");
  const qualifier = element("span", { class: "qualifier" });
  const node = element("h3", {}, [words, " · ", qualifier]);
  return {
    node,
    say(text, hint) {
      words.textContent = text;
      qualifier.textContent = hint;
    },
  };
}
