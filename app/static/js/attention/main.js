/**
 * Entry of the attention canvas: called by Streamlit when the component appears, when its data
 * change and when the theme changes.
 */

const version = new URL(import.meta.url).search;
const [{ CanvasView }, { decode }, { element }, { fill }] = await Promise.all(
  ["canvas_view", "payload", "dom", "format"].map((name) => import(`./${name}.js${version}`)),
);

/** What is shown in each component's parent: the view, and how often it was called. */
const mounted = new WeakMap();

/**
 * Draw into a component, or bring up to date what is drawn there.
 *
 * @param {{data: Uint8Array, parentElement: ParentNode, setTriggerValue: Function}} component
 * @param {{reportsToken: boolean, sendsLayers: boolean}} options whether Python asked to be told
 *   of a chosen token, and whether it sends layers that did not come along
 * @returns {() => void} cleans up, unless the component has been called again since
 */
export function mount(component, { reportsToken, sendsLayers }) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".attention-canvas");
  let entry = mounted.get(parentElement);
  if (entry?.root !== root) {
    entry?.view?.release();
    entry = { root, view: null, data: null, payload: null, calls: 0 };
    mounted.set(parentElement, entry);
  }
  entry.calls += 1;
  entry.report = (token) => reportsToken && component.setTriggerValue("token", token);
  entry.ask = (layers) => sendsLayers && component.setTriggerValue("layers", layers);
  try {
    draw(entry, data);
  } catch (error) {
    fail(entry, error);
  }
  const calls = entry.calls;
  return () => {
    // Streamlit runs the cleanup of a call that a newer call has overtaken.
    if (entry.calls !== calls) return;
    entry.view?.release();
    mounted.delete(parentElement);
  };
}

function draw(entry, data) {
  const start = performance.now();
  if (entry.data !== data) entry.payload = withEarlierLayers(decode(data), entry.payload);
  performance.measure("headlight:decode", { start, end: performance.now() });
  entry.data = data;
  entry.view ??= new CanvasView(entry.root, {
    onToken: (token) => entry.report(token),
    onMissing: (layers) => entry.ask(layers),
  });
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
  const sentence = strings.unreadable ?? "The picture could not be drawn: {reason} Please reload the page.";
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
