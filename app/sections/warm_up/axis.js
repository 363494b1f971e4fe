/** What charts side by side share: how far they reach, the part that is seen, the place looked at. */

const ZOOM = 0.6;
const STRIDES = 60; // of the keys, from one end to the other

export class SharedAxis {
  constructor() {
    [this.least, this.most] = [0, 1];
    this.zoom = null;
    /** @type {number | null} */
    this.at = null;
  }

  reaches(least, most) {
    [this.least, this.most] = [least, most];
  }

  /** @returns {[number, number]} the part that is seen */
  get range() {
    return this.zoom ?? [this.least, this.most];
  }

  zoomTo(from, to) {
    if (to - from >= 1) this.zoom = [from, to];
  }

  /** @returns {boolean} whether the key means anything here */
  press(key) {
    const [from, to] = this.range;
    const here = this.at ?? to;
    const stride = Math.max(1, (to - from) / STRIDES);
    const moves = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: from, End: to };
    if (key in moves) this.at = Math.min(Math.max(moves[key], from), to);
    else if (key === "+") this.zoomTo(...this.#around(here, ZOOM));
    else if (key === "-") this.zoom = this.#within(this.#around(here, 1 / ZOOM));
    else if (key === "0" || key === "Escape") [this.zoom, this.at] = [null, null];
    else return false;
    return true;
  }

  #around(middle, factor) {
    const [from, to] = this.range;
    return [middle - (middle - from) * factor, middle + (to - middle) * factor];
  }

  #within([from, to]) {
    const whole = from <= this.least && to >= this.most;
    return whole ? null : [Math.max(from, this.least), Math.min(to, this.most)];
  }
}
