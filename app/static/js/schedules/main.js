/** The charts of the page "Schedules": two components that share one set of values. */

import { RectificationCard } from "./rectification_card.js";
import { ScheduleCard } from "./schedule_card.js";
import { shared } from "./values.js";

const CARDS = { schedules: ScheduleCard, rectification: RectificationCard };

const cards = new WeakMap();

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(`.${data.part}`);
  shared.open(data);
  if (!cards.has(root)) cards.set(root, new CARDS[data.part](root));
  cards.get(root).show(data);
}
