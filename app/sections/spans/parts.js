/** What the parts of the page "Fill the blanks" share. */

import { element } from "../../js/lib/dom.js";
import { headColour } from "../../js/lib/head_colours.js";

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
