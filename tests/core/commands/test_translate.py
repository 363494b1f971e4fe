"""``translate`` and ``align``: translations, and the attention of exactly what was written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import LoadPolicy, load_checkpoint, save_checkpoint
from core.config import ModelConfig
from core.hooks import capture
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.transformer import transformer_config
from core.models.recurrent import RecurrentBody
from core.models.registry import build
from core.recurrent_config import Alignment
from core.tasks import translate, watch_translation
from core.tasks.errors import NoAttentionError
from core.tokenisation import Tokenizer
from core.tokenisation.training import TRANSLATION_FRAME, VocabularyKind, train_tokenizer

TEXT = "The cat sat there."
TEXTS = (
    "The cat sat there. The dogs sat on the old mat, and the ship went to sea.",
    "Die Katze saß dort. Die Hunde saßen auf der alten Matte, und das Schiff fuhr zur See.",
)

Run = Callable[..., dict[str, object]]


def saved(config: ModelConfig, tokenizer: Tokenizer, folder: Path) -> Path:
    torch.manual_seed(3)
    save_checkpoint(build(config).eval(), config, tokenizer, folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A Transformer of two languages; recurrent ones of one, with and without attention."""
    base = tmp_path_factory.mktemp("translators")
    two, one = (
        train_tokenizer(
            VocabularyKind.UNIGRAM, TEXTS * 9, 80, frame=TRANSLATION_FRAME, further=further
        )
        for further in ((">>de<<", ">>fr<<"), ())
    )
    start = one.pad_id
    both: Any = {"start_id": start, "padding_id": start, "max_positions": 64}
    transformer = transformer_config(
        vocabulary=two.vocabulary_size,
        layers=2,
        heads=2,
        width=16,
        feed_forward=32,
        initial_deviation=0.4,
        **both,
    )
    sizes: Any = {"embedding_width": 8, "width": 6, "decoder_width": 6, "initial_deviation": 0.6}
    recurrent = {
        name: seq2seq_config(vocabulary=one.vocabulary_size, alignment=kind, **sizes, **both)
        for name, kind in (("seq2seq", Alignment.ADDITIVE), ("blind", None))
    }
    return {
        "transformer": saved(transformer, two, base / "transformer"),
        **{name: saved(config, one, base / name) for name, config in recurrent.items()},
    }


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(verb: str, folder: Path, *words: str) -> dict[str, object]:
        assert main([verb, "--checkpoint", str(folder), "--json", *words]) == 0
        answer: dict[str, object] = json.loads(capsys.readouterr().out)
        return answer

    return call


def test_translate_answers_source_and_target(folders: dict[str, Path], run: Run) -> None:
    folder = folders["transformer"]
    checkpoint = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))
    for words, language, beams in (
        ((), "de", 4),
        (("--to", "de"), "de", 4),
        (("--to", "fr", "--beams", "1"), "fr", 1),
    ):
        wanted = translate(checkpoint, TEXT, language=language, beams=beams).text
        answer = run("translate", folder, "--text", TEXT, *words)
        assert answer == {"source": TEXT, "target": wanted}
    assert set(run("translate", folders["blind"], "--text", TEXT)) == {"source", "target"}


def test_out_has_every_attention_of_the_translation(
    folders: dict[str, Path], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "trace.npz"
    folder = folders["transformer"]
    answer = run("translate", folder, "--text", TEXT, "--to", "fr", "--out", str(path))
    assert answer["out"] == str(path)
    with np.load(path) as found:
        arrays = dict(found)
    tokens, target = arrays["tokens"].tolist(), arrays["target.tokens"].tolist()
    assert tokens[0] == ">>fr<<"
    assert target[0] == "<pad>"
    queries, keys = len(target), len(tokens)
    assert arrays["patterns.cross"].shape == (2, 2, queries, keys)
    assert arrays["patterns.encoder"].shape == (2, 2, keys, keys)
    assert arrays["patterns.decoder"].shape == (2, 2, queries, queries)
    checkpoint = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))
    site = "decoder.layers.1.cross_attention.pattern"
    with torch.inference_mode(), capture([site]) as trace:
        checkpoint.model(  # one pass over both sides
            torch.tensor(arrays["ids"])[None].long(),
            torch.tensor(arrays["target.ids"])[None].long(),
        )
    (record,) = trace.records
    np.testing.assert_allclose(arrays["patterns.cross"][1], record.value[0], atol=1e-6)


def test_align_gives_a_row_for_every_written_piece(folders: dict[str, Path], run: Run) -> None:
    folder = folders["seq2seq"]
    answer = run("align", folder, "--text", TEXT)
    checkpoint = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))
    tokenizer = checkpoint.tokenizer
    source = tokenizer.encode(TEXT)
    assert answer["source"] == list(source.tokens)
    assert answer["text"] == TEXT
    best = translate(checkpoint, TEXT).beams[0].pieces
    assert answer["target"] == [tokenizer.token(piece) for piece in best]
    assert answer["translation"] == translate(checkpoint, TEXT).text
    weights = np.array(answer["weights"])
    assert weights.shape == (len(best), len(source))
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    # By steps, as it was written: the row of a piece is what the step saw that wrote it.
    model = cast(RecurrentBody, checkpoint.model)
    cache, steps = model.new_cache(), []
    with torch.inference_mode():
        memory = model.encode(torch.tensor([source.ids]))
        for piece in (checkpoint.config.start_id, *best[:-1]):
            with capture(["decoder.layers.0.cross_attention.step_pattern"]) as trace:
                model.decode(torch.tensor([[piece]]), memory, cache=cache)
            steps.append(trace.records[0].value[0, 0, 0].numpy())
    np.testing.assert_allclose(weights, steps, atol=2e-6)


def test_people_get_a_table(folders: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "--checkpoint", str(folders["seq2seq"]), "--text", TEXT]) == 0
    lines = capsys.readouterr().out.rstrip("\n").split("\n\n", 1)[1].splitlines()
    assert lines[0].split()[-1] == "</s>"
    assert len(lines) > 2
    assert main(["translate", "--checkpoint", str(folders["seq2seq"]), "--text", TEXT]) == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_a_file_is_answered_line_by_line(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text(f"{TEXT}\n\nThe dogs\n", encoding="utf-8")
    words = ["--file", str(lines), "--out", str(tmp_path / "traces")]
    assert main(["translate", "--checkpoint", str(folders["transformer"]), *words]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [set(answer) for answer in answers] == [
        {"source", "target", "out"},
        {"error"},
        {"source", "target", "out"},
    ]
    assert sorted(path.name for path in (tmp_path / "traces").iterdir()) == [
        "00001.npz",
        "00003.npz",
    ]


@pytest.mark.parametrize(
    ("verb", "name", "words", "said"),
    [
        ("translate", "transformer", ("--to", "it"), "it"),
        ("translate", "seq2seq", ("--to", "de"), "de"),
        ("translate", "transformer", ("--beams", "0"), "0"),
        ("align", "transformer", (), "2 layers of 2 heads have no one alignment"),
        ("align", "blind", (), "no attention to show"),
    ],
)
def test_bad_input_gets_one_plain_line(
    folders: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    verb: str,
    name: str,
    words: tuple[str, ...],
    said: str,
) -> None:
    code = main([verb, "--checkpoint", str(folders[name]), "--text", TEXT, *words])
    err = capsys.readouterr().err
    assert code == BAD_INPUT
    assert said in err
    assert err.count("\n") == 1


def test_only_a_model_that_looks_can_be_aligned(folders: dict[str, Path]) -> None:
    folder = folders["blind"]
    checkpoint = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))
    with pytest.raises(NoAttentionError):
        watch_translation(checkpoint, TEXT)
