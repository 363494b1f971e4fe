"""What ``config.json`` says of rotary positions, in both of its layouts, to and from ours."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from core.hugging_face.errors import SettingError, shown
from core.hugging_face.limits import MAX_POSITIONS
from core.hugging_face.settings import COUNT, FLAG, MANDATORY, NUMBER, Json, Setting, ValueType
from core.rotary_config import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    RotaryConfig,
    RotaryScaling,
    YarnScaling,
)

_TRAINED = "original_max_position_embeddings"
_OPTIONAL_NUMBER = ValueType(
    f"{NUMBER.wanted}, or null", lambda value: None if value is None else NUMBER.read(value)
)


def _number(theirs: str, ours: str, default: Any = MANDATORY) -> Setting:
    kind = _OPTIONAL_NUMBER if default is None else NUMBER
    return Setting(theirs, ours, ours, kind, default, MAX_POSITIONS)


_FACTOR = _number("factor", "factor")
_POSITIONS = Setting(_TRAINED, "trained_positions", "trained_positions", COUNT, limit=MAX_POSITIONS)

# Their types, and what else an object of each has.
_TYPES: Mapping[str, tuple[type[RotaryScaling], tuple[Setting, ...]]] = {
    "linear": (LinearScaling, (_FACTOR,)),
    "dynamic": (DynamicScaling, (_FACTOR,)),
    "llama3": (
        Llama3Scaling,
        (
            _FACTOR,
            _number("low_freq_factor", "low"),
            _number("high_freq_factor", "high"),
            _POSITIONS,
        ),
    ),
    "yarn": (
        YarnScaling,
        (
            _FACTOR,
            _POSITIONS,
            _number("beta_fast", "fast", 32.0),
            _number("beta_slow", "slow", 1.0),
            _number("attention_factor", "attention_factor", None),
            Setting("truncate", "whole", "whole", FLAG, True),
        ),
    ),
}


def read_rotary(
    *, theta: float, rope_scaling: Json | None, rope_parameters: Json | None, positions: int
) -> RotaryConfig:
    """Rotary positions from the settings that :data:`ROTARY_SETTINGS` reads.

    Args:
        theta: what stands beside ``rope_scaling``; ``rope_parameters`` may have its own.
        positions: of the longest text that is stated.

    Raises:
        SettingError: a type of scaling or a part of it that does not exist here, or a number that
            is missing or malformed.
        TooLargeError: a number is over its limit.
        core.errors.ConfigError: the numbers contradict each other.
    """
    key = "rope_scaling" if rope_scaling else "rope_parameters"
    found = (rope_scaling or rope_parameters or {}).items()
    given = {name: value for name, value in found if value is not None}
    theta = Setting("rope_theta", "theta", "theta", NUMBER, theta).read(given)
    # Llama 3.1 came with both names of this.
    name = given.get("rope_type", given.get("type", "default"))
    if name != "default" and (not isinstance(name, str) or name not in _TYPES):
        known = ", ".join(("default", *_TYPES))
        raise SettingError(key, f"is of the type {shown(name)}; only {known} are supported")
    kind, parts = (None, ()) if name == "default" else _TYPES[name]
    allowed = {"rope_type", "type", "rope_theta", *(part.theirs for part in parts)}
    if unknown := sorted(given.keys() - allowed):
        raise SettingError(key, f"has {shown(unknown[0])}, not supported for the type {name!r}")
    if kind is None:
        return RotaryConfig(theta, positions)
    given = {_TRAINED: positions, **given}
    return RotaryConfig(
        theta, positions, kind(**{part.argument: part.read(given) for part in parts})
    )


def _object(value: Any) -> Json | None:
    if value is not None and not isinstance(value, dict):
        raise ValueError
    return value


def _scaling(scaling: RotaryScaling | None) -> dict[str, Any] | None:
    for name, (kind, parts) in _TYPES.items():
        if isinstance(scaling, kind):
            values = {part.theirs: attrgetter(part.path)(scaling) for part in parts}
            return {"rope_type": name, **values}
    return None


def _parameters(rotary: RotaryConfig) -> dict[str, Any]:
    return {"rope_theta": rotary.theta, **(_scaling(rotary.scaling) or {"rope_type": "default"})}


def _layout(theirs: str, path: str, write: Any) -> Setting:
    return Setting(theirs, theirs, path, ValueType("an object, or null", _object, write), None)


# Before version 5, transformers had the first two of these; since then it has the third. What we
# write has both.
ROTARY_SETTINGS = (
    Setting("rope_theta", "theta", "decoder.rotary.theta", NUMBER, 10_000.0),
    _layout("rope_scaling", "decoder.rotary.scaling", _scaling),
    _layout("rope_parameters", "decoder.rotary", _parameters),
)
