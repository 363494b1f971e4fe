"""Replaced tokens are found by a discriminator whose opinions are known."""

import json
import math
from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.commands import detect as verb
from core.commands import texts
from core.config import Head, ModelConfig
from core.errors import MissingHeadError
from core.hooks import name_hook_points
from core.models.architectures.electra import Electra
from core.models.body import Inputs, Reading
from core.tasks import NothingInCommonError, ThresholdOutOfRangeError, detect_replaced
from core.tasks.detect_replaced import replaced_tokens
from core.tokenisation import Tokenizer


class ByPiece(Electra):
    """Scores every piece by itself: 0 unless said otherwise."""

    def __init__(self, config: ModelConfig, tokenizer: Tokenizer, scores: dict[str, float]) -> None:
        super().__init__(config)
        self.scores = nn.Parameter(torch.zeros(tokenizer.vocabulary_size))
        for piece, score in scores.items():
            self.scores.data[tokenizer.id(piece)] = score

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        assert self.replaced_token is not None
        return Reading(torch.zeros(1), self.replaced_token.logits(self.scores[inputs.ids]))


@pytest.fixture
def discriminator(tiny_checkpoint: Checkpoint) -> Checkpoint:
    config = replace(tiny_checkpoint.config, heads=(Head.REPLACED_TOKEN,))
    scores = {"mat": math.log(3), "cat": -math.log(4), "[CLS]": 9.0, "street": 2.0}
    model = ByPiece(config, tiny_checkpoint.tokenizer, scores)
    name_hook_points(model)
    return replace(tiny_checkpoint, config=config, model=model)


def test_the_probability_is_that_of_a_replacement(discriminator: Checkpoint) -> None:
    found = detect_replaced(discriminator, "The cat: mat")
    assert [(one.token, one.start, one.end) for one in found.tokens] == [
        ("the", 0, 3),
        ("cat", 4, 7),
        ("[UNK]", 7, 8),
        ("mat", 9, 12),
    ]
    assert [one.probability for one in found.tokens] == pytest.approx([0.5, 0.2, 0.5, 0.75])
    assert [one.replaced for one in found.tokens] == [False, False, False, True], "a tie is no yes"
    assert [one.truth for one in found.tokens] == [None] * 4
    assert [one.nats for one in found.tokens] == [None] * 4
    assert (found.hits, found.misses, found.false_alarms) == (0, 0, 0)
    assert [one.position for one in found.tokens] == [1, 2, 3, 4]
    lower = detect_replaced(discriminator, "The cat: mat", threshold=0.4)
    assert [one.replaced for one in lower.tokens] == [True, False, True, True]


def test_the_nats_are_those_of_the_truth(discriminator: Checkpoint) -> None:
    found = detect_replaced(discriminator, "The cat: mat", original="The mat: mat")
    assert [one.truth for one in found.tokens] == [False, True, False, False]
    expected = [-math.log(share) for share in (0.5, 0.2, 0.5, 0.25)]
    assert [one.nats for one in found.tokens] == pytest.approx(expected, rel=1e-5)


def test_against_the_original_hits_misses_and_false_alarms_are_counted(
    discriminator: Checkpoint,
) -> None:
    original = "the mat on the animal street"
    found = detect_replaced(discriminator, "the cat on the mat street", original=original)
    assert [one.truth for one in found.tokens] == [False, True, False, False, True, False]
    assert [one.replaced for one in found.tokens] == [False, False, False, False, True, True]
    assert (found.hits, found.misses, found.false_alarms) == (1, 1, 1)
    assert found.original == original


def truth(text: str, original: str, tokenizer: Tokenizer) -> dict[str, bool]:
    encoding = tokenizer.encode(text)
    found = replaced_tokens(encoding, original, tokenizer)
    return dict(zip(encoding.tokens, found, strict=True))


def test_what_the_model_cannot_see_makes_no_difference(word_pieces: Tokenizer) -> None:
    assert not any(truth("the cat sat", "The  CAT sat", word_pieces).values())


def test_of_words_with_as_many_pieces_only_other_pieces_are_replaced(
    word_pieces: Tokenizer,
) -> None:
    text = word_pieces.encode("the tca")
    assert text.tokens[1:-1] == ("the", "t", "##c", "##a")
    found = replaced_tokens(text, "the tct", word_pieces)
    assert found == [False, False, False, False, True, False]
    found = replaced_tokens(text, "the cat", word_pieces)
    assert found == [False, False, True, True, True, False]


def test_texts_of_other_lengths_are_compared_by_a_diff(word_pieces: Tokenizer) -> None:
    longer = truth("the cat and mat was open", "the cat was open", word_pieces)
    assert [piece for piece, is_it in longer.items() if is_it] == ["and", "mat"]
    shorter = truth("the cat was", "the animal cat was open", word_pieces)
    assert not any(shorter.values())
    stretch = truth("the street mat was", "the cat was", word_pieces)
    assert [piece for piece, is_it in stretch.items() if is_it] == ["street", "mat"]


@pytest.mark.parametrize("original", ["mat was", "mat was open"])
def test_texts_without_a_common_word_are_refused(original: str, discriminator: Checkpoint) -> None:
    with pytest.raises(NothingInCommonError):
        detect_replaced(discriminator, "the cat", original=original)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_is_a_probability(threshold: float, discriminator: Checkpoint) -> None:
    with pytest.raises(ThresholdOutOfRangeError):
        detect_replaced(discriminator, "the cat", threshold=threshold)


def test_another_model_is_refused(tiny_checkpoint: Checkpoint) -> None:
    with pytest.raises(MissingHeadError):
        detect_replaced(tiny_checkpoint, "the cat")


def test_the_verb(
    discriminator: Checkpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from core.__main__ import BAD_INPUT, main

    asked = []

    def load(name: str) -> Checkpoint:
        asked.append(name)
        return discriminator

    monkeypatch.setattr(texts, "load", load)
    assert main(["detect", "--text", "the mat", "--original", "the cat", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert asked == ["electra"]
    assert answer == {
        "text": "the mat",
        "tokens": [
            {
                "token": "the",
                "start": 0,
                "end": 3,
                "probability": 0.5,
                "replaced": False,
                "truth": False,
            },
            {
                "token": "mat",
                "start": 4,
                "end": 7,
                "probability": pytest.approx(0.75),
                "replaced": True,
                "truth": True,
            },
        ],
        "original": "the cat",
        "hits": 1,
        "misses": 0,
        "false_alarms": 0,
    }
    assert main(["detect", "--text", "the mat"]) == 0
    assert capsys.readouterr().out == "the mat\n\n0.5000  the\n0.7500  mat  replaced\n"
    with_truth = cast("dict[str, object]", answer)
    assert verb.table(with_truth).endswith("found 1, missed 0, false alarms 0")
    assert main(["detect", "--file", "x.txt", "--original", "the mat"]) == BAD_INPUT
    assert "--original goes with --text" in capsys.readouterr().err
