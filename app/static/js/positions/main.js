/** The picture of a code for positions: called by Streamlit when it appears or its data change. */

const version = new URL(import.meta.url).search;
const [{ decode }, { PositionView }, { element }, { fill }] = await Promise.all([
  import(`./payload.js${version}`),
  import(`./view.js${version}`),
  import(`../attention/dom.js${version}`),
  import(`../attention/format.js${version}`),
]);

const BROKEN = "The picture could not be drawn: {reason} Please reload the page.";

const views = new WeakMap();

/** @param {{data: Uint8Array, parentElement: ParentNode}} component */
export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".positions");
  try {
    const payload = decode(data);
    if (!views.has(root)) views.set(root, new PositionView(root));
    views.get(root).show(payload);
  } catch (error) {
    const text = fill(BROKEN, { reason: error.message });
    views.delete(root);
    root.replaceChildren(element("p", { role: "alert" }, [text]));
  }
}
