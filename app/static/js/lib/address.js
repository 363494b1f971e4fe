/** The page address: read once when the canvas appears, kept up to date without a rerun. */

// Browsers refuse more than some 200 changes of the address in half a minute; a held arrow key
// makes thirty a second.
const PAUSE_MILLISECONDS = 200;

// What the addresses of each page said last, as long as the tab stays.
const kept = new Map();

/** One canvas's share of the page address. */
export class PageAddress {
  /**
   * @param {string} prefix put before each parameter, so that two canvases keep apart
   * @param {string[]} names parameters without the prefix
   */
  constructor(prefix, names) {
    this.prefix = prefix;
    this.names = names;
    this.path = location.pathname;
    this.timer = null;
    this.known = {};
  }

  /** The parameters that are there. @returns {Record<string, string>} */
  read() {
    this.known = this.#present();
    kept.set(this.#key, this.known);
    return { ...this.known };
  }

  /** The same; where there are none, those that were there last, which are written again. */
  readOrKeep() {
    const last = kept.get(this.#key) ?? {};
    const texts = this.read();
    if (Object.keys(texts).length > 0 || Object.keys(last).length === 0) return texts;
    this.write(last);
    return { ...last };
  }

  /** True when a link on the same page has set parameters since they were last read or written. */
  get hasNews() {
    const present = this.#present();
    const names = Object.keys(present);
    return names.length > 0 && this.names.some((name) => present[name] !== this.known[name]);
  }

  /** True as long as the reader is on the page that this address belongs to. */
  get isCurrent() {
    return location.pathname === this.path;
  }

  get #key() {
    return [this.path, this.prefix, ...this.names].join(" ");
  }

  #present() {
    const query = new URLSearchParams(location.search);
    const found = {};
    for (const name of this.names) {
      const text = query.get(this.prefix + name);
      if (text !== null) found[name] = text;
    }
    return found;
  }

  /**
   * Write parameters, soon and once.
   *
   * @param {Record<string, string | null>} texts null takes a parameter out
   */
  write(texts) {
    const given = Object.entries(texts).filter(([, text]) => text !== null);
    kept.set(this.#key, Object.fromEntries(given));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#writeNow(texts), PAUSE_MILLISECONDS);
  }

  /** Forget what is not written yet. */
  release() {
    clearTimeout(this.timer);
  }

  #writeNow(texts) {
    // The reader may have gone to another page meanwhile, or followed a link on this one: that
    // address is not ours to change.
    if (!this.isCurrent || this.hasNews) return;
    const url = new URL(location.href);
    for (const [name, text] of Object.entries(texts)) {
      if (text === null) url.searchParams.delete(this.prefix + name);
      else url.searchParams.set(this.prefix + name, text);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
    this.known = this.#present();
  }
}
