/**
 * Entry of the attention canvas: called by Streamlit when the component appears, when its data
 * change and when the theme changes.
 */

import { element } from "../lib/dom.js";
import { fill } from "../lib/format.js";
import { adoptStyles, preloadStyles } from "../lib/styles.js";
import { CanvasView } from "./canvas_view.js";
import { decode } from "./map_set.js";

preloadStyles(["attention"]);

// The first page does not wait for what only the explorer needs.
const LAYOUTS = {
  compact: { styles: ["attention"], view: async () => CanvasView },
  explorer: {
    styles: ["attention", "attention_explorer", "attention_pinned"],
    view: async () => (await import("./explorer_view.js")).ExplorerView,
  },
};

/** What is shown in each component's parent: the view, and how often it was called. */
const mounted = new WeakMap();

/**
 * Draw into a component, or bring up to date what is drawn there.
 *
 * @param {{data: Uint8Array, parentElement: ParentNode}} component
 * @returns {Promise<() => void>} cleans up, unless the component has been called again since
 */
export async function mount(component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".attention-canvas");
  let entry = mounted.get(parentElement);
  if (entry?.root !== root) {
    entry?.view?.release();
    entry = { root, view: null, data: null, payload: null, calls: 0 };
    mounted.set(parentElement, entry);
  }
  entry.calls += 1;
  const { calls } = entry;
  try {
    take(entry, data);
    const { styles, view } = LAYOUTS[entry.payload.settings.layout ?? "compact"];
    const [View] = await Promise.all([view(), adoptStyles(root, styles)]);
    // A newer call may have come meanwhile, and draws what is newer.
    if (entry.calls === calls) draw(entry, View);
  } catch (error) {
    fail(entry, error);
  }
  return () => {
    // Streamlit runs the cleanup of a call that a newer call has overtaken.
    if (entry.calls !== calls) return;
    entry.view?.release();
    mounted.delete(parentElement);
  };
}

function take(entry, data) {
  const start = performance.now();
  if (entry.data !== data) entry.payload = withEarlierLayers(decode(data), entry.payload);
  performance.measure("headlight:decode", { start, end: performance.now() });
  entry.data = data;
}

function draw(entry, View) {
  if (!(entry.view instanceof View)) {
    entry.view?.release();
    entry.view = new View(entry.root);
  }
  entry.view.show(entry.payload);
}

/** Maps come layer by layer when all at once would be too many. */
function withEarlierLayers(payload, earlier) {
  for (const mapSet of payload.sets) {
    const same = earlier?.sets.find(({ identity }) => identity === mapSet.identity);
    if (same) mapSet.keepLayersOf(same);
  }
  return payload;
}

/** A sentence where the picture would have been. */
function fail(entry, error) {
  const strings = entry.payload?.strings ?? {};
  const sentence =
    strings.unreadable ?? "The picture could not be drawn: {reason} Please reload the page.";
  const reason = strings[error.reason] ?? error.message;
  entry.view?.release();
  entry.view = null;
  entry.data = null;
  entry.root.classList.remove("waiting");
  entry.root.setAttribute("aria-busy", "false");
  entry.root.dataset.drawn = "false";
  const text = fill(sentence, { reason });
  entry.root.replaceChildren(element("p", { class: "failure", role: "alert" }, [text]));
}
