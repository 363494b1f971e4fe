"""Every setting that changes what a reader sees: its name in the address, type, default and bounds.

Who owns a setting, and how it is read and written, says :mod:`app.state`.
"""

from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, Literal

Owner = Literal["widget", "page", "canvas", "charts", "frame"]
Value = str | int | bool


def _setting(default: Any, owner: Owner, most: int, least: int = 0) -> Any:
    """A field of `Settings`; the bounds are those of a number, or `most` the length of a text."""
    return field(default=default, metadata={"owner": owner, "most": most, "least": least})


@dataclass(frozen=True)
class Settings:
    """The settings of a page, as one typed value. A number of -1 means: none chosen.

    Several numbers are joined by dots, heads are written `layer-head`: see `numbers_of` and
    `heads_of`.
    """

    text: str = _setting(
        "The animal didn't cross the street because it was too tired.", owner="widget", most=5_000
    )
    pair: str = _setting("", owner="widget", most=5_000)
    # In the text above one token is replaced, and found; another is drawn as it was.
    seed: int = _setting(10, owner="widget", most=999_999)
    epochs: int = _setting(4, owner="widget", most=12, least=1)
    positions: int = _setting(50, owner="widget", most=512, least=2)
    dimensions: int = _setting(128, owner="widget", most=1_024, least=2)
    start: int = _setting(0, owner="widget", most=999_999)  # the first of the positions
    halves: bool = _setting(False, owner="widget", most=1)  # all sines first
    space: bool = _setting(False, owner="widget", most=1)  # positions as curves in space
    ablated: bool = _setting(False, owner="widget", most=1)  # every head by itself, as a map
    difference: bool = _setting(False, owner="widget", most=1)  # of two maps, as a chart
    shares: bool = _setting(False, owner="widget", most=1)  # of a model, for its parameters
    other_text: str = _setting(
        "The animal didn't cross the street because it was too wide.", owner="widget", most=5_000
    )
    state: str = _setting("1 0", owner="widget", most=200)  # of a decoder, number by number
    memory: str = _setting("3 4; 1 0; -1 2", owner="widget", most=400)  # states of an encoder
    weights_w: str = _setting("1 1; 0 1", owner="widget", most=400)  # of alignment scores, by rows
    weights_u: str = _setting("0.5 0; 0 0.5", owner="widget", most=400)
    weights_v: str = _setting("1 -1", owner="widget", most=200)
    weights_l: str = _setting("2 0; 0 1; 1 1", owner="widget", most=400)  # of the location score
    blanks: str = _setting(
        "In summer it is hot, and in ___ it is cold.", owner="widget", most=5_000
    )  # the text with blanks
    samples: int = _setting(3, owner="widget", most=10, least=1)  # ways to fill them
    mark_first: bool = _setting(False, owner="widget", most=1)  # the answer waits for marks
    span: int = _setting(4, owner="widget", most=20, least=1)  # words of a hidden span
    target: str = _setting("", owner="widget", most=5_000)  # what a decoder reads; "" for its own
    third: str = _setting("", owner="widget", most=5_000)  # beside a pair; "" for one of ours

    model: str = _setting("bert", owner="page", most=200)
    hide: str = _setting("", owner="page", most=2_500)  # words; "-" for none
    top: int = _setting(8, owner="page", most=20, least=1)
    edit: str = _setting("", owner="page", most=5_000)  # the changed sentence
    mask: int = _setting(0, owner="page", most=999)  # which of the masks is looked at
    choice: str = _setting("", owner="page", most=2_500)  # the chosen candidate of every mask
    off: str = _setting("", owner="page", most=5_000)  # heads turned off
    tool: str = _setting("", owner="page", most=40)  # "" our canvas, "heads", "model" BertViz
    code: str = _setting("sinusoidal", owner="page", most=20)  # of positions
    term: str = _setting("text", owner="page", most=20)  # what is drawn of Transformer-XL's
    contrast: str = _setting("texts", owner="page", most=20)  # what is compared
    other_model: str = _setting("", owner="page", most=200)
    words: bool = _setting(False, owner="page", most=1)  # compared by words in any case
    lab: str = _setting("", owner="page", most=300)  # what the lab trains: see app/lab/plan.py
    inside: int = _setting(1, owner="page", most=9)  # the run whose layers and heads are drawn
    scene: str = _setting("", owner="page", most=80)
    to: str = _setting("de", owner="page", most=20)  # the language that a text is translated into
    beams: int = _setting(4, owner="page", most=16, least=1)  # 1: always the likeliest piece
    padded: int = _setting(2, owner="page", most=9)  # places of padding after the source
    followed: int = _setting(0, owner="page", most=15)  # which of the translations found
    first: str = _setting("", owner="page", most=20)  # "scores": these before the translation
    place: int = _setting(-1, owner="page", most=9_999, least=-1)  # the token before which is asked
    written: str = _setting("", owner="page", most=80)  # how a text was continued
    replacer: str = _setting("generator", owner="page", most=20)  # who replaces words; or "reader"
    heat: int = _setting(100, owner="page", most=300, least=100)  # of its draws, in hundredths
    changed: str = _setting("", owner="page", most=2_500)  # words and what stands there instead
    warmth: int = _setting(70, owner="page", most=400)  # temperature of samples, in hundredths
    sample: int = _setting(0, owner="page", most=9)  # the one whose steps are shown
    draw: int = _setting(0, owner="page", most=999_999)  # seed of what the objectives hide
    finding: str = _setting("warm-up", owner="page", most=40)  # of the recorded runs
    permuted: bool = _setting(False, owner="page", most=1)  # XLNet reads in a random order

    layer: int = _setting(4, owner="canvas", most=999)
    head: int = _setting(3, owner="canvas", most=999)
    heads: str = _setting("", owner="canvas", most=400)  # further heads of the same layer
    token: int = _setting(10, owner="canvas", most=9_999, least=-1)  # the row
    key: int = _setting(-1, owner="canvas", most=9_999, least=-1)  # the column
    set: str = _setting("", owner="canvas", most=40)
    view: str = _setting("matrix", owner="canvas", most=40)
    palette: str = _setting("indigo", owner="canvas", most=40)
    scale: str = _setting("head", owner="canvas", most=40)
    least: int = _setting(0, owner="canvas", most=1_000)  # thousandths of weight
    specials: bool = _setting(True, owner="canvas", most=1)
    sink: bool = _setting(False, owner="canvas", most=1)
    merge: bool = _setting(False, owner="canvas", most=1)
    points: bool = _setting(False, owner="canvas", most=1)  # heads as points beside the grid
    part: str = _setting("", owner="canvas", most=2)  # "ab": from sentence A to sentence B
    waves: str = _setting("4.5.20.60", owner="canvas", most=80)  # dimensions drawn over positions
    shown: int = _setting(0, owner="canvas", most=512)  # so many positions; 0 for all
    map: int = _setting(0, owner="canvas", most=9_999)  # which head's position scores
    other_layer: int = _setting(-1, owner="canvas", most=999, least=-1)  # -1: the same head
    other_head: int = _setting(-1, owner="canvas", most=999, least=-1)
    enlarge: bool = _setting(True, owner="canvas", most=1)  # differences on a scale of their own
    step: int = _setting(-1, owner="canvas", most=9_999, least=-1)  # of writing; -1 for the last
    temperature: int = _setting(100, owner="canvas", most=400)  # hundredths
    top_k: int = _setting(0, owner="canvas", most=1_000)  # 0 for all
    top_p: int = _setting(1_000, owner="canvas", most=1_000, least=1)  # thousandths
    threshold: int = _setting(50, owner="canvas", most=100)  # hundredths of a probability
    marked: str = _setting("", owner="canvas", most=1_000)  # words that the reader marked
    depth: int = _setting(100, owner="canvas", most=100)  # of small maps: 0 first layer, 100 last
    reading: int = _setting(0, owner="canvas", most=39)  # of a text that an objective hides
    order: str = _setting("0.3.1.2", owner="canvas", most=40)  # of reading, in XLNet's masks

    curves: str = _setting("", owner="charts", most=80)  # learning-rate schedules; "" for all
    curve: str = _setting("transformer", owner="charts", most=20)  # whose code is shown
    axes: str = _setting("linear", owner="charts", most=20)  # or "rate", "both" logarithmic
    total: int = _setting(100_000, owner="charts", most=1_000_000, least=10)
    warm: int = _setting(4_000, owner="charts", most=100_000)
    peak: int = _setting(700, owner="charts", most=100_000, least=1)  # millionths
    model_width: int = _setting(512, owner="charts", most=16_384, least=1)
    period: int = _setting(32_000, owner="charts", most=1_000_000, least=1)
    growth: int = _setting(1, owner="charts", most=8, least=1)
    at_step: int = _setting(16_000, owner="charts", most=1_000_000, least=-1)
    beta: int = _setting(9_990, owner="charts", most=9_999, least=9_000)  # ten-thousandths
    adam_step: int = _setting(5, owner="charts", most=1_000_000, least=1)

    lang: str = _setting("", owner="frame", most=20)
    present: bool = _setting(False, owner="frame", most=1)


IN_BROWSER: tuple[Owner, ...] = ("canvas", "charts")
FIELDS: dict[str, Field[Any]] = {setting.name: setting for setting in fields(Settings)}
DEFAULTS: dict[str, Any] = asdict(Settings())
