/** Entry of the picture of replaced tokens. */

import { mounting } from "../../js/lib/picture.js";
import { unpack } from "../../js/lib/wire.js";
import { ReplacedView } from "./view.js";

export const mount = mounting(".replaced", ReplacedView, unpack);
