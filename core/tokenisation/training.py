"""Making a vocabulary from texts: four kinds, with the special tokens of the models that use them.

The counting is done by ``tokenizers``; :mod:`core.tokenisation.merges` shows it step by step.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import trainers as library

from core.errors import ConfigError
from core.tokenisation.tokenizer import Tokenizer
from core.tokenisation.unigram import learn_unigram

END_OF_WORD = "</w>"  # what the last piece of a word ends with in plain BPE
CONTINUATION = "##"  # what every piece but the first of a word starts with in WordPiece


class VocabularyKind(Enum):
    """How a vocabulary cuts words.

    ``WORD_PIECE``: longest match from the left; BERT. The library learns it by counting pairs like
    BPE, not by likelihood as Schuster and Nakajima 2012 do.
    ``BPE``: replays learned merges; Sennrich et al. 2016; GPT-1.
    ``BYTE_LEVEL_BPE``: the same over bytes, so that nothing is unknown; GPT-2, RoBERTa.
    ``UNIGRAM``: the likeliest cut; Kudo 2018; T5, ALBERT, XLNet.
    """

    WORD_PIECE = "word_piece"
    BPE = "bpe"
    BYTE_LEVEL_BPE = "byte_level_bpe"
    UNIGRAM = "unigram"


@dataclass(frozen=True)
class Frame:
    """The special tokens of a model, and how they stand around its texts.

    Attributes:
        specials: in the order of their ids, which start at 0.
        single: around one text, ``$A``.
        pair: around two, ``$A`` and ``$B``; ``:1`` marks what belongs to the second segment.
        mask: the token that hides a word.
        unknown: the token for what the vocabulary cannot spell.
    """

    specials: tuple[str, ...]
    single: str = "$A"
    pair: str = "$A $B:1"
    mask: str | None = None
    unknown: str | None = None

    def __post_init__(self) -> None:
        used = {part.split(":")[0] for part in f"{self.single} {self.pair}".split()} - {"$A", "$B"}
        used |= {token for token in (self.mask, self.unknown) if token is not None}
        if missing := sorted(used - set(self.specials)):
            raise ConfigError(f"the special tokens lack {', '.join(missing)}")


BERT_FRAME = Frame(
    specials=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    mask="[MASK]",
    unknown="[UNK]",
)
ROBERTA_FRAME = Frame(
    specials=("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    single="<s> $A </s>",
    pair="<s> $A </s> </s> $B </s>",
    mask="<mask>",
    unknown="<unk>",
)
GPT_FRAME = Frame(specials=("<|endoftext|>",))
T5_FRAME = Frame(
    specials=("<pad>", "</s>", "<unk>"),
    single="$A </s>",
    pair="$A </s> $B </s>",
    unknown="<unk>",
)
# The order that XLNet's text ends with: it reads no first token, its summary stands last.
XLNET_FRAME = Frame(
    specials=("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"),
    single="$A <sep> <cls>:2",
    pair="$A <sep> $B:1 <sep>:1 <cls>:2",
    mask="<mask>",
    unknown="<unk>",
)

# Marian's order, whose classes open our translators: what its configuration leaves out is so.
TRANSLATION_FRAME = Frame(
    specials=("</s>", "<unk>", "<pad>"),
    single="$A </s>",
    pair="$A </s> $B </s>",
    unknown="<unk>",
)
FRAMES = {
    "bert": BERT_FRAME,
    "roberta": ROBERTA_FRAME,
    "gpt": GPT_FRAME,
    "t5": T5_FRAME,
    "xlnet": XLNET_FRAME,
    "translation": TRANSLATION_FRAME,
}


def sentinels(count: int) -> tuple[str, ...]:
    """T5's tokens for blanks in the order of their ids, which run down: the first blank is last."""
    return tuple(f"<extra_id_{number}>" for number in reversed(range(count)))


def train_tokenizer(
    kind: VocabularyKind,
    texts: Iterable[str],
    vocabulary: int,
    *,
    frame: Frame,
    lower_case: bool = False,
    digits_apart: bool = False,
    punctuation_apart: bool = False,
    leading_space: bool = False,
    further: tuple[str, ...] = (),
    least_count: int = 2,
    alphabet: int = 1000,
) -> Tokenizer:
    """Learn a vocabulary: the same texts in the same order give the same one, byte by byte.

    Args:
        kind: how words are cut.
        texts: to learn from; read once.
        vocabulary: most pieces, special ones included; small texts give fewer.
        frame: special tokens and where they stand.
        lower_case: whether capitals become small letters; WordPiece then drops accents too.
        digits_apart: whether every digit is a piece of its own.
        punctuation_apart: whether punctuation never shares a piece with letters. WordPiece and BPE
            cut there anyway.
        leading_space: at byte level, whether a text's first word is cut like one after a space.
        further: special tokens with the last ids, such as :func:`sentinels`.
        least_count: fewest occurrences of a pair that is merged.
        alphabet: most single characters that become pieces, the frequent ones; at byte level there
            are 256 in any case.

    Raises:
        ConfigError: the vocabulary cannot hold the special tokens and all single characters, or
            the texts are empty, or the kind needs a token for the unknown and the frame has none.
    """
    if kind is not VocabularyKind.BYTE_LEVEL_BPE and frame.unknown is None:
        raise ConfigError(f"a vocabulary of the kind {kind.value} needs a token for the unknown")
    if repeated := sorted(set(further) & set(frame.specials)):
        raise ConfigError(f"special tokens are named twice: {', '.join(repeated)}")
    room = vocabulary - len(further)
    if room <= len(frame.specials):
        raise ConfigError(f"{vocabulary} pieces cannot hold the special tokens")
    inner = _untrained(kind, frame.unknown)
    inner.normalizer = _normaliser(kind, lower_case)
    inner.pre_tokenizer = _cutter(kind, digits_apart, punctuation_apart, leading_space)
    inner.decoder = _joiner(kind)
    if kind is VocabularyKind.UNIGRAM:
        _learn_unigram(inner, _with_frequent_characters(texts, alphabet), room, frame, least_count)
    else:
        try:
            _learn_merges(kind, inner, texts, room, frame, least_count, alphabet)
        except Exception as error:  # the library raises bare Exception
            raise ConfigError(f"no vocabulary of {vocabulary} pieces: {error}") from error
    learned = inner.get_vocab_size(with_added_tokens=True)
    if learned > room:
        raise ConfigError(
            f"{vocabulary} pieces cannot hold all single characters: at least"
            f" {learned + len(further)} are needed"
        )
    if learned == len(frame.specials):
        raise ConfigError("there is nothing to learn a vocabulary from")
    inner.add_special_tokens([AddedToken(token, normalized=False) for token in further])
    inner.post_processor = _framer(kind, inner, frame, leading_space)
    return Tokenizer(inner)


def _untrained(kind: VocabularyKind, unknown: str | None) -> tokenizers.Tokenizer:
    match kind:
        case VocabularyKind.WORD_PIECE:
            return tokenizers.Tokenizer(models.WordPiece(unk_token=unknown))
        case VocabularyKind.BPE:
            model = models.BPE(unk_token=unknown, end_of_word_suffix=END_OF_WORD)
            return tokenizers.Tokenizer(model)
        case VocabularyKind.BYTE_LEVEL_BPE:
            return tokenizers.Tokenizer(models.BPE())
        case VocabularyKind.UNIGRAM:
            return tokenizers.Tokenizer(models.Unigram())


def _normaliser(kind: VocabularyKind, lower_case: bool) -> Any:
    if kind is VocabularyKind.WORD_PIECE:
        return normalizers.BertNormalizer(lowercase=lower_case)
    steps: list[Any] = [normalizers.Lowercase()] if lower_case else []
    match kind:
        case VocabularyKind.BPE:
            steps.insert(0, normalizers.NFC())
        case VocabularyKind.UNIGRAM:
            # One space where there are several, or each would cost a piece.
            spaces = normalizers.Replace(Regex(r"\s+"), " ")
            steps = [normalizers.NFKC(), *steps, spaces, normalizers.Strip()]
    return normalizers.Sequence(steps) if steps else None


def _cutter(
    kind: VocabularyKind, digits_apart: bool, punctuation_apart: bool, leading_space: bool
) -> Any:
    steps: list[Any] = []
    if kind is VocabularyKind.UNIGRAM:
        steps.append(pre_tokenizers.Metaspace())
    if kind in (VocabularyKind.WORD_PIECE, VocabularyKind.BPE):
        steps.append(pre_tokenizers.BertPreTokenizer())
    if digits_apart:
        steps.append(pre_tokenizers.Digits(individual_digits=True))
    if punctuation_apart:
        steps.append(pre_tokenizers.Punctuation())
    if kind is VocabularyKind.BYTE_LEVEL_BPE:
        steps.append(pre_tokenizers.ByteLevel(add_prefix_space=leading_space))
    return steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(steps)


def _joiner(kind: VocabularyKind) -> Any:
    match kind:
        case VocabularyKind.WORD_PIECE:
            return decoders.WordPiece()
        case VocabularyKind.BPE:
            return decoders.BPEDecoder(suffix=END_OF_WORD)
        case VocabularyKind.BYTE_LEVEL_BPE:
            return decoders.ByteLevel()
        case VocabularyKind.UNIGRAM:
            return decoders.Metaspace()


def _with_frequent_characters(texts: Iterable[str], most: int) -> list[str]:
    """The texts with spaces for rare characters: Unigram would make a piece of every one."""
    kept = list(texts)
    counts: Counter[str] = Counter()
    for text in kept:
        counts.update(text)
    rare = dict.fromkeys((ord(char) for char, _ in counts.most_common()[most:]), " ")
    return [text.translate(rare) for text in kept] if rare else kept


def _learn_unigram(
    inner: tokenizers.Tokenizer, texts: list[str], size: int, frame: Frame, least_count: int
) -> None:
    pieces = learn_unigram(
        texts,
        size - len(frame.specials),
        normaliser=inner.normalizer,
        cutter=inner.pre_tokenizer,
        least_count=least_count,
    )
    assert frame.unknown is not None
    # A piece that is written as a special token would have two ids.
    own = [(piece, score) for piece, score in pieces if piece not in frame.specials]
    vocabulary = [*((token, 0.0) for token in frame.specials), *own]
    inner.model = models.Unigram(vocabulary, unk_id=frame.specials.index(frame.unknown))
    inner.add_special_tokens(_specials(VocabularyKind.UNIGRAM, frame))


def _specials(kind: VocabularyKind, frame: Frame) -> list[AddedToken]:
    # A mask takes the space before it along where spaces are parts of pieces.
    spaced = kind in (VocabularyKind.BYTE_LEVEL_BPE, VocabularyKind.UNIGRAM)
    return [
        AddedToken(token, lstrip=spaced and token == frame.mask, normalized=False)
        for token in frame.specials
    ]


def _learn_merges(
    kind: VocabularyKind,
    inner: tokenizers.Tokenizer,
    texts: Iterable[str],
    size: int,
    frame: Frame,
    least_count: int,
    alphabet: int,
) -> None:
    specials = _specials(kind, frame)
    settings: dict[str, Any] = {
        "vocab_size": size,
        "min_frequency": least_count,
        "show_progress": False,
    }
    if kind is VocabularyKind.BYTE_LEVEL_BPE:
        every_byte = pre_tokenizers.ByteLevel.alphabet()
        inner.train_from_iterator(
            texts,
            library.BpeTrainer(initial_alphabet=every_byte, special_tokens=specials, **settings),
        )
        return
    # Of equally frequent pairs the library takes the one with the lower ids, and it numbers marked
    # characters in the order of a hash table, which differs from run to run. So they are numbered
    # here, as special tokens of a tokenizer that lends its vocabulary and is forgotten.
    marks: dict[str, Any] = {
        VocabularyKind.WORD_PIECE: {"continuing_subword_prefix": CONTINUATION},
        VocabularyKind.BPE: {"end_of_word_suffix": END_OF_WORD},
    }[kind]
    texts = list(texts)
    characters = _characters(inner, texts, alphabet, marks)
    numbered = [*frame.specials, *characters]
    learned = _learned(
        inner,
        texts,
        library.BpeTrainer(special_tokens=numbered, limit_alphabet=0, **settings, **marks),
    )
    if kind is VocabularyKind.WORD_PIECE:
        inner.model = models.WordPiece(learned["vocab"], unk_token=frame.unknown, **marks)
    else:
        merges = [(left, right) for left, right in learned["merges"]]
        inner.model = models.BPE(learned["vocab"], merges, unk_token=frame.unknown, **marks)
    inner.add_special_tokens(specials)


def _characters(
    inner: tokenizers.Tokenizer, texts: list[str], most: int, marks: dict[str, Any]
) -> list[str]:
    """The frequent characters and those of them that carry a mark somewhere, sorted."""
    found = _learned(inner, texts, library.BpeTrainer(vocab_size=0, show_progress=False, **marks))
    pieces = sorted(found["vocab"])
    kept = [piece for piece in pieces if len(piece) == 1]
    if len(kept) > most:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(inner.normalizer.normalize_str(text))
        kept.sort(key=lambda char: (-counts[char], char))
        del kept[most:]
    (mark,) = marks.values()
    return [piece for piece in pieces if piece in kept or piece.replace(mark, "", 1) in kept]


def _learned(inner: tokenizers.Tokenizer, texts: list[str], trainer: Any) -> dict[str, Any]:
    """The vocabulary and merges that a trainer learns from texts cut into words as `inner` does."""
    other = tokenizers.Tokenizer(models.BPE())
    other.normalizer, other.pre_tokenizer = inner.normalizer, inner.pre_tokenizer
    other.train_from_iterator(texts, trainer)
    model: dict[str, Any] = json.loads(other.to_str())["model"]
    return model


def _framer(
    kind: VocabularyKind, inner: tokenizers.Tokenizer, frame: Frame, leading_space: bool
) -> Any:
    around = processors.TemplateProcessing(
        single=frame.single,
        pair=frame.pair,
        special_tokens=[(token, inner.token_to_id(token)) for token in frame.specials],
    )
    if kind is not VocabularyKind.BYTE_LEVEL_BPE:
        return around
    trim = processors.ByteLevel(add_prefix_space=leading_space, trim_offsets=True)
    return processors.Sequence([trim, around])
