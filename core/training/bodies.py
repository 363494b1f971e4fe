"""Starting a model from another's body: its tokenizer, its sizes, its weights of the same names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import ModelConfig, StackConfig
from core.errors import ConfigError
from core.models.recipe import Recipe, Sizes
from core.models.registry import SYSTEMS, build

_TOKENS = "embedding.token_table.weight"
_SEGMENTS = "embedding.segment_table.weight"
_POSITIONS = "embedding.position_table.table.weight"


@dataclass(frozen=True)
class Copied:
    """What a model got from another one, as numbers of parameters by part.

    Attributes:
        copied: by name of the part (``embedding``, ``encoder``, a head).
        fresh: the same for what starts from nothing.
    """

    copied: dict[str, int]
    fresh: dict[str, int]

    def __str__(self) -> str:
        def names(parts: dict[str, int]) -> str:
            listed = ", ".join(f"{name} {count:,}" for name, count in parts.items())
            return f"{sum(parts.values()):,} parameters ({listed})" if parts else "nothing"

        return f"copied: {names(self.copied)}; fresh: {names(self.fresh)}"


def body_sizes(body: ModelConfig, recipe: Recipe) -> Sizes:
    """The sizes that a fresh model of a recipe has when it starts from this body.

    They are the body's own; a student has half the layers of another system.

    Raises:
        ConfigError: the body is no encoder alone.
    """
    stack, tables = _encoder_of(body, body, recipe.system), body.embedding
    halved = recipe.taught and body.system != recipe.system
    return Sizes(
        layers=max(1, stack.depth // 2) if halved else stack.depth,
        width=stack.layer.width,
        heads=stack.layer.attention.heads,
        feed_forward=stack.layer.feed_forward.hidden,
        positions=tables.max_positions,
    )


def from_body(
    recipe: Recipe, body: Checkpoint, sizes: Sizes, seed: int
) -> tuple[Checkpoint, Copied]:
    """A model of another system, begun with every weight whose name and shape the body has too.

    Layers keep their numbers, except in a student with fewer layers than the body. It takes every
    second layer of its teacher (Sanh et al. 2019, "DistilBERT", section 2): layers 0, 2 and 4 of
    6. Where it has no segments, the row of segment 0 is added to every position: the sum of its
    tables is the teacher's, for a single text.

    Args:
        recipe: of the new model.
        body: left as it is.
        sizes: see :func:`body_sizes`.
        seed: of the weights that start from nothing.

    Returns:
        The model as a checkpoint that was never saved, on the body's device, and what was copied.

    Raises:
        ConfigError: the two differ in more than sizes and heads, or their token tables do.
    """
    config = _configured(recipe.fresh(body.tokenizer, sizes), body.config)
    device = next(body.model.parameters()).device
    torch.manual_seed(seed)
    model = build(config).to(device)
    known = _renamed(body.model.state_dict(), body.config, config, taught=recipe.taught)
    wanted = model.state_dict()
    taken = {
        name: known[name]
        for name, value in wanted.items()
        if name in known and known[name].shape == value.shape
    }
    if _TOKENS not in taken:
        raise ConfigError(
            f"{body.name} has tables {body.config.embedding.width} wide and is no beginning for a"
            f" model with tables of {config.embedding.width}"
        )
    model.load_state_dict({**wanted, **taken})
    copied = Copied(
        _counted({name: wanted[name] for name in wanted if name in taken}),
        _counted({name: wanted[name] for name in wanted if name not in taken}),
    )
    start = Checkpoint("fresh", body.folder, "", config, model.eval(), body.tokenizer, None, 0)
    return start, copied


def _encoder_of(config: ModelConfig, body: ModelConfig, system: str) -> StackConfig:
    if config.encoder is None or config.decoder is not None:
        raise _no_beginning(body, system)
    return config.encoder


def _no_beginning(body: ModelConfig, system: str) -> ConfigError:
    return ConfigError(
        f"the body of a {body.system} is no beginning for a {system}: both must be encoders that"
        " read positions in the same way, through layers of the same kind"
    )


def _reading(config: ModelConfig, stack: StackConfig) -> tuple[Any, ...]:
    """What decides, beside sizes, what the weights of an encoder mean."""
    tables, layer = config.embedding, stack.layer
    return (
        (tables.positions, tables.norm, tables.scale, stack.relative_bias),
        (stack.sharing, stack.modules == stack.depth),
        (layer.placement, layer.norm, layer.attention.scale, layer.attention.bias),
        (layer.feed_forward.gated, layer.feed_forward.bias),
    )


def _configured(config: ModelConfig, body: ModelConfig) -> ModelConfig:
    system = config.system
    stack, own = _encoder_of(body, body, system), _encoder_of(config, body, system)
    if _reading(body, stack) != _reading(config, own):
        raise _no_beginning(body, system)
    settings = SYSTEMS[system].family.table.settings
    narrow = any(setting.path == "embedding.width" for setting in settings)
    if body.embedding.output_width is not None and not narrow:
        raise ConfigError(
            f"the tables of this {body.system} are {body.embedding.width} wide and its layers"
            f" {body.embedding.output_width}; a {system} has one width for both"
        )
    # What is no size and decides what comes out all the same is the body's.
    theirs, layer = stack.layer, own.layer
    width = body.embedding.width if layer.width == theirs.width else layer.width
    return replace(
        config,
        embedding=replace(
            config.embedding,
            vocabulary=body.embedding.vocabulary,
            width=width,
            output_width=None if width == layer.width else layer.width,
            norm_epsilon=body.embedding.norm_epsilon,
        ),
        encoder=replace(
            own,
            layer=replace(
                layer,
                norm_epsilon=theirs.norm_epsilon,
                feed_forward=replace(layer.feed_forward, activation=theirs.feed_forward.activation),
            ),
        ),
    )


def _renamed(
    state: dict[str, Tensor], body: ModelConfig, config: ModelConfig, *, taught: bool
) -> dict[str, Tensor]:
    if not taught:
        return state
    assert body.encoder is not None
    assert config.encoder is not None
    stride = max(1, body.encoder.depth // config.encoder.depth)
    known = {name: value for name, value in state.items() if not name.startswith("encoder.layers.")}
    for number in range(config.encoder.depth):
        theirs = f"encoder.layers.{number * stride}."
        for name, value in state.items():
            if name.startswith(theirs):
                known[f"encoder.layers.{number}.{name.removeprefix(theirs)}"] = value
    if _SEGMENTS in state and not config.embedding.segments:
        known[_POSITIONS] = state[_POSITIONS] + state[_SEGMENTS][0]
    return known


def _counted(state: dict[str, Tensor]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name, value in state.items():
        part = name.split(".")[0]
        counts[part] = counts.get(part, 0) + value.numel()
    return counts
