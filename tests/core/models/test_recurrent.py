"""The recurrent body against torch's unit, its attention by hand, one step against all at once."""

import copy
import math
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import FusedAttentionError, MissingHeadError, UsedAlreadyError
from core.hooks import Intervention, capture, intervene, replace_pattern
from core.models.alignment import DotScore
from core.models.architectures.seq2seq import seq2seq_config
from core.models.blocks.attention import fused_attention
from core.models.blocks.gated_unit import GatedUnit
from core.models.blocks.masks import Mask
from core.models.recurrent import AlignmentAttention, DecoderCell, RecurrentBody
from core.models.registry import build, build_empty
from core.recurrent_config import Alignment, Attends

PATTERN = "decoder.layers.0.cross_attention.pattern"
VARIANTS = [*product([*Alignment, None], Attends)]


def config_of(
    alignment: Alignment | None = Alignment.ADDITIVE, attends: Attends = Attends.PREVIOUS
) -> ModelConfig:
    return seq2seq_config(
        vocabulary=23,
        embedding_width=6,
        width=4,
        decoder_width=8,  # as wide as both directions together, as some scores want
        alignment=alignment,
        alignment_width=5,
        attends=attends,
        max_positions=9,
        initial_deviation=0.8,
    )


def model_of(config: ModelConfig) -> RecurrentBody:
    torch.manual_seed(3)
    model = build(config).eval()
    assert isinstance(model, RecurrentBody)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.uniform_(-0.5, 0.5)
    return model


def texts() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Four sources padded nowhere, on the right, on the left, on both sides; targets likewise."""
    ids = torch.randint(23, (4, 7), generator=torch.Generator().manual_seed(1))
    target = torch.randint(23, (4, 5), generator=torch.Generator().manual_seed(2))
    keep, target_keep = torch.ones_like(ids).bool(), torch.ones_like(target).bool()
    keep[1, 4:] = keep[2, :2] = keep[3, :1] = keep[3, 5:] = False
    target_keep[1, 3:] = target_keep[2, :1] = False
    return ids, target, keep, target_keep


def as_torch_has_it(unit: GatedUnit, other: GatedUnit | None = None) -> nn.GRU:
    size, width = unit.input_projection.in_features, unit.width
    theirs = nn.GRU(size, width, batch_first=True, bidirectional=other is not None)
    units = [("", unit)] if other is None else [("", unit), ("_reverse", other)]
    with torch.no_grad():
        for ending, one in units:
            for mine, name in ((one.input_projection, "ih"), (one.state_projection, "hh")):
                theirs.get_parameter(f"weight_{name}_l0{ending}").copy_(mine.weight)
                theirs.get_parameter(f"bias_{name}_l0{ending}").copy_(mine.bias)
    return theirs


@pytest.mark.parametrize("fused", [False, True])
@torch.no_grad()
def test_the_encoder_is_torchs_bidirectional_gru(fused: bool) -> None:
    encoder = model_of(config_of()).encoder
    assert encoder.backwards is not None
    theirs = as_torch_has_it(encoder.forwards, encoder.backwards)
    inputs = torch.randn(3, 7, 6)
    lengths = torch.tensor([7, 1, 4])
    keep = torch.arange(7) < lengths[:, None]
    packed = nn.utils.rnn.pack_padded_sequence(
        inputs, lengths, batch_first=True, enforce_sorted=False
    )
    packed_output, last = theirs(packed)
    expected, _ = nn.utils.rnn.pad_packed_sequence(packed_output, batch_first=True)
    if fused:
        with fused_attention():
            memory = encoder(inputs, keep)
    else:
        memory = encoder(inputs, keep)
    torch.testing.assert_close(memory, expected, atol=1e-6, rtol=0.0)
    start, summary = encoder.summarise(memory, keep)
    torch.testing.assert_close(start, last[1], atol=1e-6, rtol=0.0)
    torch.testing.assert_close(summary, torch.cat([last[0], last[1]], dim=-1), atol=1e-6, rtol=0.0)


@pytest.mark.parametrize("backwards", [False, True])
@torch.no_grad()
def test_padding_changes_nothing_wherever_it_stands(backwards: bool) -> None:
    unit = model_of(config_of()).encoder.forwards
    inputs = torch.randn(1, 6, 6)
    keep = torch.tensor([[False, True, True, False, True, False]])
    alone = unit.read(inputs[keep][None], backwards=backwards)
    explicit = unit.read(inputs, keep, backwards=backwards)
    with fused_attention():
        fused = unit.read(inputs, keep, backwards=backwards)
    for found in (explicit, fused):
        torch.testing.assert_close(found[keep], alone[0], atol=1e-6, rtol=0.0)
        assert not found[~keep].any()


def test_a_step_by_hand() -> None:
    unit = GatedUnit(1, 1)
    with torch.no_grad():
        for parameter in unit.parameters():
            parameter.zero_()
        unit.state_projection.weight[2] = 1.0  # the candidate reads the state
        unit.input_projection.weight[2] = 1.0  # and the input
        unit.input_projection.bias[0] = math.log(3.0)  # reset = 3/4
        unit.input_projection.bias[1] = -math.log(3.0)  # update = 1/4
    projected = unit.input_projection(torch.tensor([[0.5]]))
    following = unit.step(projected, torch.tensor([[2.0]]))
    expected = 3 / 4 * math.tanh(0.5 + 3 / 4 * 2.0) + 1 / 4 * 2.0
    assert float(following.detach()) == pytest.approx(expected, abs=1e-6)


def test_the_attention_by_hand() -> None:
    attention = AlignmentAttention(DotScore())
    memory = torch.tensor([[[math.log(1.0)], [math.log(2.0)], [math.log(5.0)]]])
    state = torch.tensor([[1.0]])
    context, look = attention(state, memory, memory, None)
    torch.testing.assert_close(look.pattern, torch.tensor([[[[1 / 8, 2 / 8, 5 / 8]]]]))
    expected = 2 / 8 * math.log(2.0) + 5 / 8 * math.log(5.0)
    torch.testing.assert_close(context, torch.tensor([[expected]]))
    mask = Mask.padding(torch.tensor([[True, True, False]]))
    context, look = attention(state, memory, memory, mask)
    torch.testing.assert_close(look.pattern, torch.tensor([[[[1 / 3, 2 / 3, 0.0]]]]))
    torch.testing.assert_close(context, torch.tensor([[2 / 3 * math.log(2.0)]]))
    torch.testing.assert_close(look.scores, memory.transpose(1, 2)[None])


@pytest.mark.parametrize("attends", Attends)
@torch.no_grad()
def test_the_decoder_is_the_papers_formulas_on_torchs_cell(attends: Attends) -> None:
    model = model_of(config_of(Alignment.ADDITIVE, attends))
    cell = model.decoder.layers[0]
    assert isinstance(cell, DecoderCell)
    assert cell.cross_attention is not None
    unit = cell.unit
    theirs = nn.GRUCell(unit.input_projection.in_features, unit.width)
    for mine, name in ((unit.input_projection, "ih"), (unit.state_projection, "hh")):
        theirs.get_parameter(f"weight_{name}").copy_(mine.weight)
        theirs.get_parameter(f"bias_{name}").copy_(mine.bias)
    ids, target, _, _ = texts()
    memory = model.encode(ids)
    table = model.embedding.token_table.weight
    weights = dict(cell.cross_attention.score.named_parameters())

    def context_of(state: Tensor) -> Tensor:
        rows = []
        for sentence, one in zip(memory, state, strict=True):
            scores = [
                weights["output.weight"][0]
                @ torch.tanh(
                    weights["query_projection.weight"] @ one
                    + weights["key_projection.weight"] @ annotation
                )
                for annotation in sentence
            ]
            rows.append(torch.stack(scores).softmax(0) @ sentence)
        return torch.stack(rows)

    first = model.decoder.first_state
    state = torch.tanh(memory[:, 0, 4:] @ first.weight.T + first.bias)
    fed = torch.zeros(4, 6)
    outputs = []
    for position in range(target.shape[1]):
        token = table[target[:, position]]
        if attends is Attends.PREVIOUS:
            context = context_of(state)
            state = theirs(torch.cat([token, context], -1), state)
            read = torch.cat([state, context, token], -1)
        else:
            state = theirs(torch.cat([token, fed], -1), state)
            read = torch.cat([state, context_of(state)], -1)
        fed = torch.tanh(read @ cell.readout.weight.T + cell.readout.bias)
        outputs.append(fed)
    expected = torch.stack(outputs, 1)
    found = model(ids, target)
    torch.testing.assert_close(found.hidden, expected, atol=1e-5, rtol=0.0)
    assert model.language is not None
    assert model.language.bias is not None
    logits = expected @ table.T + model.language.bias
    torch.testing.assert_close(found.logits, logits, atol=1e-5, rtol=0.0)


@pytest.mark.parametrize(("alignment", "attends"), VARIANTS)
@torch.no_grad()
def test_one_step_after_the_other_is_all_at_once(
    alignment: Alignment | None, attends: Attends
) -> None:
    model = model_of(config_of(alignment, attends))
    ids, target, keep, target_keep = texts()
    whole = model(ids, target, keep, target_keep).hidden
    memory, cache = model.encode(ids, keep), model.new_cache()
    for position in range(target.shape[1]):
        assert cache.length == position
        step = model.decode(
            target[:, position : position + 1],
            memory,
            memory_keep=keep,
            keep=target_keep[:, : position + 1],
            cache=cache,
        )
        torch.testing.assert_close(step[:, 0], whole[:, position], atol=1e-6, rtol=0.0)
        if position == 2:  # beams end and split
            rows = torch.tensor([1, 1, 3, 0])
            cache.reorder(rows)
            keep = keep[rows]  # the memory is kept in the cache
            target, target_keep, whole = target[rows], target_keep[rows], whole[rows]


@pytest.mark.parametrize(("alignment", "attends"), VARIANTS)
@torch.no_grad()
def test_padding_is_as_if_it_were_not_there(alignment: Alignment | None, attends: Attends) -> None:
    model = model_of(config_of(alignment, attends))
    ids, target, keep, target_keep = texts()
    together = model(ids, target, keep, target_keep)
    # Positions are counted from the first token, be it padding: only padding on the right is free.
    for row in range(2 if alignment is Alignment.LOCATION else 4):
        kept, target_kept = keep[row], target_keep[row]
        alone = model(ids[row][kept][None], target[row][target_kept][None])
        torch.testing.assert_close(
            together.logits[row][target_kept], alone.logits[0], atol=1e-5, rtol=0.0
        )


@pytest.mark.parametrize(("alignment", "attends"), [v for v in VARIANTS if v[0]])
@torch.no_grad()
def test_the_weights_are_a_cross_map_of_one_head(alignment: Alignment, attends: Attends) -> None:
    model = model_of(config_of(alignment, attends))
    ids, target, keep, _ = texts()
    with capture([PATTERN, PATTERN.replace("pattern", "step_pattern")]) as trace:
        model(ids, target, keep)
    pattern = trace[PATTERN]
    assert pattern.shape == (4, 1, 5, 7)
    torch.testing.assert_close(pattern.sum(-1), torch.ones(4, 1, 5))
    assert not pattern[(~keep)[:, None, None].expand_as(pattern)].any()
    steps = [record.value for record in trace.matching("**.step_pattern")]
    torch.testing.assert_close(torch.cat(steps, dim=2), pattern, atol=0.0, rtol=0.0)
    assert (pattern.amax(-1) - pattern.amin(-1)).min() > 1e-3


@torch.no_grad()
def test_a_step_can_be_changed_and_the_whole_map_cannot() -> None:
    model = model_of(config_of())
    ids, target, _, _ = texts()
    before = model(ids, target).logits

    def attend_to_the_last(pattern: Tensor, _site: object) -> Tensor:
        changed = torch.zeros_like(pattern)
        changed[..., -1] = 1.0
        return changed

    change = Intervention(PATTERN.replace("pattern", "step_pattern"), attend_to_the_last)
    with intervene(change), capture([PATTERN]) as trace:
        after = model(ids, target).logits
    assert (after - before).abs().amax() > 0.1
    assert torch.equal(trace[PATTERN][..., -1], torch.ones(4, 1, 5))
    with (
        pytest.raises(UsedAlreadyError, match="pattern"),
        intervene(replace_pattern(0, 0, torch.eye(5, 7), attention=PATTERN[: -len(".pattern")])),
    ):
        model(ids, target)


def test_gates_are_seen_on_the_explicit_path_only() -> None:
    model = model_of(config_of())
    ids, target, _, _ = texts()
    with capture(["encoder.*.update", "decoder.layers.0.unit.reset"]) as trace:
        model(ids, target)
    gates = [record.value for record in trace.records]
    assert len(gates) == 7 + 7 + 5
    assert all((gate > 0).all() and (gate < 1).all() for gate in gates)
    with (
        pytest.raises(FusedAttentionError),
        fused_attention(),
        capture(["encoder.forwards.update"]),
    ):
        model(ids, target)


@pytest.mark.parametrize(("alignment", "attends"), VARIANTS)
def test_every_parameter_learns(alignment: Alignment | None, attends: Attends) -> None:
    model = model_of(config_of(alignment, attends))
    ids, target, keep, target_keep = texts()
    model(ids, target, keep, target_keep).logits.square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name


def test_states_start_out_orthogonal() -> None:
    unit = build(config_of()).get_submodule("encoder.forwards")
    assert isinstance(unit, GatedUnit)
    for matrix in unit.state_projection.weight.detach().chunk(3):
        torch.testing.assert_close(matrix @ matrix.T, torch.eye(4), atol=1e-5, rtol=0.0)


def test_one_direction_and_no_head() -> None:
    config = replace(
        seq2seq_config(
            vocabulary=23, embedding_width=6, width=4, decoder_width=3, bidirectional=False
        ),
        heads=(),
    )
    model = model_of(config)
    ids, target, _, _ = texts()
    output = model(ids, target)
    assert output.memory[0].shape == (4, 7, 4)
    assert output.hidden.shape == (4, 5, 6)
    assert output.logits is None
    with pytest.raises(MissingHeadError, match="next words"):
        model.score_words(output.hidden)


def test_it_learns_to_write_backwards_and_looks_where_it_reads() -> None:
    torch.manual_seed(0)
    model = build(
        seq2seq_config(
            vocabulary=9, embedding_width=16, width=16, decoder_width=16, alignment_width=16,
            dropout=0.0, initial_deviation=0.2,
        )
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    generator = torch.Generator().manual_seed(0)

    def batch() -> tuple[Tensor, Tensor, Tensor]:
        ids = torch.stack([torch.randperm(8, generator=generator)[:4] + 1 for _ in range(64)])
        wanted = ids.flip(1)
        return ids, torch.cat([torch.zeros_like(ids[:, :1]), wanted[:, :-1]], dim=1), wanted

    for _ in range(90):
        ids, target, wanted = batch()
        loss = nn.functional.cross_entropy(model(ids, target).logits.flatten(0, 1),
                                           wanted.flatten())  # fmt: skip
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    ids, target, wanted = batch()
    with torch.no_grad(), capture([PATTERN]) as trace:
        found = model(ids, target).logits.argmax(-1)
    assert (found == wanted).float().mean() > 0.95
    attended = trace[PATTERN][:, 0].mean(0).argmax(-1)  # of 4 positions
    assert (attended[1:] <= attended[:-1]).all()  # from the end to the start
    assert attended[0] > attended[-1]


def lies_in_one_block(unit: GatedUnit) -> bool:
    """Whether every weight begins where the one before it ends, as cuDNN reads them."""
    ends = [weight.data_ptr() + weight.nbytes for weight in unit.weights]
    starts = [weight.data_ptr() for weight in unit.weights]
    one = len({weight.untyped_storage().data_ptr() for weight in unit.weights}) == 1
    return one and starts[1:] == ends[:-1] and all(one.is_contiguous() for one in unit.weights)


def units_of(model: nn.Module) -> list[GatedUnit]:
    return [module for module in model.modules() if isinstance(module, GatedUnit)]


def test_the_weights_of_a_unit_lie_in_one_block_whatever_is_done_to_the_model() -> None:
    model = build(config_of())
    state = {name: torch.randn_like(value) for name, value in model.state_dict().items()}
    named = dict(model.named_parameters())
    assert len(units_of(model)) == 3
    assert all(map(lies_in_one_block, units_of(model)))
    copied = copy.deepcopy(model)
    model.load_state_dict(state)
    model.double().bfloat16().to("cpu", torch.float32)
    assert dict(model.named_parameters()).keys() == named.keys()
    assert all(named[name] is one for name, one in model.named_parameters())
    assigned = build_empty(config_of())
    assigned.load_state_dict(state, assign=True)
    for one in (model, copied, assigned):
        assert all(map(lies_in_one_block, units_of(one)))
    for name, value in assigned.state_dict().items():
        torch.testing.assert_close(value, state[name], atol=0.0, rtol=0.0)
    assert not torch.equal(units_of(copied)[0].weights[0], units_of(model)[0].weights[0])


def test_weights_in_one_block_learn_as_those_of_torchs_unit() -> None:
    torch.manual_seed(1)
    unit = GatedUnit(6, 4)
    theirs = as_torch_has_it(unit)
    inputs = torch.randn(3, 7, 6)
    goal = torch.randn(3, 7, 4)
    mine = torch.optim.Adam(unit.parameters(), 0.1)
    other = torch.optim.Adam(theirs.parameters(), 0.1)
    for _ in range(3):
        mine.zero_grad()
        other.zero_grad()
        with fused_attention():
            (unit.read(inputs) - goal).pow(2).sum().backward()
        (theirs(inputs)[0] - goal).pow(2).sum().backward()
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        for name, weight in zip(names, unit.weights, strict=True):
            expected = theirs.get_parameter(name).grad
            torch.testing.assert_close(weight.grad, expected, atol=1e-4, rtol=1e-4)
        mine.step()
        other.step()
    assert lies_in_one_block(unit)


@torch.no_grad()
def test_a_long_text_is_read_in_parts_as_it_is_at_once() -> None:
    unit = GatedUnit(6, 4)
    inputs = torch.randn(2, 300, 6)
    with fused_attention():
        found = unit.read(inputs)
    torch.testing.assert_close(found, unit.read(inputs), atol=1e-6, rtol=0.0)
    theirs, _ = as_torch_has_it(unit)(inputs)
    torch.testing.assert_close(found, theirs, atol=1e-6, rtol=0.0)
