"""A translation, and where its writer looked for every piece of it.

Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate", section 5.2.1: the weights of a recurrent translator read as an alignment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.tasks.attend import AttendResult, attend_two_texts, require_attention
from core.tasks.translate import Translation, translate
from core.tasks.two_texts import TwoTexts
from core.tokenisation.languages import languages_of


@dataclass(frozen=True, eq=False)
class Alignment:
    """A finished translation and the attention of one more pass over its very pieces.

    Attributes:
        translation: the text and its beams.
        attention: ``cross`` and, where the model has them, ``encoder`` and ``decoder``. A decoder's
            row is that of the piece which is read, from which the next one is written.
        source: what was read, token by token.
        target: what was written, piece by piece, the end included; the rows of ``cross``.
    """

    translation: Translation
    attention: AttendResult
    source: tuple[str, ...]
    target: tuple[str, ...]

    @property
    def weights(self) -> NDArray[np.float32]:
        """Of every piece that was written, on every source token, ``[target, source]``.

        Raises:
            ConfigError: the model has several heads, each with an alignment of its own.
        """
        patterns = self.attention["cross"].patterns
        layers, heads = patterns.shape[:2]
        if layers * heads != 1:
            raise ConfigError(
                f"{layers} layers of {heads} heads have no one alignment; the verb attend has all"
            )
        return patterns[0, 0]


def align(
    checkpoint: Checkpoint, text: str, *, language: str | None = None, beams: int = 4
) -> Alignment:
    """Translate a text and record every attention pattern of the translation.

    Args:
        checkpoint: a model with two sides.
        text: what a person typed.
        language: into which one, where the vocabulary has tokens for several.
        beams: how many beginnings are kept while searching; 1 is greedy.

    Raises:
        NoAttentionError: a recurrent model that cannot look at its source.
        MissingHeadError, UnknownLanguageError, SamplesOutOfRangeError, EmptyTextError,
        TextTooLongError, SequenceTooLongError: as :func:`core.tasks.translate`.
        TooManyWeightsError: more maps than there is room for.
    """
    require_attention(checkpoint)
    translation = translate(checkpoint, text, language=language, beams=beams)
    config, tokenizer = checkpoint.config, checkpoint.tokenizer
    source = translation.encoding
    if language is not None:
        number = languages_of(tokenizer)[language]
        source = source.after(number, tokenizer.token(number))
    assert config.start_id is not None  # it has written with it
    pieces = translation.beams[0].pieces
    # The last piece was written and never read.
    read = tokenizer.spelt(pieces[:-1]).after(config.start_id, tokenizer.token(config.start_id))
    ended = pieces[-1] == tokenizer.sep_id
    attention = attend_two_texts(checkpoint, TwoTexts(source, read, ended), written=True)
    return Alignment(translation, attention, source.tokens, tuple(map(tokenizer.token, pieces)))
