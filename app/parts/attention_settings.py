"""Where the attention canvas starts, and which of its two layouts it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

SCALES: Final = ("absolute", "head", "row")
PALETTES: Final = ("indigo", "viridis", "cividis")
LAYOUTS: Final = ("compact", "explorer")
VIEWS: Final = ("grid", "heads", "matrix", "lines")
PARTS: Final = ("", "aa", "ab", "ba", "bb")
THOUSANDTHS: Final = 1000


@dataclass(frozen=True)
class CanvasSettings:
    """What the canvas shows until the reader or the page address says otherwise.

    Args:
        layer, head: the outlined map, counted from 0.
        token: the query whose lines are drawn; None draws all of them faintly.
        map_set: name of the set shown first; the first one when None.
        palette: one of ``PALETTES``.
        scale: what full colour means in the atlas, one of ``SCALES``: a weight of 1, the
            largest weight of the head, or that of the row.
        url_prefix: put before each parameter in the page address, so that two canvases on one
            page keep apart.
        layout: one of ``LAYOUTS``: the small canvas of the first page, or the one with all views,
            to which what follows belongs.
        channel: key of the :func:`app.parts.attention_channel.attention_channel` that this
            canvas asks for more; without one it has what the payload brings.
        view: one of ``VIEWS``.
        key: the column of the pinned cell; None when no cell is pinned.
        least: weights below this many thousandths are not drawn.
        specials: whether special tokens are shown.
        sink: whether each head's sink is masked.
        merge: whether the pieces of a word are drawn as one.
        points: whether heads stand as points beside the grid of all heads.
        part: one of ``PARTS``: from sentence a or b to sentence a or b; empty for all.
        heads: further heads of the shown layer that are laid over it.

    Raises:
        ValueError: for a negative position, a threshold out of bounds, or a name that does not
            exist.
    """

    layer: int = 0
    head: int = 0
    token: int | None = None
    map_set: str | None = None
    palette: str = "indigo"
    scale: str = "head"
    url_prefix: str = ""
    layout: str = "compact"
    channel: str = ""
    view: str = "matrix"
    key: int | None = None
    least: int = 0
    specials: bool = True
    sink: bool = False
    merge: bool = False
    points: bool = False
    part: str = ""
    heads: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        positions = [
            ("layer", self.layer),
            ("head", self.head),
            ("token", self.token),
            ("key", self.key),
            *(("head", head) for head in self.heads),
        ]
        for name, value in positions:
            if value is not None and value < 0:
                raise ValueError(f"The {name} counts from 0; {value} is not possible.")
        if not 0 <= self.least <= THOUSANDTHS:
            raise ValueError(f"A threshold of {self.least} is not from 0 to {THOUSANDTHS}.")
        for kind, chosen, known in (
            ("Palette", self.palette, PALETTES),
            ("Scale", self.scale, SCALES),
            ("Layout", self.layout, LAYOUTS),
            ("View", self.view, VIEWS),
            ("Part", self.part, PARTS),
        ):
            if chosen not in known:
                raise ValueError(f"{kind} {chosen!r} is not one of {', '.join(known)}.")

    def as_header(self, first_set: str) -> dict[str, Any]:
        """The settings as the browser reads them; `first_set` stands for a set of None."""
        return {
            "layer": self.layer,
            "head": self.head,
            "token": self.token,
            "set": self.map_set or first_set,
            "palette": self.palette,
            "scale": self.scale,
            "urlPrefix": self.url_prefix,
            "layout": self.layout,
            "channel": self.channel,
            "view": self.view,
            "key": self.key,
            "least": self.least,
            "specials": self.specials,
            "sink": self.sink,
            "merge": self.merge,
            "points": self.points,
            "part": self.part,
            "heads": [head for head in self.heads if head != self.head],
        }
