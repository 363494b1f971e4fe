/** Entry of the picture of a translation. */

import { mounting } from "../lib/picture.js";
import { unpack } from "../lib/wire.js";
import { TranslationView } from "./view.js";

export const mount = mounting(".translation", TranslationView, unpack);
