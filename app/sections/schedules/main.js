/** The charts of the page "Schedules": two components that share one set of values. */

import { mounting } from "../../js/lib/picture.js";
import { RectificationCard } from "./rectification_card.js";
import { ScheduleCard } from "./schedule_card.js";
import { shared } from "./values.js";

const CARDS = { schedules: ScheduleCard, rectification: RectificationCard };

/** One of them, as the data say. */
class Card {
  constructor(root, life) {
    Object.assign(this, { root, life });
  }

  show(data) {
    shared.open(data);
    this.card ??= new CARDS[data.part](this.root, this.life, data);
    return this.card.show(data);
  }
}

export const mount = mounting(".schedules, .rectification", Card);
