"""Names of tensors there and here, as ordered, reversible rules.

A rule names a tensor or a module of theirs; below a module the rest of the name is carried over.
``{}`` stands for the number of a layer. The first rule that fits a key decides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from torch import Tensor

from core.checkpoints.errors import KeyConflictError, MissingKeyError, UnknownKeyError


@dataclass(frozen=True)
class Rename:
    """``Rename("encoder.layer.{}.output.norm", "encoder.layers.{}.norm")``, in both directions."""

    theirs: str
    ours: str

    def to_ours(self, key: str) -> str | None:
        """Our name of their key, ``None`` if the rule does not fit."""
        return _translate(self.theirs, self.ours, key)

    def to_theirs(self, key: str) -> str | None:
        """Their name of our key, ``None`` if the rule does not fit."""
        return _translate(self.ours, self.theirs, key)

    def convert(self, tensor: Tensor) -> Tensor:
        """From their values to ours, or from ours to theirs."""
        return tensor


@dataclass(frozen=True)
class Transpose(Rename):
    """A rename of a projection that is stored ``[in, out]`` there and ``[out, in]`` here."""

    def convert(self, tensor: Tensor) -> Tensor:
        """Matrices are transposed, vectors stay: its own inverse."""
        return tensor.T if tensor.ndim == 2 else tensor


@dataclass(frozen=True)
class Alias:
    """A key that repeats another one of theirs: read only to make sure that both are equal."""

    theirs: str
    same_as: str


@dataclass(frozen=True)
class Drop:
    """A key that is no weight, for example a buffer that only counts positions."""

    theirs: str


Rule = Rename | Alias | Drop


@dataclass(frozen=True)
class KeyRules:
    """All rules of one family.

    Attributes:
        body: what the names of the body's tensors start with where the file has heads; files of a
            bare body leave it out.
        rules: in the order in which they are tried.
        old_endings: pairs of an old ending of a name and the one used since.
    """

    body: str
    rules: tuple[Rule, ...]
    old_endings: tuple[tuple[str, str], ...] = ()

    def assign(self, keys: Iterable[str]) -> Assignment:
        """Find a place for every key of the files.

        Raises:
            UnknownKeyError: a key that no rule fits.
            KeyConflictError: two keys for the same place.
        """
        keys = list(keys)
        canonical = self._canonical_names(keys)
        sources: dict[str, Source] = {}
        aliases: dict[str, str] = {}
        dropped: list[str] = []
        unknown: list[str] = []
        for name, key in canonical.items():
            rule, ours = self._find(name)
            if isinstance(rule, Drop):
                dropped.append(key)
            elif isinstance(rule, Alias):
                if rule.same_as not in canonical:
                    raise MissingKeyError([rule.same_as])
                aliases[key] = canonical[rule.same_as]
            elif rule is None or ours is None:
                unknown.append(key)
            elif ours in sources:
                raise KeyConflictError(sources[ours].key, key, "claim the same place")
            else:
                sources[ours] = Source(key, rule)
        if unknown:
            raise UnknownKeyError(unknown)
        return Assignment(sources, aliases, tuple(dropped))

    def export(self, state: Mapping[str, Tensor], *, bare: bool) -> dict[str, Tensor]:
        """Our tensors under their names, in the same order.

        Args:
            bare: whether to leave out the body's prefix.
        """
        theirs = {}
        for key, tensor in state.items():
            name, rule = self.to_theirs(key)
            theirs[name.removeprefix(self.body) if bare else name] = rule.convert(tensor)
        return theirs

    def to_theirs(self, key: str) -> tuple[str, Rename]:
        """Their name of our key and the rule that gives it.

        Raises:
            UnknownKeyError: no rule fits.
        """
        for rule in self.rules:
            if isinstance(rule, Rename) and (name := rule.to_theirs(key)) is not None:
                return name, rule
        raise UnknownKeyError([key])

    def _find(self, name: str) -> tuple[Rule | None, str | None]:
        for rule in self.rules:
            target = rule.ours if isinstance(rule, Rename) else rule.theirs
            if (ours := _translate(rule.theirs, target, name)) is not None:
                return rule, ours
        return None, None

    def _canonical_names(self, keys: Collection[str]) -> dict[str, str]:
        """The newest full spelling of every key, with the key as it stands in the files."""
        bare = not any(key.startswith(self.body) for key in keys)
        canonical: dict[str, str] = {}
        for key in keys:
            name = key
            for old, new in self.old_endings:
                if name.endswith(old):
                    name = name.removesuffix(old) + new
            if bare and self._find(name)[0] is None:
                name = self.body + name
            if name in canonical:
                raise KeyConflictError(canonical[name], key, "claim the same place")
            canonical[name] = key
        return canonical


@dataclass(frozen=True)
class Source:
    """Where one of our tensors comes from: the key as it stands in the files, and its rule."""

    key: str
    rule: Rename


@dataclass(frozen=True)
class Assignment:
    """Every key of the files, used exactly once.

    Attributes:
        sources: for each of our keys, where it comes from.
        aliases: repeated keys, each with the key it must be equal to.
        dropped: keys that are no weights.
    """

    sources: Mapping[str, Source]
    aliases: Mapping[str, str]
    dropped: tuple[str, ...]

    def has(self, module: str) -> bool:
        """Whether any tensor of one of our modules is there."""
        return any(key.startswith(f"{module}.") for key in self.sources)


def _translate(source: str, target: str, key: str) -> str | None:
    found = _pattern(source).fullmatch(key)
    if found is None:
        return None
    *numbers, rest = found.groups(default="")
    return target.format(*numbers) + rest


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    number = r"(0|[1-9][0-9]*)"  # one spelling of each number, or two keys could claim one place
    return re.compile(number.join(map(re.escape, name.split("{}"))) + r"(\..+)?")
