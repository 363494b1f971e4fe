"""Models that have learnt nothing yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.config import Head, ModelConfig
from core.errors import ConfigError
from core.models.electra_pair import ElectraPair
from core.models.recipe import Configure, Sizes
from core.models.registry import build
from core.task_config import TaskConfig
from core.tokenisation import Tokenizer

GENERATOR_SHARE = 4  # Clark et al. 2020, "ELECTRA", section 3.2: a quarter to a half is best


# Turc et al. 2019, "Well-Read Students Learn Better", table 1, and BERT-base.
PRESETS = {
    "tiny": Sizes(2, 128, 2),
    "mini": Sizes(4, 256, 4),
    "small": Sizes(4, 512, 8),
    "medium": Sizes(8, 512, 8),
    "base": Sizes(12, 768, 12),
}


def generator_config(discriminator: ModelConfig, share: int) -> ModelConfig:
    """An ELECTRA generator with a discriminator's tables and depth.

    Args:
        discriminator: whose heads are as wide as the generator's.
        share: it has one of so many heads and inner features; at least 1.
    """
    assert discriminator.encoder is not None
    layer, tables = discriminator.encoder.layer, discriminator.embedding
    heads = max(1, layer.attention.heads // share)
    narrow = replace(
        layer,
        width=heads * layer.attention.head_size,
        attention=replace(layer.attention, heads=heads),
        feed_forward=replace(layer.feed_forward, hidden=max(1, layer.feed_forward.hidden // share)),
    )
    width = None if tables.width == narrow.width else narrow.width
    return replace(
        discriminator,
        embedding=replace(tables, output_width=width),
        encoder=replace(discriminator.encoder, layer=narrow),
        heads=(Head.MASKED_LANGUAGE,),
    )


def with_generator(discriminator: Any, share: int, begun: Checkpoint | None = None) -> nn.Module:
    """A discriminator beside a generator that reads with its tables from now on.

    Args:
        discriminator: with the tables that both use.
        share: see :func:`generator_config`.
        begun: a generator of that shape to go on with; a fresh one for ``None``.

    Raises:
        ConfigError: the one to go on with has another shape.
    """
    generator = build(generator_config(discriminator.config, share))
    if begun is not None:
        fresh, known = generator.state_dict(), begun.model.state_dict()
        if {k: v.shape for k, v in fresh.items()} != {k: v.shape for k, v in known.items()}:
            raise ConfigError(
                f"{begun.name} is no generator of 1 in {share} heads for this discriminator"
            )
        generator.load_state_dict(known)
    return ElectraPair(cast(Any, generator), discriminator)


def with_tasks(
    start: Checkpoint, tasks: Sequence[TaskConfig], seed: int, *, words: bool = False
) -> Checkpoint:
    """A BERT, or an MT-DNN, as an MT-DNN with heads for these tasks beside those that it has.

    Its head for hidden words stays, and guesses as well as the body lets it. That for next
    sentences is left out: nothing trains it any further.

    Args:
        start: left as it is.
        tasks: a task that it has already goes on, and must be the same.
        seed: of the fresh heads, and of a pooler where there is none.
        words: whether it is going to learn hidden words too: a head for them is then made where
            there is none.

    Raises:
        ConfigError: it is of another system, or has another task of the same name.
    """
    if start.config.system not in ("bert", "mtdnn"):
        raise ConfigError(
            f"labelled tasks are learnt by a bert or an mtdnn, not by {start.config.system}"
        )
    old = start.config.tasks
    fresh = tuple(task for task in tasks if task not in old)  # a name twice is refused below
    guesses = words or Head.MASKED_LANGUAGE in start.config.heads
    config = replace(
        start.config,
        system="mtdnn",
        heads=(Head.MASKED_LANGUAGE,) if guesses else (),
        pooler=True,
        tasks=(*old, *fresh),
    )
    torch.manual_seed(seed)
    model = build(config)
    wanted = model.state_dict()
    known = start.model.state_dict()
    model.load_state_dict({name: known.get(name, value) for name, value in wanted.items()})
    device = next(start.model.parameters()).device
    return replace(start, config=config, model=model.to(device).eval())


def fresh_start(
    configure: Configure, tokenizer: Path, sizes: Sizes, device: torch.device, seed: int
) -> Checkpoint:
    """A model that has learnt nothing, as a checkpoint that was never saved.

    Args:
        configure: gives the configuration.
        tokenizer: a ``tokenizer.json``.
        sizes: of the model.
        device: for it.
        seed: of its first weights.

    Raises:
        core.tokenisation.TokenizerFileError: the file is something else.
        ConfigError: the sizes do not fit together.
    """
    reader = Tokenizer.from_file(tokenizer)
    config = configure(reader, sizes)
    torch.manual_seed(seed)
    model = build(config).to(device).eval()
    return Checkpoint("fresh", tokenizer.parent, "", config, model, reader, None, 0)
