"""``classify``, ``tag``, ``answer`` and ``show``, of checkpoints with the heads they ask."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.checkpoints import save_checkpoint
from core.config import Head, LabelChoice, LabelConfig
from core.models.architectures.bert import bert_config
from core.models.registry import build
from core.tokenisation import Tokenizer

NAMES = ("bad", "good", "so so")
TEXT = "the cat sat on the mat"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, word_pieces: Tokenizer) -> Path:
    """A BERT for each head."""
    folder = tmp_path_factory.mktemp("fine-tuned")
    for head in (Head.SEQUENCE_CLASSES, Head.TOKEN_CLASSES, Head.ANSWER_SPAN):
        labels = LabelConfig(NAMES, LabelChoice.SEVERAL)
        config = bert_config(
            vocabulary=word_pieces.vocabulary_size,
            layers=1,
            heads=2,
            width=8,
            predicts=(head,),
            labels=None if head is Head.ANSWER_SPAN else labels,
        )
        save_checkpoint(build(config), config, word_pieces, folder / head.value)
    return folder


@pytest.mark.parametrize(
    ("verb", "head", "words", "told"),
    [
        ("classify", "sequence_classes", (), ("good", "so so")),
        ("tag", "token_classes", (), ("[CLS]", "[SEP]")),
        ("answer", "answer_span", ("--pair", TEXT), ("0.",)),
    ],
)
def test_each_verb_asks_its_head(
    verb: str,
    head: str,
    words: tuple[str, ...],
    told: tuple[str, ...],
    folders: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = [verb, "--checkpoint", str(folders / head), "--text", "the cat", *words]
    assert main(asked) == 0
    table = capsys.readouterr().out
    assert all(one in table for one in told)
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["text"] == "the cat"
    if verb == "answer":
        assert [one["text"] in TEXT for one in found["answers"]] == [True] * 5
        assert main(asked[:-2]) == 2
        assert "no second one" in capsys.readouterr().err
    else:
        assert found["labels"] == list(NAMES)
    if verb == "classify":
        assert found["choice"] == "several"
        assert all(0 < share < 1 for share in found["probabilities"])


@pytest.mark.parametrize("verb", ["classify", "tag", "answer"])
def test_a_model_without_the_head_is_refused(
    verb: str, folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "token_classes" if verb != "tag" else "answer_span"
    asked = [verb, "--checkpoint", str(folders / other), "--text", "the cat"]
    assert main(asked) == 2
    assert "no head that predicts" in capsys.readouterr().err


def test_show_says_what_is_there(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folders / "token_classes"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["system"], found["heads"]) == ("bert", ["token_classes"])
    assert (found["labels"], found["unused"]) == (list(NAMES), [])
    assert main(["show", str(folders / "answer_span")]) == 0
    assert "answer_span" in capsys.readouterr().out
