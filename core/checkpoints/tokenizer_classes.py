"""What the class that a checkpoint names for its tokenizer makes of the files.

In transformers 5 a class takes pieces and merges from the files and makes the rest itself, from its
own rules and the settings of ``tokenizer_config.json``: these win over what ``tokenizer.json`` says
of capitals, accents and spaces. Only the classes in ``AS_WRITTEN`` follow that file as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from core.checkpoints.files import CONFIG, PAIRS, PIECES, TOKENIZER, TOKENIZER_CONFIG, VOCABULARY
from core.hugging_face.errors import shown
from core.tokenisation import TokenizerRefusedError

Settings = Mapping[str, Any]

# The last is one that transformers does not have any more.
AS_WRITTEN = ("PreTrainedTokenizer", "TokenizersBackend", "PythonBackend", "MT5Tokenizer")

# By ``model_type``: the class where no file names one. Llama's files are followed as written.
OF_FAMILY = {
    "bert": "BertTokenizer",
    "distilbert": "BertTokenizer",
    "electra": "BertTokenizer",
    "albert": "AlbertTokenizer",
    "roberta": "RobertaTokenizer",
    "xlnet": "XLNetTokenizer",
    "gpt2": "GPT2Tokenizer",
    "gpt_neox": "GPTNeoXTokenizer",
    **dict.fromkeys(("t5", "mt5", "umt5"), "T5Tokenizer"),
    "xlm-roberta": "XLMRobertaTokenizer",
    "camembert": "CamembertTokenizer",
}


_BERT = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_ROBERTA = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
_GPT = dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>")
# By class: the special tokens that the files need not name.
_SPECIAL = {
    "BertTokenizer": _BERT,
    "DistilBertTokenizer": _BERT,
    "ElectraTokenizer": _BERT,
    "RobertaTokenizer": _ROBERTA,
    "BartTokenizer": _ROBERTA,
    "GPT2Tokenizer": _GPT,
    "GPTNeoXTokenizer": {**_GPT, "pad_token": "<|padding|>"},
    "LlamaTokenizer": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
    "AlbertTokenizer": {
        **_BERT,
        "bos_token": "[CLS]",
        "eos_token": "[SEP]",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    },
    "XLNetTokenizer": {**_ROBERTA, "sep_token": "<sep>", "cls_token": "<cls>"},
    "XLMRobertaTokenizer": _ROBERTA,
    "CamembertTokenizer": _ROBERTA,
    "T5Tokenizer": {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
}


@dataclass(frozen=True)
class Pieces:
    """What is taken from the files.

    Attributes:
        file: that has the pieces.
        kind: of the library's model: ``WordPiece``, ``BPE``, ``Unigram``.
        vocabulary: ids of pieces, or pieces and their scores.
        merges: of BPE.
        around: what stands around texts, of the library; ``None`` if the files do not say.
        character_map: SentencePiece's table, as a step of the library, if there is one.
    """

    file: str
    kind: str
    vocabulary: Any
    merges: list[tuple[str, str]]
    around: Any = None
    character_map: Any = None

    @classmethod
    def of(cls, inner: tokenizers.Tokenizer) -> Pieces:
        """Those of a ``tokenizer.json``."""
        content = json.loads(inner.to_str())
        model = content["model"]
        vocabulary = model["vocab"]
        if isinstance(vocabulary, list):
            vocabulary = [(piece, score) for piece, score in vocabulary]
        merges = [(left, right) for left, right in model.get("merges", ())]
        found = _character_map(inner.normalizer)
        return cls(TOKENIZER, model["type"], vocabulary, merges, inner.post_processor, found)

    @property
    def ids(self) -> dict[str, int]:
        """The id of every piece."""
        if isinstance(self.vocabulary, dict):
            return self.vocabulary
        return {piece: at for at, (piece, _score) in enumerate(self.vocabulary)}


def class_named(settings: Settings, config: Settings) -> str | None:
    """The class that the files name, without ``Fast``; that of the family if none does.

    Raises:
        TokenizerRefusedError: it is none that is followed.
    """
    for file, table in ((TOKENIZER_CONFIG, settings), (CONFIG, config)):
        name = table.get("tokenizer_class")
        if name is None:
            continue
        plain = name.removesuffix("Fast") if isinstance(name, str) else ""
        if plain not in (*AS_WRITTEN, *_BUILDERS):
            known = ", ".join(sorted([*_BUILDERS, "PreTrainedTokenizerFast"]))
            reason = f"its tokenizer_class is {shown(name)}; those that are followed are: {known}"
            raise TokenizerRefusedError(file, reason)
        return plain
    return OF_FAMILY.get(str(config.get("model_type")))


def with_defaults(name: str | None, settings: Settings) -> Settings:
    """Settings with the special tokens that a class has where they name none."""
    named = {key: value for key, value in settings.items() if value is not None}
    return {**_SPECIAL.get(name or "", {}), **named}


def class_of_family(name: str | None, config: Settings, file: str) -> str:
    """The class that reads a file with pieces.

    Raises:
        TokenizerRefusedError: the one that the files name, or that of the family, does not.
    """
    family = config.get("model_type")
    chosen = OF_FAMILY.get(str(family)) if name in AS_WRITTEN else name
    if chosen not in _OF_FILE[file]:
        whose = f"{chosen} reads another" if chosen else "no class is known that reads it"
        known = ", ".join(_OF_FILE[file])
        reason = f"the model_type is {shown(family)}, and {whose}; it is read by {known}"
        raise TokenizerRefusedError(file, reason)
    return chosen


def is_as_written(name: str | None, inner: tokenizers.Tokenizer) -> bool:
    """Whether a class follows ``tokenizer.json`` as it is."""
    if name is None or name in AS_WRITTEN:
        return True
    # Files of Llama 3 name the class of Llama 2, which knows no bytes.
    return name == "LlamaTokenizer" and '"ByteLevel"' in inner.to_str()


def build(name: str, pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    """The tokenizer that a class makes, without added tokens; settings are with its defaults.

    Raises:
        TokenizerRefusedError: the pieces are of another kind than it reads, one that it needs is
            not there, or a setting has a value that it does not take.
    """
    kind, builder = _BUILDERS[name]
    if pieces.kind != kind:
        reason = f"{name}, its class, reads pieces of the kind {kind}, and these are {pieces.kind}"
        raise TokenizerRefusedError(pieces.file, reason)
    return builder(pieces, settings)


def token_named(settings: Settings, key: str) -> str | None:
    """A special token as ``tokenizer_config.json`` and its like write it: a text, or a table."""
    value = settings.get(key)
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) and value else None


def switch(settings: Settings, key: str, default: bool | None) -> bool | None:
    """A setting that is on or off.

    Raises:
        TokenizerRefusedError: it is something else.
    """
    value = settings.get(key, default)
    if value is not None and not isinstance(value, bool):
        reason = f"its {key} is {shown(value)}, neither true nor false"
        raise TokenizerRefusedError(TOKENIZER_CONFIG, reason)
    return default if value is None else value


def _needed(pieces: Pieces, settings: Settings, key: str) -> tuple[str, int]:
    token = token_named(settings, key)
    if token not in pieces.ids:
        reason = (
            f"it has no piece {shown(token)} for the {key}; {TOKENIZER_CONFIG} can name another one"
        )
        raise TokenizerRefusedError(pieces.file, reason)
    return token, pieces.ids[token]


def _bert(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    unknown, _id = _needed(pieces, settings, "unk_token")
    first = _needed(pieces, settings, "cls_token")
    last = _needed(pieces, settings, "sep_token")
    inner = tokenizers.Tokenizer(models.WordPiece(pieces.ids, unk_token=unknown))
    inner.normalizer = normalizers.BertNormalizer(
        lowercase=bool(switch(settings, "do_lower_case", True)),
        strip_accents=switch(settings, "strip_accents", None),
        handle_chinese_chars=bool(switch(settings, "tokenize_chinese_chars", True)),
    )
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece()
    inner.post_processor = processors.TemplateProcessing(
        single=[first[0], "$A", last[0]],
        pair=[first[0], "$A", last[0], "$B:1", f"{last[0]}:1"],
        special_tokens=_once(first, last),
    )
    return inner


def _bytes(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    """What RoBERTa, GPT-2 and GPT-NeoX have in common."""
    leading_space = bool(switch(settings, "add_prefix_space", False))
    inner = tokenizers.Tokenizer(models.BPE(pieces.ids, pieces.merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=leading_space)
    inner.decoder = decoders.ByteLevel()
    inner.post_processor = pieces.around
    if pieces.around is None:
        trim = processors.ByteLevel(add_prefix_space=leading_space, trim_offsets=True)
        inner.post_processor = processors.Sequence([trim, _ends(pieces, settings)])
    return inner


def _ends(pieces: Pieces, settings: Settings) -> Any:
    """The tokens that ``add_bos_token`` and ``add_eos_token`` put around texts."""
    first, last = (
        [_needed(pieces, settings, f"{key}_token")]
        if switch(settings, f"add_{key}_token", False)
        else []
        for key in ("bos", "eos")
    )
    before, behind = [token for token, _id in first], [token for token, _id in last]
    return processors.TemplateProcessing(
        single=[*before, "$A", *behind],
        pair=[
            *before,
            "$A",
            *behind,
            *(f"{token}:1" for token in before),
            "$B:1",
            *(f"{token}:1" for token in behind),
        ],
        special_tokens=_once(*first, *last),
    )


def _once(*tokens: tuple[str, int]) -> list[tuple[str, int]]:
    return list(dict.fromkeys(tokens))


def _roberta(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    last = _needed(pieces, settings, "sep_token")
    first = _needed(pieces, settings, "cls_token")
    inner = _bytes(pieces, settings)
    inner.post_processor = processors.RobertaProcessing(
        last,
        first,
        bool(switch(settings, "trim_offsets", True)),
        bool(switch(settings, "add_prefix_space", False)),
    )
    return inner


def _neox(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    own = settings if pieces.file != TOKENIZER else {}  # that file takes these two settings away
    around = {key: own.get(key, False) for key in ("add_bos_token", "add_eos_token")}
    kept = Pieces(pieces.file, pieces.kind, pieces.vocabulary, pieces.merges)
    inner = _bytes(kept, {**settings, **around})
    inner.normalizer = normalizers.NFC()
    return inner


def _llama(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    leading_space = switch(settings, "add_prefix_space", True)
    everywhere = "always" if switch(settings, "legacy", False) else "first"
    inner = tokenizers.Tokenizer(
        models.BPE(pieces.ids, pieces.merges, fuse_unk=True, byte_fallback=True)
    )
    inner.pre_tokenizer = pre_tokenizers.Metaspace(
        prepend_scheme=everywhere if leading_space else "never", split=False
    )
    strip = [decoders.Strip(" ", 1, 0)] if leading_space else []
    inner.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *strip]
    )
    inner.post_processor = pieces.around
    return inner


def _unigram(
    pieces: Pieces, settings: Settings, unknown: int, steps: list[Any], around: Any
) -> tokenizers.Tokenizer:
    if not 0 <= unknown < len(pieces.vocabulary):
        reason = f"it has no piece {unknown}, which should stand for the unknown"
        raise TokenizerRefusedError(pieces.file, reason)
    scheme = "always" if switch(settings, "add_prefix_space", True) else "never"
    inner = tokenizers.Tokenizer(models.Unigram(pieces.vocabulary, unknown, byte_fallback=False))
    found = [] if pieces.character_map is None else [pieces.character_map]
    if steps or found:
        inner.normalizer = normalizers.Sequence([*steps, *found])
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Metaspace(prepend_scheme=scheme),
        ]
    )
    inner.decoder = decoders.Metaspace(prepend_scheme=scheme)
    inner.post_processor = around
    return inner


def own_steps(*, keep_accents: bool, lower_case: bool) -> list[Any]:
    """What ALBERT and XLNet do to a text before its pieces are cut."""
    steps: list[Any] = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
    if not keep_accents:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if lower_case:
        steps.append(normalizers.Lowercase())
    return steps


def _albert(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    first = _needed(pieces, settings, "cls_token")
    last = _needed(pieces, settings, "sep_token")
    steps = own_steps(
        keep_accents=bool(switch(settings, "keep_accents", False)),
        lower_case=bool(switch(settings, "do_lower_case", True)),
    )
    around = processors.TemplateProcessing(
        single=[first[0], "$A", last[0]],
        pair=[first[0], "$A", last[0], "$B:1", f"{last[0]}:1"],
        special_tokens=_once(first, last),
    )
    return _unigram(pieces, settings, 1, steps, around)


def _xlnet(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    last = _needed(pieces, settings, "sep_token")
    first = _needed(pieces, settings, "cls_token")
    lower_case = bool(switch(settings, "do_lower_case", False))
    around = processors.TemplateProcessing(
        single=["$A", last[0], f"{first[0]}:2"],
        pair=["$A", last[0], "$B:1", f"{last[0]}:1", f"{first[0]}:2"],
        special_tokens=_once(first, last),
    )
    steps = own_steps(keep_accents=False, lower_case=lower_case)
    return _unigram(pieces, {}, 0, steps, around)


def _xlm_roberta(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    first, last = (_needed(pieces, settings, f"{key}_token") for key in ("bos", "eos"))
    around = processors.TemplateProcessing(
        single=[first[0], "$A", last[0]],
        pair=[first[0], "$A", last[0], last[0], "$B", last[0]],
        special_tokens=_once(first, last),
    )
    return _unigram(pieces, settings, 3, [], around)


def _camembert(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    inner = _xlm_roberta(pieces, settings)
    _token, unknown = _needed(pieces, settings, "unk_token")
    inner.model = models.Unigram(pieces.vocabulary, unknown, byte_fallback=False)
    return inner


def _t5(pieces: Pieces, settings: Settings) -> tokenizers.Tokenizer:
    end = _needed(pieces, settings, "eos_token")
    around = processors.TemplateProcessing(
        single=["$A", end[0]], pair=["$A", end[0], "$B", end[0]], special_tokens=[end]
    )
    return _unigram(pieces, {}, 2, [], around)


def _character_map(step: Any) -> Any:
    """The first table of SentencePiece among the steps of a normaliser."""
    if isinstance(step, normalizers.Precompiled):
        return step
    if isinstance(step, normalizers.Sequence):
        found = (_character_map(step[at]) for at in range(len(step)))
        return next((one for one in found if one is not None), None)
    return None


Builder = Callable[[Pieces, Settings], tokenizers.Tokenizer]
_BUILDERS: dict[str, tuple[str, Builder]] = {
    "BertTokenizer": ("WordPiece", _bert),
    "DistilBertTokenizer": ("WordPiece", _bert),
    "ElectraTokenizer": ("WordPiece", _bert),
    "RobertaTokenizer": ("BPE", _roberta),
    "BartTokenizer": ("BPE", _roberta),
    "GPT2Tokenizer": ("BPE", _bytes),
    "GPTNeoXTokenizer": ("BPE", _neox),
    "LlamaTokenizer": ("BPE", _llama),
    "AlbertTokenizer": ("Unigram", _albert),
    "XLNetTokenizer": ("Unigram", _xlnet),
    "T5Tokenizer": ("Unigram", _t5),
    "XLMRobertaTokenizer": ("Unigram", _xlm_roberta),
    "CamembertTokenizer": ("Unigram", _camembert),
}
_OF_FILE = {
    PIECES: ("T5Tokenizer", "AlbertTokenizer", "XLNetTokenizer"),
    PAIRS: ("RobertaTokenizer", "BartTokenizer", "GPT2Tokenizer", "GPTNeoXTokenizer"),
    VOCABULARY: ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"),
}
