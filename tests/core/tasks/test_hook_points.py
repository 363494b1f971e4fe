"""What a task says comes from hook points: without one, or under another name, it refuses."""

import copy
import importlib
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.errors import NothingCapturedError
from core.hooks import HookPoint, Intervention, intervene
from core.hooks.sites import matches_any
from core.tasks.ablate_each import ablate_each
from core.tasks.attend import attend
from core.tasks.break_down import break_down
from core.tasks.compare_masks import compare_masks
from core.tasks.continue_text import continue_text
from core.tasks.detect_replaced import REPLACED, detect_replaced
from core.tasks.errors import TooManyWeightsError
from core.tasks.fill_mask import fill_mask
from core.tasks.fill_spans import fill_spans
from core.tasks.forward import POSITIONS, inputs_of
from core.tasks.input_terms import input_terms
from core.tasks.judge_pair import judge_pair
from core.tasks.judge_text import judge_text
from core.tasks.layer_steps import layer_steps
from core.tasks.logit_lens import logit_lens
from core.tasks.next_word import next_word
from core.tasks.npz import write_npz
from core.tasks.position_codes import (
    constant_position_scores,
    distance_bias,
    position_scores,
    position_table,
)
from core.tasks.random_masking import random_masking
from core.tasks.read_side import read_side
from core.tasks.replace_by_generator import replace_by_generator, sample_replacements
from core.tasks.restore_order import restore_order
from core.tasks.shuffle_words import shuffle_words
from core.tasks.span_terms import span_terms
from core.tasks.step_spans import step_spans
from core.tasks.translate import translate
from core.tasks.watch_translation import watch_translation
from tests.tiny_checkpoints import write_tiny

TEXT = "The keeper of the lighthouse mends his old boat."
PAIR = "He will need it in spring."
BLANK = "The keeper ___ his old boat."
MASKED, NEXT = "masked_language.logits", "language.logits"

Task = Callable[[Checkpoint], Any]
# The module, which the function of its name hides in the package.
capturing = importlib.import_module("core.hooks.point")


def judged_by(generator: Checkpoint) -> Task:
    return lambda checkpoint: replace_by_generator(checkpoint, generator, TEXT)


# By task: a checkpoint, the hook point of its head, and what is asked.
TASKS: dict[str, tuple[str, str, Task]] = {
    "fill_mask": ("bert", MASKED, lambda one: fill_mask(one, TEXT, mask_words=[1])),
    "logit_lens": ("bert", MASKED, lambda one: logit_lens(one, TEXT, mask_words=[1])),
    "compare_masks": (
        "albert",
        MASKED,
        lambda one: compare_masks(one, TEXT, mask_words=[1], off=[(0, 1)]),
    ),
    "ablate_each": ("albert", MASKED, lambda one: ablate_each(one, TEXT, mask_words=[1])),
    "fill_mask by a query stream": (
        "xlnet",
        NEXT,
        lambda one: fill_mask(one, TEXT, mask_words=[1]),
    ),
    "read_side of masks": ("bert", MASKED, lambda one: read_side(one, TEXT, mask_words=[1])),
    "read_side of a next word": ("gpt", NEXT, lambda one: read_side(one, TEXT)),
    "random_masking": ("bert", MASKED, lambda one: random_masking(one, TEXT)),
    "shuffle_words": ("bert", MASKED, lambda one: shuffle_words(one, TEXT, mask_words=[1])),
    "restore_order": ("structbert", MASKED, lambda one: restore_order(one, TEXT)),
    "sample_replacements": (
        "electra-generator",
        MASKED,
        lambda one: sample_replacements(one, TEXT),
    ),
    "span_terms, the word": (
        "spanbert",
        MASKED,
        lambda one: span_terms(one, TEXT, first=1, last=2, word=1),
    ),
    "span_terms, the boundary": (
        "spanbert",
        "span_boundary.logits",
        lambda one: span_terms(one, TEXT, first=1, last=2, word=1),
    ),
    "detect_replaced": ("electra", "replaced_token.logits", lambda one: detect_replaced(one, TEXT)),
    "judge_pair": ("bert", "next_sentence.logits", lambda one: judge_pair(one, TEXT, PAIR)),
    "judge_pair, sentence order": (
        "albert",
        "sentence_order.logits",
        lambda one: judge_pair(one, TEXT, PAIR),
    ),
    "judge_pair, three orders": (
        "structbert",
        "sentence_structure.logits",
        lambda one: judge_pair(one, TEXT, PAIR),
    ),
    "judge_text, in steps": (
        "mtdnn",
        "tasks.order_head.probabilities",
        lambda one: judge_text(one, TEXT, PAIR),
    ),
    "judge_text, a number": (
        "mtdnn",
        "tasks.likeness_head.scores",
        lambda one: judge_text(one, TEXT, PAIR),
    ),
    "next_word": ("gpt", NEXT, lambda one: next_word(one, TEXT)),
    "continue_text": ("gpt", NEXT, lambda one: continue_text(one, TEXT, most=2)),
    "fill_spans": ("t5", NEXT, lambda one: fill_spans(one, BLANK)),
    "step_spans": ("t5", NEXT, lambda one: step_spans(one, BLANK)),
    "translate": ("transformer", NEXT, lambda one: translate(one, TEXT, language="de")),
    "watch_translation": ("seq2seq", NEXT, lambda one: watch_translation(one, TEXT)),
}


PATTERN = "encoder.layers.*.attention.pattern"
MASKED_SCORES = "encoder.layers.0.attention.masked_scores"
# Tasks that read sites of the body: a checkpoint, some of these sites, and what is asked.
PASSES: dict[str, tuple[str, tuple[str, ...], Task]] = {
    "attend": ("bert", (PATTERN, MASKED_SCORES, POSITIONS), lambda one: attend(one, TEXT)),
    "attend, a decoder": (
        "gpt",
        ("decoder.layers.*.attention.pattern",),
        lambda one: attend(one, TEXT),
    ),
    "attend, two streams": (
        "xlnet",
        (PATTERN,),
        lambda one: attend(one, TEXT, order="random"),
    ),
    "attend, two texts": (
        "t5",
        (PATTERN, "decoder.layers.*.cross_attention.pattern", "encoder.position_bias"),
        lambda one: attend(one, BLANK, target="___ mends"),
    ),
    "attend, recurrent": (
        "seq2seq",
        ("decoder.layers.*.cross_attention.pattern",),
        lambda one: attend(one, TEXT, target=PAIR),
    ),
    "break_down": (
        "bert",
        ("encoder.layers.1.attention.query",),
        lambda one: break_down(
            one, one.tokenizer.encode(TEXT).ids, kind="encoder", layer=1, head=0, query=2, key=1
        ),
    ),
    "fill_mask with patterns": (
        "bert",
        (PATTERN, MASKED),
        lambda one: fill_mask(one, TEXT, mask_words=[1], patterns=True),
    ),
    "logit_lens": (
        "bert",
        ("encoder.layers.*.output",),
        lambda one: logit_lens(one, TEXT, mask_words=[1]),
    ),
    "input_terms": ("bert", (POSITIONS,), lambda one: input_terms(one, TEXT, PAIR)),
    "layer_steps": ("bert", ("encoder.layers.*.input",), lambda one: layer_steps(one, TEXT)),
    "shuffle_words": ("bert", (), lambda one: shuffle_words(one, TEXT, mask_words=[1])),
    "span_terms": ("spanbert", (), lambda one: span_terms(one, TEXT, first=1, last=2, word=1)),
    "judge_text": ("mtdnn", (), lambda one: judge_text(one, TEXT, PAIR)),
    "position_table": ("bert", (POSITIONS,), lambda one: position_table(one, 4)),
    "distance_bias": ("t5", ("encoder.position_bias",), lambda one: distance_bias(one, 4)),
    "position_scores": ("xlnet", (), lambda one: position_scores(one, TEXT)),
    "constant_position_scores": ("xlnet", (), lambda one: constant_position_scores(one, 4)),
    "watch_translation": ("seq2seq", (), lambda one: watch_translation(one, TEXT)),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Checkpoint]:
    root, known = tmp_path_factory.mktemp("models"), {}

    def load(name: str) -> Checkpoint:
        if name not in known:
            path: Path = write_tiny(name, root / name)
            policy = LoadPolicy(roots=(root,))
            known[name] = load_checkpoint(str(path), device="cpu", policy=policy)
        return known[name]

    return load


def without(checkpoint: Checkpoint, site: str) -> Checkpoint:
    """The same weights, the hook point replaced by the identity that it is without a listener."""
    model = copy.deepcopy(checkpoint.model)
    head, _, point = site.rpartition(".")
    assert isinstance(model.get_submodule(site), HookPoint)
    setattr(model.get_submodule(head), point, nn.Identity())
    return replace(checkpoint, model=model)


def renamed(checkpoint: Checkpoint, pattern: str) -> Checkpoint:
    """The same weights, the hook points of a site under names that nobody asks for."""
    model = copy.deepcopy(checkpoint.model)
    points = [one for one in model.modules() if isinstance(one, HookPoint)]
    found = [one for one in points if matches_any(one.path, (pattern,))]
    assert found
    for point in found:
        point.path = f"elsewhere.{point.path}"
    return replace(checkpoint, model=model)


def sites_of(ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The patterns of all sites that something captures."""
    asked: dict[str, None] = {}
    for name in ("Trace", "_Last"):
        kind = getattr(capturing, name)

        def noting(wanted: Any, *options: Any, kind: Any = kind) -> Any:
            asked.update(dict.fromkeys([wanted] if isinstance(wanted, str) else wanted))
            return kind(wanted, *options)

        monkeypatch.setattr(capturing, name, noting)
    ask()
    monkeypatch.undo()
    return list(asked)


@pytest.mark.parametrize("change", [without, renamed])
@pytest.mark.parametrize("task", TASKS)
def test_a_task_refuses_a_head_without_its_hook_point(
    opened: Callable[[str], Checkpoint], task: str, change: Callable[..., Checkpoint]
) -> None:
    name, site, ask = TASKS[task]
    checkpoint = opened(name)
    ask(checkpoint)
    with pytest.raises(NothingCapturedError, match=site) as caught:
        ask(change(checkpoint, site))
    assert site in caught.value.sites


@pytest.mark.parametrize("task", PASSES)
def test_a_task_refuses_a_body_whose_hook_points_have_other_names(
    opened: Callable[[str], Checkpoint], task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, sites, ask = PASSES[task]
    checkpoint = opened(name)
    asked = sites_of(lambda: ask(checkpoint), monkeypatch)
    assert set(asked) >= set(sites)
    for site in asked:
        # In all layers, and in one alone: the others are no answer.
        for gone in dict.fromkeys((site, site.replace("*", "0"))):
            with pytest.raises(NothingCapturedError) as caught:
                ask(renamed(checkpoint, gone))
            assert site in caught.value.sites


@pytest.mark.parametrize("change", [without, renamed])
def test_both_of_electras_networks_are_asked_at_their_hook_points(
    opened: Callable[[str], Checkpoint], change: Callable[..., Checkpoint]
) -> None:
    site = "replaced_token.logits"
    ask = judged_by(opened("electra-generator"))
    ask(opened("electra"))
    with pytest.raises(NothingCapturedError, match=site):
        ask(change(opened("electra"), site))


def only(piece: int) -> Callable[[Tensor, object], Tensor]:
    def change(scores: Tensor, _site: object) -> Tensor:
        chosen = torch.zeros_like(scores)
        chosen[..., piece] = 50.0
        return chosen

    return change


@pytest.mark.parametrize(
    ("name", "site", "said"),
    [
        ("bert", MASKED, lambda one: fill_mask(one, TEXT, mask_words=[1]).masks[0].predictions[0]),
        ("xlnet", NEXT, lambda one: fill_mask(one, TEXT, mask_words=[1]).masks[0].predictions[0]),
    ],
)
def test_what_is_changed_at_the_hook_point_is_what_is_said(
    opened: Callable[[str], Checkpoint], name: str, site: str, said: Callable[[Checkpoint], Any]
) -> None:
    checkpoint = opened(name)
    with intervene(Intervention(site, only(17))):
        first = said(checkpoint)
    assert first.token == checkpoint.tokenizer.token(17)
    assert first.probability == pytest.approx(1.0)


def test_a_pass_keeps_positions_and_scores_beside_its_patterns(
    opened: Callable[[str], Checkpoint],
) -> None:
    bert, xlnet = opened("bert"), opened("xlnet")
    found = fill_mask(bert, TEXT, mask_words=[1], patterns=True)
    tokens, width = len(found.encoding), bert.config.embedding.width
    assert found.positions is not None
    assert found.logits is not None
    table = bert.model.get_parameter("embedding.position_table.table.weight")
    assert torch.equal(torch.tensor(found.positions), table[:tokens].detach())
    assert found.positions.shape == (tokens, width)
    assert found.logits.shape == (len(found.masks), bert.config.embedding.vocabulary)
    best = bert.tokenizer.token(int(found.logits[0].argmax()))
    assert best == found.masks[0].predictions[0].token
    assert not found.logits.flags.writeable
    bare = fill_mask(bert, TEXT, mask_words=[1])
    assert (bare.patterns, bare.positions, bare.logits) == (None, None, None)
    assert read_side(bert, TEXT, mask_words=[1]).attention.positions is not None
    hidden = fill_mask(xlnet, TEXT, mask_words=[1], patterns=True)
    assert hidden.positions is None
    assert hidden.logits is not None
    assert hidden.logits.shape == (len(hidden.masks), xlnet.config.embedding.vocabulary)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("bert", MASKED),
        ("roberta", MASKED),
        ("gpt", NEXT),
        ("xlnet", NEXT),
        ("t5", NEXT),
        ("seq2seq", NEXT),
        ("electra", REPLACED),
    ],
)
def test_logits_are_those_of_the_pass(
    opened: Callable[[str], Checkpoint], name: str, head: str
) -> None:
    checkpoint = opened(name)
    options: dict[str, Any] = {"order": "random"} if checkpoint.model.streams else {}
    if checkpoint.model.text_to_text:
        options["target"] = PAIR
    result = attend(checkpoint, TEXT, logits=True, **options)
    file = io.BytesIO()
    write_npz(file, result, checkpoint=name, revision="")
    file.seek(0)
    found = np.load(file, allow_pickle=False)
    assert attend(checkpoint, TEXT, **options).logits is None
    read = result.target or result.encoding
    inputs = inputs_of(checkpoint, result.encoding.ids, result.encoding.segments)
    if result.target is not None:
        inputs = replace(inputs, target=torch.tensor([read.ids]))
    if result.order is not None:
        rank = torch.tensor(result.order).argsort()
        order = (rank[None, :] < rank[:, None])[None]
        inputs = replace(inputs, order=order, predicted=torch.arange(len(read))[None])
    with torch.inference_mode():
        reading = checkpoint.model.read(inputs)
    expected = reading.replaced_logits if head == REPLACED else reading.logits
    assert expected is not None
    np.testing.assert_allclose(found["logits"], expected[0].numpy(), atol=1e-5)
    assert found["logits"].dtype == np.float32
    assert len(found["logits"]) == len(read)
    assert result.logits is not None
    assert not result.logits.flags.writeable
    with pytest.raises(NothingCapturedError, match=head):
        attend(without(checkpoint, head), TEXT, logits=True, **options)


def test_more_logits_than_there_is_room_for_are_refused(
    opened: Callable[[str], Checkpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = opened("bert")
    weights = attend(checkpoint, TEXT).patterns.size
    monkeypatch.setattr("core.tasks.forward.MAX_WEIGHTS", weights)
    attend(checkpoint, TEXT)
    with pytest.raises(TooManyWeightsError, match=f" logits; at most {weights:,} "):
        attend(checkpoint, TEXT, logits=True)
