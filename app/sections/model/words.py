"""What readers call the parts of a model and the things that it predicts."""

from __future__ import annotations

from app.i18n import N_, _
from app.theme import grouped
from core.analysis.parts import ParameterGroup
from core.config import Head
from core.models.registry import SYSTEMS

HEADS = {
    Head.MASKED_LANGUAGE: N_("masked words"),
    Head.NEXT_SENTENCE: N_("next sentence"),
    Head.SENTENCE_ORDER: N_("order of two texts"),
    Head.REPLACED_TOKEN: N_("replaced tokens"),
    Head.LANGUAGE: N_("next word"),
    Head.SENTENCE_STRUCTURE: N_("order of two texts, three ways"),
    Head.SPAN_BOUNDARY: N_("words from the edges of a span"),
    Head.SEQUENCE_CLASSES: N_("labels of texts"),
    Head.TOKEN_CLASSES: N_("labels of tokens"),
    Head.ANSWER_SPAN: N_("answers in a text"),
}
ANY_ORDER = N_("words, in any order")  # Head.LANGUAGE of a model that permutes
POOLER = N_("pooler (first token)")
SIDES = {"encoder": N_("encoder"), "decoder": N_("decoder")}
NAMES = {
    "tokens": N_("table of tokens"),
    "positions": N_("table of positions"),
    "segments": N_("table of segments"),
    "projection": N_("projection to the layers’ width"),
    "norms": N_("norms"),
    "attention": N_("attention"),
    "cross_attention": N_("attention to the source"),
    "feed_forward": N_("feed-forward"),
    "relative_bias": N_("table of distances"),
    "query_start": N_("start of the query stream"),
    "other": N_("recurrent units"),
}
_HEADS_BY_NAME = {head.value: words for head, words in HEADS.items()} | {"pooler": POOLER}
TYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


def name_of_head(head: Head, system: str) -> str:
    """What a head of a system predicts."""
    permutes = head is Head.LANGUAGE and SYSTEMS[system].permuting
    return _(ANY_ORDER if permutes else HEADS[head])


def name_of_part(part: ParameterGroup, system: str) -> str:
    """What a part is called: `encoder: attention`, `embeddings: norms`, `head: next sentence`."""
    name = name_of_kind(part.side, part.name, system)
    if part.side == "head":
        return _("head: {name}").format(name=name)
    if part.side == "embedding":
        return _("embeddings: {name}").format(name=name)
    return _("{side}: {name}").format(side=_(SIDES[part.side]), name=name)


def name_of_kind(side: str, kind: str, system: str) -> str:
    """What a kind of tensors is called on its side: `attention`, `norms`, `next sentence`."""
    if side != "head":
        return _(NAMES.get(kind, NAMES["other"]))
    if kind == Head.LANGUAGE.value:
        return name_of_head(Head.LANGUAGE, system)
    known = _HEADS_BY_NAME.get(kind) or NAMES.get(kind)
    return _(known) if known else kind  # the tasks of a file have names of their own


def megabytes(size: int) -> str:
    """A size in whole megabytes, at least one."""
    return _("{count} MB").format(count=grouped(max(1, round(size / 1e6))))
