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

  /** The server's value, where nothing newer was set here. @param {number} answered a stamp */
  take(value, answered) {
    if (answered >= this.#sent) this.value = value;
  }

  /** Set a value. @param {number} stamp of what is said about it; the answer names it */
  set(value, stamp) {
    this.value = value;
    this.#sent = stamp;
  }
}

let lastStamp = 0; // of all components

/**
 * What one component says to the server: under each name a list of messages, oldest first.
 *
 * Of what one component says, the server gets the last alone where it has not taken the one before
 * yet: Streamlit joins what waits, and a newer message takes the place of an older one, whatever it
 * is about. So all that is not answered yet goes along with what is new, and the server, which
 * reads the stamps, passes over what it knows (`app/parts/said.py`). Under a name that is never
 * answered, the last message alone counts.
 */
export class Said {
  #open = new Map();
  #answered = {};

  /** Take note of the answers. @param {Object<string, number>} [answered] last stamps by name */
  take(answered = {}) {
    this.#answered = answered;
    for (const [name, messages] of this.#open) {
      this.#open.set(name, messages.filter(({ stamp }) => stamp > (answered[name] ?? Infinity)));
    }
  }

  /**
   * Say something.
   *
   * @param {Function} send Streamlit's `setTriggerValue`
   * @param {string} name of what is said
   * @param {object} message
   * @returns {number} its stamp
   */
  say(send, name, message) {
    lastStamp += 1;
    const before = name in this.#answered ? (this.#open.get(name) ?? []) : [];
    this.#open.set(name, [...before, { ...message, stamp: lastStamp }]);
    for (const [one, messages] of this.#open) {
      if (messages.length && (one === name || one in this.#answered)) send(one, messages);
    }
    return lastStamp;
  }
}
