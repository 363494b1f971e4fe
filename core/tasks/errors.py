"""What a person can ask for that a model, or this text, does not have."""

from __future__ import annotations

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
