"""Which tokens of a text look as if something had replaced others.

Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators",
section 2. The paper's D(x, t) is the probability that token t is the ORIGINAL one; every
``probability`` here is that of having been REPLACED, 1 - D, as in the released code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from torch.nn.functional import softplus

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.tasks.errors import NothingInCommonError, ThresholdOutOfRangeError
from core.tasks.forward import encode, forward
from core.tokenisation import Encoding, Tokenizer

THRESHOLD = 0.5
REPLACED = "replaced_token.logits"  # hook point of the head


@dataclass(frozen=True)
class JudgedToken:
    """One token of the text; special tokens are not judged.

    Attributes:
        position: counted from 0 with special tokens.
        token: the piece as it stands in the vocabulary.
        start: first character in the text.
        end: the character after the last.
        probability: that the token was replaced.
        replaced: whether that is more than the threshold.
        truth: whether it really differs from the original; ``None`` if that is not known.
        nats: what the model loses here: -ln of the probability of the truth; ``None`` without one.
    """

    position: int
    token: str
    start: int
    end: int
    probability: float
    replaced: bool
    truth: bool | None
    nats: float | None


@dataclass(frozen=True)
class DetectionResult:
    """A discriminator's opinion on every token of a text.

    Attributes:
        encoding: exactly the tokens that ran.
        tokens: in their order, without the special ones.
        threshold: above which a token counts as replaced.
        original: the text that it is compared with, as typed; ``None`` if there is none.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    tokens: tuple[JudgedToken, ...]
    threshold: float
    original: str | None
    byte_level: bool
    seconds: float
    device: str

    @property
    def hits(self) -> int:
        """Replaced tokens that were found; 0 without an original, as are the other two."""
        return sum(token.replaced and token.truth is True for token in self.tokens)

    @property
    def misses(self) -> int:
        """Replaced tokens that were not found."""
        return sum(not token.replaced and token.truth is True for token in self.tokens)

    @property
    def false_alarms(self) -> int:
        """Original tokens that count as replaced."""
        return sum(token.replaced and token.truth is False for token in self.tokens)


def detect_replaced(
    checkpoint: Checkpoint,
    text: str,
    *,
    original: str | None = None,
    threshold: float = THRESHOLD,
    cut: bool = False,
) -> DetectionResult:
    """Judge every token of a text, and compare it with the original if there is one.

    Args:
        checkpoint: a discriminator.
        text: what a person typed.
        original: the text before something was replaced, see :func:`replaced_tokens`.
        threshold: a token whose probability is larger counts as replaced; from 0 to 1.
        cut: leave out the end of a text that is too long, instead of refusing.

    Raises:
        MissingHeadError: the model is no discriminator.
        ThresholdOutOfRangeError: the threshold is no probability.
        NothingInCommonError: the original has no word of the text.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    if Head.REPLACED_TOKEN not in checkpoint.config.heads:
        raise MissingHeadError("replaced tokens")
    if not 0.0 <= threshold <= 1.0:
        raise ThresholdOutOfRangeError(threshold)
    encoding = encode(checkpoint, text, cut=cut)
    truths: Sequence[bool | None] = [None] * len(encoding)
    if original is not None:
        truths = replaced_tokens(encoding, original, checkpoint.tokenizer)
    ran = forward(checkpoint, encoding, head=REPLACED)
    logits = ran.logits.float().cpu()  # [token]
    probabilities = logits.sigmoid().tolist()
    # -ln(p) of a replaced token and -ln(1 - p) of an original one, exact where p is near 0 or 1.
    if_replaced, if_original = softplus(-logits).tolist(), softplus(logits).tolist()
    nats = {True: if_replaced, False: if_original}
    return DetectionResult(
        encoding=encoding,
        tokens=tuple(
            JudgedToken(
                position=position,
                token=encoding.tokens[position],
                start=encoding.offsets[position][0],
                end=encoding.offsets[position][1],
                probability=probability,
                replaced=probability > threshold,
                truth=truth,
                nats=None if truth is None else nats[truth][position],
            )
            for position, (probability, truth) in enumerate(zip(probabilities, truths, strict=True))
            if not encoding.special[position]
        ),
        threshold=threshold,
        original=original,
        byte_level=checkpoint.tokenizer.byte_level,
        seconds=ran.seconds,
        device=ran.device,
    )


def replaced_tokens(encoding: Encoding, original: str, tokenizer: Tokenizer) -> list[bool]:
    """Which tokens of a text differ from those of the original.

    Words are compared by their pieces: what the model cannot see, like capitals in a vocabulary
    without them, makes no difference. Where both texts have as many words, the first is compared
    with the first and so on; otherwise a diff says which words stand for which, and an inserted
    word counts as replaced. Of two words with as many pieces only the pieces that differ are
    replaced, of others all.

    Args:
        encoding: of the text.
        original: what a person typed, however long.
        tokenizer: of both.

    Returns:
        One truth a token, False for special ones.

    Raises:
        NothingInCommonError: not one word is the same at its position.
        EmptyTextError, TextTooLongError: as in :func:`attend`.
    """
    ours, theirs = _words(encoding), _words(tokenizer.encode(original))
    mine = [tuple(encoding.ids[position] for position in positions) for positions in ours]
    before = [tuple(word.values()) for word in theirs]
    if len(ours) == len(theirs):
        pairs: list[tuple[int, int | None]] = [(number, number) for number in range(len(ours))]
    else:
        pairs = _matched(mine, before)
    truths = [False] * len(encoding)
    same = 0
    for number, other in pairs:
        word = mine[number]
        source = None if other is None else before[other]
        same += word == source
        if source is None or len(source) != len(word):
            differs = [True] * len(word)
        else:
            differs = [one != two for one, two in zip(word, source, strict=True)]
        for position, truth in zip(ours[number], differs, strict=True):
            truths[position] = truth
    if not same:
        raise NothingInCommonError
    return truths


def _words(encoding: Encoding) -> list[dict[int, int]]:
    # For every word the ids of its tokens by their positions.
    words: list[dict[int, int]] = [{} for _ in encoding.spans]
    for position, word in enumerate(encoding.words):
        if word is not None:
            words[word][position] = encoding.ids[position]
    return words


def _matched(
    words: Sequence[tuple[int, ...]], originals: Sequence[tuple[int, ...]]
) -> list[tuple[int, int | None]]:
    pairs: list[tuple[int, int | None]] = []
    matcher = SequenceMatcher(None, originals, words, autojunk=False)
    for _, first, last, start, end in matcher.get_opcodes():
        # Of a replaced stretch, words stand for words as long as there are any.
        for number in range(start, end):
            other = first + number - start
            pairs.append((number, other if other < last else None))
    return pairs
