/** What a picture has begun and has to end: observers, listeners, timers, frames. */

/** Everything begun through it ends with it. Each method returns what ends that one thing before. */
export class Life {
  #endings = new Set();
  #hasEnded = false;

  /** Whether the picture has left the page. */
  get hasEnded() {
    return this.#hasEnded;
  }

  /** End everything, once. */
  end() {
    this.#hasEnded = true;
    for (const end of [...this.#endings]) end();
  }

  /** Have something ended with the picture. @param {() => void} end called once */
  onEnd(end) {
    const once = () => {
      if (this.#endings.delete(once)) end();
    };
    this.#endings.add(once);
    if (this.#hasEnded) once();
    return once;
  }

  /** A part that may end before the whole does. @returns {Life} */
  part() {
    const part = new Life();
    const forget = this.onEnd(() => part.end());
    part.onEnd(forget);
    return part;
  }

  /** Be told of every change of an element's size. */
  observe(element, callback) {
    const observer = new ResizeObserver(callback);
    observer.observe(element);
    return this.onEnd(() => observer.disconnect());
  }

  /** Be told of every node that comes into an element or leaves it. */
  observeNodes(element, callback) {
    const observer = new MutationObserver(callback);
    observer.observe(element, { childList: true, subtree: true });
    return this.onEnd(() => observer.disconnect());
  }

  /** Listen to a window, a document, a media query, or whatever else outlives the picture. */
  listen(target, type, handler, options = {}) {
    target.addEventListener(type, handler, options);
    return this.onEnd(() => target.removeEventListener(type, handler, options));
  }

  timeout(callback, milliseconds) {
    const timer = setTimeout(() => {
      stop();
      callback();
    }, milliseconds);
    const stop = this.onEnd(() => clearTimeout(timer));
    return stop;
  }

  interval(callback, milliseconds) {
    const timer = setInterval(callback, milliseconds);
    return this.onEnd(() => clearInterval(timer));
  }

  frame(callback) {
    const frame = requestAnimationFrame(() => {
      stop();
      callback();
    });
    const stop = this.onEnd(() => cancelAnimationFrame(frame));
    return stop;
  }
}
