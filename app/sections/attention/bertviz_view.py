"""BertViz's head view and model view over our own weights: offline, escaped, bounded.

BertViz (Jesse Vig, Apache-2.0) writes one HTML page with the weights as JSON in its script. Three
things are changed on the way to the browser. Its scripts come from `app/static/vendor`, not from
the internet. The JSON is escaped, so that no token can end the script. And weights have four
decimals, once: BertViz only turns them into opacities, but writes every digit, and all of them a
second time into a comment of its template.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.i18n import _, current_language

BertVizView = Literal["heads", "model"]

# Chromium on two cores takes three seconds to draw as many lines, and half a second for every
# word that is hovered; at twice as many, six and one and a half.
MOST_LINES: Final = 150_000
MOST_BYTES: Final = 8_000_000
BYTES_PER_WEIGHT: Final = 7  # "0.1234,"

# Addresses as they stand in BertViz's page, and what takes their place. They are relative, so
# that they hold below any base path: a page in `srcdoc` resolves them like the page around it.
SCRIPTS: Final = {
    "https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js": (
        "app/static/vendor/require-2.3.7.min.js"
    ),
    "https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min": "app/static/vendor/d3-5.7.0.min",
    "https://cdnjs.cloudflare.com/ajax/libs/jquery/2.0.0/jquery.min": (
        "app/static/vendor/jquery-2.2.4.min"
    ),
}
PARAMETERS: Final = "const params = "
EMPTY_PICTURE: Final = "<div id='vis'></div>"
CONTROL: Final = re.compile(r"\w+: <select.*?</select>", re.DOTALL)
# Its own number is drawn anew in every run, and the browser would draw everything again.
OWN_NUMBER: Final = re.compile(r"bertviz-[0-9a-f]{32}")

# BertViz's own measures in pixels. Its head view has room for tokens of a certain length; longer
# ones run out of the picture on both sides.
MODEL_VIEW_WIDTH: Final = 970
HEAD_VIEW_WIDTH: Final = 335
LABEL_WIDTH: Final = 100

LETTER_WIDTH: Final = 9
MOST_OVERHANG: Final = 400
CONTROLS_WIDTH: Final = 420
CONTROLS_HEIGHT: Final = 28
PADDING: Final = 12

_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: {scheme}; }}
body {{ margin: 0; padding: {padding}px; padding-left: {left}px; box-sizing: border-box;
  background: {ground}; color: {text}; font: 15px Helvetica, Arial, sans-serif; }}
svg {{ display: block; overflow: visible; }}
svg > text {{ fill: {text}; }}
span:has(select) {{ display: block; height: {controls}px; }}
#failed {{ display: none; }}
.failed #failed {{ display: block; }}
.failed #vis {{ display: none; }}
</style>
<script>
addEventListener("error", () => document.documentElement.classList.add("failed"), true);
</script>
</head>
<body>
<script>
const fit = () => {{ document.body.style.zoom = Math.min(1, innerWidth / {width}); }};
addEventListener("resize", fit);
fit();
</script>
<p id="failed">{failed}</p>
{view}
</body>
</html>
"""


@dataclass(frozen=True)
class Load:
    """What a browser has to bear: SVG lines drawn at once, and bytes sent."""

    lines: int
    size: int

    @property
    def is_bearable(self) -> bool:
        """Whether both stay within what BertViz can draw in a few seconds."""
        return self.lines <= MOST_LINES and self.size <= MOST_BYTES


def load_of(shape: Sequence[int], kind: BertVizView, *, pair: bool) -> Load:
    """What drawing weights costs.

    Args:
        shape: layers, heads, queries, keys.
        kind: the model view draws all layers at once, the head view one.
        pair: BertViz sends the weights of two sentences twice: whole, and as four blocks.
    """
    layers, heads, queries, keys = shape
    drawn = layers if kind == "model" else 1
    weights = layers * heads * queries * keys * (2 if pair else 1)
    return Load(drawn * heads * queries * keys, weights * BYTES_PER_WEIGHT)


def layers_that_fit(shape: Sequence[int], kind: BertVizView, *, pair: bool) -> int:
    """How many layers BertViz can draw; none where one alone is too much."""
    for layers in range(shape[0], 0, -1):
        if load_of((layers, *shape[1:]), kind, pair=pair).is_bearable:
            return layers
    return 0


def tokens_that_fit(heads: int) -> int:
    """How many tokens a text may have for BertViz to draw at least one layer of it."""
    return int((MOST_LINES / heads) ** 0.5)


def bertviz_view(
    patterns: NDArray[np.float32],
    tokens: Sequence[str],
    sentence_b_start: int | None,
    kind: BertVizView,
    *,
    layers: Sequence[int] | None = None,
    layer: int = 0,
    heads: Sequence[int] = (0,),
) -> None:
    """Show one of BertViz's views.

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        tokens: one text per query and key, shown exactly as given.
        sentence_b_start: position of the first token of the second sentence; None without one.
        kind: "heads" (one layer, its heads in colours) or "model" (every head of every layer).
        layers: the layers that the reader can see; all of them when None.
        layer: head view: the layer shown first, one of `layers`.
        heads: head view: the heads shown first; the reader adds others.

    Raises:
        ValueError: more than BertViz can draw; see :func:`layers_that_fit`.
    """
    layers = range(len(patterns)) if layers is None else layers
    shape = (len(layers), *patterns.shape[1:])
    if not load_of(shape, kind, pair=sentence_b_start is not None).is_bearable:
        raise ValueError(f"too much for BertViz: {shape}")
    options: dict[str, Any] = {"include_layers": list(layers)}
    if kind == "heads":
        options |= {"layer": layer, "heads": list(heads)}
    else:
        options["display_mode"] = "dark" if st.context.theme.type == "dark" else "light"
    with st.spinner(_("BertViz is preparing…")):  # its first import takes seconds
        page = bertviz_page(patterns, tokens, sentence_b_start, kind, options)
    st.iframe(
        page,
        width=width_of(tokens, kind),
        height=height_of(shape, kind, pair=sentence_b_start is not None),
        alt=title_of(kind),
    )


def bertviz_page(
    patterns: NDArray[np.float32],
    tokens: Sequence[str],
    sentence_b_start: int | None,
    kind: BertVizView,
    options: dict[str, Any],
) -> str:
    """The HTML page of a view, with local scripts and escaped tokens.

    Args:
        patterns, tokens, sentence_b_start, kind: as for :func:`bertviz_view`.
        options: further keywords of BertViz's function.
    """
    # Imported here: it takes seconds, and nobody else needs it.
    import torch
    from bertviz import head_view, model_view

    draw = head_view if kind == "heads" else model_view
    rounded = torch.from_numpy(np.round(patterns.astype(np.float64), 4))
    written = draw(
        attention=list(rounded.unsqueeze(1)),
        tokens=list(tokens),
        sentence_b_start=sentence_b_start,
        prettify_tokens=False,
        html_action="return",
        **options,
    ).data
    is_dark = options.get("display_mode") == "dark"
    return _PAGE.format(
        language=current_language(),
        title=html.escape(title_of(kind)),
        padding=PADDING,
        left=PADDING + (overhang(tokens) if kind == "heads" else 0),
        width=width_of(tokens, kind),
        controls=CONTROLS_HEIGHT,
        scheme="dark" if is_dark else "light",
        ground="black" if is_dark else "white",
        text="#cccccc" if is_dark else "black",
        failed=html.escape(_("The scripts of BertViz did not arrive. Please reload the page.")),
        view=offline(written, waiting=_("BertViz is drawing…")),
    )


def offline(written: str, waiting: str) -> str:
    """BertViz's HTML with our scripts, its data once and escaped, and a word for the wait.

    Raises:
        ValueError: it does not look like the output of the version that this was made for.
    """
    start = written.index(PARAMETERS) + len(PARAMETERS)
    before = OWN_NUMBER.sub("bertviz", written[:start])
    for address, local in SCRIPTS.items():
        if before.count(address) != 1:
            raise ValueError(f"BertViz no longer loads {address}")
        before = before.replace(address, local)
    before = CONTROL.sub(r"<label>\g<0></label>", before)
    before = before.replace(EMPTY_PICTURE, f"<div id='vis'>{html.escape(waiting)}</div>")
    parameters, end = json.JSONDecoder().raw_decode(written, start)
    parameters["root_div_id"] = "bertviz"
    after = written[written.index("\n", end) :]  # the rest of the line is the second copy
    return f"{before}{script_json(parameters)};{after}"


def script_json(value: object) -> str:
    """JSON that means the same inside a script element: nothing in it can end that."""
    written = json.dumps(value, separators=(",", ":"))  # leaves ASCII only
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written


def title_of(kind: BertVizView) -> str:
    """What a screen reader calls a view."""
    return _("BertViz, head view") if kind == "heads" else _("BertViz, model view")


def overhang(tokens: Sequence[str]) -> int:
    """Pixels by which the longest token runs out of the head view, on either side; bounded."""
    return min(max(0, LETTER_WIDTH * max(map(len, tokens)) - LABEL_WIDTH), MOST_OVERHANG)


def width_of(tokens: Sequence[str], kind: BertVizView) -> int:
    """Pixels a view is wide; in a narrower window it is drawn smaller."""
    picture = max(CONTROLS_WIDTH, HEAD_VIEW_WIDTH + 2 * overhang(tokens))
    return 2 * PADDING + (picture if kind == "heads" else MODEL_VIEW_WIDTH)


def height_of(shape: Sequence[int], kind: BertVizView, *, pair: bool) -> int:
    """Pixels a view is high at its full width, by the measures in BertViz's scripts."""
    layers, heads, tokens, _keys = shape
    if kind == "heads":
        return round(2 * PADDING + CONTROLS_HEIGHT + 30 + 22.5 * tokens + 1)
    thumbnail = tokens * 7 * 12 / heads + 10
    detail = tokens * 18 + 55
    picture = max(layers * thumbnail + 38, detail)
    return round(2 * PADDING + (CONTROLS_HEIGHT if pair else 0) + picture + 1)
