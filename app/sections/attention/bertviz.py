"""BertViz's views of the same weights, for who knows them or wants to compare."""

from importlib.metadata import version

import streamlit as st

from app.i18n import _, ngettext
from app.parts.attention_canvas import LABELS, is_of_one_text
from app.parts.frame import pixels
from app.sections.attention.bertviz_view import (
    MOST_BYTES,
    MOST_LINES,
    BertVizView,
    Load,
    bertviz_view,
    layers_that_fit,
    load_of,
    tokens_that_fit,
)
from app.state import choose, current_settings, numbers_of
from core.tasks import AttendResult, AttentionMap

LAYER_KEY = "bertviz-layer"


def draw_bertviz(result: AttendResult, kind: str) -> None:
    """Draw one of BertViz's views, or as many layers of it as it can bear, with the reason.

    Args:
        result: the weights, and the tokens that ran.
        kind: "heads" for its head view; anything else is its model view.
    """
    view: BertVizView = "heads" if kind == "heads" else "model"
    one = _drawn(result)
    said = [_what_to_know(view)]
    if len(result.maps) > 1:
        drawn = _("Drawn: {kind}. The other kinds are in Headlight's own views.")
        said.append(drawn.format(kind=_(LABELS[one.name])))
    st.caption(" ".join(said))
    patterns, encoding = one.patterns, one.query
    second = encoding.segments.index(1) if 1 in encoding.segments else None
    is_pair = second is not None
    count = len(patterns)
    fit = layers_that_fit(patterns.shape, view, pair=is_pair)
    if fit == 0:
        would = _("Even for one layer BertViz would draw {lines} lines and be sent {size} MB;")
        reason = _reason(would, load_of((1, *patterns.shape[1:]), view, pair=is_pair))
        way_out = _("Shorten the text to {tokens} tokens, or use Headlight's own views.")
        st.info(f"{reason} {way_out.format(tokens=tokens_that_fit(patterns.shape[1]))}")
        return
    settings = current_settings()
    shown = min(max(settings.layer, 0), count - 1)
    layers = range(count)
    if fit < count:
        would = _("BertViz would draw {lines} lines at once and be sent {size} MB;")
        reason = _reason(would, load_of(patterns.shape, view, pair=is_pair))
        some = ngettext(
            "So {layers} layer is drawn at a time.", "So {layers} layers are drawn at a time.", fit
        )
        st.info(f"{reason} {some.format(layers=fit)}")
        first = _first_layer(min(shown, count - fit), count, fit)
        layers = range(first, first + fit)
    last = patterns.shape[1] - 1
    heads = {min(max(head, 0), last) for head in (settings.head, *numbers_of(settings.heads))}
    bertviz_view(
        patterns,
        encoding.pieces,
        second,
        view,
        layers=layers,
        layer=min(max(shown, layers[0]), layers[-1]),
        heads=sorted(heads),
    )


def _drawn(result: AttendResult) -> AttentionMap:
    """The kind of attention that is chosen, where a text looks at itself in it; else the first."""
    chosen = current_settings().set
    own = [one for one in result.maps if is_of_one_text(one)]
    return next((one for one in own if one.name == chosen), own[0])


def _what_to_know(kind: BertVizView) -> str:
    source = _("BertViz {version} (Jesse Vig) over the weights of this page.")
    if kind == "heads":
        view = _(
            "Each square is a head: click it to add or remove it, double-click to see it alone. "
            "Opacity is the weight divided by the number of heads shown, so each further head "
            "makes all lines fainter. Colours repeat after ten heads."
        )
    else:
        view = _(
            "Layers down, heads across; click a head to enlarge it. Opacity is the weight. "
            "Colours tell layers apart and repeat after ten."
        )
    numbers = _("It shows no numbers; Headlight's own views do.")
    return " ".join((source.format(version=version("bertviz")), view, numbers))


def _reason(would: str, load: Load) -> str:
    """Why this is too much for BertViz, in numbers; `would` has the blanks of both sentences."""
    bound = _("beyond {lines} lines or {size} MB a browser hardly answers any more.")
    would = would.format(lines=_grouped(load.lines), size=_megabytes(load.size))
    bound = bound.format(lines=_grouped(MOST_LINES), size=_megabytes(MOST_BYTES))
    return f"{would} {bound}"


def _first_layer(shown: int, count: int, fit: int) -> int:
    """Ask which layers to draw; the choice stands in the address as the layer."""

    def take() -> None:
        choose("layer", st.session_state[LAYER_KEY])

    def name(first: int) -> str:
        return str(first) if fit == 1 else f"{first} – {first + fit - 1}"

    label = ngettext("Layer drawn", "Layers drawn", fit)
    options = range(count - fit + 1)
    return st.selectbox(
        label, options, shown, format_func=name, key=LAYER_KEY, on_change=take, width=pixels(160)
    )


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}".removesuffix(".0")
