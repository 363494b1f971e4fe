/** Entry of the picture of a translation: called when it appears, and when its data or theme change. */

const version = new URL(import.meta.url).search;
const [{ decode }, { TranslationView }] = await Promise.all(
  ["payload", "view"].map((name) => import(`./${name}.js${version}`)),
);

const mounted = new WeakMap();

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".translation");
  let entry = mounted.get(root);
  if (!entry) {
    entry = { view: new TranslationView(root), calls: 0, data: null };
    mounted.set(root, entry);
  }
  entry.calls += 1;
  const { calls } = entry;
  if (entry.data !== data) entry.payload = decode(data);
  entry.data = data;
  entry.view.show(entry.payload, setTriggerValue);
  return () => {
    // Streamlit runs the cleanup of a call that a newer call has overtaken.
    if (entry.calls !== calls) return;
    entry.view.release();
    mounted.delete(root);
  };
}
