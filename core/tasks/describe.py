"""What a checkpoint turned out to be."""

from __future__ import annotations

from dataclasses import dataclass

from core.analysis.parts import ParameterGroup, parts_of
from core.checkpoints import Checkpoint
from core.checkpoints.families import family_of_system
from core.config import FINE_TUNED_HEADS, Head, ModelConfig, Positions, StackConfig

_SCORE_WORDS = {Head.LANGUAGE, Head.MASKED_LANGUAGE, Head.SPAN_BOUNDARY}


@dataclass(frozen=True)
class StackSummary:
    """One stack of a model.

    Attributes:
        name: "encoder" or "decoder".
        plan: for each layer of the forward pass, the module that serves it.
        heads: of each layer; 0 for a recurrent side.
        width: features of its states.
    """

    name: str
    plan: tuple[int, ...]
    heads: int
    width: int

    @property
    def layers(self) -> int:
        """Those of the forward pass."""
        return len(self.plan)

    @property
    def modules(self) -> int:
        """Distinct ones, fewer where layers share."""
        return len(set(self.plan))


@dataclass(frozen=True)
class Description:
    """Everything that the files of a model said.

    Attributes:
        system: as in ``core.models.registry``.
        sides: its stacks.
        heads: what it predicts, since the files have the tensors for it, or it needs none.
        missing: what other models of its family learn to predict and this one does not.
        labels: that a fine-tuned model gives, by their numbers.
        unused: tensors in the files that are not read: of a head not known here.
        pooler: whether it has a summary of the first token.
        tasks: names of labelled tasks that it has a head for.
        parts: what its parameters are spent on.
        tensors: our name of each parameter and its shape; a shared one once.
        tied: whether words are scored with the table of tokens, which therefore serves twice.
        vocabulary: rows of the token table.
        pieces: tokens that its tokenizer has.
        method: of the tokenizer: "WordPiece", "BPE", "Unigram", "WordLevel".
        byte_level: whether pieces are made of bytes.
        positions: most tokens that it reads; ``None`` where positions know no end.
        tokenizer_files, stored_as, size_bytes, revision: as of the checkpoint.
        device: where it is.
    """

    system: str
    sides: tuple[StackSummary, ...]
    heads: tuple[Head, ...]
    missing: tuple[Head, ...]
    labels: tuple[str, ...]
    unused: tuple[str, ...]
    pooler: bool
    tasks: tuple[str, ...]
    parts: tuple[ParameterGroup, ...]
    tensors: tuple[tuple[str, tuple[int, ...]], ...]
    tied: bool
    vocabulary: int
    pieces: int
    method: str
    byte_level: bool
    positions: int | None
    tokenizer_files: tuple[str, ...]
    stored_as: tuple[str, ...]
    size_bytes: int
    revision: str
    device: str

    @property
    def parameters(self) -> int:
        """All numbers that were learnt, shared ones once."""
        return sum(part.count for part in self.parts)


def describe(checkpoint: Checkpoint) -> Description:
    """Say what a loaded model is made of."""
    config, tokenizer = checkpoint.config, checkpoint.tokenizer
    table = family_of_system(config.system).table
    offered = {head for heads in table.architectures.values() for head in heads}
    offered = (offered | set(table.extra_heads)) - set(FINE_TUNED_HEADS)
    parameters = list(checkpoint.model.named_parameters())
    return Description(
        system=config.system,
        sides=_sides(config),
        heads=config.heads,
        missing=tuple(head for head in Head if head in offered - set(config.heads)),
        labels=() if config.labels is None else config.labels.names,
        unused=checkpoint.unused,
        pooler=config.pooler,
        tasks=tuple(task.name for task in config.tasks),
        parts=parts_of((name, one.numel()) for name, one in parameters),
        tensors=tuple((name, tuple(one.shape)) for name, one in parameters),
        tied=config.tied and not _SCORE_WORDS.isdisjoint(config.heads),
        vocabulary=config.embedding.vocabulary,
        pieces=tokenizer.vocabulary_size,
        method=type(tokenizer.inner.model).__name__,
        byte_level=tokenizer.byte_level,
        positions=_positions(config),
        tokenizer_files=checkpoint.tokenizer_files,
        stored_as=checkpoint.stored_as,
        size_bytes=checkpoint.size_bytes,
        revision=checkpoint.revision,
        device=next(checkpoint.model.parameters()).device.type,
    )


def _positions(config: ModelConfig) -> int | None:
    rotary = config.decoder is not None and config.decoder.rotary is not None
    endless = config.recurrent is not None or config.embedding.positions is Positions.NONE
    return None if endless and not rotary else config.embedding.max_positions


def _sides(config: ModelConfig) -> tuple[StackSummary, ...]:
    if (recurrent := config.recurrent) is not None:
        return (
            StackSummary("encoder", (0,), 0, recurrent.memory_width),
            StackSummary("decoder", (0,), 0, recurrent.decoder_width),
        )
    stacks = (("encoder", config.encoder), ("decoder", config.decoder))
    return tuple(_side(name, stack) for name, stack in stacks if stack is not None)


def _side(name: str, stack: StackConfig) -> StackSummary:
    layer = stack.layer
    return StackSummary(name, stack.plan, layer.attention.heads, layer.width)
