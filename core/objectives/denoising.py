"""The unsupervised objectives that T5's paper compares, on any list of tokens.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 3.3, table 3. Each is a pure function from tokens to inputs and targets; what
is random is drawn beforehand, so that a page can show one draw under several objectives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

import torch

from core.errors import ConfigError
from core.objectives.span_corruption import CorruptionRule, draw_corruption

Token = TypeVar("Token")
Sides = tuple[list[Token], list[Token]]  # inputs and targets


class Denoising(Enum):
    """The rows of the paper's table 3."""

    PREFIX = "prefix"  # prefix language modelling
    BERT_STYLE = "bert_style"  # masks and random tokens, the whole text as target
    DESHUFFLING = "deshuffling"  # the tokens in random order, the whole text as target
    MASK_TOKENS = "mask_tokens"  # masks only, the whole text as target: MASS-style
    REPLACE_SPANS = "replace_spans"  # runs of hidden tokens become one sentinel
    DROP_TOKENS = "drop_tokens"  # hidden tokens vanish, and are the target
    RANDOM_SPANS = "random_spans"  # as replaced spans, but spans are drawn, not single tokens


@dataclass(frozen=True)
class Marks(Generic[Token]):
    """What stands for hidden tokens.

    Attributes:
        mask: for any one token.
        sentinel: for the k-th span, counted from 0.
    """

    mask: Token
    sentinel: Callable[[int], Token]


@dataclass(frozen=True)
class NoiseDraw:
    """All random draws of a text, for every objective.

    Attributes:
        split: tokens of the prefix.
        order: a random order of all tokens.
        noise: tokens that are hidden, each independently of the others.
        random_tokens: of these, those that become a random token, each with its draw in [0, 1).
        spans: tokens that are hidden in spans.
    """

    split: int
    order: tuple[int, ...]
    noise: tuple[bool, ...]
    random_tokens: Mapping[int, float]
    spans: tuple[bool, ...]


def draw_noise(
    length: int,
    *,
    rule: CorruptionRule | None = None,
    random: float = 0.1,
    generator: torch.Generator,
) -> NoiseDraw:
    """Draw what happens to a text of so many tokens; at least one of them is hidden.

    Args:
        length: tokens.
        rule: how many are hidden, and how long spans are.
        random: of the hidden tokens, the share that BERT-style makes a random one: a tenth in
            section 3.3.1, where BERT itself also leaves some as they are.
        generator: of all random draws, on the CPU.

    Raises:
        ConfigError: fewer than two tokens.
    """
    rule = rule or CorruptionRule()
    if length < 2:
        raise ConfigError(f"a text of {length} tokens is too short to hide one")
    split = int(torch.randint(1, length, (), generator=generator))
    order = torch.randperm(length, generator=generator)
    uniforms = torch.rand(length, generator=generator)
    noise = (uniforms < rule.share) | (uniforms == uniforms.min())
    draws = torch.rand(length, 2, generator=generator)
    spans = draw_corruption(1, length, rule=rule, generator=generator)[0] > 0
    return NoiseDraw(
        split,
        tuple(order.tolist()),
        tuple(noise.tolist()),
        {
            position: float(draws[position, 1])
            for position in range(length)
            if noise[position] and draws[position, 0] < random
        },
        tuple(spans.tolist()),
    )


def prefix(tokens: Sequence[Token], split: int) -> Sides[Token]:
    """The first tokens as inputs, the others as targets."""
    return list(tokens[:split]), list(tokens[split:])


def bert_style(
    tokens: Sequence[Token], noise: Sequence[bool], mask: Token, random_tokens: Mapping[int, Token]
) -> Sides[Token]:
    """Hidden tokens become the mask, or the random token named for their position."""
    inputs = [
        random_tokens.get(position, mask) if hidden else token
        for position, (token, hidden) in enumerate(zip(tokens, noise, strict=True))
    ]
    return inputs, list(tokens)


def deshuffling(tokens: Sequence[Token], order: Sequence[int]) -> Sides[Token]:
    """The tokens in another order as inputs, in their own as targets."""
    return [tokens[position] for position in order], list(tokens)


def mask_tokens(tokens: Sequence[Token], noise: Sequence[bool], mask: Token) -> Sides[Token]:
    """Hidden tokens become the mask."""
    return bert_style(tokens, noise, mask, {})


def replace_spans(
    tokens: Sequence[Token], noise: Sequence[bool], sentinel: Callable[[int], Token]
) -> Sides[Token]:
    """Every run of hidden tokens becomes one sentinel; the targets end with one sentinel more."""
    inputs: list[Token] = []
    targets: list[Token] = []
    runs, before = 0, False
    for token, hidden in zip(tokens, noise, strict=True):
        if hidden and not before:
            inputs.append(sentinel(runs))
            targets.append(sentinel(runs))
            runs += 1
        (targets if hidden else inputs).append(token)
        before = hidden
    return inputs, [*targets, sentinel(runs)]


def drop_tokens(tokens: Sequence[Token], noise: Sequence[bool]) -> Sides[Token]:
    """Hidden tokens vanish; they are the targets."""
    pairs = list(zip(tokens, noise, strict=True))
    return (
        [token for token, hidden in pairs if not hidden],
        [token for token, hidden in pairs if hidden],
    )


def denoise(
    kind: Denoising,
    tokens: Sequence[Token],
    drawn: NoiseDraw,
    *,
    marks: Marks[Token],
    vocabulary: Sequence[Token],
) -> Sides[Token]:
    """Inputs and targets of a text under one objective.

    Args:
        kind: the objective.
        tokens: the text.
        drawn: of :func:`draw_noise`, for as many tokens.
        marks: what stands for hidden tokens.
        vocabulary: where random tokens come from.
    """
    match kind:
        case Denoising.PREFIX:
            return prefix(tokens, drawn.split)
        case Denoising.BERT_STYLE:
            random_tokens = {
                position: vocabulary[int(draw * len(vocabulary))]
                for position, draw in drawn.random_tokens.items()
            }
            return bert_style(tokens, drawn.noise, marks.mask, random_tokens)
        case Denoising.DESHUFFLING:
            return deshuffling(tokens, drawn.order)
        case Denoising.MASK_TOKENS:
            return mask_tokens(tokens, drawn.noise, marks.mask)
        case Denoising.REPLACE_SPANS:
            return replace_spans(tokens, drawn.noise, marks.sentinel)
        case Denoising.DROP_TOKENS:
            return drop_tokens(tokens, drawn.noise)
        case Denoising.RANDOM_SPANS:
            return replace_spans(tokens, drawn.spans, marks.sentinel)
