"""Systems that are a BERT with something beside it: BERT to transformers, themselves to us."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, SettingError, load_checkpoint, save_checkpoint
from core.checkpoints.families import FAMILIES, family_of_settings
from core.checkpoints.sizes import parameter_count
from core.config import Head, ModelConfig
from core.errors import ConfigError, MissingHeadError
from core.models.architectures.mtdnn import Mtdnn, mtdnn_config
from core.models.architectures.spanbert import SpanBert, spanbert_config
from core.models.architectures.structbert import StructBert, structbert_config
from core.models.registry import build
from core.task_config import WITH_CLASSES, TaskConfig, TaskKind
from core.tokenisation import Tokenizer

SIZES: dict[str, Any] = {"layers": 2, "heads": 2, "width": 8, "max_positions": 24}
TASKS = tuple(
    TaskConfig(
        f"its_{kind.value}",
        kind,
        classes=3,
        steps=4,
        dropout=0.2,
        step_dropout=0.3,
        labels=("glad", "sad", "neither one") if kind in WITH_CLASSES else (),
    )
    for kind in TaskKind
)
MODELS = {"spanbert": SpanBert, "structbert": StructBert, "mtdnn": Mtdnn}


def config_of(system: str, tokenizer: Tokenizer, **settings: Any) -> ModelConfig:
    sizes = {"vocabulary": tokenizer.vocabulary_size, "initial_deviation": 0.3, **SIZES, **settings}
    if system == "mtdnn":
        return mtdnn_config(**{"tasks": TASKS, **sizes})
    return {"spanbert": spanbert_config, "structbert": structbert_config}[system](**sizes)


def saved(config: ModelConfig, tokenizer: Tokenizer, folder: Path) -> tuple[Any, Path]:
    torch.manual_seed(2)
    model = build(config).eval()
    return model, save_checkpoint(model, config, tokenizer, folder, dtype=torch.float32)


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder.parent,)))


def change(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    settings = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({key: value for key, value in settings.items() if value != ""}))


IDS = torch.tensor([[2, 9, 8, 3, 7, 6, 3], [2, 5, 3, 11, 3, 0, 0]])
SEGMENTS = torch.tensor([[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0]])
KEEP = IDS > 0


@pytest.mark.parametrize("system", MODELS)
def test_we_open_them_as_themselves(system: str, word_pieces: Tokenizer, tmp_path: Path) -> None:
    config = config_of(system, word_pieces)
    model, folder = saved(config, word_pieces, tmp_path / "it")
    again = opened(folder)
    assert again.config == config
    assert type(again.model) is MODELS[system]
    before, after = model.state_dict(), again.model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(tensor, after[key]) for key, tensor in before.items())
    assert parameter_count(config) == sum(p.numel() for p in model.parameters())
    settings = json.loads((folder / "config.json").read_text())
    assert (settings["model_type"], settings["headlight_system"]) == ("bert", system)


@pytest.mark.parity
@pytest.mark.parametrize(
    ("system", "class_name"),
    [("spanbert", "BertForMaskedLM"), ("structbert", "BertForMaskedLM"), ("mtdnn", "BertModel")],
)
def test_transformers_opens_them_as_bert(
    system: str, class_name: str, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    import transformers

    model, folder = saved(config_of(system, word_pieces), word_pieces, tmp_path / "it")
    assert json.loads((folder / "config.json").read_text())["architectures"] == [class_name]
    theirs, report = getattr(transformers, class_name).from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    assert not report["missing_keys"]
    assert not report["mismatched_keys"]
    own = {
        "spanbert": {"cls.span_boundary"},
        "structbert": {"bert.pooler", "cls.sentence_structure"},
        "mtdnn": {f"tasks.{task.name}_head" for task in TASKS},
    }[system]
    beside = {key for key in report["unexpected_keys"] if not key.startswith(tuple(own))}
    assert not beside
    assert type(transformers.AutoModel.from_pretrained(folder)).__name__ == "BertModel"
    with torch.no_grad():
        expected = theirs.eval()(
            IDS, token_type_ids=SEGMENTS, attention_mask=KEEP.long(), output_hidden_states=True
        )
        found = model(IDS, SEGMENTS, KEEP)
    hidden = expected.hidden_states[-1]
    torch.testing.assert_close(found.hidden[KEEP], hidden[KEEP], atol=1e-5, rtol=0.0)
    if class_name == "BertForMaskedLM":
        logits = expected.logits
        torch.testing.assert_close(found.logits[KEEP], logits[KEEP], atol=1e-5, rtol=0.0)
    else:
        pooled = model.pooler(found.hidden)
        torch.testing.assert_close(pooled, expected.pooler_output, atol=1e-5, rtol=0.0)


@pytest.mark.parity
def test_an_mtdnn_that_guesses_words_is_a_masked_language_model(
    word_pieces: Tokenizer, tmp_path: Path
) -> None:
    import transformers

    config = config_of("mtdnn", word_pieces, predicts=(Head.MASKED_LANGUAGE,))
    model, folder = saved(config, word_pieces, tmp_path / "it")
    assert opened(folder).config == config
    theirs = transformers.BertForMaskedLM.from_pretrained(folder, dtype=torch.float32)
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForMaskedLM"]
    with torch.no_grad():
        expected = theirs.eval()(IDS, token_type_ids=SEGMENTS, attention_mask=KEEP.long()).logits
        found = model(IDS, SEGMENTS, KEEP).logits
    torch.testing.assert_close(found[KEEP], expected[KEEP], atol=1e-5, rtol=0.0)


@pytest.mark.parity
@pytest.mark.parametrize("mark", ["spanbert", "structbert", "mtdnn"])
def test_any_bert_can_be_marked_and_unmarked(
    mark: str, make_reference: Any, save_reference: Any
) -> None:
    folder = save_reference(make_reference("BertForMaskedLM"))
    assert opened(folder).config.system == "bert"
    change(folder, headlight_system="bert")
    assert opened(folder).config.system == "bert"
    change(folder, headlight_system=mark, headlight_tasks=[])
    marked = opened(folder)
    assert marked.config.system == mark
    assert marked.config.heads == (Head.MASKED_LANGUAGE,)
    change(folder, headlight_system="")
    assert opened(folder).config.system == "bert"


@pytest.mark.parametrize("heads", [(), (Head.MASKED_LANGUAGE,), (Head.SENTENCE_STRUCTURE,)])
def test_structbert_with_some_of_its_heads(
    heads: tuple[Head, ...], word_pieces: Tokenizer, tmp_path: Path
) -> None:
    config = config_of("structbert", word_pieces, predicts=heads)
    model, folder = saved(config, word_pieces, tmp_path / "it")
    again = opened(folder)
    assert again.config == config
    with torch.no_grad():
        found, expected = again.model(IDS, SEGMENTS, KEEP), model(IDS, SEGMENTS, KEEP)
    assert (found.pair_logits is not None) == (Head.SENTENCE_STRUCTURE in heads)
    if found.pair_logits is not None:
        assert found.pair_logits.shape == (2, 3)
        assert torch.equal(found.pair_logits, expected.pair_logits)


@pytest.mark.parametrize("heads", [(), (Head.MASKED_LANGUAGE,), (Head.SPAN_BOUNDARY,)])
def test_spanbert_with_some_of_its_heads(
    heads: tuple[Head, ...], word_pieces: Tokenizer, tmp_path: Path
) -> None:
    config = config_of("spanbert", word_pieces, predicts=heads)
    model, folder = saved(config, word_pieces, tmp_path / "it")
    again = opened(folder)
    assert again.config == config
    assert isinstance(again.model, SpanBert)
    states, offset = torch.randn(2, 3, 8), torch.tensor([[0, 1, 2], [0, 0, 19]])
    if Head.SPAN_BOUNDARY in heads:
        with torch.no_grad():
            found = again.model.score_spans(states, states.flip(1), offset)
            expected = model.score_spans(states, states.flip(1), offset)
        assert found.shape == (2, 3, word_pieces.vocabulary_size)
        assert torch.equal(found, expected)
    else:
        with pytest.raises(MissingHeadError, match="boundaries"):
            again.model.score_spans(states, states, offset)


def test_every_task_answers_the_same_again(word_pieces: Tokenizer, tmp_path: Path) -> None:
    model, folder = saved(config_of("mtdnn", word_pieces), word_pieces, tmp_path / "it")
    again = opened(folder).model
    assert isinstance(again, Mtdnn)
    for task in TASKS:
        with torch.no_grad():
            one, two = (m.answer(task.name, IDS, SEGMENTS, KEEP) for m in (model, again))
        assert torch.equal(one, two)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("headlight_system", "roberta"),
        ("headlight_system", 7),
        ("headlight_system", ["mtdnn"]),
        ("headlight_tasks", ""),  # left out
        ("headlight_tasks", {"name": "mood"}),
        ("headlight_tasks", [7]),
        ("headlight_tasks", [{"name": "mood"}]),
        ("headlight_tasks", [{"name": "mood", "kind": "moods"}]),
        ("headlight_tasks", [{"name": "mood", "kind": ["classes"]}]),
        ("headlight_tasks", [{"name": "a.b", "kind": "classes"}]),
        ("headlight_tasks", [{"name": 7, "kind": "classes"}]),
        ("headlight_tasks", [{"name": "mood", "kind": "classes", "classes": 10**9}]),
        ("headlight_tasks", [{"name": "mood", "kind": "classes", "classes": True}]),
        ("headlight_tasks", [{"name": "mood", "kind": "answer_network", "steps": 10**9}]),
        ("headlight_tasks", [{"name": "mood", "kind": "classes", "dropout": "0.1"}]),
        ("headlight_tasks", [{"name": "mood", "kind": "classes", "colour": 1}]),
        *(
            ("headlight_tasks", [{"name": "mood", "kind": "classes", "labels": labels}])
            for labels in (["sad"], ["a", "a"], "ab", [1, 2], ["a", ""], ["a", "b" * 61], 7)
        ),
        ("headlight_tasks", [{"name": "mood", "kind": "ranking", "labels": ["a", "b"]}]),
        ("headlight_tasks", [{"name": f"n{n}", "kind": "similarity"} for n in range(101)]),
    ],
)
def test_settings_that_are_none_of_ours_are_named(
    key: str, value: object, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    _, folder = saved(config_of("mtdnn", word_pieces), word_pieces, tmp_path / "it")
    change(folder, **{key: value})
    with pytest.raises(SettingError, match=key):
        opened(folder)


def test_two_tasks_of_one_name(word_pieces: Tokenizer, tmp_path: Path) -> None:
    _, folder = saved(config_of("mtdnn", word_pieces), word_pieces, tmp_path / "it")
    change(folder, headlight_tasks=[{"name": "mood", "kind": "classes"}] * 2)
    with pytest.raises(ConfigError, match="mood, mood"):
        opened(folder)


def test_a_system_that_is_not_of_the_files_type(word_pieces: Tokenizer, tmp_path: Path) -> None:
    _, folder = saved(config_of("structbert", word_pieces), word_pieces, tmp_path / "it")
    change(folder, model_type="electra")
    with pytest.raises(SettingError, match="'structbert', not one of electra"):
        opened(folder)


def test_every_type_of_file_has_one_system_that_needs_no_mark() -> None:
    for family in FAMILIES:
        plain = [f for f in FAMILIES if f.model_type == family.model_type and not f.marked]
        assert len(plain) == 1
        assert family_of_settings({"model_type": family.model_type}) is plain[0]
        mark = {"model_type": family.model_type, "headlight_system": family.system}
        assert family_of_settings(mark) is family
