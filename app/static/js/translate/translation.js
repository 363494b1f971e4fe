/** Entry of the picture of a translation. */

const version = new URL(import.meta.url).search;
const [{ mounting }, { decode }, { TranslationView }] = await Promise.all(
  ["../attention/mounting", "./payload", "./view"].map((name) => import(`${name}.js${version}`)),
);

export const mount = mounting(".translation", TranslationView, decode);
