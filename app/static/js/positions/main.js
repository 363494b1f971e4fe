/** Entry of the picture of a code for positions. */

import { mounting } from "../lib/picture.js";
import { decode } from "./payload.js";
import { PositionView } from "./view.js";

export const mount = mounting(".positions", PositionView, decode);
