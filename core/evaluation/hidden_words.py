"""How often an encoder finds hidden pieces of held-out text.

Measured in one way for all systems of the BERT family: 15 % of the pieces by the 80/10/10 rule,
single ones, in consecutive inputs of one text each. Shares of different vocabularies compare at
whole words only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.errors import ConfigError
from core.evaluation.guesses import Guesses
from core.evaluation.options import Figures
from core.evaluation.whole_words import Joints
from core.evaluation.windows import choose_windows, windows_of
from core.models.blocks.attention import fused_attention
from core.objectives.inputs import Inputs
from core.objectives.masking import Masked, MaskingRule, mask_tokens
from core.objectives.pieces import Specials, continuations, ordinary_ids, specials_of
from core.objectives.sentence_pairs import SHORTEST
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus

BATCH = 32  # inputs


@dataclass(frozen=True)
class Pieces:
    """What must be known of a vocabulary.

    Attributes:
        specials: ids of the special tokens.
        ordinary: ids of all other tokens.
        continues: boolean ``[id]``, True for pieces that continue a word, as training sees it.
        joints: where pieces belong to one word.
    """

    specials: Specials
    ordinary: Tensor
    continues: Tensor
    joints: Joints

    @classmethod
    def of(cls, tokenizer: Tokenizer, device: torch.device) -> Pieces:
        """Of a vocabulary.

        Raises:
            core.tokenisation.MissingTokenError: it lacks a special token.
        """
        return cls(
            specials_of(tokenizer),
            ordinary_ids(tokenizer).to(device),
            continuations(tokenizer).to(device),
            Joints.of(tokenizer).to(device),
        )


@dataclass(frozen=True)
class EncoderTrial:
    """A model and the held-out text that it is tried on.

    Attributes:
        model: in evaluation mode.
        corpus: the text, on the model's device.
        pieces: of its vocabulary.
        length: tokens an input, special ones included.
        spans: first token and number of tokens of the inputs that are read, ``[window, 2]``.
        available: inputs that the text would give.
        generator: of all random draws.
    """

    model: Any
    corpus: TokenCorpus
    pieces: Pieces
    length: int
    spans: Tensor
    available: int
    generator: torch.Generator

    @classmethod
    def of(
        cls,
        model: Any,
        corpus: TokenCorpus,
        pieces: Pieces,
        *,
        length: int = 128,
        windows: int = 2000,
        seed: int = 0,
    ) -> EncoderTrial:
        """Choose what is read: of too many inputs, so many are drawn at random.

        Raises:
            ConfigError: ``length`` does not fit the model, or nothing would be read.
            core.training.corpora.CorpusError: the text is too short.
        """
        positions = model.config.embedding.max_positions
        if not SHORTEST <= length <= positions:
            raise ConfigError(
                f"an input of this model holds {SHORTEST} to {positions} tokens, not {length}"
            )
        if windows < 1:
            raise ConfigError(f"at least 1 input must be read, not {windows}")
        generator = torch.Generator(corpus.tokens.device).manual_seed(seed)
        chosen, available = choose_windows(corpus, length, windows, generator)
        return cls(model, corpus, pieces, length, chosen, available, generator)

    def windows(self) -> Iterator[tuple[Inputs, Tensor]]:
        """Inputs, and which of their tokens are whole words, boolean ``[batch, token]``."""
        inputs = windows_of(self.corpus, self.spans, self.length, self.pieces.specials, rows=BATCH)
        for some, spans in zip(inputs, self.spans.split(BATCH), strict=True):
            words = self.whole_words(some.ids[:, 1:], spans)
            yield some, torch.nn.functional.pad(words, (1, 0))

    def whole_words(self, ids: Tensor, spans: Tensor) -> Tensor:
        """Which tokens neither continue a word nor are continued, as far as their input shows.

        Args:
            ids: stretches of the text, at whose end a special token stands, ``[batch, token]``.
            spans: where they were cut out, ``[batch, 2]``.
        """
        start = spans[:, 0]
        before = self.corpus.tokens[(start - 1).clamp(min=0)].long()
        starts = torch.isin(start, self.corpus.documents)
        glued = self.pieces.joints.glued(ids, before, starts=starts)
        return ~glued & ~torch.nn.functional.pad(glued[:, 1:], (0, 1))

    def hide(self, inputs: Inputs) -> Masked:
        """Hide single pieces."""
        return mask_tokens(
            inputs.ids,
            inputs.ordinary,
            rule=MaskingRule(),
            mask_id=self.pieces.specials.mask,
            ordinary_ids=self.pieces.ordinary,
            generator=self.generator,
        )

    def read(self) -> Figures:
        """``windows``, ``windows_available`` and ``tokens``: what was read."""
        return {
            "windows": len(self.spans),
            "windows_available": self.available,
            "tokens": self.length,
        }


@torch.inference_mode()
def find_hidden_words(trial: EncoderTrial) -> Figures:
    """``top1``, ``top5``, ``loss`` and ``places``, and the shares of whole words.

    Raises:
        MissingHeadError: the model has no masked-word head.
    """
    guesses = Guesses()
    with fused_attention():
        for inputs, words in trial.windows():
            masked = trial.hide(inputs)
            hidden = trial.model.encode(masked.ids, None, inputs.keep)
            row, column = masked.weights.nonzero(as_tuple=True)
            position = masked.positions[row, column]
            logits = trial.model.score_words(hidden[row, position])  # [position, vocabulary]
            guesses.add(logits, masked.labels[row, column], words[row, position])
    return guesses.figures()
