/** Values that the browser and the server both set, and what is said to the server about them. */

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

/**
 * What a component says to the server, until it is answered.
 *
 * Of what one component says, the server gets the last alone where it has not taken the one before
 * yet: Streamlit joins what waits, and a newer message takes the place of an older one, whatever it
 * is about. So all that is not answered yet goes along with what is new.
 */
export class Said {
  #open = new Map();

  /**
   * Say something.
   *
   * @param {Function} send Streamlit's `setTriggerValue`
   * @param {string} name of what is said; what was said under it before is forgotten
   * @param {{stamp: number}} message
   */
  say(send, name, message) {
    this.#open.set(name, message);
    for (const [one, waiting] of this.#open) send(one, waiting);
  }

  /** Take note of the answers. @param {Object<string, number>} answered stamps by name */
  take(answered) {
    for (const [name, { stamp }] of this.#open) {
      if (answered[name] >= stamp) this.#open.delete(name);
    }
  }
}
