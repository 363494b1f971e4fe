"""Which parameters decay."""

import torch

from core.checkpoints import Checkpoint
from core.training.optimisers import adamw, set_rate


def test_matrices_decay_and_norms_and_biases_do_not(tiny_checkpoint: Checkpoint) -> None:
    model = tiny_checkpoint.model
    names = {parameter: name for name, parameter in model.named_parameters()}
    decaying, others = adamw(model, weight_decay=0.3).param_groups
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.3, 0.0)
    plain = {names[one] for one in others["params"]}
    assert plain == {
        name
        for name in names.values()
        if name.endswith("bias") or ".norm." in name or "_norm." in name
    }
    listed = [names[one] for group in (decaying, others) for one in group["params"]]
    assert sorted(listed) == sorted(names.values()), "every parameter exactly once"


def test_a_frozen_parameter_is_left_out() -> None:
    model = torch.nn.Linear(2, 2).requires_grad_(True)
    model.bias.requires_grad_(False)
    assert [len(group["params"]) for group in adamw(model).param_groups] == [1, 0]


def test_the_rate_holds_for_every_group(tiny_checkpoint: Checkpoint) -> None:
    optimiser = adamw(tiny_checkpoint.model)
    set_rate(optimiser, 0.25)
    assert [group["lr"] for group in optimiser.param_groups] == [0.25, 0.25]
