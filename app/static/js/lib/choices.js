/** What the reader has chosen in a picture, kept in the address without a rerun. */

import { PageAddress } from "./address.js";

export class AddressChoices {
  static lastScene = 0; // of each page its own: a picture that is drawn anew was told already

  /** @param {string[]} names settings that the browser owns */
  constructor(names) {
    this.names = names;
    this.address = new PageAddress("", names);
    this.texts = this.address.readOrKeep();
  }

  /** Take what Python says: defaults, and what a scene has set, once. */
  open({ defaults, choice }) {
    this.defaults = defaults;
    if (this.address.hasNews) this.texts = this.address.read();
    if (choice && choice[0] > this.constructor.lastScene) {
      this.constructor.lastScene = choice[0];
      this.texts = Object.fromEntries(Object.entries(choice[1]).map(([one, to]) => [one, `${to}`]));
      this.address.release();
      this.address.read();
    }
  }

  /** @param {Record<string, string | number>} changes */
  set(changes) {
    for (const [name, value] of Object.entries(changes)) this.texts[name] = String(value);
    this.write();
  }

  /** Bring the choices into the address, without those that are the defaults. */
  write() {
    const written = this.names.map((name) => {
      const text = this.text(name);
      return [name, text === String(this.defaults[name]) ? null : text];
    });
    this.address.write(Object.fromEntries(written));
  }

  /** A setting as it stands in the address. @returns {string} */
  text(name) {
    return this.texts[name] ?? String(this.defaults[name]);
  }
}
