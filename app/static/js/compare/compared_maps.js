/** Entry of the comparison. */

const version = new URL(import.meta.url).search;
const [{ mounting }, { decode }, { ComparedView }] = await Promise.all(
  ["../attention/mounting", "./payload", "./view"].map((name) => import(`${name}.js${version}`)),
);

export const mount = mounting(".compared", ComparedView, decode);
