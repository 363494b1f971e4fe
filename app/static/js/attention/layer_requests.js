/** Fetches weights that are not in the browser yet, through the canvas's channel. */

import { mark } from "../lib/measure.js";
import { channelOf } from "./channel.js";

// A held arrow key passes layers that nobody wants to see.
const PASSING_MILLISECONDS = 30;
const IDLE_MILLISECONDS = 500;
const LONGEST_WAIT = 15_000; // milliseconds for the exact rows of one head

/**
 * Knows what is shown, fetches what it lacks, and then its neighbours ahead of need; fetches exact
 * rows for what is saved, and keeps those that come for other reasons.
 */
export class LayerRequests {
  /** @param {() => void} onArrival told when weights have come and lie in their maps */
  constructor(onArrival) {
    this.onArrival = onArrival;
    this.name = "";
    this.channel = null;
    this.stop = null;
    this.timer = null;
    this.mapSets = new Map();
  }

  /** Ask through this channel; with an empty name through none. @param {string} name */
  connect(name) {
    if (name === this.name) return;
    this.release();
    this.name = name;
    if (!name) return;
    this.channel = channelOf(name);
    this.stop = this.channel.listen((answer) => this.#take(answer));
  }

  /** Say which layer is shown. @param {import("./map_set.js").MapSet} mapSet */
  want(mapSet, layer) {
    clearTimeout(this.timer);
    this.mapSets.set(mapSet.identity, mapSet);
    const isHere = mapSet.hasLayer(layer);
    const layers = isHere ? missing(mapSet, [layer + 1, layer - 1]) : [layer];
    if (layers.length === 0 || !this.channel) return;
    const pause = isHere ? IDLE_MILLISECONDS : PASSING_MILLISECONDS;
    this.timer = setTimeout(() => this.channel.ask({ set: mapSet.identity, layers }), pause);
  }

  /**
   * Fetch all rows of some heads as the model computed them. Those that do not come are not exact.
   *
   * @param {import("./map_set.js").MapSet} mapSet
   * @param {number} layer
   * @param {number[]} heads
   */
  async fetchExact(mapSet, layer, heads) {
    for (const head of heads) {
      if (!this.channel || mapSet.isHeadExact(layer, head)) continue;
      await new Promise((resolve) => {
        const listen = ({ exact }) => {
          if (exact?.set === mapSet.identity && exact.layer === layer && exact.head === head) end();
        };
        const stop = this.channel.listen(listen);
        const timer = setTimeout(() => end(), LONGEST_WAIT);
        const end = () => {
          stop();
          clearTimeout(timer);
          resolve();
        };
        this.channel.ask({ exact: { set: mapSet.identity, layer, head } });
      });
    }
  }

  /** Forget the maps: others come. */
  settle() {
    clearTimeout(this.timer);
    this.mapSets.clear();
  }

  /** Stop asking and listening. */
  release() {
    this.settle();
    this.stop?.();
    this.stop = null;
    this.channel = null;
    this.name = "";
  }

  #take({ set, layers, cell, exact }) {
    if (cell) {
      const { layer, head, queries, rows } = cell;
      this.mapSets.get(cell.set)?.takeRows(layer, head, queries, rows);
    }
    if (exact?.rows) {
      const rows = this.mapSets.get(exact.set);
      rows?.takeHead(exact.layer, exact.head, exact.rows);
    }
    const mapSet = this.mapSets.get(set);
    if (!mapSet || layers.size === 0) return;
    for (const [layer, levels] of layers) mapSet.takeLayer(layer, levels);
    mark("headlight:layers");
    this.onArrival();
  }
}

function missing(mapSet, layers) {
  return layers.filter((layer) => layer >= 0 && layer < mapSet.layers && !mapSet.hasLayer(layer));
}
