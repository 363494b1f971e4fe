"""Which model filled the blanks, how much it read, and how long that took."""

from __future__ import annotations

from html import escape

from app.i18n import _, ngettext
from app.parts.model_picker import ChosenModel
from app.theme import milliseconds
from core.tasks.step_spans import SteppedFilling


def facts_of(model: ChosenModel, filling: SteppedFilling) -> tuple[str, str]:
    """Both facts, as HTML."""
    encoder, decoder = filling.layers
    size = _("{encoder} + {decoder} layers × {heads} heads").format(
        encoder=encoder, decoder=decoder, heads=filling.heads
    )
    tokens = len(filling.source)
    count = ngettext("{count} token", "{count} tokens", tokens).format(count=tokens)
    speed = _("{time} on {device}").format(
        time=milliseconds(filling.seconds), device=filling.device.partition(":")[0].upper()
    )
    return (
        f"<b>{escape(model.title)}</b> · {escape(size)}",
        f"{escape(count)} · {escape(speed)}",
    )
