"""Which parameters decay."""

import copy
import math
from pathlib import Path

import pytest
import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.training.optimisers import Method, adamw, optimiser_of, set_rate
from core.training.state import RunState, load_state, save_state


def stepped(optimiser: torch.optim.Optimizer, model: nn.Module, steps: int = 7) -> torch.Tensor:
    """The weights after some steps down one slope."""
    for step in range(steps):
        set_rate(optimiser, 0.1 / (1 + step))
        optimiser.zero_grad()
        model(torch.tensor([[1.0, -2.0, 0.5]])).square().sum().backward()
        optimiser.step()
    return next(model.parameters()).detach()


def small() -> nn.Linear:
    torch.manual_seed(1)
    return nn.Linear(3, 2, bias=False)


@pytest.mark.parametrize("method", list(Method))
def test_every_method_decays_matrices_only_and_goes_down(method: Method) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Embedding(5, 2))
    groups = optimiser_of(method, model, weight_decay=0.3).param_groups
    decays = [(one.ndim, group["weight_decay"]) for group in groups for one in group["params"]]
    assert decays == [(2, 0.3)] * 2 + [(1, 0.0)] * 3
    down = small()
    before = down(torch.ones(1, 3)).norm()
    stepped(optimiser_of(method, down), down)
    assert not torch.equal(down(torch.ones(1, 3)).norm(), before)


def test_adam_has_the_transformers_numbers_and_radam_decays_beside_the_gradient() -> None:
    ours, theirs = small(), small()
    adam = torch.optim.Adam(theirs.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    found = stepped(optimiser_of(Method.ADAM, ours, weight_decay=0.0), ours)
    assert torch.equal(found, stepped(adam, theirs))
    # Until RAdam trusts its variance it descends plainly; decay takes its share besides.
    model = small()
    weight = model.weight.detach().clone()
    slope = 2 * model(torch.tensor([[1.0, -2.0, 0.5]])).T @ torch.tensor([[1.0, -2.0, 0.5]])
    expected = weight * (1 - 0.1 * 0.5) - 0.1 * slope.detach()
    found = stepped(optimiser_of(Method.RADAM, model, weight_decay=0.5), model, steps=1)
    torch.testing.assert_close(found, expected)


def test_relative_rates_are_multiplied_by_the_size_of_the_weights() -> None:
    model = nn.Linear(2, 2)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[3.0, -4.0], [0.0, 5.0]]))
        model.bias.zero_()
    before = model.weight.detach().clone()
    optimiser = optimiser_of(Method.RELATIVE_ADAMW, model, weight_decay=0.0)
    for _ in range(2):  # the rate of a step does not stay for the next
        set_rate(optimiser, 0.01)
        optimiser.zero_grad()
        model(torch.ones(1, 2)).sum().backward()  # every gradient is 1, so is every update
        optimiser.step()
    size = math.sqrt((9 + 16 + 25) / 4)
    moved = before - model.weight.detach()
    assert torch.allclose(moved, torch.tensor(2 * 0.01 * size), rtol=0.02)
    # Weights that are nothing yet move by a thousandth of the rate.
    assert torch.allclose(model.bias.detach(), torch.tensor(-2 * 0.01 * 1e-3), rtol=0.01)


def test_muon_moves_every_direction_of_a_matrix_alike_and_leaves_tables_to_adamw() -> None:
    torch.manual_seed(0)
    table, tall, wide = nn.Embedding(4, 8), nn.Linear(8, 24), nn.Linear(24, 8)
    model = nn.Sequential(table, tall, wide)
    before = [one.detach().clone() for one in model.parameters()]
    muon = optimiser_of(Method.MUON, model, weight_decay=0.0)
    plain = copy.deepcopy(model)
    adamw_of_all = optimiser_of(Method.RELATIVE_ADAMW, plain, weight_decay=0.0)
    for one, optimiser in ((model, muon), (plain, adamw_of_all)):
        set_rate(optimiser, 0.01)
        # A slope of which two directions are a hundred times as steep as the others.
        steep = torch.diag(torch.tensor([100.0, 100, 1, 1, 1, 1, 1, 1]))
        (one(torch.tensor([0, 2])) @ steep).square().sum().backward()
        optimiser.step()
    moved = [old - new.detach() for old, new in zip(before, model.parameters(), strict=True)]
    for move, size in (
        (moved[1], 0.01 * 3**0.5),
        (moved[3], 0.01),
    ):  # 24 rows of 8 columns, 8 of 24
        values = torch.linalg.svdvals(move / size)
        reached = values[values > 0.1]
        assert len(reached) == 2, "two texts ask for two directions"
        assert 0.6 < reached.min() <= reached.max() < 1.2
    for number in (0, 2, 4):  # the table and the biases
        assert torch.equal(list(model.parameters())[number], list(plain.parameters())[number])


def test_muon_goes_on_from_what_was_saved(tmp_path: Path) -> None:
    def run(steps: int, cut: int | None = None) -> torch.Tensor:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5))
        optimiser = optimiser_of(Method.MUON, model)
        for step in range(steps):
            if step == cut:
                generator = torch.Generator()
                save_state(tmp_path, RunState(), model, optimiser, generator)
                model = nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5))
                optimiser = optimiser_of(Method.MUON, model)
                load_state(tmp_path, model, optimiser, generator)
            set_rate(optimiser, 0.1)
            optimiser.zero_grad()
            model(torch.tensor([[1.0, -2.0, 0.5]])).square().sum().backward()
            optimiser.step()
        return next(model.parameters()).detach()

    assert torch.equal(run(6), run(6, cut=3))


def test_adafactor_keeps_a_row_and_a_column_and_its_rate_is_relative() -> None:
    model = nn.Linear(6, 4, bias=False)
    optimiser = optimiser_of(Method.ADAFACTOR, model, weight_decay=0.0)
    set_rate(optimiser, 0.01)
    before = model.weight.detach().clone()
    model(torch.ones(1, 6)).sum().backward()  # every gradient is 1, so is every update
    optimiser.step()
    kept = {name: tuple(value.shape) for name, value in optimiser.state[model.weight].items()}
    assert kept == {"step": (), "row_var": (4, 1), "col_var": (1, 6)}
    step = 0.01 * before.square().mean().sqrt()
    torch.testing.assert_close(model.weight.detach(), before - step)


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
