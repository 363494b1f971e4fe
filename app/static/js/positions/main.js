/** Entry of the picture of a code for positions. */

const version = new URL(import.meta.url).search;
const [{ mounting }, { decode }, { PositionView }] = await Promise.all(
  ["../attention/mounting", "./payload", "./view"].map((name) => import(`${name}.js${version}`)),
);

export const mount = mounting(".positions", PositionView, decode);
