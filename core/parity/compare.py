"""Runs both sides on one batch and measures how far apart they are.

Ours is read at its hook points, the reference by hooks on its modules, both in one forward pass:
the first part in the table that is off names the block at fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints import bundled, load_checkpoint
from core.config import ModelConfig
from core.hooks import Trace, capture
from core.models.blocks.attention import fused_attention
from core.parity.reference import (
    open_reference,
    tiny_reference,
    translate,
    translate_back,
    watching,
)

BUNDLED = "bundled checkpoint"
LENGTHS = (1, 9, 64, 512)
TINY_TOLERANCE = 1e-5
PATTERN_TOLERANCE = 1e-6
CHECKPOINT_TOLERANCE = 1e-4
SMALL = 4.0  # results up to this size have the tolerance as it is
TEXT = (
    "Most birds leave the island in autumn and return when the days grow longer. The old bridge"
    " was built of stone and has carried carts, trains and cars. She opened the window because the"
    " room was full of smoke."
)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        system: or variant of one, as in ``core.parity.systems``.
        part: what was compared.
        length: tokens; ``None`` where no text is read.
        difference: the largest absolute one.
        tolerance: the largest one allowed.
    """

    system: str
    part: str
    length: int | None
    difference: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the difference is tolerable; NaN is not, nor anything beside what is endless."""
        return math.isfinite(self.tolerance) and self.difference <= self.tolerance


@dataclass(frozen=True)
class Measured:
    """How far apart the two sides of a part are.

    Attributes:
        difference: the largest absolute one.
        size: the largest absolute number of the reference's.
    """

    difference: float
    size: float

    @property
    def tolerance(self) -> float:
        """What a trained checkpoint's results or patterns may differ by in float32.

        ``1e-4 * max(1, size / 4)``. Rounding is relative: logits of 25 are rounded in steps a
        hundred times as large as those of 0.25. Of all bundled checkpoints, in 512 tokens on one
        processor (AVX-512, one thread), the farthest apart are 7e-6 of their size, sixty of
        float32's steps, where this allows 2.5e-5; in float64 they are 1e-14 of it apart.
        """
        return CHECKPOINT_TOLERANCE * max(1.0, self.size / SMALL)


@dataclass(frozen=True)
class Batch:
    """Sentences of one length.

    Attributes:
        ids: ``[batch, token]``.
        segments: of the same shape; ``None`` to give none.
        keep: of the same shape, False at padding; ``None`` to give none.
        target: what a decoder reads, another number of tokens.
    """

    ids: Tensor
    segments: Tensor | None = None
    keep: Tensor | None = None
    target: Batch | None = None

    @classmethod
    def random(cls, vocabulary: int, length: int, *, seed: int = 0) -> Batch:
        """Four sentences: full, padded on the right, on the left, and on both sides.

        Args:
            vocabulary: number of token ids to draw from.
            length: tokens of each.
            seed: of all random draws.
        """
        generator = torch.Generator().manual_seed(seed)
        keep = torch.ones(4, length, dtype=torch.bool)
        third = length // 3
        keep[1, length - third :] = False
        keep[2, :third] = False
        keep[3, : third // 2] = False
        keep[3, length - third // 2 :] = False
        return cls(
            ids=torch.randint(0, vocabulary, keep.shape, generator=generator),
            segments=torch.randint(0, 2, keep.shape, generator=generator),
            keep=keep,
        )

    @property
    def valid(self) -> Tensor:
        """``keep``, everything where it was not given."""
        return torch.ones_like(self.ids, dtype=torch.bool) if self.keep is None else self.keep

    def reading(self, ids: Sequence[int]) -> Batch:
        """The same shapes with the tokens of a text, over and over; each row begins elsewhere."""
        rows, length = self.ids.shape
        positions = torch.arange(length) + 7 * torch.arange(rows)[:, None]
        target = None if self.target is None else self.target.reading(ids)
        return replace(self, ids=torch.tensor(ids)[positions % len(ids)], target=target)

    def without_options(self) -> Batch:
        """The ids alone."""
        target = None if self.target is None else self.target.without_options()
        return Batch(self.ids, target=target)


Selection = Callable[[Tensor, Tensor], Tensor]


def tokens(value: Tensor, valid: Tensor) -> Tensor:
    """``[batch, token, ...]`` without padding."""
    return value[valid]


def first_token(value: Tensor, valid: Tensor) -> Tensor:
    """``[batch, ...]`` without sentences whose first token is padding."""
    return value[valid[:, 0]]


def queries(value: Tensor, valid: Tensor) -> Tensor:
    """``[batch, head, query, key]`` without padded queries; padded keys stay."""
    return value.transpose(1, 2)[valid]


@dataclass(frozen=True)
class ComparedTensor:
    """One tensor on both sides; ``{}`` in the names stands for every layer in turn.

    Attributes:
        name: in the table.
        ours: our site.
        theirs: path of the reference's module that returns it, "" for the whole model; with
            ``{}``, all modules of such names, in the order in which they return, so that one may
            serve several layers. Without, its first return.
        selection: leaves out what padding makes meaningless.
        item: which one, where the module returns several.
        tolerance: of the tiny model.
        pick: our tensor's counterpart in what the module returns, where ``item`` is not enough.
        stream: of our site, where a model has several.
        only_if: whether a model of ours has it; ``None`` for all.
    """

    name: str
    ours: str
    theirs: str
    selection: Selection = tokens
    item: int = 0
    tolerance: float = TINY_TOLERANCE
    pick: Callable[[Any], Tensor] | None = None
    stream: str | None = None
    only_if: Callable[[Any], bool] | None = None

    @property
    def is_result(self) -> bool:
        """Whether it is what the model is asked for: scores, or a summary."""
        return self.ours.endswith((".logits", "pooler.output"))

    @property
    def is_pattern(self) -> bool:
        """Whether it is attention."""
        return self.ours.endswith(".pattern")

    def valid(self, batch: Batch) -> Tensor:
        """Where the part's side of a batch has no padding."""
        of_target = self.ours.startswith(("decoder.", "language."))
        return batch.target.valid if batch.target and of_target else batch.valid


@dataclass(frozen=True)
class Comparison:
    """Everything about one system.

    Attributes:
        name: in the table: that of the system, or of a variant of it.
        system: as in ``core.models.registry``.
        reference: name of its class in ``transformers``.
        settings: of the tiny configuration.
        parts: in the order of the forward pass; the last ones are the model's results.
        run_ours: a forward pass of ours.
        run_theirs: the same of the reference.
        source_ahead: how many tokens the source is longer than the target, for models with two
            sides; ``None`` for one side.
        reference_options: of :func:`tiny_reference`.
        fits: whether a model of the system is of this variant.
    """

    name: str
    system: str
    reference: str
    settings: Mapping[str, Any]
    parts: tuple[ComparedTensor, ...]
    run_ours: Callable[[Any, Batch], object]
    run_theirs: Callable[[Any, Batch], object]
    source_ahead: int | None = None
    reference_options: Mapping[str, Any] = field(default_factory=dict)
    fits: Callable[[ModelConfig], bool] = lambda _config: True

    def parts_of(self, ours: Any) -> tuple[ComparedTensor, ...]:
        """The parts that this model of ours has."""
        return tuple(part for part in self.parts if part.only_if is None or part.only_if(ours))

    def longest(self, config: ModelConfig) -> int:
        """The longest batch that a model has positions for."""
        return config.embedding.max_positions - (self.source_ahead or 0)

    def batch(self, vocabulary: int, length: int) -> Batch:
        """Random sentences; of two sides the decoder's has this length."""
        if self.source_ahead is None:
            return Batch.random(vocabulary, length)
        source = Batch.random(vocabulary, length + self.source_ahead)
        return replace(source, target=Batch.random(vocabulary, length, seed=1))

    def pair(self) -> tuple[Any, Any]:
        """Our tiny model and the reference, with the same weights."""
        reference = tiny_reference(self.reference, self.settings, **self.reference_options)
        return translate(reference), reference


def _each_layer(part: ComparedTensor, config: ModelConfig) -> list[str]:
    """Our sites of a part: one for every layer of its stack, or the one that it names."""
    if "{}" not in part.ours:
        return [part.ours]
    stack = config.decoder if part.ours.startswith("decoder.") else config.encoder
    return [part.ours.format(layer) for layer in range(stack.depth if stack else 0)]


def differences(
    comparison: Comparison, ours: Any, theirs: Any, batch: Batch
) -> dict[ComparedTensor, float]:
    """The largest absolute difference of every part, see :func:`measure`."""
    found = measure(comparison, ours, theirs, batch)
    return {part: measured.difference for part, measured in found.items()}


@torch.inference_mode()
def measure(
    comparison: Comparison, ours: Any, theirs: Any, batch: Batch
) -> dict[ComparedTensor, Measured]:
    """How far apart every part is, both sides run on the same batch.

    Raises:
        ValueError: the sides differ in the number or in the shapes of their tensors.
    """
    parts = comparison.parts_of(ours)
    sites = {part: _each_layer(part, ours.config) for part in parts}
    with watching(theirs, [part.theirs for part in parts]) as seen:
        comparison.run_theirs(theirs, batch)
    with capture(_unique(sites)) as trace:
        comparison.run_ours(ours, batch)

    def measured(part: ComparedTensor) -> Measured:
        def select(value: Tensor) -> Tensor:
            return part.selection(value, part.valid(batch))

        mine = [_only(trace, site, part.stream) for site in sites[part]]
        other = [_counterpart(part, output) for output in seen[part.theirs]]
        other = other if "{}" in part.theirs else other[:1]
        chosen = [(select(one), select(two)) for one, two in zip(mine, other, strict=True)]
        return Measured(
            difference=max(_distance(one, two) for one, two in chosen),
            size=max(float(two.abs().max()) for _, two in chosen),
        )

    return {part: measured(part) for part in parts}


def _unique(names: Mapping[ComparedTensor, Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(name for several in names.values() for name in several))


def _only(trace: Trace, site: str, stream: str | None) -> Tensor:
    """What a site saw the first time."""
    return trace.matching(site, stream)[0].value


def _counterpart(part: ComparedTensor, output: Any) -> Tensor:
    if part.pick is not None:
        return part.pick(output)
    value = output if isinstance(output, Tensor) else output[part.item]
    assert isinstance(value, Tensor)
    return value


def _distance(one: Tensor, two: Tensor) -> float:
    if one.shape != two.shape:
        raise ValueError(f"shapes differ: {tuple(one.shape)} and {tuple(two.shape)}")
    return float((one - two).abs().max())


@torch.inference_mode()
def fused_difference(comparison: Comparison, ours: Any, batch: Batch) -> float:
    """How far our fused path is from our explicit one, over the results of the model."""
    results = {part.ours: part for part in comparison.parts if "{}" not in part.ours}
    with capture(list(results)) as explicit:
        comparison.run_ours(ours, batch)
    with capture(list(results)) as fused, fused_attention():
        comparison.run_ours(ours, batch)
    return max(
        _distance(
            part.selection(_only(explicit, site, part.stream), part.valid(batch)),
            part.selection(_only(fused, site, part.stream), part.valid(batch)),
        )
        for site, part in results.items()
    )


def export_difference(ours: Any, theirs: Any) -> float:
    """How far the tensors are that we would write from those that were read.

    Raises:
        ValueError: there are other tensors than those that were read.
    """
    written, read = translate_back(ours, theirs), theirs.state_dict()
    if written.keys() != read.keys():
        raise ValueError(f"not on both sides: {sorted(written.keys() ^ read.keys())}")
    return max(_distance(written[key], read[key]) for key in read)


def compare_tiny(comparison: Comparison, lengths: Iterable[int] = LENGTHS) -> Iterator[Row]:
    """The rows of a tiny model with random weights."""
    system = comparison.name
    ours, theirs = comparison.pair()
    vocabulary = ours.config.embedding.vocabulary
    for length in lengths:
        batch = comparison.batch(vocabulary, length)
        for part, difference in differences(comparison, ours, theirs, batch).items():
            yield Row(system, part.name, length, difference, part.tolerance)
        fused = fused_difference(comparison, ours, batch)
        yield Row(system, "fused attention, against explicit", length, fused, TINY_TOLERANCE)
        plain = batch.without_options()
        defaults = max(differences(comparison, ours, theirs, plain).values())
        yield Row(system, "everything, given nothing but ids", length, defaults, TINY_TOLERANCE)
    yield Row(system, "export back", None, export_difference(ours, theirs), 0.0)


def compare_bundled(comparison: Comparison, lengths: Iterable[int] = LENGTHS) -> Iterator[Row]:
    """The rows of the bundled checkpoints, opened by both sides in float32.

    Measured are results and patterns, each with the tolerance of its size. What flows between the
    layers of a trained model may be a thousand times as large as what comes out, and so is its
    rounding. They read ``TEXT``: no trained model is made for tokens at random.
    """
    for entry in bundled():
        if entry.system != comparison.system:
            continue
        checkpoint = load_checkpoint(entry.name, device="cpu")
        ours, config = checkpoint.model, checkpoint.config
        if not comparison.fits(config):
            continue
        theirs = open_reference(comparison.reference, entry.folder)
        for length in dict.fromkeys(min(one, comparison.longest(config)) for one in lengths):
            shapes = comparison.batch(config.embedding.vocabulary, length)
            batch = shapes.reading(checkpoint.tokenizer.encode(TEXT).ids)
            for part, found in measure(comparison, ours, theirs, batch).items():
                if part.is_result or part.is_pattern:
                    name = f"{BUNDLED} {entry.name}: {part.name}"
                    yield Row(comparison.name, name, length, found.difference, found.tolerance)
