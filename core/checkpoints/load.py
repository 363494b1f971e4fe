"""Opening a checkpoint: look at everything first, then build, then fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.checkpoints.families import read_settings
from core.checkpoints.files import CARD, Shard, content_hash, find_shards
from core.checkpoints.policy import LoadPolicy
from core.checkpoints.sizes import parameter_count
from core.checkpoints.source import find_folder
from core.checkpoints.tokenizer_files import load_tokenizer, tokenizer_files
from core.config import POOLED_HEADS, Head, ModelConfig
from core.device import pick_device
from core.hugging_face.errors import (
    DamagedFileError,
    KeyConflictError,
    MissingKeyError,
    NotFiniteError,
    NumberTypeError,
    ShapeMismatchError,
    TooLargeError,
    UnknownKeyError,
)
from core.hugging_face.family import Family
from core.hugging_face.keys import Assignment, KeyRules, Source
from core.hugging_face.settings import Json
from core.models.body import Body
from core.models.registry import build_empty
from core.tokenisation import Tokenizer

DEFAULT_POLICY = LoadPolicy()


@dataclass(frozen=True)
class Checkpoint:
    """A model ready to run, with everything that belongs to it.

    Attributes:
        name: as asked for.
        folder: where its files lie.
        revision: hash of the contents of all files that decide what it answers, the same on every
            machine.
        config: what it is made of.
        model: in evaluation mode, on its device, hook points named.
        tokenizer: for its texts.
        card: the contents of ``card.md``, if there is one.
        size_bytes: its files of weights.
        stored_as: the types of numbers in these files, as safetensors names them.
        tokenizer_files: from which the tokenizer was made.
        unused: tensors in the files that this model does not read: of a head not known here.
    """

    name: str
    folder: Path
    revision: str
    config: ModelConfig
    model: Body
    tokenizer: Tokenizer
    card: str | None
    size_bytes: int
    stored_as: tuple[str, ...] = ()
    tokenizer_files: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def load_checkpoint(
    name: str,
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype = torch.float32,
    policy: LoadPolicy = DEFAULT_POLICY,
) -> Checkpoint:
    """Open a checkpoint in Hugging Face's layout.

    Sizes are judged from the settings and the headers before anything is built; no code of the
    checkpoint is run and no pickle is opened.

    Args:
        name: a bundled name, else a local folder beneath ``policy.roots``, else ``owner/name`` on
            the hub if ``policy.allow_hub``.
        device: ``None`` for :func:`core.device.pick_device`.
        dtype: of the parameters in memory, whatever the files hold.
        policy: what may be loaded.

    Raises:
        CheckpointError: one of the types in ``core.hugging_face.errors``, by what is wrong.
        core.tokenisation.TokenizerFileError: ``tokenizer.json`` is something else.
        core.errors.ConfigError: sizes contradict each other.
    """
    folder = find_folder(name, policy)
    family, settings = read_settings(folder)
    shards = find_shards(folder)
    size_bytes = sum(shard.size_bytes for shard in shards)
    if size_bytes > policy.max_bytes:
        raise TooLargeError("the files of weights, in bytes,", size_bytes, policy.max_bytes)

    family.table.arguments(settings)  # what they ask for in vain is named before a tensor is
    keys = family.keys(settings)
    assignment = assign(keys, shards)
    config = read_config(settings, family, assignment)
    parameters = parameter_count(config)
    if parameters > policy.max_parameters:
        raise TooLargeError("the number of parameters", parameters, policy.max_parameters)
    tokenizer = load_tokenizer(folder)

    types = {entry.dtype for shard in shards for entry in shard.entries.values()}
    model = build_empty(config)
    _check_shapes(model.state_dict(), assignment, keys, shards)
    device = pick_device() if device is None else torch.device(device)
    model.load_state_dict(_read_state(shards, assignment, device, dtype), assign=True)
    return Checkpoint(
        name=name,
        folder=folder.path,
        revision=content_hash(folder, shards),
        config=config,
        model=model.eval(),
        tokenizer=tokenizer,
        card=folder.read_text(CARD),
        size_bytes=size_bytes,
        stored_as=tuple(sorted(types)),
        tokenizer_files=tokenizer_files(folder),
        unused=assignment.unused,
    )


def assign(keys: KeyRules, shards: Sequence[Shard]) -> Assignment:
    """A place for every tensor of the files; errors as :meth:`KeyRules.assign`."""
    names = (key for shard in shards for key in shard.entries)
    return keys.assign(names, lambda *pair: _are_equal(shards, pair))


def read_config(settings: Json, family: Family, assignment: Assignment) -> ModelConfig:
    """The configuration of what is really there.

    A head is built if the files have any tensor of it; what is then missing is reported by name.
    One for next words may need none, since it scores them with the token table: it is built if
    ``architectures`` promises it.
    """
    arguments = family.table.arguments(settings)
    rules = family.keys(settings)
    bare = not rules.has_tensors(Head.LANGUAGE.value, tied=arguments.get("tied", True))
    promised = family.table.promised_heads(settings) & ({Head.LANGUAGE} if bare else set())
    heads = tuple(head for head in Head if head in promised or assignment.has(head.value))
    return family.table.configuration(
        arguments,
        heads,
        pooler=assignment.has("pooler") or not set(POOLED_HEADS).isdisjoint(heads),
        own_words=assignment.has("language.own") or assignment.has("masked_language.own"),
        settings=settings,
    )


def _check_shapes(
    own: Mapping[str, Tensor], assignment: Assignment, keys: KeyRules, shards: Sequence[Shard]
) -> None:
    if missing := own.keys() - assignment.sources.keys():
        raise MissingKeyError(sorted(keys.to_theirs(key)[0] for key in missing))
    if extra := assignment.sources.keys() - own.keys():
        raise UnknownKeyError(sorted(assignment.sources[key].key for key in extra))
    ignored = {*assignment.dropped, *assignment.unused}
    for shard in shards:
        for key, entry in shard.entries.items():
            if key not in ignored and not entry.is_floating:
                raise NumberTypeError(shard.path.name, key, entry.dtype)
    entries = {key: entry for shard in shards for key, entry in shard.entries.items()}
    expected = keys.export({key: own[key] for key in assignment.sources}, bare=False)
    for key, source in assignment.sources.items():
        shape = tuple(expected[keys.to_theirs(key)[0]].shape)
        for theirs in (source.key, *_aliases_of(source.key, assignment)):
            if entries[theirs].shape != shape:
                raise ShapeMismatchError(theirs, entries[theirs].shape, shape)


def _aliases_of(key: str, assignment: Assignment) -> list[str]:
    return [alias for alias, target in assignment.aliases.items() if target == key]


def _read_state(
    shards: Sequence[Shard], assignment: Assignment, device: torch.device, dtype: torch.dtype
) -> dict[str, Tensor]:
    ours: dict[str, list[tuple[str, Source]]] = {}
    for key, source in assignment.sources.items():
        ours.setdefault(source.key, []).append((key, source))
    state: dict[str, Tensor] = {}
    aliased: dict[str, Tensor] = {}
    wanted = {*assignment.aliases, *assignment.aliases.values()}
    for shard in shards:
        for key, tensor in _read_tensors(shard, {*ours, *wanted}).items():
            if key in wanted:
                aliased[key] = tensor
            for name, source in ours.get(key, ()):
                # A copy: the library maps the file, and files may be replaced while we run.
                state[name] = source.read(tensor).to(device, dtype, copy=True).contiguous()
    for alias, target in assignment.aliases.items():
        if not torch.equal(aliased[alias], aliased[target]):
            raise KeyConflictError(alias, target, "must be equal and differ")
    return state


def _are_equal(shards: Sequence[Shard], pair: tuple[str, str]) -> bool:
    """Whether two tensors of the files are the same; ``False`` if their sizes differ."""
    found: dict[str, Tensor] = {}
    for shard in shards:
        found |= _read_tensors(shard, set(pair))
    one, two = (found[key] for key in pair)
    return torch.equal(one, two)


def _read_tensors(shard: Shard, keys: set[str]) -> dict[str, Tensor]:
    try:
        with safe_open(shard.path, framework="pt") as file:
            tensors = {key: file.get_tensor(key) for key in shard.entries if key in keys}
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(shard.path.name, "its tensors cannot be read") from error
    for key, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise NotFiniteError(shard.path.name, key, nan=bool(torch.isnan(tensor).any()))
    return tensors
