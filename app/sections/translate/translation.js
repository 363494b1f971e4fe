/** Entry of the picture of a translation. */

import { mounting } from "../../js/lib/picture.js";
import { unpack } from "../../js/lib/wire.js";
import { TranslationView } from "./view.js";

export const mount = mounting(".translation", TranslationView, unpack);
