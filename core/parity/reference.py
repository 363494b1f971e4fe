"""The other side: Hugging Face's models, and ours with the same weights."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.checkpoints.families import family_of_settings
from core.checkpoints.load import read_config
from core.hugging_face.keys import Assignment
from core.models.registry import build

_SPREAD = 1.1  # with inputs of unit variance, scores and logits deviate by 1 or more


def tiny_reference(
    class_name: str,
    settings: Mapping[str, Any],
    *,
    seed: int = 4,
    spread: float = _SPREAD,
    louder: Mapping[str, float] | None = None,
    tied: bool = True,
) -> Any:
    """One of Hugging Face's models with every parameter drawn anew, in eval mode.

    Freshly initialised models hide mistakes: with unit norms, two swapped ones differ by nothing.

    Args:
        class_name: in ``transformers``.
        settings: of its configuration.
        seed: of all random draws.
        spread: deviation of what a matrix makes of inputs of unit variance.
        louder: factors for the matrices whose names contain a word, where that one deviation
            makes scores or logits too even to show mistakes.
        tied: False for an output matrix of its own, which the package's T5 ties whatever its
            configuration says, but leaves alone where a checkpoint brings one.
    """
    import transformers

    model_class = getattr(transformers, class_name)
    config = model_class.config_class(**settings, attn_implementation="eager")
    model = model_class(config)
    if not tied:
        model.lm_head.weight = nn.Parameter(torch.empty_like(model.lm_head.weight))
    randomise(model, seed, spread)
    with torch.no_grad():
        for word, factor in (louder or {}).items():
            found = [tensor for name, tensor in model.named_parameters() if word in name]
            if not found:
                raise AttributeError(f"the reference has no parameter {word}")
            for tensor in found:
                tensor.mul_(factor)
    return model.eval()


def open_reference(class_name: str, folder: Path) -> Any:
    """A checkpoint of ours as Hugging Face's class opens it, float32, in eval mode."""
    import transformers

    transformers.logging.disable_progress_bar()
    model_class = getattr(transformers, class_name)
    model = model_class.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", local_files_only=True
    )
    return model.eval()


@torch.no_grad()
def randomise(model: nn.Module, seed: int, spread: float = _SPREAD) -> None:
    """Norm weights within 0.5 of 1, biases within 0.5 of 0, matrices that keep the variance up."""
    generator = torch.Generator().manual_seed(seed)
    transposed = {module.weight for module in model.modules() if type(module).__name__ == "Conv1D"}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue  # computed, not learned: Marian keeps its sinusoids so
        if parameter.ndim == 1:
            parameter.uniform_(-0.5, 0.5, generator=generator)
            if name.endswith("weight"):
                parameter.add_(1.0)
        else:
            # XLNet's projections are [width, head, size], the GPTs' [in, out].
            first = parameter.ndim == 3 or parameter in transposed
            inputs = parameter.shape[0] if first else parameter.shape[-1]
            deviation = spread / math.sqrt(inputs)
            parameter.normal_(0.0, deviation, generator=generator)


def settings_of(reference: Any) -> dict[str, Any]:
    """The ``config.json`` that such a model would have."""
    return {**reference.config.to_dict(), "architectures": [type(reference).__name__]}


def assign(reference: Any) -> Assignment:
    """A place of ours for each of the reference's tensors."""
    settings, state = settings_of(reference), reference.state_dict()
    keys = family_of_settings(settings).keys(settings)
    return keys.assign(state, lambda one, two: torch.equal(state[one], state[two]))


def translate(reference: Any) -> nn.Module:
    """Our model with the reference's weights, by the rules that load checkpoints, in eval mode."""
    settings = settings_of(reference)
    family = family_of_settings(settings)
    state = reference.state_dict()
    assignment = assign(reference)
    model = build(read_config(settings, family, assignment))
    model.load_state_dict(
        {ours: source.read(state[source.key]) for ours, source in assignment.sources.items()}
    )
    return model.eval()


def translate_back(model: Any, reference: Any) -> dict[str, Tensor]:
    """Our tensors under the reference's names, with those that it repeats or computes."""
    settings = settings_of(reference)
    keys = family_of_settings(settings).keys(settings)
    given = reference.state_dict()
    assignment = assign(reference)
    exported = keys.export(model.state_dict(), bare=False)
    names = {source.key: keys.to_theirs(ours)[0] for ours, source in assignment.sources.items()}
    state = {theirs: exported[name] for theirs, name in names.items()}
    repeated = {alias: state[key] for alias, key in assignment.aliases.items()}
    return state | repeated | {key: given[key] for key in assignment.dropped}


@contextmanager
def watching(model: nn.Module, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    """What modules return while the block runs, in the order in which they do.

    Args:
        model: one of the reference's.
        names: paths of modules; ``{}`` stands for any number.
    """
    seen: dict[str, list[Any]] = {name: [] for name in names}
    handles = []
    for name, outputs in seen.items():
        pattern = re.compile(re.escape(name).replace(r"\{\}", "[0-9]+"))
        found = [module for path, module in model.named_modules() if pattern.fullmatch(path)]
        if not found:
            raise AttributeError(f"the reference has no module {name}")
        for module in found:
            handles.append(module.register_forward_hook(_recorder(outputs)))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def _recorder(outputs: list[Any]) -> Any:
    return lambda _module, _inputs, output: outputs.append(output)
