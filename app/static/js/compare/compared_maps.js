/** Entry of the comparison. */

import { mounting } from "../lib/picture.js";
import { unpack } from "../lib/wire.js";
import { ComparedView } from "./view.js";

export const mount = mounting(".compared", ComparedView, unpack);
