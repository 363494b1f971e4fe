/**
 * Entry of the channel: called by Streamlit when the component appears, when an answer comes and
 * when the theme changes.
 */

import { unpack } from "../lib/wire.js";
import { channelOf } from "./channel.js";

// Also where the app does not stand at the top of its host.
const home = new URL(import.meta.url).pathname.split("app/static/")[0];
const MOMENT_MILLISECONDS = 50;

/** What stands in each component's parent: its end of the channel, and how often it was called. */
const mounted = new WeakMap();

/**
 * Connect a component with its channel, or hand an answer over.
 *
 * @param {{data: Uint8Array, parentElement: ParentNode, setTriggerValue: Function}} component
 * @returns {() => void} cleans up, unless the component has been called again since
 */
export function mount(component) {
  const { data, parentElement } = component;
  const message = unpack(data);
  const { channel: name, page } = message;
  const channel = channelOf(name);
  const entry = mounted.get(parentElement) ?? { calls: 0, data: null };
  mounted.set(parentElement, entry);
  entry.calls += 1;
  const carry = (question) => {
    if (mounted.get(parentElement) !== entry) return;
    // Streamlit would go back to a page that says something after the reader has left it. And the
    // address of a page that opens comes a moment after the page.
    if (isAt(page)) component.setTriggerValue("ask", question);
    else setTimeout(carry, MOMENT_MILLISECONDS, question);
  };
  const disconnect = channel.connect(parentElement, carry);
  if (entry.data !== data) channel.receive(message);
  entry.data = data;
  const { calls } = entry;
  return () => {
    // Streamlit runs the cleanup of a call that a newer call has overtaken.
    if (entry.calls !== calls) return;
    disconnect();
    mounted.delete(parentElement);
  };
}

function isAt(page) {
  const bare = (path) => path.replace(/\/$/, "");
  return page === null || bare(location.pathname) === bare(home + page);
}
