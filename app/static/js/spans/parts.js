/** What the parts of the page "Fill the blanks" share. */

const version = new URL(import.meta.url).search;
const [{ element }, { fill }, { headColour }, { roving, Shared }] = await Promise.all([
  import(`../attention/dom.js${version}`),
  import(`../attention/format.js${version}`),
  import(`../attention/head_colours.js${version}`),
  import(`../fill_mask/parts.js${version}`),
]);
export { Shared, element, fill, roving };

/**
 * Give something the colour of its blank; its text keeps its own. The first blank has the colour of
 * whatever is predicted.
 *
 * @param {HTMLElement} node
 * @param {number} blank
 * @param {boolean} dark
 */
export function colour(node, blank, dark) {
  node.dataset.blank = String(blank);
  node.classList.add("of-blank");
  node.style.setProperty("--blank", blank === 0 ? "var(--mark)" : headColour(blank, dark));
}

/** A heading with its grey qualifier. */
export function heading(title, hint) {
  return element("div", { class: "heading" }, [
    element("h2", {}, [title]),
    element("span", { class: "hint" }, [` · ${hint}`]),
  ]);
}
