"""Random masking as in training: the draws of one reading, and static against dynamic masking."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from app.i18n import _, ngettext
from app.parts.scripts import script_component
from app.theme import percent
from core.objectives.masking import MaskingRule
from core.tasks import ChosenToken, Corruption, MaskedEpoch, RandomMaskingResult
from core.tokenisation import readable

MOST_TOKENS: Final = 512  # of a strip
MOST_COLUMNS: Final = 128  # of the table of epochs
MANY_TOKENS: Final = 1000  # for which the rule is worked out, whatever the text
DRAW_DIGITS: Final = 2
UNIFORM_DIGITS: Final = 3

Data = dict[str, Any]


def mask_draws(result: RandomMaskingResult, *, key: str) -> None:
    """Draw every token with its uniform number, and what the first reading made of the chosen ones.

    Args:
        result: of it the first epoch is drawn.
        key: identity of this card on its page.
    """
    script_component("sections/fill_mask/mask_draws", "mask-draws")(
        data=draws_data(result), key=key
    )


def mask_epochs(static: RandomMaskingResult, dynamic: RandomMaskingResult, *, key: str) -> None:
    """Draw a table of tokens by epochs, for one draw that serves them all and for new ones.

    Args:
        static, dynamic: the same text in as many epochs.
        key: identity of this card on its page.
    """
    script_component("sections/fill_mask/mask_draws", "mask-draws")(
        data=epochs_data(static, dynamic), key=key
    )


def draws_data(result: RandomMaskingResult) -> Data:
    """What the script of `mask_draws` is handed."""
    epoch, rule = result.epochs[0], result.rule
    shown = min(MOST_TOKENS, len(epoch.uniforms))
    notes = [_how_many(epoch, rule)]
    if shown < len(epoch.uniforms):
        notes.append(_first_of(shown, len(epoch.uniforms)))
    first, second = _borders(rule)
    corruptions = _corruptions(result)
    return {
        "part": "draws",
        "tokens": _tokens(result, shown),
        "uniforms": [
            None if uniform is None else floored(uniform, UNIFORM_DIGITS)
            for uniform in epoch.uniforms[:shown]
        ],
        "draws": _draws(result, epoch, shown),
        "notes": notes,
        "decisions": [_of_many(result)],
        "zones": [
            {
                "corruption": corruption.value,
                "from": start,
                "to": end,
                "label": f"{corruptions[corruption]} {share}",
            }
            for corruption, start, end, share in (
                (Corruption.MASK, 0.0, first, percent(rule.masked)),
                (Corruption.RANDOM, first, second, percent(rule.replaced)),
                (Corruption.KEPT, second, 1.0, percent(1 - rule.masked - rule.replaced)),
            )
        ],
        "borders": [[border, f"{border:g}"] for border in (0.0, first, second, 1.0)],
        "corruptions": {corruption.value: word for corruption, word in corruptions.items()},
        "strings": {
            "strip": _("Tokens with their lots; the chosen ones with their draw"),
            "uniform": _("lot {lot}"),
            "special": _("special"),
            "corruption": _("{draw}: {corruption}"),
            "axis": _(
                "A line from 0 to 1 with the draws: up to {first} a token becomes {mask}, up to"
                " {second} a random piece, and above it stays. The table below has the numbers."
            ).format(first=f"{first:g}", second=f"{second:g}", mask=result.mask_token),
            "table": _("The chosen tokens"),
            "columns": [
                _("chosen token"),
                _("its draw"),
                _("the model reads"),
                _("first guess"),
                _("probability of the original"),
            ],
        },
    }


def epochs_data(static: RandomMaskingResult, dynamic: RandomMaskingResult) -> Data:
    """What the script of `mask_epochs` is handed."""
    tokens = len(static.encoding)
    shown = min(MOST_COLUMNS, tokens)
    return {
        "part": "epochs",
        "tokens": _tokens(static, shown),
        "groups": [
            _group(static, _("Static"), _("one draw serves every epoch"), _named_static, shown),
            _group(dynamic, _("Dynamic"), _("a new draw in every epoch"), _named_dynamic, shown),
        ],
        "notes": [_first_of(shown, tokens)] if shown < tokens else [],
        "corruptions": {
            corruption.value: word for corruption, word in _corruptions(static).items()
        },
        "strings": {
            "table": _("What the model reads in the place of every token, epoch by epoch"),
            "epoch": _("epoch"),
            "hint": _("Point at a cell, or go there with the arrow keys, and read what happened."),
            "left": _("{epoch}: {token} is not chosen."),
            "special": _("{epoch}: {token} is never chosen."),
            "mask": _("{epoch}: {token} drew {because}, so the model reads {seen}."),
            "random": _(
                "{epoch}: {token} drew {because}, so the model reads {seen}, a random piece."
            ),
            "kept": _(
                "{epoch}: {token} drew {because}, so it stays and has to be named all the same."
            ),
            "guess": _("It gives {token} {share}; its first guess is {guess} with {guessShare}."),
        },
    }


def floored(number: float, digits: int) -> str:
    """A number in [0, 1) cut, not rounded: 0.7996 is below 0.8, and so is 0.79.

    >>> floored(0.7996, 2)
    '0.79'
    """
    return f"{math.floor(number * 10**digits) / 10**digits:.{digits}f}"


def _borders(rule: MaskingRule) -> tuple[float, float]:
    return rule.masked, round(rule.masked + rule.replaced, 9)


def _corruptions(result: RandomMaskingResult) -> dict[Corruption, str]:
    return {
        Corruption.MASK: result.mask_token,
        Corruption.RANDOM: _("random"),
        Corruption.KEPT: _("kept"),
    }


def _tokens(result: RandomMaskingResult, shown: int) -> list[Data]:
    uniforms = result.epochs[0].uniforms
    pieces = result.encoding.pieces[:shown]
    return [{"piece": piece, "special": uniforms[at] is None} for at, piece in enumerate(pieces)]


def _draws(result: RandomMaskingResult, epoch: MaskedEpoch, shown: int) -> list[Data]:
    return [_draw(one, result) for one in epoch.chosen if one.position < shown]


def _draw(one: ChosenToken, result: RandomMaskingResult) -> Data:
    draw = floored(one.draw, DRAW_DIGITS)
    first, second = (f"{border:g}" for border in _borders(result.rule))
    because = {
        Corruption.MASK: f"{draw} < {first}",
        Corruption.RANDOM: f"{first} ≤ {draw} < {second}",
        Corruption.KEPT: f"{second} ≤ {draw}",
    }
    return {
        "at": one.position,
        "corruption": one.corruption.value,
        "place": one.draw,
        "draw": draw,
        "because": because[one.corruption],
        "seen": readable(one.piece, byte_level=result.byte_level),
        "guess": readable(one.guess.token, byte_level=result.byte_level),
        "guessShare": percent(one.guess.probability),
        "share": percent(one.probability),
    }


def _how_many(epoch: MaskedEpoch, rule: MaskingRule) -> str:
    """How many tokens are chosen, and which."""
    count, share = sum(uniform is not None for uniform in epoch.uniforms), percent(rule.share)
    if not count:
        return _("There is no ordinary token here, so none can be chosen.")
    chosen = len(epoch.chosen)
    if rule.share * count < 0.5:
        drawn = _(
            "{share} of the ordinary tokens here ({count}) is not even half a token; one is chosen"
            " all the same, the one with the smallest lot."
        ).format(share=share, count=count)
    else:
        drawn = ngettext(
            "{share} of {count} ordinary tokens, rounded: {chosen} is chosen, the one with the"
            " smallest lot.",
            "{share} of {count} ordinary tokens, rounded: {chosen} are chosen, those with the"
            " smallest lots.",
            chosen,
        ).format(share=share, count=count, chosen=chosen)
    never = _("Special tokens are never chosen.")
    return f"{drawn} {never}"


def _of_many(result: RandomMaskingResult) -> str:
    rule, chosen = result.rule, result.rule.count(MANY_TOKENS)
    masked, replaced = round(chosen * rule.masked), round(chosen * rule.replaced)
    draws = _("A chosen token draws again, and that number decides what the model reads.")
    many = _(
        "Of {count} tokens about {chosen} are chosen: {masked} become {mask}, {replaced} a random"
        " piece, and {kept} stay as they are."
    ).format(
        count=f"{MANY_TOKENS:,}",
        chosen=chosen,
        masked=masked,
        mask=result.mask_token,
        replaced=replaced,
        kept=chosen - masked - replaced,
    )
    return f"{draws} {many}"


def _first_of(shown: int, count: int) -> str:
    return _(
        "Here are the first {shown} of {count} tokens; what is counted is all of them."
    ).format(shown=shown, count=count)


def _named_static(epoch: int) -> str:
    return _("Static, epoch {epoch}").format(epoch=epoch)


def _named_dynamic(epoch: int) -> str:
    return _("Dynamic, epoch {epoch}").format(epoch=epoch)


def _group(
    result: RandomMaskingResult, title: str, hint: str, name: Callable[[int], str], shown: int
) -> Data:
    return {
        "title": title,
        "hint": hint,
        "count": _counted(result.epochs, result.mask_token),
        "rows": [
            {"name": name(number), "draws": _draws(result, epoch, shown)}
            for number, epoch in enumerate(result.epochs, start=1)
        ],
    }


def _counted(epochs: Sequence[MaskedEpoch], mask_token: str) -> str:
    """Of how many different tokens something was to be learned."""
    chosen = [one for epoch in epochs for one in epoch.chosen]
    tokens = sum(uniform is not None for uniform in epochs[0].uniforms)
    after = ngettext("After {count} epoch", "After {count} epochs", len(epochs))
    return _(
        "{after}: {chosen} of {tokens} tokens chosen at least once, {masked} seen as {mask}"
    ).format(
        after=after.format(count=len(epochs)),
        chosen=len({one.position for one in chosen}),
        tokens=tokens,
        masked=len({one.position for one in chosen if one.corruption is Corruption.MASK}),
        mask=mask_token,
    )
