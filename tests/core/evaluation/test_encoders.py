"""What single encoders are measured by, with models whose every guess is known."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.config import Head, ModelConfig
from core.errors import MissingHeadError
from core.evaluation.any_order import predict_in_any_order
from core.evaluation.hidden_spans import find_hidden_spans
from core.evaluation.hidden_words import EncoderTrial, Pieces
from core.evaluation.options import Options
from core.evaluation.registry import evaluate
from core.evaluation.shuffled_words import restore_trigrams
from core.evaluation.whole_words import Joints
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import build
from core.objectives.pieces import Specials
from core.tokenisation import Tokenizer
from core.training.corpora import CorpusError, TokenCorpus

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
LENGTH, ROOM, VOCABULARY = 32, 30, 60
FIRST = 10  # documents count up from it: position p of an input holds FIRST + p - 1


def trial(model: nn.Module, documents: int = 40, size: int = ROOM) -> EncoderTrial:
    total = documents * size
    corpus = TokenCorpus(
        (FIRST + torch.arange(size)).repeat(documents).int(),
        torch.arange(0, total + 1, size),
        torch.arange(0, total + 1, size),
    )
    continues = torch.zeros(VOCABULARY, dtype=torch.bool)
    joints = Joints(continues, ~continues, marked=True)
    pieces = Pieces(SPECIALS, torch.arange(4, VOCABULARY), continues, joints)
    return EncoderTrial.of(model, corpus, pieces, length=LENGTH)


def ranked(right: Tensor, rank: Tensor) -> Tensor:
    """Scores ``[..., vocabulary]`` that give the right piece this rank."""
    steps = torch.arange(VOCABULARY) - right[..., None] + rank[..., None]
    return -(steps % VOCABULARY).float()


class Rigged(nn.Module):
    """Knows where it stands, and is right there by a rule of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(embedding=SimpleNamespace(max_positions=64))
        self.asked: list[int] = []
        self.seen: list[Tensor] = []

    def encode(self, ids: Tensor, segments: None, keep: Tensor) -> Tensor:
        self.seen.append(ids)
        return torch.arange(ids.shape[1]).expand(ids.shape)[..., None]

    def score_words(self, hidden: Tensor) -> Tensor:
        position = hidden[..., 0]
        self.asked += position.flatten().tolist()
        return ranked(FIRST + position - 1, self.rank(position))

    def rank(self, position: Tensor) -> Tensor:
        return position % 7


class Spans(Rigged):
    def __init__(self) -> None:
        super().__init__()
        self.within: list[int] = []

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
        position = left[..., 0] + 1 + offset
        assert (position < right[..., 0]).all()
        assert (right[..., 0] - left[..., 0] <= 11).all(), "ten words at most"
        self.within += position.flatten().tolist()
        return ranked(FIRST + position - 1, position % 9)


def test_spans_are_guessed_by_both_heads_and_counted_apart() -> None:
    model = Spans()
    found = find_hidden_spans(trial(model))
    assert found["span_places"] == len(model.asked) > 150
    assert found["boundary_places"] == len(model.within)
    assert sorted(model.within) == sorted(model.asked), "of single words no span has 20 pieces"
    for name, asked, turn in (("span", model.asked, 7), ("boundary", model.within, 9)):
        for least in (1, 5):
            share = sum(position % turn < least for position in asked) / len(asked)
            assert found[f"{name}_top{least}"] == pytest.approx(share)
        assert 0 < found[f"{name}_top1"] < found[f"{name}_top5"] < 1
        assert found[f"{name}_loss"] > 0
    neighbours = sum(b - a == 1 for a, b in zip(model.asked, model.asked[1:], strict=False))
    assert neighbours > len(model.asked) / 2, "they are spans, not single pieces"


class FirstHalf(Rigged):
    """Right in the first half of an input, second best in the other."""

    def rank(self, position: Tensor) -> Tensor:
        return (position > 15).long()


def test_trigrams_are_right_by_piece_and_as_a_whole() -> None:
    model = FirstHalf()
    found = restore_trigrams(trial(model))
    triples = torch.tensor(model.asked).view(-1, 3)
    assert (triples == triples[:, :1] + torch.arange(3)).all(), "three in a row"
    assert found["trigrams"] == len(triples) >= 40
    right = triples <= 15
    assert found["trigrams_restored"] == pytest.approx(right.float().mean().item())
    assert found["whole_trigrams_restored"] == pytest.approx(right.all(1).float().mean().item())
    assert found["whole_trigrams_restored"] < found["trigrams_restored"]
    position = torch.arange(LENGTH)
    ordinary = (position > 0) & (position <= ROOM)
    moved = sum(
        int(((ids > 3) & (ids != FIRST + position - 1) & ordinary).sum()) for ids in model.seen
    )
    # All but the few random tokens that masking puts in: one piece in ten of 15 %.
    random_tokens = 40 * round(0.15 * ROOM) * 0.1
    still = found["trigrams_as_given"] * triples.numel()
    assert triples.numel() - still == pytest.approx(moved - random_tokens, abs=15)
    assert 0 < found["trigrams_as_given"] < 1 / 3


def test_a_text_that_leaves_no_trigram_is_refused() -> None:
    one = trial(Rigged(), documents=1, size=8)
    few = EncoderTrial(
        one.model,
        one.corpus,
        one.pieces,
        one.length,
        torch.tensor([[0, 2]]),
        1,
        torch.Generator(),
    )
    with pytest.raises(CorpusError, match="no three pieces in a row"):
        restore_trigrams(few)


class AnyOrder(Rigged):
    """As :class:`Rigged`, read as an XLNet is: no token stands before the text."""

    def read_streams(
        self, ids: Tensor, segments: None, keep: Tensor, *, order: Tensor, targets: Tensor
    ) -> Any:
        assert (ids[:, :ROOM] == FIRST + torch.arange(ROOM)).all(), "nothing is hidden"
        assert (ids[:, ROOM:] == torch.tensor([SPECIALS.separator, SPECIALS.classify])).all()
        own = order.gather(1, targets[..., None].expand(-1, -1, LENGTH))
        assert not own.gather(2, targets[..., None]).any(), "no target sees itself"
        return SimpleNamespace(query=targets[..., None] + 1)  # positions as in the other models


def test_predicted_words_are_those_of_random_orders() -> None:
    model = AnyOrder()
    found = predict_in_any_order(trial(model))
    assert found["places"] == len(model.asked) == 40 * round(ROOM / 6)
    for least in (1, 5):
        share = sum(position % 7 < least for position in model.asked) / len(model.asked)
        assert found[f"top{least}"] == pytest.approx(share)
    assert found["whole_word_places"] == found["places"], "no piece continues another here"
    assert len(set(model.asked)) > 20


HIDDEN = {
    *("top1", "top5", "loss", "places"),
    *("whole_word_top1", "whole_word_top5", "whole_word_places"),
    *("windows", "windows_available", "tokens", "seconds"),
}
SPAN = {f"{part}_{n}" for part in ("span", "boundary") for n in ("top1", "top5", "loss", "places")}
TRIGRAMS = {"trigrams_restored", "whole_trigrams_restored", "trigrams_as_given", "trigrams"}
MINI: dict[str, Any] = {"layers": 1, "heads": 2, "width": 16, "feed_forward": 32}


def generator_config(**sizes: Any) -> ModelConfig:
    return electra_config(predicts=(Head.MASKED_LANGUAGE,), embedding_width=16, **sizes)


@pytest.mark.parametrize(
    ("configure", "own"),
    [
        (bert_config, {"next_sentence", "pairs"}),
        (roberta_config, set()),
        (albert_config, {"sentence_order", "pairs"}),
        (distilbert_config, set()),
        (structbert_config, {"sentence_structure", "pairs", *TRIGRAMS}),
        (spanbert_config, SPAN),
        (xlnet_config, set()),
        (generator_config, set()),
    ],
)
def test_every_encoder_has_its_figures_and_the_seed_decides_them(
    configure: Any, own: set[str], word_pieces: Tokenizer, corpus_file: Path, tmp_path: Path
) -> None:
    config = configure(vocabulary=word_pieces.vocabulary_size, **MINI)
    torch.manual_seed(0)
    save_checkpoint(build(config), config, word_pieces, tmp_path / "mini")
    opened = load_checkpoint(
        str(tmp_path / "mini"), device="cpu", policy=LoadPolicy(roots=(tmp_path,))
    )

    def figures(seed: int) -> dict[str, Any]:
        options = Options(text=corpus_file, length=48, windows=20, judged=30, seed=seed)
        return {**evaluate(opened, options), "seconds": 0}

    found = figures(0)
    assert found.keys() == HIDDEN | own
    assert found == figures(0)
    assert found["loss"] != figures(1)["loss"]
    assert found["windows"] == 20 < found["windows_available"]
    assert all(
        0 <= value <= 1 for value in found.values() if isinstance(value, float) and value < 2
    )


def test_pairs_can_be_left_out(tiny_checkpoint: Checkpoint, corpus_file: Path) -> None:
    found = evaluate(tiny_checkpoint, Options(text=corpus_file, length=48, windows=4, judged=0))
    assert (found["pairs"], found["next_sentence"]) == (0, None)


def test_an_xlnet_without_a_head_is_refused(tiny_checkpoint: Checkpoint, corpus_file: Path) -> None:
    from dataclasses import replace

    config = xlnet_config(
        vocabulary=tiny_checkpoint.config.embedding.vocabulary, predicts=(), **MINI
    )
    bare = replace(tiny_checkpoint, config=config, model=build(config))
    with pytest.raises(MissingHeadError, match="any order"):
        evaluate(bare, Options(text=corpus_file))
