"""What a person can ask for that a model, or this text, does not have."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import HeadlightError


class NoMaskError(HeadlightError):
    """Nothing is hidden, so there is nothing to fill in."""

    def __init__(self, mask_token: str) -> None:
        super().__init__(f"no word is hidden: write {mask_token} in the text, or name a word")
        self.mask_token = mask_token


class NoSuchWordError(HeadlightError):
    """The number of a word that the text does not have."""

    def __init__(self, word: int, words: int) -> None:
        super().__init__(f"there is no word {word}: the words are numbered from 0 to {words - 1}")
        self.word = word
        self.words = words


class NoSuchHeadError(HeadlightError):
    """A layer and head outside the model."""

    def __init__(self, layer: int, head: int, layers: int, heads: int) -> None:
        super().__init__(
            f"there is no head {head} in layer {layer}:"
            f" the model has {layers} layers of {heads} heads, numbered from 0"
        )
        self.layer, self.head = layer, head
        self.layers, self.heads = layers, heads


class TooManyAblationsError(HeadlightError):
    """More tokens than the heads of a model are ablated one by one over."""

    def __init__(self, heads: int, tokens: int, most: int) -> None:
        super().__init__(
            f"{heads} heads are ablated one by one over at most {most} tokens, not {tokens}"
        )
        self.heads = heads
        self.tokens = tokens
        self.most = most


class NoSuchTokenError(HeadlightError):
    """The position of a token that the text does not have."""

    def __init__(self, token: int, tokens: int) -> None:
        super().__init__(
            f"there is no token {token}: the tokens are numbered from 0 to {tokens - 1}"
        )
        self.token = token
        self.tokens = tokens


class TopOutOfRangeError(HeadlightError):
    """Too few or too many predictions a mask."""

    def __init__(self, top: int, limit: int) -> None:
        super().__init__(f"from 1 to {limit} predictions a mask can be shown, not {top}")
        self.top = top
        self.limit = limit


class NoSuchMaskError(HeadlightError):
    """A mask that the text does not have."""

    def __init__(self, mask: int, masks: int) -> None:
        super().__init__(f"there is no mask {mask}: the text has {masks}, numbered from 0")
        self.mask = mask
        self.masks = masks


class EpochsOutOfRangeError(HeadlightError):
    """Too few or too many epochs of random masking."""

    def __init__(self, epochs: int, limit: int) -> None:
        super().__init__(f"from 1 to {limit} epochs can be shown, not {epochs}")
        self.epochs = epochs
        self.limit = limit


class NoBlankError(HeadlightError):
    """A text without a blank, so there is nothing to fill in."""

    def __init__(self) -> None:
        super().__init__(
            "there is no blank: write ___ for a word, ___8___ for eight words, or ___*___ for as"
            " many as the model wants"
        )


class TooManyBlanksError(HeadlightError):
    """More blanks than the model has sentinels for."""

    def __init__(self, blanks: int, limit: int) -> None:
        super().__init__(f"the text has {blanks} blanks; this model fills at most {limit}")
        self.blanks = blanks
        self.limit = limit


class BlankSizeError(HeadlightError):
    """A blank of too few or too many words, or too many words in all, free ones at their most."""

    def __init__(self, words: int, limit: int, *, together: bool = False) -> None:
        which = "all blanks together, free ones at their most," if together else "a blank"
        super().__init__(f"{which} can have 1 to {limit} words, not {words}")
        self.words = words
        self.limit = limit
        self.together = together


class SamplesOutOfRangeError(HeadlightError):
    """Too few or too many texts at once."""

    def __init__(self, samples: int, limit: int) -> None:
        super().__init__(f"from 1 to {limit} texts can be written at once, not {samples}")
        self.samples = samples
        self.limit = limit


class LengthOutOfRangeError(HeadlightError):
    """Too few or too many pieces to be written."""

    def __init__(self, pieces: int, limit: int) -> None:
        super().__init__(f"from 1 to {limit} pieces can be written, not {pieces}")
        self.pieces = pieces
        self.limit = limit


class ThresholdOutOfRangeError(HeadlightError):
    """A threshold that is no probability."""

    def __init__(self, threshold: float) -> None:
        super().__init__(f"a threshold is a probability from 0 to 1, not {threshold}")
        self.threshold = threshold


class NothingInCommonError(HeadlightError):
    """Two texts that cannot be compared word by word."""

    def __init__(self) -> None:
        super().__init__("the original has no word in common with the text: nothing to compare")


class NothingToReplaceError(HeadlightError):
    """A text in which there is no token to hide."""

    def __init__(self) -> None:
        super().__init__("the text has no token that could be replaced")


class OtherVocabularyError(HeadlightError):
    """Two models that should read the same pieces and do not."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} cuts texts into other pieces than the generator")
        self.name = name


class UnknownLanguageError(HeadlightError):
    """A language that the model has no token for."""

    def __init__(self, language: str, known: Sequence[str]) -> None:
        super().__init__(
            f"this model has no token for the language {language!r}; it has: "
            + (", ".join(known) or "none")
        )
        self.language = language
        self.known = tuple(known)


class TooManyWeightsError(HeadlightError):
    """Attention maps, or logits beside them, that would take too much memory."""

    def __init__(self, weights: int, limit: int, what: str = "attention weights") -> None:
        super().__init__(
            f"these texts would give {weights:,} {what}; at most {limit:,} are recorded"
        )
        self.weights = weights
        self.limit = limit


class NoAttentionError(HeadlightError):
    """A model that attends to nothing, such as a recurrent one without an alignment."""

    def __init__(self) -> None:
        super().__init__("this model has no attention to show")


class NotReadError(HeadlightError):
    """Something was given that a model of this system does not read."""

    def __init__(self, what: str, system: str) -> None:
        super().__init__(f"a model of the system {system} reads no {what}")
        self.what = what
        self.system = system


class OrderError(HeadlightError):
    """An order of reading that names a token twice, or one that is not there."""

    def __init__(self, position: int, tokens: int) -> None:
        super().__init__(
            f"an order names each token at most once, by its number from 0 to {tokens - 1}:"
            f" {position} is wrong"
        )
        self.position = position
        self.tokens = tokens


class NotOneStackError(HeadlightError):
    """A model that does not read one text with one stack, where one is asked for."""

    def __init__(self, system: str) -> None:
        super().__init__(f"a model of the system {system} does not read one text with one stack")
        self.system = system


class TooManyWordsError(HeadlightError):
    """More words than are put in order at once."""

    def __init__(self, words: int, limit: int) -> None:
        super().__init__(
            f"the text has {words} words and punctuation marks; at most {limit} are put in order"
        )
        self.words = words
        self.limit = limit


class NoTaskError(HeadlightError):
    """No labelled task of the model is about what was given."""

    def __init__(self, given: str, tasks: Sequence[str]) -> None:
        super().__init__(
            f"this model has no task about {given}; its tasks: {', '.join(tasks) or 'none'}"
        )
        self.given = given
        self.tasks = ", ".join(tasks)


class CandidatesOutOfRangeError(HeadlightError):
    """Too few or too many answers to be ranked, or a second text beside them."""

    def __init__(self, answers: int, limit: int, *, pair: bool = False) -> None:
        beside = " and no second text" if pair else ""
        super().__init__(f"2 to {limit} answers are ranked{beside}, not {answers}")
        self.answers = answers
        self.limit = limit


class WordsDifferError(HeadlightError):
    """Two texts whose words cannot be put side by side."""

    def __init__(self, left: int, right: int, replaced: int, first: str, second: str) -> None:
        super().__init__(
            f"the texts have {left} and {right} words"
            + (f", of which {replaced} differ" if left == right else "")
            + f"; they part at {first!r} and {second!r}"
        )
        self.left, self.right = left, right
        self.replaced = replaced
        self.first, self.second = first, second


class TranslationsDifferError(WordsDifferError):
    """The same of texts that the models wrote themselves."""


class NothingToCompareError(HeadlightError):
    """Two models with no kind of attention in common."""

    def __init__(self, left: Sequence[str], right: Sequence[str]) -> None:
        super().__init__(
            f"one has attention of the kinds {', '.join(left)}, the other {', '.join(right)}"
        )
        self.left, self.right = tuple(left), tuple(right)


class NoObjectiveError(HeadlightError):
    """A system whose objective is not drawn on one text."""

    def __init__(self, system: str) -> None:
        super().__init__(f"what {system} learns from is not drawn here")
        self.system = system


class NoSpanError(HeadlightError):
    """Words that are no span around a word, or a span that is too long."""

    def __init__(self, first: int, last: int, word: int, limit: int) -> None:
        super().__init__(
            f"the words {first} to {last} are no span of at most {limit} tokens up to word {word}"
        )
        self.first, self.last = first, last
        self.word = word
        self.limit = limit
