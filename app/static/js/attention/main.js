/** Entry of the attention canvas. */

import { measure } from "../lib/measure.js";
import { mounting } from "../lib/picture.js";
import { adoptStyles, preloadStyles } from "../lib/styles.js";
import { CanvasView } from "./canvas_view.js";
import { decode } from "./map_set.js";

preloadStyles(["attention"]);

// The first page does not wait for what only the explorer needs.
const LAYOUTS = {
  compact: { styles: ["attention"], view: async () => CanvasView },
  explorer: {
    styles: ["attention", "attention_explorer", "attention_pinned"],
    view: async () => (await import("./explorer_view.js")).ExplorerView,
  },
};

class Canvas {
  #root;
  #life;
  #view = null;
  #lifeOfView = null;
  #calls = 0;

  constructor(root, life) {
    this.#root = root;
    this.#life = life;
  }

  /** @param {object} payload what `decode` of map_set.js returns */
  async show(payload) {
    this.#calls += 1;
    const calls = this.#calls;
    const { styles, view } = LAYOUTS[payload.settings.layout ?? "compact"];
    const [View] = await Promise.all([view(), adoptStyles(this.#root, styles)]);
    // A newer call may have come meanwhile, and draws what is newer.
    if (this.#calls !== calls || this.#life.hasEnded) return;
    if (!(this.#view instanceof View)) {
      this.#lifeOfView?.end();
      this.#lifeOfView = this.#life.part();
      this.#view = new View(this.#root, this.#lifeOfView);
    }
    this.#view.show(payload);
  }
}

/** Maps come layer by layer when all at once would be too many: those that are here stay. */
function decodeAfter(data, earlier) {
  const start = performance.now();
  const payload = decode(data);
  for (const mapSet of payload.sets) {
    const same = earlier?.sets.find(({ identity }) => identity === mapSet.identity);
    if (same) mapSet.keepLayersOf(same);
  }
  measure("headlight:decode", start);
  return payload;
}

export const mount = mounting(".attention-canvas", Canvas, decodeAfter);
