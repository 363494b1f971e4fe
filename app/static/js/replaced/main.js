/** The picture of replaced tokens: called by Streamlit when it appears or its data change. */

const version = new URL(import.meta.url).search;
const [{ openBlob }, { ReplacedView }, { element }, { fill }] = await Promise.all([
  import(`../attention/blob.js${version}`),
  import(`./view.js${version}`),
  import(`../attention/dom.js${version}`),
  import(`../attention/format.js${version}`),
]);

const MAGIC = "HLRE";
const VERSION = 1;
const BROKEN = "The picture could not be drawn: {reason} Please reload the page.";

const views = new WeakMap();

/** @param {{data: Uint8Array, parentElement: ParentNode, setTriggerValue: Function}} component */
export function mount({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".replaced");
  try {
    const { header } = openBlob(data, MAGIC, VERSION);
    if (!views.has(root)) views.set(root, new ReplacedView(root));
    views.get(root).show(header, setTriggerValue);
  } catch (error) {
    const text = fill(BROKEN, { reason: error.message });
    views.delete(root);
    root.replaceChildren(element("p", { role: "alert" }, [text]));
  }
}
