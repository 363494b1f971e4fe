/** A value that the browser and the server both set. */

/**
 * One value that the reader sets here and the server remembers. What was set last counts until the
 * server has answered it, so that an older answer takes nothing back.
 */
export class Shared {
  #sent = 0;

  /** @param {*} value to start with */
  constructor(value) {
    this.value = value;
  }

  /** The server's value, where nothing newer was set here. */
  take(value, answered) {
    if (answered >= this.#sent) this.value = value;
  }

  /** Set a value. @returns {number} the stamp that the server sends back with its answer */
  set(value) {
    this.value = value;
    this.#sent = Date.now();
    return this.#sent;
  }
}
