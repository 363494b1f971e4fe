/** Entry of the comparison. */

import { mounting } from "../../js/lib/picture.js";
import { unpack } from "../../js/lib/wire.js";
import { ComparedView } from "./view.js";

export const mount = mounting(".compared", ComparedView, unpack);
