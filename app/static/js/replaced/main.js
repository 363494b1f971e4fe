/** Entry of the picture of replaced tokens. */

const version = new URL(import.meta.url).search;
const [{ openBlob }, { mounting }, { ReplacedView }] = await Promise.all(
  ["../attention/blob", "../attention/mounting", "./view"].map(
    (name) => import(`${name}.js${version}`),
  ),
);

const MAGIC = "HLRE";
const VERSION = 1;

export const mount = mounting(
  ".replaced",
  ReplacedView,
  (data) => openBlob(data, MAGIC, VERSION).header,
);
