/** Asks Python for layers whose weights are not in the browser yet, one request at a time. */

// A held arrow key passes layers that nobody wants to see.
const PASSING_MILLISECONDS = 30;
const IDLE_MILLISECONDS = 500;
const PATIENCE_MILLISECONDS = 5000;

/** Knows what is shown, fetches what it lacks, and then its neighbours ahead of need. */
export class LayerRequests {
  /** @param {(layers: number[]) => void} ask the answer comes as new maps */
  constructor(ask) {
    this.ask = ask;
    this.timer = null;
    this.isWaiting = false;
  }

  /** Say which layer is shown. @param {import("./payload.js").MapSet} mapSet */
  want(mapSet, layer) {
    if (this.isWaiting) return;
    clearTimeout(this.timer);
    const isHere = mapSet.hasLayer(layer);
    const wanted = isHere ? missing(mapSet, [layer + 1, layer - 1]) : [layer];
    if (wanted.length === 0) return;
    const pause = isHere ? IDLE_MILLISECONDS : PASSING_MILLISECONDS;
    this.timer = setTimeout(() => this.#send(mapSet, layer, wanted), pause);
  }

  /** Say that maps have come. */
  settle() {
    this.isWaiting = false;
    clearTimeout(this.timer);
  }

  #send(mapSet, layer, wanted) {
    this.isWaiting = true;
    this.ask(wanted);
    // An answer may be lost with its connection.
    this.timer = setTimeout(() => {
      this.isWaiting = false;
      this.want(mapSet, layer);
    }, PATIENCE_MILLISECONDS);
  }
}

function missing(mapSet, layers) {
  return layers.filter((layer) => layer >= 0 && layer < mapSet.layers && !mapSet.hasLayer(layer));
}
