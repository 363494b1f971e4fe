/** Scenes of a page: two buttons, and the keys of a clicker anywhere on the page. */

const STEPS = { PageDown: 1, PageUp: -1 };

/** Of each component's parent: how its listeners end, and the step it took last. */
const mounted = new WeakMap();

/** True where the key belongs to somebody else. @param {KeyboardEvent} event */
function isReserved(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return true;
  // The innermost element, below every shadow root, that has the focus.
  return event.composedPath()[0]?.tagName === "TEXTAREA";
}

function draw(nav, { titles, strings }, current) {
  const [back, on] = nav.querySelectorAll("button");
  const words = { number: current, count: titles.length, title: titles[current - 1] };
  nav.hidden = false;
  nav.setAttribute("aria-label", strings.label);
  nav.querySelector("span").textContent =
    current === 0 ? strings.none : strings.current.replace(/\{(\w+)\}/g, (_, name) => words[name]);
  for (const [button, name] of [[back, "back"], [on, "on"]]) {
    button.title = strings[name];
    button.setAttribute("aria-label", strings[name]);
  }
  back.disabled = current <= 1;
  on.disabled = current === titles.length;
}

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector("nav");
  const before = mounted.get(parentElement);
  before?.listening.abort();
  const listening = new AbortController();
  // An answer to an earlier step comes late: the reader is further on by now.
  const isLate = before?.page === data.page && data.answered < before.taken;
  const shown = isLate
    ? { ...before, listening }
    : { listening, page: data.page, current: data.current, taken: 0 };
  mounted.set(parentElement, shown);
  draw(nav, data, shown.current);

  // The scene stands here at once, so that quick presses go on from it.
  const step = (by) => {
    const next = Math.min(Math.max(shown.current + by, 1), data.titles.length);
    if (next === shown.current) return;
    shown.current = next;
    shown.taken = performance.now();
    draw(nav, data, next);
    setTriggerValue("step", { number: next, taken: shown.taken });
  };
  const [back, on] = nav.querySelectorAll("button");
  back.onclick = () => step(-1);
  on.onclick = () => step(1);
  // Before any widget, and before the page scrolls.
  const onKey = (event) => {
    const by = STEPS[event.key];
    if (by === undefined || isReserved(event)) return;
    event.preventDefault();
    event.stopPropagation();
    step(by);
  };
  document.addEventListener("keydown", onKey, { capture: true, signal: listening.signal });
  // Streamlit runs the cleanup of a call that a newer call has overtaken.
  return () => listening.abort();
}
