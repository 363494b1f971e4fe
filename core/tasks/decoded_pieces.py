"""The text that a tokenizer would cut into given pieces."""

from __future__ import annotations

from collections.abc import Sequence

from core.tokenisation import Encoding, Tokenizer
from core.tokenisation.display import CONTINUATION, SPACE


def text_with(encoding: Encoding, ids: Sequence[int], tokenizer: Tokenizer) -> str | None:
    """A text in which some tokens are other ones.

    What stays is written as the person typed it. A new piece is set apart by a space unless it goes
    on with the word before: "light", "##house" with "water" in the second position is "light
    water". That need not bring the same pieces back: "##s" behind a new "water" is "waters", which
    may be one piece.

    Args:
        encoding: of one text that was not cut.
        ids: the tokens that are wanted, as many as ``encoding`` has.
        tokenizer: of both.

    Returns:
        The text; ``None`` where the tokenizer would cut it into other pieces.
    """
    typed, written, end = encoding.texts[0], "", 0
    fresh = False  # the token before is a new one
    for position, (start, stop) in enumerate(encoding.offsets):
        if encoding.special[position]:
            continue
        same = ids[position] == encoding.ids[position]
        between = typed[end:start]
        if same and not fresh:
            written += between + typed[start:stop]
        else:
            piece = tokenizer.readable(tokenizer.token(ids[position]))
            if piece.startswith(CONTINUATION):
                between = ""
            elif not between and written:
                between = " "
            new = piece.removeprefix(CONTINUATION).removeprefix(SPACE)
            written += between + (typed[start:stop] if same else new)
        fresh, end = not same, stop
    written += typed[end:]
    if not written.strip() or encoding.cut:
        return None
    return written if tokenizer.encode(written).ids == tuple(ids) else None
