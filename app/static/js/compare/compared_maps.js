/** Entry of the comparison. */

import { mounting } from "../lib/picture.js";
import { decode } from "./payload.js";
import { ComparedView } from "./view.js";

export const mount = mounting(".compared", ComparedView, decode);
