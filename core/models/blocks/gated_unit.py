"""The gated recurrent unit: one state that a text is read into, token by token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import FusedAttentionError
from core.hooks.point import HookPoint
from core.models.blocks.attention import fused_wanted
from core.models.blocks.weights import Linear

_PART = 128  # tokens of one fused call: between two of them, reading can be stopped


class StateProjection(Linear):
    """The three matrices from state to state, which start orthogonal: no state fades or grows.

    Source: Bahdanau et al. 2015, appendix B.1.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, 3 * width)

    def initialise(self, config: ModelConfig) -> None:
        """See the class."""
        super().initialise(config)
        for matrix in self.weight.chunk(3):
            nn.init.orthogonal_(matrix)


class GatedUnit(nn.Module):
    """A gated recurrent unit in the form of ``torch.nn.GRU``.

    ::

        reset     = sigmoid(W_r x + b_r + U_r s + c_r)
        update    = sigmoid(W_u x + b_u + U_u s + c_u)
        candidate = tanh(W_n x + b_n + reset * (U_n s + c_n))
        s'        = (1 - update) * candidate + update * s

    The three W stand one below the other in ``input_projection``, the three U in
    ``state_projection``. All weights lie in one block of memory, in the order in which cuDNN wants
    them: it would copy them together at every call, with a warning. Each is a parameter all the
    same.

    Hook points, one visit a step: ``input`` ``[batch, 3 * width]``, the three W x + b; ``reset``,
    ``update``, ``candidate`` ``[batch, width]``.

    Source: Cho et al. 2014, "Learning Phrase Representations using RNN Encoder-Decoder", section
    2.3. There the reset gate meets the state before U_n does; in Bahdanau et al. 2015 the update
    gate weighs the candidate, and one minus it the old state.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.input_projection = Linear(inputs, 3 * width)
        self.state_projection = StateProjection(width)
        self.input = HookPoint()
        self.reset, self.update, self.candidate = HookPoint(), HookPoint(), HookPoint()
        self._join_weights()
        self.register_load_state_dict_post_hook(_join_loaded)  # type: ignore[no-untyped-call]

    @property
    def weights(self) -> list[Tensor]:
        """As ``torch.gru`` takes them, in the order in which they lie in memory."""
        inputs, states = self.input_projection, self.state_projection
        return [inputs.weight, states.weight, inputs.bias, states.bias]

    @torch.no_grad()
    def _join_weights(self) -> None:
        """Move the weights into one block of memory; they stay the parameters that they are."""
        weights = self.weights
        if any(weight.is_meta for weight in weights):
            return  # without numbers, until some are loaded
        block = torch.cat([weight.flatten() for weight in weights])
        sizes = [weight.numel() for weight in weights]
        for weight, part in zip(weights, block.split(sizes), strict=True):
            weight.data = part.view_as(weight)

    # Another device or type, and a copy, give every parameter memory of its own.

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self._join_weights()
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._join_weights()

    def new_state(self, inputs: Tensor) -> Tensor:
        """Zeros ``[batch, width]`` for inputs ``[batch, ...]``."""
        return inputs.new_zeros(inputs.shape[0], self.width)

    def step(self, projected: Tensor, state: Tensor) -> Tensor:
        """One token further.

        Args:
            projected: what ``input_projection`` makes of the token, ``[batch, 3 * width]``.
            state: ``[batch, width]``.

        Returns:
            The next state ``[batch, width]``.
        """
        reset_in, update_in, candidate_in = self.input(projected).chunk(3, dim=-1)
        reset_at, update_at, candidate_at = self.state_projection(state).chunk(3, dim=-1)
        reset = self.reset((reset_in + reset_at).sigmoid())  # [batch, width]
        update = self.update((update_in + update_at).sigmoid())
        candidate = self.candidate((candidate_in + reset * candidate_at).tanh())
        return candidate + update * (state - candidate)

    def read(
        self, inputs: Tensor, keep: Tensor | None = None, *, backwards: bool = False
    ) -> Tensor:
        """The state after every token of a sequence; padding leaves it as it is.

        Args:
            inputs: ``[batch, token, size]``.
            keep: boolean ``[batch, token]``, False at padding, wherever that stands.
            backwards: whether to start with the last token.

        Returns:
            ``[batch, token, width]``, zeros at padding.

        Raises:
            FusedAttentionError: gates are watched on the fused path.
        """
        if fused_wanted():
            return self._read_fused(inputs, keep, backwards)
        projected = self.input_projection(inputs)  # [batch, token, 3 * width]
        state = self.new_state(inputs)
        states = [state] * inputs.shape[1]
        positions = range(inputs.shape[1])
        for position in reversed(positions) if backwards else positions:
            following = self.step(projected[:, position], state)
            state = following if keep is None else following.where(keep[:, position, None], state)
            states[position] = state
        output = torch.stack(states, dim=1)  # [batch, token, width]
        return output if keep is None else output * keep[..., None]

    def _stop_if_wanted(self, part: Tensor) -> None:
        """Give those who stop a pass the chance to; nobody else sees anything on this path."""
        if torch.compiler.is_compiling():
            return
        if self.input.watched():
            self.input(part)
        for point in (self.input, self.reset, self.update, self.candidate):
            if site := point.watched():
                raise FusedAttentionError(site.name)

    def _read_fused(self, inputs: Tensor, keep: Tensor | None, backwards: bool) -> Tensor:
        order = _reading_order(inputs, keep, backwards)[..., None]  # [batch, token, 1]
        # Whatever half precision is asked for, torch would take float16 here, whose range is small.
        with torch.autocast(inputs.device.type, enabled=False):
            inputs = inputs.to(self.input_projection.weight.dtype)
            ordered = inputs.gather(1, order.expand_as(inputs))
            outputs, state = [], self.new_state(inputs)[None]  # state [1, batch, width]
            # Training, which nobody stops, takes all tokens in one call.
            for part in ordered.split(ordered.shape[1] if torch.is_grad_enabled() else _PART, 1):
                self._stop_if_wanted(part)
                output, state = torch.gru(
                    part,
                    state,
                    self.weights,
                    has_biases=True,
                    num_layers=1,
                    dropout=0.0,
                    train=self.training,
                    bidirectional=False,
                    batch_first=True,
                )
                outputs.append(output)
            output = torch.cat(outputs, dim=1)  # [batch, token, width]
        order = order.expand_as(output)
        output = torch.zeros_like(output).scatter(1, order, output)
        return output if keep is None else output * keep[..., None]


def _join_loaded(unit: GatedUnit, _keys: object) -> None:
    unit._join_weights()


def _reading_order(inputs: Tensor, keep: Tensor | None, backwards: bool) -> Tensor:
    """Positions in the order in which they are read, padding last, ``[batch, token]``.

    Five positions, of which the first is padding: 1 2 3 4 0, and backwards 4 3 2 1 0.
    """
    tokens = inputs.shape[1]
    rank = torch.arange(tokens, device=inputs.device).expand(inputs.shape[:2])
    rank = tokens - 1 - rank if backwards else rank
    return (rank if keep is None else rank + tokens * ~keep).argsort(dim=1)
