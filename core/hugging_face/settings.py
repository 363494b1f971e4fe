"""Hugging Face's flat ``config.json`` to and from our nested configuration, as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

from core.config import LABEL_HEADS, Activation, Head, ModelConfig
from core.hugging_face.errors import CannotSaveError, SettingError, TooLargeError, shown
from core.hugging_face.labels import read_labels, write_labels

Json = Mapping[str, Any]
QUANTISED: Final = "quantization_config"
MANDATORY: Final = object()


@dataclass(frozen=True)
class ValueType:
    """What values a setting takes.

    Attributes:
        wanted: in words, for the message.
        read: from the value in the file to ours; ``ValueError`` if it is not what is wanted.
        write: from our value to the one in the file.
    """

    wanted: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True)
class Setting:
    """One line of the table.

    Attributes:
        theirs: key in ``config.json``.
        argument: keyword of the family's builder of configurations.
        path: where the value stands in a :class:`ModelConfig`.
        kind: what values it takes.
        default: their value where the file is silent.
        limit: the largest number allowed.
    """

    theirs: str
    argument: str
    path: str
    kind: ValueType
    default: Any = MANDATORY
    limit: int | None = None

    def read(self, settings: Json) -> Any:
        """Our value.

        Raises:
            SettingError: the setting is missing or malformed.
            TooLargeError: the number is over the limit.
        """
        value = settings.get(self.theirs, self.default)
        if value is MANDATORY:
            raise SettingError(self.theirs, "is missing")
        try:
            value = self.kind.read(value)
        except (ValueError, OverflowError) as error:
            problem = f"should be {self.kind.wanted}, not {shown(value)}"
            raise SettingError(self.theirs, problem) from error
        if self.limit is not None and value is not None and value > self.limit:
            raise TooLargeError(self.theirs, value, self.limit)
        return value


@dataclass(frozen=True)
class ConfigTable:
    """Everything about one family's ``config.json``.

    Attributes:
        build: makes a configuration from the settings' arguments and ``predicts``, ``pooler``.
        settings: the values that are translated.
        constants: values without a counterpart here: what the file must say if it says anything,
            and what an exported file says.
        multiples: pairs of settings, of which the first must be a multiple of the second.
        architectures: name of each class there, with the heads that it has.
        copies: settings that must say the same as another one, with that one.
        extra_heads: heads that no class there has: they do not matter when one is chosen.
        defaults: what transformers takes where a file is silent.
        other_names: further names of settings, each with the one that is translated.
    """

    build: Callable[..., ModelConfig]
    settings: tuple[Setting, ...]
    constants: Json
    multiples: tuple[tuple[str, str], ...]
    architectures: Mapping[str, tuple[Head, ...]]
    copies: Mapping[str, str] = field(default_factory=dict)
    extra_heads: tuple[Head, ...] = ()
    defaults: Json = field(default_factory=dict)
    other_names: Mapping[str, str] = field(default_factory=dict)

    def completed(self, settings: Json) -> Json:
        """The settings under their first names, with what transformers adds.

        Raises:
            SettingError: two names of one setting say different things, or the weights are
                quantised.
        """
        if settings.get(QUANTISED) is not None:
            raise SettingError(
                QUANTISED,
                "says that the weights are quantised; only plain ones"
                " (float16, bfloat16, float32, float64) are supported",
            )
        found = dict(settings)
        for other, name in self.other_names.items():
            if other in settings and settings[other] != found.setdefault(name, settings[other]):
                problem = f"is {shown(settings[other])}, but {name} is {shown(found[name])}"
                raise SettingError(other, problem)
        return {**self.defaults, **found}

    def arguments(self, settings: Json) -> dict[str, Any]:
        """The builder's arguments; every number is within its limits.

        Raises:
            SettingError: a setting is missing, malformed, contradicts another one or asks for
                what does not exist here.
            TooLargeError: a number is over its limit.
        """
        for key, wanted in self.constants.items():
            # Null is as good as silence, but for a flag, which transformers refuses as well.
            silent = key not in settings or (settings[key] is None and type(wanted) is not bool)
            if not silent and settings[key] != wanted:
                raise SettingError(
                    key, f"is {shown(settings[key])}, but only {wanted!r} is supported"
                )
        values = {setting.theirs: setting.read(settings) for setting in self.settings}
        for copy, first in self.copies.items():
            if copy in settings and settings[copy] != values[first]:
                raise SettingError(
                    copy, f"is {shown(settings[copy])}, but {first} is {values[first]}"
                )
        for whole, part in self.multiples:
            if values[whole] % values[part]:
                raise SettingError(
                    whole, f"is {values[whole]}, not a multiple of {part}, {values[part]}"
                )
        return {setting.argument: values[setting.theirs] for setting in self.settings}

    def configuration(
        self,
        arguments: Json,
        heads: tuple[Head, ...],
        *,
        pooler: bool,
        own_words: bool,
        settings: Json,
    ) -> ModelConfig:
        """A configuration from the settings' arguments and what the files hold.

        Args:
            arguments: of :meth:`arguments`.
            settings: which name the labels, where a head gives some.
            heads: that it has.
            pooler: whether it has one.
            own_words: whether words are scored with a matrix that is not the token table,
                whatever the settings say.
        """
        found = {**arguments, "tied": False} if own_words else arguments
        if not LABEL_HEADS.isdisjoint(heads):
            found = {**found, "labels": read_labels(settings)}
        return self.build(**found, predicts=heads, pooler=pooler)

    def promised_heads(self, settings: Json) -> set[Head]:
        """The heads of the classes in ``architectures``; classes we do not know promise none."""
        names = settings.get("architectures")
        names = names if isinstance(names, list) else []
        return {head for name in names for head in self.architectures.get(str(name), ())}

    def write(self, config: ModelConfig) -> dict[str, Any]:
        """The settings of a configuration, with ``architectures``.

        Raises:
            CannotSaveError: there is no such class there, or reading back would give another
                configuration.
        """
        written = dict(self.constants)
        for setting in self.settings:
            written[setting.theirs] = setting.kind.write(attrgetter(setting.path)(config))
        written |= {copy: written[first] for copy, first in self.copies.items()}
        if config.labels is not None:
            written |= write_labels(config.labels)
        known = set(config.heads) - set(self.extra_heads)
        names = [name for name, heads in self.architectures.items() if set(heads) == known]
        again = self.configuration(
            self.arguments(written),
            config.heads,
            pooler=config.pooler,
            own_words=not config.tied,
            settings=written,
        )
        if not names or again != config:
            raise CannotSaveError(f"config.json of {config.system} cannot express this model")
        return {"architectures": names[:1], **written}


def whole_number(value: Any) -> int:
    """The value, if it is a whole number of at least 1; ``ValueError`` if it is not."""
    if type(value) is not int or value < 1:
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _number_from_0(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _optional_count(value: Any) -> int | None:
    return None if value is None else whole_number(value)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ValueError
    return float(value)


def _probability(value: Any) -> float:
    if (number := _number(value)) >= 1.0:
        raise ValueError
    return number


# Their several names for one function.
_ACTIVATION_NAMES = {
    "gelu_python": Activation.GELU,
    "gelu_pytorch_tanh": Activation.GELU_TANH,
    "gelu_fast": Activation.GELU_TANH,
    "gelu_accurate": Activation.GELU_TANH,
    "gelu_python_tanh": Activation.GELU_TANH,
    "swish": Activation.SILU,
    **{activation.value: activation for activation in Activation},
}


def _activation(value: Any) -> Activation:
    if not isinstance(value, str) or value not in _ACTIVATION_NAMES:
        raise ValueError
    return _ACTIVATION_NAMES[value]


# GPT-1's "gelu" has always been the tanh approximation.
_FIRST_GPTS_NAMES = {"gelu": Activation.GELU_TANH, "relu": Activation.RELU}


def _first_gpts_activation(value: Any) -> Activation:
    if not isinstance(value, str) or value not in _FIRST_GPTS_NAMES:
        raise ValueError
    return _FIRST_GPTS_NAMES[value]


def optional(kind: ValueType) -> ValueType:
    """The same values, or null: what is said elsewhere counts."""
    return ValueType(
        f"{kind.wanted}, or null",
        lambda value: None if value is None else kind.read(value),
        kind.write,
    )


COUNT = ValueType("a whole number of at least 1", whole_number)
FLAG = ValueType("true or false", _flag)
NUMBER_FROM_0 = ValueType("a whole number of at least 0", _number_from_0)
OPTIONAL_COUNT = ValueType("a whole number of at least 1, or null", _optional_count)
NUMBER = ValueType("a number of at least 0", _number)
PROBABILITY = ValueType("a number of at least 0 and below 1", _probability)
ACTIVATION = ValueType(
    f"one of {', '.join(_ACTIVATION_NAMES)}", _activation, lambda activation: activation.value
)
FIRST_GPTS_ACTIVATION = ValueType(
    f"one of {', '.join(_FIRST_GPTS_NAMES)}",
    _first_gpts_activation,
    lambda activation: next(n for n, one in _FIRST_GPTS_NAMES.items() if one is activation),
)
