"""Names of tensors there and here, as ordered, reversible rules.

A rule names a tensor or a module of theirs; below a module the rest of the name is carried over.
``{}`` stands for the number of a layer. The first rule that fits a key decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

import torch
from torch import Tensor

from core.hugging_face.errors import ForeignPrefixError, KeyConflictError, UnknownKeyError


@dataclass(frozen=True)
class Rename:
    """``Rename("encoder.layer.{}.output.norm", "encoder.layers.{}.norm")``, in both directions."""

    theirs: str
    ours: str

    def to_ours(self, key: str) -> tuple[str, ...] | None:
        """Our names of their key, ``None`` if the rule does not fit."""
        name = _translate(self.theirs, self.ours, key)
        return None if name is None else (name,)

    def to_theirs(self, key: str) -> tuple[str, int] | None:
        """Their name of our key and which part of it ours is, ``None`` if the rule does not fit."""
        name = _translate(self.ours, self.theirs, key)
        return None if name is None else (name, 0)

    def read(self, tensor: Tensor, part: int) -> Tensor:  # noqa: ARG002 - there is only one
        """Our tensor from theirs."""
        return tensor

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from all of ours that it holds."""
        return parts[0]


@dataclass(frozen=True)
class Transpose(Rename):
    """A rename of a projection that is stored ``[in, out]`` there and ``[out, in]`` here."""

    def read(self, tensor: Tensor, part: int) -> Tensor:  # noqa: ARG002 - there is only one
        """Our tensor from theirs: matrices are transposed, vectors stay."""
        return _transposed(tensor)

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from ours."""
        return _transposed(parts[0])


@dataclass(frozen=True)
class Reshape(Rename):
    """A rename of a tensor that has the same numbers in another shape; -1 stands for any size."""

    theirs_shape: tuple[int, ...]
    ours_shape: tuple[int, ...]

    def read(self, tensor: Tensor, part: int) -> Tensor:  # noqa: ARG002 - there is only one
        """Our tensor from theirs."""
        return tensor.reshape(self.ours_shape)

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from ours."""
        return parts[0].reshape(self.theirs_shape)


@dataclass(frozen=True)
class HeadsApart(Rename):
    """A projection that is stored ``[width, head, size]`` there and as a matrix here.

    Attributes:
        heads: how many.
        into: True for a projection into the heads, ``[head * size, width]`` here; False for the one
            out of them, ``[width, head * size]``.
    """

    heads: int
    into: bool

    def read(self, tensor: Tensor, part: int) -> Tensor:  # noqa: ARG002 - there is only one
        """Our tensor from theirs."""
        matrix = tensor.flatten(1)
        return matrix.T if self.into else matrix

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from ours."""
        matrix = parts[0].T if self.into else parts[0]
        return matrix.unflatten(1, (self.heads, -1))


@dataclass(frozen=True)
class Grouped(Rename):
    """A rename of layers that are numbered within groups there and throughout here.

    ``Grouped("groups.{}.layers.{}.norm", "layers.{}.norm", size=2)``: layer 1 of group 3 is our
    layer 7.

    Attributes:
        size: layers of a group.
    """

    size: int

    def to_ours(self, key: str) -> tuple[str, ...] | None:
        """Our names of their key, ``None`` if the rule does not fit."""
        found = _pattern(self.theirs).fullmatch(key)
        if found is None:
            return None
        group, inner, rest = found.groups(default="")
        # Python refuses to read numbers of thousands of digits.
        if len(group + inner) > 20 or int(inner) >= self.size:
            return None
        return (self.ours.format(int(group) * self.size + int(inner)) + rest,)

    def to_theirs(self, key: str) -> tuple[str, int] | None:
        """Their name of our key and which part of it ours is, ``None`` if the rule does not fit."""
        found = _pattern(self.ours).fullmatch(key)
        if found is None:
            return None
        number, rest = found.groups(default="")
        return self.theirs.format(*divmod(int(number), self.size)) + rest, 0


@dataclass(frozen=True)
class Split:
    """Projections of ours that stand side by side in one tensor there, stored ``[in, out]``.

    ``Split("h.{}.c_attn", ("layers.{}.query", "layers.{}.key", "layers.{}.value"))``: all of ours
    have the same size.
    """

    theirs: str
    ours: tuple[str, ...]

    def to_ours(self, key: str) -> tuple[str, ...] | None:
        """Our names of their key, ``None`` if the rule does not fit."""
        names = [_translate(self.theirs, ours, key) for ours in self.ours]
        return None if None in names else tuple(name for name in names if name is not None)

    def to_theirs(self, key: str) -> tuple[str, int] | None:
        """Their name of our key and which part of it ours is, ``None`` if the rule does not fit."""
        for part, ours in enumerate(self.ours):
            if (name := _translate(ours, self.theirs, key)) is not None:
                return name, part
        return None

    def read(self, tensor: Tensor, part: int) -> Tensor:
        """Our tensor from theirs."""
        return _transposed(tensor).chunk(len(self.ours))[part]

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from all of ours that it holds."""
        return _transposed(torch.cat(list(parts)))


@dataclass(frozen=True)
class SplitInHeads(Split):
    """Projections of ours that stand head by head in one tensor there, stored ``[out, in]``.

    Two heads: the first one's query, key and value, then the second one's.

    Attributes:
        heads: how many.
    """

    heads: int

    def read(self, tensor: Tensor, part: int) -> Tensor:
        """Our tensor from theirs."""
        return tensor.unflatten(0, (self.heads, len(self.ours), -1))[:, part].flatten(0, 1)

    def write(self, parts: Sequence[Tensor]) -> Tensor:
        """Their tensor from all of ours that it holds."""
        apart = [part.unflatten(0, (self.heads, -1)) for part in parts]
        return torch.stack(apart, dim=1).flatten(0, 2)


@dataclass(frozen=True)
class Alias:
    """A key that repeats another one of theirs: read only to make sure that both are equal.

    Where the other one is not there, it stands for it. Where a later rule fits it too, it may also
    be a tensor of its own, if it is another one.

    Attributes:
        theirs: the key.
        same_as: the other one.
        wins: whether it alone is used, if they differ.
    """

    theirs: str
    same_as: str
    wins: bool = False


@dataclass(frozen=True)
class Drop:
    """A key that is no weight, for example a buffer that only counts positions."""

    theirs: str


Weights = Rename | Split
Rule = Weights | Alias | Drop


def _transposed(tensor: Tensor) -> Tensor:
    return tensor.T if tensor.ndim == 2 else tensor


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
    old_endings: tuple[tuple[str, str], ...] = (
        (".LayerNorm.gamma", ".LayerNorm.weight"),
        (".LayerNorm.beta", ".LayerNorm.bias"),
    )

    def assign(
        self, keys: Iterable[str], equal: Callable[[str, str], bool] = lambda _one, _two: True
    ) -> Assignment:
        """Find a place for every key of the files, or none for those of a head not known here.

        Args:
            keys: of the files.
            equal: whether the tensors of two of them are the same: asked where one may repeat the
                other or be a tensor of its own.

        Raises:
            UnknownKeyError: a key of the body that no rule fits: it may change what comes out.
            ForeignPrefixError: all names begin with something that does not belong to them.
            KeyConflictError: two keys for the same place.
        """
        keys = list(keys)
        canonical = self._canonical_names(keys)
        repeated = canonical | self._stand_ins(canonical)
        sources: dict[str, Source] = {}
        aliases: dict[str, str] = {}
        dropped: list[str] = []
        unused: list[str] = []
        differing = self._differing(canonical, repeated, equal)
        beaten = {other for other, wins in differing.values() if wins}
        for name, key in canonical.items():
            rule, places = self._find(name)
            if isinstance(rule, Alias) and repeated[rule.same_as] == key:
                rule, places = self._find(rule.same_as)
            elif name in differing:
                rule, places = self._find(name, own=True)
            if isinstance(rule, Drop) or key in beaten:
                dropped.append(key)
            elif isinstance(rule, Alias):
                aliases[key] = repeated[rule.same_as]
            elif rule is None:
                unused.append(key)
            else:
                for part, ours in enumerate(places):
                    if ours in sources:
                        raise KeyConflictError(sources[ours].key, key, "claim the same place")
                    sources[ours] = Source(key, rule, part)
        inside = [key for key in unused if self._is_inside(key)]
        if not sources and (prefix := self._foreign_prefix(unused)):
            raise ForeignPrefixError(prefix, unused[0])
        if inside or not sources:
            raise UnknownKeyError(inside or unused)
        return Assignment(sources, aliases, tuple(dropped), tuple(unused))

    def _differing(
        self,
        canonical: Mapping[str, str],
        repeated: Mapping[str, str],
        equal: Callable[[str, str], bool],
    ) -> dict[str, tuple[str, bool]]:
        """Names that may be tensors of their own and are, with what they do not repeat."""
        found = {}
        for name, key in canonical.items():
            rule, _ = self._find(name)
            if isinstance(rule, Alias) and self._find(name, own=True)[0] is not None:
                other = repeated[rule.same_as]
                if other != key and not equal(key, other):
                    found[name] = (other, rule.wins)
        return found

    def has_tensors(self, module: str, *, tied: bool) -> bool:
        """Whether a module of ours has tensors of its own; with ``tied``, no output matrix."""
        names = [
            ours
            for rule in self.rules
            if isinstance(rule, Weights)
            for ours in ((rule.ours,) if isinstance(rule.ours, str) else rule.ours)
            if ours.startswith(f"{module}.")
        ]
        return any(not tied or not name.startswith(f"{module}.own") for name in names)

    def _stand_ins(self, canonical: Mapping[str, str]) -> dict[str, str]:
        """For names that are not there but repeated, the key that stands for them.

        One that may be nothing but a repetition comes before one that may be a tensor of its own.
        """
        found: dict[str, tuple[bool, str]] = {}
        for name, key in canonical.items():
            rule, _ = self._find(name)
            if isinstance(rule, Alias) and rule.same_as not in canonical:
                candidate = (self._find(name, own=True)[0] is not None, key)
                found[rule.same_as] = min(found.get(rule.same_as, candidate), candidate)
        return {name: key for name, (_, key) in found.items()}

    def _is_inside(self, key: str) -> bool:
        """Whether a key is one of the body's, by its first parts, with the prefix or without."""
        if self.body and key.startswith(self.body):
            return True
        names = (rule.theirs for rule in self.rules if rule.theirs.startswith(self.body))
        modules = {name.removeprefix(self.body).partition(".")[0] for name in names}
        return not self.body or key.partition(".")[0] in modules

    def _foreign_prefix(self, keys: Sequence[str]) -> str | None:
        """What stands before every name, if the names without it are known."""
        parts = keys[0].split(".") if keys else []
        for count in range(1, len(parts)):
            prefix = ".".join(parts[:count]) + "."
            names = [key.removeprefix(prefix) for key in keys if key.startswith(prefix)]
            if len(names) == len(keys) and any(
                self._find(name)[0] or self._find(self.body + name)[0] for name in names
            ):
                return prefix
        return None

    def export(self, state: Mapping[str, Tensor], *, bare: bool) -> dict[str, Tensor]:
        """Our tensors under their names, in the same order.

        Args:
            bare: whether to leave out the body's prefix.
        """
        rules: dict[str, Weights] = {}
        parts: dict[str, dict[int, Tensor]] = {}
        for key, tensor in state.items():
            name, rule, part = self.to_theirs(key)
            rules[name] = rule
            parts.setdefault(name, {})[part] = tensor
        return {
            name.removeprefix(self.body) if bare else name: rule.write(
                [tensor for _part, tensor in sorted(parts[name].items(), key=itemgetter(0))]
            )
            for name, rule in rules.items()
        }

    def to_theirs(self, key: str) -> tuple[str, Weights, int]:
        """Their name of our key, the rule that gives it, and which part of it ours is.

        Raises:
            UnknownKeyError: no rule fits.
        """
        for rule in self.rules:
            if isinstance(rule, Weights) and (found := rule.to_theirs(key)) is not None:
                name, part = found
                return name, rule, part
        raise UnknownKeyError([key])

    def _find(self, name: str, *, own: bool = False) -> tuple[Rule | None, tuple[str, ...]]:
        """The first rule that fits, and our places for it; with ``own`` the first for a tensor."""
        for rule in self.rules:
            if isinstance(rule, Weights):
                if (places := rule.to_ours(name)) is not None:
                    return rule, places
            elif not own and _translate(rule.theirs, rule.theirs, name) is not None:
                return rule, ()
        return None, ()

    def _canonical_names(self, keys: Collection[str]) -> dict[str, str]:
        """The newest full spelling of every key, with the key as it stands in the files."""
        canonical: dict[str, str] = {}
        for key in keys:
            name = key
            for old, new in self.old_endings:
                if name.endswith(old):
                    name = name.removesuffix(old) + new
            if self._find(name)[0] is None and self._find(self.body + name)[0] is not None:
                name = self.body + name
            if name in canonical:
                raise KeyConflictError(canonical[name], key, "claim the same place")
            canonical[name] = key
        return canonical


@dataclass(frozen=True)
class Source:
    """Where one of our tensors comes from.

    Attributes:
        key: as it stands in the files.
        rule: from their tensor to ours.
        part: which of the tensors that it holds ours is.
    """

    key: str
    rule: Weights
    part: int = 0

    def read(self, tensor: Tensor) -> Tensor:
        """Our tensor from theirs."""
        return self.rule.read(tensor, self.part)


@dataclass(frozen=True)
class Assignment:
    """Every key of the files, used once at most.

    Attributes:
        sources: for each of our keys, where it comes from.
        aliases: repeated keys, each with the key it must be equal to.
        dropped: keys that are no weights.
        unused: keys of heads that are not known here, outside of the body.
    """

    sources: Mapping[str, Source]
    aliases: Mapping[str, str]
    dropped: tuple[str, ...]
    unused: tuple[str, ...] = ()

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
