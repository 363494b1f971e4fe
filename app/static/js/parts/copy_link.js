/** A button that copies the complete address of what is on the screen. */

import { mounting } from "../lib/picture.js";

const COPIED_MILLISECONDS = 2000;

/**
 * The page's address with every setting in it. What stands there already is newer than what the
 * server knew when it drew the button.
 */
function completeLink(version, settings) {
  const link = new URL(location.href);
  for (const [name, text] of Object.entries(settings)) {
    if (!link.searchParams.has(name)) link.searchParams.set(name, text);
  }
  link.searchParams.set("v", version);
  link.hash = "";
  return link.href;
}

/** Whether the text reached the clipboard. Browsers offer no clipboard to a page of plain HTTP. */
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.hidden = false;
    field.select();
    return document.execCommand("copy");
  }
}

class CopyLink {
  constructor(root, life) {
    this.life = life;
    this.button = root.querySelector("button");
    this.status = root.querySelector("output");
    this.field = root.querySelector("input");
    this.button.onclick = () => this.#copy();
  }

  show(data) {
    this.data = data;
    this.button.textContent = data.strings.copy;
    this.button.hidden = false;
    this.field.setAttribute("aria-label", data.strings.link);
  }

  async #copy() {
    const { field, status } = this;
    const { version, settings, strings } = this.data;
    const link = completeLink(version, settings);
    field.value = link;
    const copied = await copy(link, field);
    field.hidden = copied;
    status.textContent = copied ? strings.copied : strings.byHand;
    if (!copied) return;
    this.button.focus();
    this.life.timeout(() => (status.textContent = ""), COPIED_MILLISECONDS);
  }
}

export const mount = mounting(".copy-link", CopyLink);
