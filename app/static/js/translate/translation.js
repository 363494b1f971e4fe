/** Entry of the picture of a translation. */

import { mounting } from "../lib/picture.js";
import { decode } from "./payload.js";
import { TranslationView } from "./view.js";

export const mount = mounting(".translation", TranslationView, decode);
