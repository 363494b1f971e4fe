"""Held-out figures of causal models whose every guess is known."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.__main__ import main
from core.checkpoints import Checkpoint, save_checkpoint
from core.errors import ConfigError, MissingHeadError
from core.evaluation.next_words import (
    Window,
    evaluate_causal,
    measure_next_words,
    sliding_windows,
)
from core.evaluation.options import Options
from core.models.architectures.gpt import gpt_config
from core.tokenisation import Tokenizer
from core.tokenisation.training import GPT_FRAME, VocabularyKind, train_tokenizer
from core.training.corpora import CorpusError
from tests.core.decoding.conftest import checkpoint_of

TEXT = "The cat sat.  It ran to the café.\nA dog slept.\n\nWho knows? Nobody.\n"
AS_READ = ("The cat sat.  It ran to the café.\nA dog slept.", "Who knows? Nobody.")


@pytest.fixture(scope="module")
def byte_pairs() -> Tokenizer:
    return train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, [TEXT] * 5, 290, frame=GPT_FRAME)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def gpt_of(tokenizer: Tokenizer, **settings: Any) -> Checkpoint:
    sizes = {"layers": 2, "heads": 2, "width": 16, "max_positions": 16, "initial_deviation": 0.4}
    return checkpoint_of(
        gpt_config(vocabulary=tokenizer.vocabulary_size, **(sizes | settings)), tokenizer
    )


def test_every_reader_counts_once_and_has_read_half_a_window() -> None:
    assert sliding_windows(10, 4) == [
        Window(0, 0, 4),
        Window(2, 4, 6),
        Window(4, 6, 8),
        Window(6, 8, 10),
    ]
    assert sliding_windows(3, 4) == [Window(0, 0, 3)]
    for tokens in range(1, 40):
        for length in range(2, 12):
            windows = sliding_windows(tokens, length)
            counted = [position for one in windows for position in range(one.counted, one.end)]
            assert counted == list(range(tokens))
            assert all(one.end - one.start == min(length, tokens) for one in windows)
            for one in windows[1:]:
                assert one.counted - one.start + 1 >= length - length // 2 + 1


def test_a_model_that_knows_nothing_needs_the_vocabulary_s_bits(
    byte_pairs: Tokenizer, text: Path
) -> None:
    checkpoint = gpt_of(byte_pairs)
    with torch.no_grad():
        for parameter in checkpoint.model.parameters():
            parameter.zero_()
    found = evaluate_causal(checkpoint, Options(text=text))
    size = sum(len(one.encode()) for one in AS_READ)
    tokens = sum(len(byte_pairs.ids_of(one)) for one in AS_READ) + 2
    assert found["bytes"] == size == 65
    assert found["tokens"] == tokens
    assert found["documents"] == 2
    nats = math.log(byte_pairs.vocabulary_size)
    assert found["nats_per_token"] == pytest.approx(nats, rel=1e-6)
    assert found["bits_per_byte"] == pytest.approx(tokens * nats / math.log(2) / size, rel=1e-6)
    assert found["top1"] == found["top5"] == 0, "ties are no right guesses"
    assert (found["window"], found["least_context"]) == (16, 9)


class Counting(torch.nn.Module):
    """Sees the newest token n only; gives n + 1 the rank n % 7."""

    def decode(self, ids: Tensor) -> Tensor:
        return ids[..., None].float()

    def score_words(self, hidden: Tensor) -> Tensor:
        newest = hidden[:, 0].long()
        steps = torch.arange(60)[None] - (newest + 1)[:, None] + (newest % 7)[:, None]
        return -(steps % 60).float()


@pytest.mark.parametrize("length", [2, 5, 8, 100])
def test_ranks_and_nats_are_those_of_the_right_piece(length: int) -> None:
    row = torch.arange(43, dtype=torch.int32)
    ranks, nats = measure_next_words(Counting(), row, length=length).unbind(1)
    expected = torch.arange(42) % 7
    assert torch.equal(ranks, expected.float())
    whole = -torch.logsumexp(-torch.arange(60.0), 0)
    torch.testing.assert_close(nats, expected - whole)


def test_windows_give_what_one_long_reading_of_the_same_context_gives(
    byte_pairs: Tokenizer, text: Path
) -> None:
    checkpoint = gpt_of(byte_pairs, max_positions=64)
    row = torch.randint(byte_pairs.vocabulary_size, (50,), generator=torch.Generator())
    model: Any = checkpoint.model
    with torch.inference_mode():
        scores = model(row[None, :-1]).logits[0]
    nats = -scores.log_softmax(-1).gather(1, row[1:, None])[:, 0]
    torch.testing.assert_close(measure_next_words(model, row, length=64)[:, 1], nats)
    # In shorter windows, each token has the context that was promised.
    found = measure_next_words(model, row, length=8)[:, 1]
    for window in sliding_windows(49, 8):
        with torch.inference_mode():
            scores = model(row[None, window.start : window.end]).logits[0]
        labels = row[window.start + 1 : window.end + 1]
        expected = -scores.log_softmax(-1).gather(1, labels[:, None])[:, 0]
        torch.testing.assert_close(
            found[window.counted : window.end], expected[window.counted - window.start :]
        )
    whole = evaluate_causal(checkpoint, Options(text=text))
    assert whole == evaluate_causal(checkpoint, Options(text=text)) | {"seconds": whole["seconds"]}


def test_what_cannot_be_measured_is_refused(
    byte_pairs: Tokenizer, text: Path, tmp_path: Path
) -> None:
    checkpoint = gpt_of(byte_pairs)
    with pytest.raises(ConfigError, match="needs --text"):
        evaluate_causal(checkpoint, Options())
    for context, said in ((1, "--context.* must be from 2 "), (17, "2 to 16 tokens at once")):
        with pytest.raises(ConfigError, match=f"{said}.*not {context}"):
            evaluate_causal(checkpoint, Options(text=text, context=context))
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(CorpusError):
        evaluate_causal(checkpoint, Options(text=tmp_path / "empty.txt"))
    with pytest.raises(MissingHeadError):
        evaluate_causal(gpt_of(byte_pairs, predicts=()), Options(text=text))


def test_the_verb_prints_the_figures(
    byte_pairs: Tokenizer, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint = gpt_of(byte_pairs)
    folder = tmp_path / "gpt"
    save_checkpoint(checkpoint.model, checkpoint.config, byte_pairs, folder, dtype=torch.float32)
    options = ("--text", str(text), "--context", "8", "--json")
    assert main(["evaluate", str(folder), *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = evaluate_causal(checkpoint, Options(text=text, context=8))
    assert printed["bits_per_byte"] == pytest.approx(found["bits_per_byte"], rel=1e-5)
    assert printed["window"] == 8
