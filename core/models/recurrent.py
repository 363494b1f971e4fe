"""The recurrent body: a text is read into states, and another one is written from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from core.config import EmbeddingConfig, ModelConfig
from core.errors import ConfigError, UsedAlreadyError
from core.hooks.point import HookPoint
from core.hooks.sites import in_stream
from core.models.alignment import AlignmentScore, build_score
from core.models.blocks.build import build_embedding
from core.models.blocks.gated_unit import GatedUnit
from core.models.blocks.masks import Mask
from core.models.blocks.weights import Linear
from core.models.encoder_decoder import TARGET, TextToTextBody
from core.models.heads import build_language_head
from core.recurrent_config import Attends, RecurrentConfig


class RecurrentEncoder(nn.Module):
    """Reads a text from its start and, in a second unit, from its end.

    Hook point: ``output`` ``[batch, token, memory width]``, both states of a token side by side.
    Source: Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align
    and Translate", section 3.2.
    """

    def __init__(self, config: RecurrentConfig, inputs: int) -> None:
        super().__init__()
        self.width = config.width
        self.forwards = GatedUnit(inputs, config.width)
        self.backwards = GatedUnit(inputs, config.width) if config.bidirectional else None
        self.output = HookPoint()

    def forward(self, embedded: Tensor, keep: Tensor | None = None) -> Tensor:
        """``[batch, token, size]`` to ``[batch, token, memory width]``, zeros at padding."""
        states = self.forwards.read(embedded, keep)
        if self.backwards is not None:
            backwards = self.backwards.read(embedded, keep, backwards=True)
            states = torch.cat([states, backwards], dim=-1)  # [batch, token, memory width]
        return self.output(states)

    def summarise(self, memory: Tensor, keep: Tensor | None) -> tuple[Tensor, Tensor]:
        """Where each direction ends: after the last token, and before the first.

        Returns:
            The state that a decoder starts from, that of the direction which ends at the first
            token where there are two, ``[batch, width]``; and all of them, ``[batch, memory
            width]``.
        """
        batch, tokens = memory.shape[:2]
        if keep is None:
            keep = torch.ones(batch, tokens, dtype=torch.bool, device=memory.device)
        rows = torch.arange(batch, device=memory.device)
        last = tokens - 1 - keep.flip(1).int().argmax(dim=1)  # [batch]
        forwards = memory[rows, last, : self.width]
        if self.backwards is None:
            return forwards, forwards
        backwards = memory[rows, keep.int().argmax(dim=1), self.width :]
        return backwards, torch.cat([forwards, backwards], dim=-1)


@dataclass(frozen=True)
class StepAttention:
    """What one step saw of the source, each ``[batch, 1, 1, source]``."""

    scores: Tensor
    masked_scores: Tensor
    pattern: Tensor


class AlignmentAttention(nn.Module):
    """One head that mixes the source's states by how well they fit the decoder's.

    A state that attends depends on what the one before it saw, so this goes step by step. Hook
    points of a step, ``[batch, 1, 1, source]``: ``step_scores``, ``step_pattern``; changes belong
    there. When all steps are done: ``scores``, ``masked_scores``, ``pattern``
    ``[batch, 1, target, source]``, to be read only.
    """

    def __init__(self, score: AlignmentScore) -> None:
        super().__init__()
        self.score = score
        self.step_scores, self.step_pattern = HookPoint(), HookPoint()
        self.scores, self.masked_scores, self.pattern = HookPoint(), HookPoint(), HookPoint()

    def forward(
        self, state: Tensor, prepared: Tensor, memory: Tensor, mask: Mask | None
    ) -> tuple[Tensor, StepAttention]:
        """Attend to the source once.

        Args:
            state: that attends, ``[batch, width]``.
            prepared: what the score makes of the memory.
            memory: ``[batch, source, memory width]``.
            mask: hides padding.

        Returns:
            The context ``[batch, memory width]``, and what was seen.
        """
        scores = self.score.compare(state[:, None], prepared)[:, None]  # [batch, 1, 1, source]
        scores = self.step_scores(scores)
        masked = scores if mask is None else mask.apply(scores)
        pattern = self.step_pattern(masked.softmax(dim=-1))  # [batch, 1, 1, source]
        return (pattern[:, 0] @ memory)[:, 0], StepAttention(scores, masked, pattern)

    def show(self, steps: Sequence[StepAttention]) -> None:
        """Let all steps pass the hook points for the whole target.

        Raises:
            UsedAlreadyError: something changes what passes there.
        """
        _show(self.scores, [step.scores for step in steps], dim=2)
        _show(self.masked_scores, [step.masked_scores for step in steps], dim=2)
        _show(self.pattern, [step.pattern for step in steps], dim=2)


def _show(point: HookPoint, steps: Sequence[Tensor], dim: int) -> None:
    if torch.compiler.is_compiling():
        return
    if site := point.watched():
        whole = torch.cat(list(steps), dim)
        if point(whole) is not whole:
            raise UsedAlreadyError(site.name)


@dataclass
class Kept:
    """What the next step needs, row by row of the batch.

    Attributes:
        state: of the decoder, ``[batch, width]``.
        fed: what was read out last, ``[batch, size]``.
        memory: of the encoder, ``[batch, source, memory width]``.
        summary: of the encoder, ``[batch, memory width]``.
        prepared: what the score makes of the memory; ``None`` without a score.
    """

    state: Tensor
    fed: Tensor
    memory: Tensor
    summary: Tensor
    prepared: Tensor | None


class RecurrentCache:
    """What the decoder remembers between two steps; ``kept`` is ``None`` before the first."""

    def __init__(self) -> None:
        self.length = 0
        self.kept: Kept | None = None

    def reorder(self, rows: Tensor, *, memory: bool = True) -> None:
        """Keep the given rows of the batch, as :meth:`core.models.blocks.cache.Cache.reorder`."""
        if (kept := self.kept) is not None:
            kept = replace(kept, state=kept.state[rows], fed=kept.fed[rows])
            if memory:
                prepared = None if kept.prepared is None else kept.prepared[rows]
                kept = replace(
                    kept, memory=kept.memory[rows], summary=kept.summary[rows], prepared=prepared
                )
            self.kept = kept


class DecoderCell(nn.Module):
    """One step of writing: a state from the last piece, the last state, and the source.

    Attributes:
        unit: makes the state.
        cross_attention: attends to the source; ``None`` for a decoder that gets the same summary of
            it in every step.
        readout: what the next piece is scored with, from state, context and, where the last state
            attended, the last piece.
    """

    def __init__(self, config: RecurrentConfig, inputs: int, positions: int) -> None:
        super().__init__()
        self.attends = config.attends
        width, memory = config.decoder_width, config.memory_width
        self.cross_attention: AlignmentAttention | None = None
        if config.alignment is not None:
            score = build_score(
                config.alignment, width, memory, width=config.alignment_width, positions=positions
            )
            self.cross_attention = AlignmentAttention(score)
        previous = config.attends is Attends.PREVIOUS
        self.unit = GatedUnit(inputs + (memory if previous else inputs), width)
        self.readout = Linear(width + memory + (inputs if previous else 0), inputs)


class RecurrentDecoder(nn.Module):
    """Writes a text piece by piece.

    With ``Attends.PREVIOUS`` the state before the step attends, and what it sees enters the step:
    Bahdanau et al. 2015, appendix A.2 (with one tanh layer where the paper has a maxout). With
    ``Attends.CURRENT`` the step comes first, its state attends, and what is read out enters the
    next step: Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine
    Translation", sections 3.1 and 3.3. Without an alignment every step gets the encoder's last
    states: Cho et al. 2014, "Learning Phrase Representations using RNN Encoder-Decoder".

    Hook points: ``start`` ``[batch, width]``, the first state; when all steps are done, ``states``
    ``[batch, token, width]``, to be read only, and ``output`` ``[batch, token, size]``, what is
    read out. The cell is layer 0, so that its weights have the name that they have in every
    decoder: ``decoder.layers.0.cross_attention.pattern``.
    """

    def __init__(self, config: RecurrentConfig, embedding: EmbeddingConfig) -> None:
        super().__init__()
        inputs = embedding.layer_width
        self.layers = nn.ModuleList([DecoderCell(config, inputs, embedding.max_positions)])
        self.first_state = Linear(config.width, config.decoder_width)
        self.dropout = nn.Dropout(config.dropout)
        self.start, self.states, self.output = HookPoint(), HookPoint(), HookPoint()

    def begin(self, memory: Tensor, start: Tensor, summary: Tensor, size: int) -> Kept:
        """What the first step needs.

        Args:
            memory: ``[batch, source, memory width]``.
            start: the encoder's state to start from, ``[batch, width]``.
            summary: all of the encoder's last states, ``[batch, memory width]``.
            size: features of what is read out.
        """
        attention = self.cell.cross_attention
        return Kept(
            # Of the memory's kind: in half precision the steps' small changes would be lost.
            state=self.start(self.first_state(start).tanh().to(memory.dtype)),
            fed=memory.new_zeros(len(memory), size),
            memory=memory,
            summary=summary,
            prepared=None if attention is None else attention.score.prepare(memory),
        )

    @property
    def cell(self) -> DecoderCell:
        """The one layer."""
        cell = self.layers[0]
        assert isinstance(cell, DecoderCell)
        return cell

    def forward(
        self, embedded: Tensor, kept: Kept, *, mask: Mask | None, keep: Tensor | None
    ) -> Tensor:
        """Read the target ``[batch, token, size]``; the result has the same shape.

        Args:
            kept: where an earlier call stopped; moved on.
            mask: hides the source's padding.
            keep: boolean ``[batch, token]``, False at the target's padding.
        """
        cell, attention = self.cell, self.cell.cross_attention
        attended: list[StepAttention] = []

        def attend(state: Tensor) -> Tensor:
            if attention is None or kept.prepared is None:
                return kept.summary
            context, seen = attention(state, kept.prepared, kept.memory, mask)
            attended.append(seen)
            return context

        states, contexts, outputs = [], [], []
        for position in range(embedded.shape[1]):
            token, state = embedded[:, position], kept.state
            context = attend(state) if cell.attends is Attends.PREVIOUS else None
            entering = torch.cat([token, kept.fed if context is None else context], dim=-1)
            state = cell.unit.step(cell.unit.input_projection(entering), state)
            real = None if keep is None else keep[:, position, None]
            kept.state = state if real is None else state.where(real, kept.state)
            states.append(kept.state)
            if context is None:
                read = torch.cat([kept.state, attend(kept.state)], dim=-1)
                output = cell.readout(read).tanh()
                kept.fed = output if real is None else output.where(real, kept.fed)
                outputs.append(output)
            else:
                contexts.append(context)
        if attention is not None:
            attention.show(attended)
        _show(self.states, [state[:, None] for state in states], dim=1)
        if outputs:
            return self.dropout(self.output(torch.stack(outputs, dim=1)))
        # Nothing that is read out enters a step: all steps at once.
        read = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), embedded], dim=-1)
        return self.dropout(self.output(cell.readout(read).tanh()))


class RecurrentBody(TextToTextBody):
    """One embedding for both sides, a recurrent encoder and decoder, a head for the next piece."""

    recurrent = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.recurrent is None:
            raise ConfigError(f"{config.system} needs two recurrent sides")
        self.config = config
        inputs = config.embedding.layer_width
        self.embedding = build_embedding(config.embedding)
        self.encoder = RecurrentEncoder(config.recurrent, inputs)
        self.decoder = RecurrentDecoder(config.recurrent, config.embedding)
        self.language = build_language_head(config)

    def new_cache(self) -> RecurrentCache:
        """An empty cache for decoding step by step."""
        return RecurrentCache()

    def encode(self, ids: Tensor, keep: Tensor | None = None) -> Tensor:
        """See :meth:`TextToTextBody.encode`."""
        return self.encoder(self.embedding(ids), keep)

    def decode(
        self,
        ids: Tensor,
        memory: Tensor,
        *,
        memory_keep: Tensor | None = None,
        keep: Tensor | None = None,
        cache: RecurrentCache | None = None,
    ) -> Tensor:
        """See :meth:`TextToTextBody.decode`; a cache that was used before has kept the memory.

        Raises:
            SequenceTooLongError: the source is longer than a location score has positions.
        """
        cache = RecurrentCache() if cache is None else cache
        with in_stream(TARGET):
            embedded = self.embedding(ids)
        if cache.kept is None:
            start, summary = self.encoder.summarise(memory, memory_keep)
            cache.kept = self.decoder.begin(memory, start, summary, embedded.shape[-1])
        past, cache.length = cache.length, cache.length + ids.shape[1]
        return self.decoder(
            embedded,
            cache.kept,
            mask=None if memory_keep is None else Mask.padding(memory_keep),
            keep=None if keep is None else keep[:, past:],
        )
