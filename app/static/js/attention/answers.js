/** What a canvas asks its channel for, and the answers that still fit what is shown. */

import { channelOf } from "./channel.js";

// Heads that a reader only passes are not compared with all others.
const REST_MILLISECONDS = 300;

/** Asks once for what is pinned and shown, and remembers what came. */
export class Answers {
  /**
   * @param {object} listeners
   * @param {() => void} listeners.onChange told that something came that may be shown
   * @param {(settings: object) => void} listeners.onScene
   */
  constructor({ onChange, onScene }) {
    this.listeners = { onChange, onScene };
    this.name = "";
    this.channel = null;
    this.stop = null;
    this.timer = null;
    this.#forget();
  }

  /** Talk to a channel; with an empty name to none. @param {string} name */
  connect(name) {
    if (name === this.name) return;
    this.release();
    this.name = name;
    this.#forget();
    if (!name) return;
    this.channel = channelOf(name);
    this.stop = this.channel.listen((answer) => this.#take(answer));
  }

  /** Stop listening. */
  release() {
    clearTimeout(this.timer);
    this.stop?.();
    this.stop = null;
    this.channel = null;
    this.name = "";
  }

  /**
   * Say what is shown; `set` is the identity of the maps. A cell with a key costs the model a pass
   * of its own, a row alone does not.
   *
   * @param {{set: string, layer: number, head: number}} head
   * @param {{set, layer, head, queries: number[], key: number | null} | null} cell the pinned row
   */
  want(head, cell) {
    if (!this.channel) return;
    const name = cell && nameOf(cell);
    const isKnown = cell && cell.key === null && this.rowOf(cell) !== null;
    if (cell && !isKnown && name !== this.askedCell) this.channel.ask({ cell });
    this.askedCell = name;
    if (nameOf(head) === this.askedSimilar) return;
    this.askedSimilar = nameOf(head);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.channel?.ask({ similar: head }), REST_MILLISECONDS);
  }

  /** Ask for all heads as points. @param {{set: string, dark: boolean}} points */
  wantPoints(points) {
    const name = JSON.stringify(points);
    if (!this.channel || name === this.askedPoints) return;
    this.askedPoints = name;
    this.channel.ask({ points });
  }

  /** The answer about all heads as points; null as long as there is none. */
  pointsOf({ set, dark }) {
    return this.points?.set === set && this.points.dark === dark ? this.points : null;
  }

  /** An answer about a pinned row, whichever of its cells was meant; null while there is none. */
  rowOf(cell) {
    const nameOfRow = (one) => nameOf({ ...one, key: null });
    return cell && this.cell && nameOfRow(cell) === nameOfRow(this.cell) ? this.cell : null;
  }

  /** The answer about a pinned cell; null as long as there is none. */
  cellOf(cell) {
    return cell && this.cell && nameOf(cell) === nameOf(this.cell) ? this.cell : null;
  }

  /** The answer about the heads most like one; null as long as there is none. */
  similarTo({ set, layer, head }) {
    const isMeant = [set, layer, head].join() === this.similarName;
    return isMeant ? this.similar : null;
  }

  #take({ cell, similar, points, choose }) {
    if (points) this.points = points;
    if (cell) this.cell = cell;
    if (similar) {
      this.similar = similar;
      this.similarName = [similar.set, similar.layer, similar.head].join();
    }
    if (choose) this.listeners.onScene(choose.settings);
    else if (cell || similar || points) this.listeners.onChange();
  }

  #forget() {
    this.cell = null;
    this.similar = null;
    this.similarName = null;
    this.askedCell = null;
    this.askedSimilar = null;
    this.points = null;
    this.askedPoints = null;
  }
}

function nameOf({ set, layer, head, queries = [], key = null }) {
  return JSON.stringify([set, layer, head, [...queries], key]);
}
