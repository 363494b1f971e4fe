"""How well a T5 foretells what was cut out of held-out text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.models.blocks.attention import fused_attention
from core.models.body import Body, Inputs
from core.objectives.losses import IGNORED
from core.objectives.pieces import closing_punctuation, continuations, size_ids
from core.objectives.sized_blanks import BlankRule, Blanks, SizedBlanks
from core.objectives.span_corruption import SpanCorruption
from core.objectives.text_to_text import TextToTextBatch
from core.objectives.texts import Texts, TextSampler
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import SPACE, sentinel_ids
from core.training.corpora import CorpusError, TokenCorpus

SPAN_WORDS = (1, 8, 32, 64)
_BATCH = 16
_LEAST = 32  # tokens of an input


@dataclass(frozen=True)
class SpanScores:
    """How well pieces are foretold, each after the right ones before it.

    Attributes:
        nats: mean of a piece; sentinels and the end are not counted.
        bits_per_byte: of all pieces together, by the bytes of UTF-8 they decode to; a
            piece for the unknown has none.
        top1: share of pieces that are the first guess.
        pieces: how many.
        texts: how many inputs they come from.
    """

    nats: float
    bits_per_byte: float
    top1: float
    pieces: int
    texts: int


@dataclass(frozen=True)
class SpanTrial:
    """A T5 and the held-out text that it is tried on.

    Attributes:
        model: in evaluation mode.
        tokenizer: with sentinels.
        texts: ``[window, token]``, consecutive stretches of held-out text.
        generator: of all random draws.
        start_id: what its decoder reads first.
    """

    model: Body
    tokenizer: Tokenizer
    texts: Tensor
    generator: torch.Generator
    start_id: int

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, corpus: TokenCorpus, *, length: int, windows: int, seed: int
    ) -> SpanTrial:
        """Prepare inputs of ``length`` tokens.

        Raises:
            ConfigError: the checkpoint is no T5, or a number is out of its range.
            CorpusError: the text is shorter than one input.
        """
        model, start = checkpoint.model, checkpoint.config.start_id
        if not model.text_to_text or model.recurrent or start is None:
            raise ConfigError(f"{checkpoint.name} fills no blanks")
        longest = checkpoint.config.embedding.max_positions
        if not _LEAST <= length <= longest:
            raise ConfigError(
                f"an input of this model holds {_LEAST} to {longest} tokens, not {length}"
            )
        if windows < 1:
            raise ConfigError(f"at least 1 input must be read, not {windows}")
        available = len(corpus.tokens) // length
        if not available:
            raise CorpusError(f"the text is shorter than one input of {length} tokens")
        device = corpus.tokens.device
        generator = torch.Generator(device).manual_seed(seed)
        order = torch.randperm(available, generator=generator, device=device)[:windows]
        texts = corpus.tokens[: available * length].view(available, length)[order.sort().values]
        return cls(model, checkpoint.tokenizer, texts.long(), generator, start)

    def corrupted(self) -> SpanScores:
        """By the paper's objective: 15 % of the tokens, three a span."""
        length = self.texts.shape[1]
        task = SpanCorruption(
            self._sampler(),
            self._sentinels(),
            tokens=length,
            length=length,
            start_id=self.start_id,
            end_id=self.tokenizer.sep_id,
            padding_id=self.tokenizer.pad_id,
        )
        return self._scores(map(task.cut_out, self._batches(self.texts)))

    def single(self, words: int) -> SpanScores | None:
        """One blank of so many words anywhere; ``None`` if no text is more than twice as long."""
        device = self.texts.device
        task = SizedBlanks(
            self._sampler(),
            continuations(self.tokenizer).to(device),
            closing_punctuation(self.tokenizer).to(device),
            self._sentinels(),
            size_ids(self.tokenizer, words).to(device),
            tokens=self.texts.shape[1],
            rule=BlankRule(most=1, longest=words, share=1.0, room=1.0),
            start_id=self.start_id,
            end_id=self.tokenizer.sep_id,
            padding_id=self.tokenizer.pad_id,
        )
        whole = Texts(self.texts, torch.full_like(self.texts[:, 0], self.texts.shape[1]))
        room = task.words(whole) - words
        roomy = self.texts[room > words]
        if not len(roomy):
            return None
        uniforms = torch.rand(len(self.texts), device=device, generator=self.generator)
        starts = (uniforms * (room + 1)).long()[room > words]
        sizes = torch.full_like(starts, words)
        cut = (
            task.without(texts, Blanks(start[:, None], size[:, None]))
            for texts, start, size in zip(
                self._batches(roomy), starts.split(_BATCH), sizes.split(_BATCH), strict=True
            )
        )
        return self._scores(cut)

    def _batches(self, texts: Tensor) -> Iterator[Texts]:
        for ids in texts.split(_BATCH):
            yield Texts(ids, torch.full_like(ids[:, 0], ids.shape[1]))

    def _sampler(self) -> TextSampler:
        # Only its generator is used: the texts are ours.
        flat = self.texts.flatten()
        borders = torch.tensor([0, len(flat)], device=flat.device)
        return TextSampler(TokenCorpus(flat, borders, borders), self.generator, longest=1)

    def _sentinels(self) -> Tensor:
        return torch.tensor(sentinel_ids(self.tokenizer), device=self.texts.device)

    @torch.inference_mode()
    def _scores(self, batches: Iterator[TextToTextBatch]) -> SpanScores:
        lengths = byte_lengths(self.tokenizer).to(self.texts.device)
        uncounted = torch.zeros_like(lengths, dtype=torch.bool)
        uncounted[[*sentinel_ids(self.tokenizer), self.tokenizer.sep_id]] = True
        nats, decoded_bytes, right, texts = 0.0, 0, 0, 0
        pieces = 0
        with fused_attention():
            for batch in batches:
                inputs = Inputs(batch.source, keep=batch.source_keep, target=batch.inputs)
                hidden = self.model.read(inputs, predict=False).hidden
                counted = (batch.labels != IGNORED) & ~uncounted[batch.labels.clamp(min=0)]
                logits = self.model.score_words(hidden[counted]).float()
                labels = batch.labels[counted]
                own = logits.gather(1, labels[:, None])
                best = (~(logits < own)).sum(1) == 1  # a tie is no right guess
                nats += float(functional.cross_entropy(logits, labels, reduction="sum"))
                decoded_bytes += int(lengths[labels].sum())
                right += int(best.sum())
                pieces += len(labels)
                texts += len(batch.source)
        if not pieces or not decoded_bytes:
            raise CorpusError("nothing was cut out of the text")
        return SpanScores(
            nats / pieces, nats / math.log(2) / decoded_bytes, right / pieces, pieces, texts
        )


def byte_lengths(tokenizer: Tokenizer) -> Tensor:
    """Bytes of UTF-8 of each piece of a SentencePiece vocabulary, ``[largest id + 1]``.

    ``▁`` is a space. Special tokens decode to nothing.
    """
    vocabulary = tokenizer.inner.get_vocab()
    lengths = torch.zeros(max(vocabulary.values()) + 1, dtype=torch.long)
    special = {one.content for one in tokenizer.inner.get_added_tokens_decoder().values()}
    for piece, number in vocabulary.items():
        if piece not in special:
            lengths[number] = len(piece.replace(SPACE, " ").encode())
    return lengths
