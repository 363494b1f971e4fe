/** Entry of the channel: what nobody sees of an attention canvas, on the page beside it. */

import { mounting } from "../lib/picture.js";
import { unpack } from "../lib/wire.js";
import { channelOf } from "./channel.js";

// Also where the app does not stand at the top of its host.
const home = new URL(import.meta.url).pathname.split("app/static/")[0];
const MOMENT_MILLISECONDS = 50;

class Carrier {
  constructor(root, life) {
    this.root = root;
    this.life = life;
    this.received = null;
    life.onEnd(() => this.disconnect?.());
  }

  /** Connect with the channel, and hand it an answer that has not been there. */
  show(message, send) {
    this.page = message.page;
    this.send = send;
    const channel = channelOf(message.channel);
    this.disconnect = channel.connect(this.root, (question) => this.#carry(question));
    if (this.received !== message) channel.receive(message);
    this.received = message;
  }

  #carry(question) {
    if (this.life.hasEnded) return;
    // Streamlit would go back to a page that says something after the reader has left it. And the
    // address of a page that opens comes a moment after the page.
    if (isAt(this.page)) this.send("ask", question);
    else this.life.timeout(() => this.#carry(question), MOMENT_MILLISECONDS);
  }
}

function isAt(page) {
  const bare = (path) => path.replace(/\/$/, "");
  return page === null || bare(location.pathname) === bare(home + page);
}

export const mount = mounting(".attention-channel", Carrier, unpack);
