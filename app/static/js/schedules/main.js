/** The charts of the page "Schedules": two components that share one set of values. */

const version = new URL(import.meta.url).search;
const [{ ScheduleCard }, { RectificationCard }, { shared }] = await Promise.all(
  ["schedule_card", "rectification_card", "values"].map((name) => import(`./${name}.js${version}`)),
);

const CARDS = { schedules: ScheduleCard, rectification: RectificationCard };

const cards = new WeakMap();

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(`.${data.part}`);
  shared.open(data);
  if (!cards.has(root)) cards.set(root, new CARDS[data.part](root));
  cards.get(root).show(data);
}
