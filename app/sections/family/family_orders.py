"""Orders of reading as the masks of both streams, all of four words, chosen in the browser."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any, Final

from app.i18n import _
from app.parts.choices import Choice, address_choices
from app.parts.scripts import script_component
from core.objectives.permutation_orders import order_masks

WORDS: Final = ("I", "am", "a", "boy")  # the lecture's
# The four of Yang et al. 2019, "XLNet", figure 4, first the one that the lecture works out.
PRESETS: Final = ((0, 3, 1, 2), (2, 1, 3, 0), (1, 3, 2, 0), (3, 2, 0, 1))


def family_orders(choice: Choice, *, key: str) -> None:
    """Draw the orders.

    Args:
        choice: what the last scene says, with a number of its own.
        key: identity of this picture on its page.
    """
    data = {
        "words": list(WORDS),
        "presets": [list(order) for order in PRESETS],
        "orders": _orders(),
        **address_choices(("order",), choice),
        "strings": {
            "presets": _("Orders of the lecture"),
            "own": _("An order of your own: click the words in the order of reading"),
            "ownHint": _("Or click the words one after the other, in an order of your own."),
            "word": _("“{word}”, word {at}"),
            "content": _("Content stream"),
            "contentHint": _("knows its own word"),
            "query": _("Query stream"),
            "queryHint": _("predicts its own word"),
            "sees": _("seen"),
            "seesNot": _("not seen"),
            "said": _(
                "To predict “{word}”, word {at}, the query stream looks at the words {list}, and"
                " at the memory of the text before. It knows its own place, not its own word."
            ),
            "saidNothing": _(
                "“{word}”, word {at}, comes first: nothing of this text is seen, only the memory"
                " of the text before and its own place."
            ),
        },
    }
    script_component("sections/family/family_orders", "family-orders")(data=data, key=key)


@cache
def _orders() -> list[dict[str, Any]]:
    found = []
    for order in permutations(range(len(WORDS))):
        masks = order_masks(order)
        found.append(
            {
                "order": list(order),
                "content": masks.content.int().tolist(),
                "query": masks.query.int().tolist(),
            }
        )
    return found
