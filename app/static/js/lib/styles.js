/** Style sheets that are fetched once, not sent with every picture. */

/** Which sheets each document or shadow root has, and whether they have arrived. */
const adopted = new WeakMap();

/**
 * Give the tree around an element its style sheets.
 *
 * @param {Element} element
 * @param {string[]} names of files in `static/css`, without their ending
 * @returns {Promise<void>} when all have arrived; a sheet that cannot be fetched keeps nobody waiting
 */
export async function adoptStyles(element, names) {
  const tree = element.getRootNode();
  if (!adopted.has(tree)) adopted.set(tree, new Map());
  const sheets = adopted.get(tree);
  for (const name of names) {
    if (!sheets.has(name)) sheets.set(name, fetchSheet(tree, name));
  }
  await Promise.all(names.map((name) => sheets.get(name)));
}

/** Begin to fetch sheets that will be adopted soon. @param {string[]} names */
export function preloadStyles(names) {
  document.head.append(...names.map((name) => linkTo(name, { rel: "preload", as: "style" })));
}

function linkTo(name, attributes) {
  const href = new URL(`../../css/${name}.css`, import.meta.url);
  return Object.assign(document.createElement("link"), attributes, { href });
}

function fetchSheet(tree, name) {
  const link = linkTo(name, { rel: "stylesheet" });
  const arrived = new Promise((done) => {
    link.addEventListener("load", done, { once: true });
    link.addEventListener("error", done, { once: true });
  });
  (tree instanceof Document ? tree.head : tree).append(link);
  return arrived;
}
