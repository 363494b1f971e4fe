"""A whole run: what it writes, what interrupts it, and what it never overwrites."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.checkpoints import CannotSaveError, Checkpoint, LoadPolicy, load_checkpoint
from core.config import FINE_TUNED_HEADS, Head
from core.errors import ConfigError, MissingHeadError
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.hidden_words import PretrainingBatch
from core.training import pretrain as module
from core.training.corpora import CorpusError, TokenCorpus
from core.training.loop import DivergedError, LoopSettings, StepEvent
from core.training.plan import Pretraining
from core.training.pretrain import pretrain, with_dropout
from core.training.state import FILE, ResumeError, save_state

PRETRAINED = tuple(head for head in Head if head not in FINE_TUNED_HEADS)

MakePlan = Callable[..., Pretraining]


@pytest.fixture
def plan(tmp_path: Path, corpus_file: Path) -> MakePlan:
    """``plan(steps=6)``: a run in a folder of its own, with an event every second step."""

    def make(name: str = "run", rate: float = 1e-3, **changes: Any) -> Pretraining:
        settings: dict[str, Any] = {
            "corpus": [corpus_file],
            "folder": tmp_path / name,
            "out": tmp_path / f"{name}-checkpoint",
            "steps": 6,
            "seconds": None,
            "batch_tokens": 640,
            "settings": LoopSettings(peak_rate=rate, report_every=2),
        }
        return Pretraining(**{**settings, **changes})

    return make


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


def weights(folder: Path) -> dict[str, Tensor]:
    return opened(folder).model.state_dict()


def same(one: dict[str, Tensor], two: dict[str, Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)


def written(plan: Pretraining) -> dict[str, bytes]:
    paths = [*plan.out.iterdir(), plan.folder / FILE]
    return {path.name: path.read_bytes() for path in paths}


def test_a_run_yields_events_and_leaves_a_trained_checkpoint(
    tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    before = {name: value.clone() for name, value in tiny_checkpoint.model.state_dict().items()}
    events = list(pretrain(tiny_checkpoint, plan()))
    assert [event.step for event in events] == [2, 4, 6]
    assert events[0].losses.keys() == {"loss", "masked", "follows"}
    assert (plan().folder / FILE).is_file()
    trained = opened(plan().out)
    assert not same(trained.model.state_dict(), before)
    assert same(tiny_checkpoint.model.state_dict(), before), "the start is left alone"
    assert not tiny_checkpoint.model.training


def test_the_loss_falls_on_a_small_text(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    settings = LoopSettings(peak_rate=5e-3, report_every=1)
    events = list(pretrain(tiny_checkpoint, plan(steps=40, settings=settings)))

    def mean(part: list[StepEvent]) -> float:
        return sum(event.losses["masked"] for event in part) / len(part)

    assert mean(events[-5:]) < 0.7 * mean(events[:5])


def test_the_exported_configuration_keeps_the_dropout_of_the_start(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    built = []

    def noted(config: Any) -> Any:
        built.append(config)
        return build(config)

    monkeypatch.setattr(module, "build", noted)
    list(pretrain(tiny_checkpoint, plan(steps=1, dropout=0.25)))
    assert built == [with_dropout(tiny_checkpoint.config, 0.25)]
    assert built[0].embedding.dropout == 0.25
    assert built[0].encoder.layer.dropout == built[0].encoder.layer.attention.dropout == 0.25
    assert opened(plan().out).config == tiny_checkpoint.config


@pytest.mark.parity
def test_transformers_opens_the_checkpoint(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    import transformers

    list(pretrain(tiny_checkpoint, plan(steps=2)))
    theirs = transformers.BertForPreTraining.from_pretrained(
        plan().out, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(plan().out)
    ours = opened(plan().out)
    encoding = ours.tokenizer.encode("The cat sat.", "It was tired.")
    batch = tokenizer("The cat sat.", "It was tired.", return_tensors="pt")
    assert batch["input_ids"][0].tolist() == list(encoding.ids)
    with torch.inference_mode():
        expected = theirs(**batch)
        found = ours.model(batch["input_ids"], batch["token_type_ids"])
    torch.testing.assert_close(found.logits, expected.prediction_logits)
    torch.testing.assert_close(found.pair_logits, expected.seq_relationship_logits)


def test_a_seed_decides_the_checkpoint(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    for name, seed in (("one", 0), ("again", 0), ("other", 1)):
        list(pretrain(tiny_checkpoint, plan(name, seed=seed)))
    one, again, other = (weights(plan(name).out) for name in ("one", "again", "other"))
    assert same(one, again)
    assert not same(one, other)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_stopping_and_going_on_is_the_uninterrupted_run(
    tiny_checkpoint: Checkpoint, plan: MakePlan, dropout: float
) -> None:
    expected = list(pretrain(tiny_checkpoint, plan("whole", dropout=dropout)))
    first = list(pretrain(tiny_checkpoint, plan(dropout=dropout, stop_after=0.0)))
    assert [event.step for event in first] == [2]
    rest = list(pretrain(tiny_checkpoint, plan(dropout=dropout, resume=True)))
    assert [event.step for event in first + rest] == [2, 4, 6]
    assert [event.losses for event in first + rest] == [event.losses for event in expected]
    assert [event.tokens for event in first + rest] == [event.tokens for event in expected]
    assert same(weights(plan().out), weights(plan("whole").out))
    over = list(pretrain(tiny_checkpoint, plan(dropout=dropout, resume=True)))
    assert over == []


def test_closing_the_events_saves_the_run(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    events = pretrain(tiny_checkpoint, plan(steps=1_000))
    assert len(list(islice(events, 3))) == 3
    assert not plan().out.exists()
    events.close()
    rest = pretrain(tiny_checkpoint, plan(steps=1_000, resume=True))
    assert next(rest).step == 8
    rest.close()
    assert not same(weights(plan().out), tiny_checkpoint.model.state_dict())


def failing(at: int, error: BaseException) -> Callable[..., PretrainingBatch]:
    real = BertPretraining.batch

    def batch(self: BertPretraining, step: int) -> PretrainingBatch:
        if step == at:
            raise error
        return real(self, step)

    return batch


def test_an_interruption_between_two_events_keeps_every_step(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    list(pretrain(tiny_checkpoint, plan("whole")))
    with monkeypatch.context() as patch:
        patch.setattr(BertPretraining, "batch", failing(3, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            list(pretrain(tiny_checkpoint, plan()))
    list(pretrain(tiny_checkpoint, plan(resume=True)))
    assert same(weights(plan().out), weights(plan("whole").out))


def test_an_interruption_before_the_first_step_replaces_nothing(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    list(pretrain(tiny_checkpoint, plan()))
    before = written(plan())
    monkeypatch.setattr(BertPretraining, "batch", failing(0, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        list(pretrain(tiny_checkpoint, plan()))
    assert written(plan()) == before


def test_another_failure_replaces_nothing(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    list(pretrain(tiny_checkpoint, plan()))
    before = written(plan())
    monkeypatch.setattr(BertPretraining, "batch", failing(3, MemoryError()))
    with pytest.raises(MemoryError):
        list(pretrain(tiny_checkpoint, plan()))
    assert written(plan()) == before


def test_a_run_that_diverges_replaces_nothing(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    list(pretrain(tiny_checkpoint, plan()))
    before = written(plan())
    diverging = plan(steps=20, resume=True, rate=100.0)
    with pytest.raises(DivergedError):
        list(pretrain(tiny_checkpoint, diverging))
    assert written(plan()) == before


def test_weights_that_are_no_numbers_never_replace_a_state(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    list(pretrain(tiny_checkpoint, plan()))
    before = written(plan())
    # Diverged in the second step, interrupted before the event that would have told.
    monkeypatch.setattr(BertPretraining, "batch", failing(9, KeyboardInterrupt()))
    settings = LoopSettings(peak_rate=100.0, report_every=1_000)
    with pytest.raises(CannotSaveError):
        list(pretrain(tiny_checkpoint, plan(steps=20, settings=settings)))
    assert written(plan()) == before


def test_a_long_run_is_saved_on_the_way(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    saved = []

    def noted(folder: Path, state: Any, *others: Any) -> None:
        saved.append(state.step)
        save_state(folder, state, *others)

    monkeypatch.setattr(module, "save_state", noted)
    list(pretrain(tiny_checkpoint, plan(save_every=0.0)))
    assert saved == [2, 4, 6, 6]
    saved.clear()
    list(pretrain(tiny_checkpoint, plan("other", save_every=1_000.0)))
    assert saved == [6]


def test_the_tokenised_corpus_is_kept_for_the_same_contents_only(
    monkeypatch: pytest.MonkeyPatch,
    tiny_checkpoint: Checkpoint,
    plan: MakePlan,
    corpus_file: Path,
    tmp_path: Path,
) -> None:
    read = []
    real = TokenCorpus.from_files

    def noted(paths: list[Path], tokenizer: Any) -> TokenCorpus:
        read.append(paths)
        return real(paths, tokenizer)

    monkeypatch.setattr(TokenCorpus, "from_files", noted)
    copy = tmp_path / "text.txt"
    text = corpus_file.read_text()
    copy.write_text(text)
    for _ in range(2):
        list(pretrain(tiny_checkpoint, plan(steps=1, corpus=[copy])))
    assert len(read) == 1
    copy.write_text(text.replace("cat", "mat"))  # as long as before
    list(pretrain(tiny_checkpoint, plan(steps=1, corpus=[copy])))
    assert len(read) == 2


def test_there_must_be_something_to_resume(tiny_checkpoint: Checkpoint, plan: MakePlan) -> None:
    with pytest.raises(ResumeError):
        list(pretrain(tiny_checkpoint, plan(resume=True)))
    assert not plan().out.exists()


def test_a_missing_file_and_too_little_text_are_said(
    tiny_checkpoint: Checkpoint, plan: MakePlan, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.txt: No such file"):
        list(pretrain(tiny_checkpoint, plan(corpus=[tmp_path / "nowhere.txt"])))
    scrap = tmp_path / "scrap.txt"
    scrap.write_text("The cat sat.\n")
    with pytest.raises(CorpusError, match="shorter than one input of 320 tokens"):
        list(pretrain(tiny_checkpoint, plan(corpus=[scrap])))


@pytest.mark.parametrize(
    ("missing", "said"),
    [(Head.MASKED_LANGUAGE, "masked words"), (Head.NEXT_SENTENCE, "next sentences")],
)
def test_a_start_without_a_head_is_refused_before_anything_is_read(
    tiny_checkpoint: Checkpoint, plan: MakePlan, missing: Head, said: str
) -> None:
    heads = tuple(head for head in PRETRAINED if head is not missing)
    start = replace(tiny_checkpoint, config=replace(tiny_checkpoint.config, heads=heads))
    with pytest.raises(MissingHeadError, match=said):
        next(pretrain(start, plan()))
    assert not plan().folder.exists()


def test_a_start_with_one_kind_of_segment_is_refused(
    tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    tables = replace(tiny_checkpoint.config.embedding, segments=1)
    start = replace(tiny_checkpoint, config=replace(tiny_checkpoint.config, embedding=tables))
    with pytest.raises(ConfigError, match="2 segment types; the model has 1"):
        next(pretrain(start, plan()))


def test_a_folder_of_other_things_is_refused_before_the_run(
    tiny_checkpoint: Checkpoint, plan: MakePlan
) -> None:
    plan().out.mkdir()
    (plan().out / "thesis.txt").write_text("years of work")
    with pytest.raises(CannotSaveError, match=r"thesis\.txt"):
        next(pretrain(tiny_checkpoint, plan()))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": 0}, "number of steps must be from 1"),
        ({"steps": None}, "either by steps or by seconds"),
        ({"seconds": 5.0}, "either by steps or by seconds"),
        ({"batch_tokens": 0}, "tokens of a batch must be from 1"),
        ({"dropout": 1.0}, "dropout must be"),
        ({"dropout": -0.1}, "dropout must be"),
        ({"weight_decay": -1.0}, "weight decay"),
        ({"weight_decay": float("nan")}, "weight decay"),
        ({"stop_after": -1.0}, "a run stops must be from 0 to"),
        ({"save_every": -1.0}, "between two savings must be from 0 to"),
        ({"out": Path("here"), "folder": Path("here")}, "folders of their own"),
        ({"generator_share": 0}, "must be from 1 to 1,000, not 0"),
        ({"generator_out": Path("there")}, "only replaced tokens"),
        ({"generator_temperature": 2.0}, "only replaced tokens"),
        ({"objective": "rtd", "generator_temperature": 0.5}, "must be from 1 to 100, not 0.5"),
        ({"objective": "rtd", "generator_temperature": math.inf}, "must be from 1 to 100, not inf"),
        ({"from_elsewhere": True}, "only the order of sentences"),
        (
            {"objective": "rtd", "generator_out": Path("run"), "folder": Path("run")},
            "folders of their own",
        ),
    ],
)
def test_plans_that_make_no_sense_are_refused(
    plan: MakePlan, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        plan(**changes)
