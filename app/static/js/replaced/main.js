/** Entry of the picture of replaced tokens. */

import { openBlob } from "../lib/blob.js";
import { mounting } from "../lib/picture.js";
import { ReplacedView } from "./view.js";

const MAGIC = "HLRE";
const VERSION = 1;

export const mount = mounting(
  ".replaced",
  ReplacedView,
  (data) => openBlob(data, MAGIC, VERSION).header,
);
