"""Where the parameters of a model are, as a treemap that opens module by module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import plotly.graph_objects as go

from app.figures.theme import FigureTheme, unmarked
from app.theme import grouped, percent

HEIGHT: Final = 380.0  # pixels
LEVELS: Final = 4  # that are drawn at once: the model, a side, a layer, a kind
PATH: Final = 22.0  # pixels above, for the modules that lead to the one that is open
MOST_PARTS: Final = 2_000
LEAST_TYPE: Final = 10.0  # pixels; a name that has no room for it is not written
# Fill and letters of each kind of tensors; what holds several kinds is grey.
LIGHT_KINDS: Final = {
    "table": ("#27309a", "#ffffff"),
    "attention": ("#c7cffa", "#14161f"),
    "feed_forward": ("#4f61d3", "#ffffff"),
    "norms": ("#d9dbe4", "#14161f"),
    "head": ("#b45309", "#ffffff"),
    "other": ("#5c6273", "#ffffff"),
}
DARK_KINDS: Final = {
    "table": ("#a3aeff", "#0f1218"),
    "attention": ("#34428f", "#f2f4fa"),
    "feed_forward": ("#7f90fa", "#0f1218"),
    "norms": ("#4a5060", "#f2f4fa"),
    "head": ("#fbbf24", "#0f1218"),
    "other": ("#9aa1b2", "#0f1218"),
}


@dataclass(frozen=True)
class MappedPart:
    """A module or a tensor.

    Attributes:
        path: names from below the model to its own; the model itself has none.
        count: its parameters.
        kind: of :data:`LIGHT_KINDS`, or empty for what holds several.
        shape: of a tensor.
    """

    path: tuple[str, ...]
    count: int
    kind: str = ""
    shape: tuple[int, ...] | None = None

    @property
    def sizes(self) -> str:
        """Its shape, as `1536 × 384`."""
        return " × ".join(map(str, self.shape or ()))


@dataclass(frozen=True)
class MapWords:
    """What the model is called, and what the tooltip says, in the reader's language.

    Attributes:
        model: its name.
        parameters: what is counted, with `{count}`.
        of_model, of_module: with `{share}` of the whole and of the module around.
    """

    model: str
    parameters: str
    of_model: str
    of_module: str


def modules_of(tensors: Sequence[MappedPart], most: int = MOST_PARTS) -> list[MappedPart]:
    """Tensors and all modules around them, each before what is in it.

    A module with one tensor alone stands for that. What holds one kind of tensors is of that kind.
    Where there are more than can be drawn, the innermost are left out.

    >>> [(one.path, one.count) for one in modules_of([MappedPart(("a", "x"), 1, "norms"),
    ...                                               MappedPart(("a", "y"), 2, "norms")])]
    [((), 3), (('a',), 3), (('a', 'x'), 1), (('a', 'y'), 2)]
    """
    found: dict[tuple[str, ...], list[MappedPart]] = {}
    for one in tensors:
        for depth in range(len(one.path) + 1):
            found.setdefault(one.path[:depth], []).append(one)
    parts = [
        _module(path, inside)
        for path, inside in found.items()
        if path != inside[0].path or len(found[path[:-1]]) > 1
    ]
    while len(parts) > most:
        deepest = max(len(one.path) for one in parts)
        parts = [one for one in parts if len(one.path) < deepest]
    return parts


def _module(path: tuple[str, ...], inside: Sequence[MappedPart]) -> MappedPart:
    first = inside[0]
    if len(inside) == 1 and len(first.path) <= len(path) + 1:
        return replace(first, path=path)
    kinds = {one.kind for one in inside}
    kind = first.kind if len(kinds) == 1 else ""
    return MappedPart(path, sum(one.count for one in inside), kind)


def parameter_map(parts: Sequence[MappedPart], words: MapWords, theme: FigureTheme) -> go.Figure:
    """Rectangles as large as their parameters are many; a press opens one.

    Args:
        parts: the model and everything in it, as :func:`modules_of` gives it.
        words: of the model and the tooltip.
        theme: of the screen.

    Raises:
        ValueError: the first is not the model.
    """
    if not parts or parts[0].path:
        raise ValueError("the first of the parts is the model itself")
    whole = parts[0].count
    numbers = {one.path: at for at, one in enumerate(parts)}
    around = [parts[numbers[one.path[:-1]]] for one in parts]
    looks = (DARK_KINDS if theme.dark else LIGHT_KINDS) | {
        "": (theme.palette.accent_ground, theme.palette.text)
    }
    size = theme.pixels(12)
    written = [
        (
            unmarked(one.path[-1] if one.path else words.model),
            grouped(one.count),
            *([unmarked(percent(one.count / whole))] if one.path else []),
        )
        for one in parts
    ]
    figure = go.Figure(
        go.Treemap(
            ids=[str(at) for at in range(len(parts))],
            labels=[" · ".join(lines) for lines in written],  # on one line, above what is inside
            parents=["", *(str(numbers[one.path[:-1]]) for one in parts[1:])],
            values=[one.count for one in parts],
            text=["<br>".join(lines) for lines in written],
            customdata=[
                "<br>".join(_told(one, outer, whole, words))
                for one, outer in zip(parts, around, strict=True)
            ],
            branchvalues="total",
            maxdepth=LEVELS,
            texttemplate="%{text}",
            hovertemplate="%{customdata}<extra></extra>",
            marker={
                "colors": [looks[one.kind][0] for one in parts],
                "line": {"color": theme.palette.card, "width": 1},
                "pad": {"t": theme.pixels(20), "l": 2, "r": 2, "b": 2},
            },
            textfont={"color": [looks[one.kind][1] for one in parts], "size": size},
            tiling={"pad": 1},
            pathbar={
                "side": "top",
                "thickness": theme.pixels(PATH),
                "textfont": {"color": theme.palette.text, "size": size},
            },
        )
    )
    figure.update_layout(theme.plotly())
    figure.update_layout(
        height=theme.pixels(HEIGHT),
        margin={"l": 0, "r": 0, "t": theme.pixels(PATH), "b": 0},
        uniformtext={"mode": "hide", "minsize": LEAST_TYPE},
    )
    return figure


def _told(one: MappedPart, outer: MappedPart, whole: int, words: MapWords) -> list[str]:
    """The lines of a tooltip."""
    lines = [
        " / ".join(map(unmarked, one.path)) or unmarked(words.model),
        one.sizes,
        words.parameters.format(count=grouped(one.count)),
    ]
    if one.path:
        lines.append(words.of_model.format(share=f"{one.count / whole:.2%}"))
    if len(one.path) > 1:
        lines.append(words.of_module.format(share=f"{one.count / outer.count:.2%}"))
    return [line for line in lines if line]
