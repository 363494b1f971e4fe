/** Entry of the picture of replaced tokens. */

import { mounting } from "../lib/picture.js";
import { unpack } from "../lib/wire.js";
import { ReplacedView } from "./view.js";

export const mount = mounting(".replaced", ReplacedView, unpack);
