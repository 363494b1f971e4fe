"""Figures of translators whose translations are known, against references counted by hand."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.evaluation import translation
from core.evaluation.options import Options
from core.evaluation.registry import evaluate, evaluator_of
from core.evaluation.translation import LENGTHS, evaluate_translation, references_of
from core.models.architectures.transformer import transformer_config
from core.models.registry import build
from core.tasks import translate
from core.tasks.translate import translate_each
from core.tokenisation.training import TRANSLATION_FRAME, VocabularyKind, train_tokenizer
from core.training.corpora import CorpusError
from core.training.parallel import is_held_out


def held_out(form: str, number: int) -> list[str]:
    found = (form.format(n) for n in range(9999))
    return [
        one for one, _ in zip((f for f in found if is_held_out(f)), range(number), strict=False)
    ]


SHORT = held_out("Zebra {} quits.", 3)
LONG = held_out("One day the {} old men of the village went down to the sea.", 2)
LEARNT = "Nobody may measure with this."
PAIRS = [
    (SHORT[0], "Das ist der erste kurze Satz."),
    (SHORT[0], "So lautet der erste kurze Satz."),
    (SHORT[0], "Das ist der erste kurze Satz."),
    (SHORT[1], "Und das hier ist der zweite."),
    (SHORT[2], "Der dritte Satz ist auch kurz."),
    (LONG[0], "Eines Tages gingen die alten Männer des Dorfes ans Meer."),
    (LONG[1], "Eines Tages gingen sie hinunter zum weiten Meer."),
    (LEARNT, "Das darf niemand."),
]


@pytest.fixture(scope="module")
def tiny_transformer() -> Checkpoint:
    texts = [text for pair in PAIRS for text in pair] * 9
    tokenizer = train_tokenizer(
        VocabularyKind.UNIGRAM, texts, 120, frame=TRANSLATION_FRAME, further=(">>de<<",)
    )
    start = tokenizer.pad_id
    config = transformer_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=1,
        heads=2,
        width=16,
        feed_forward=32,
        max_positions=64,
        start_id=start,
        padding_id=start,
        initial_deviation=0.4,
    )
    torch.manual_seed(0)
    model = build(config).eval()
    return Checkpoint("tiny", Path("tiny"), "", config, model, tokenizer, None, 0)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    assert not is_held_out(LEARNT)
    path = tmp_path / "de.tsv"
    path.write_text("\n".join("\t".join(pair) for pair in PAIRS), encoding="utf-8")
    return path


def rigged(
    monkeypatch: pytest.MonkeyPatch, best: dict[str, str], greedy: dict[str, str]
) -> list[Any]:
    asked: list[Any] = []

    def answers(
        _: Checkpoint, texts: Sequence[str], *, language: str | None, beams: int
    ) -> list[str]:
        asked.append((tuple(texts), language, beams))
        return [(best if beams == 4 else greedy)[text] for text in texts]

    monkeypatch.setattr(translation, "translate_each", answers)
    return asked


def test_every_sentence_counts_once_against_all_its_references(
    tiny_transformer: Checkpoint, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    references = references_of(PAIRS[:-1])
    assert references[SHORT[0]] == [PAIRS[0][1], PAIRS[1][1]]
    last = {english: others[-1] for english, others in references.items()}
    wrong = dict.fromkeys(references, "Nichts davon stimmt, gar nichts.")
    asked = rigged(monkeypatch, last, wrong)
    found = evaluate_translation(tiny_transformer, Options(pairs={"de": pairs}))
    assert asked == [(tuple(references), "de", 4), (tuple(references), "de", 1)]
    assert found["bleu_de"] == found["chrf_de"] == 100.0  # the second reference is as good
    assert found["greedy_bleu_de"] < 5
    assert (found["sources_de"], found["references_de"]) == (5, 6)
    assert found["sources_de_by_words"] == {"1-4": 3, "5-6": 0, "7-9": 0, "10-14": 2, "15+": 0}
    assert found["bleu_de_by_words"]["1-4"] == found["bleu_de_by_words"]["10-14"] == 100.0
    assert found["bleu_de_by_words"]["5-6"] is None
    assert found["signature_de"].startswith("nrefs:var|case:mixed|eff:no|tok:13a")


def test_bleu_by_hand(
    tiny_transformer: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of "a b c d e f x": 6 of 7 words, 5 of 6 pairs, 4 of 5 triples, 3 of 4 quadruples are right.
    path = tmp_path / "de.tsv"
    path.write_text(f"{SHORT[0]}\ta b c d e f g\n", encoding="utf-8")
    answer = {SHORT[0]: "a b c d e f x"}
    rigged(monkeypatch, answer, answer)
    found = evaluate_translation(tiny_transformer, Options(pairs={"de": path}))
    wanted = 100 * (6 / 7 * 5 / 6 * 4 / 5 * 3 / 4) ** 0.25
    assert found["bleu_de"] == found["greedy_bleu_de"] == pytest.approx(wanted, abs=0.01)


def test_lengths_leave_nothing_out() -> None:
    for words in range(1, 60):
        assert sum(least <= words <= most for least, most in LENGTHS.values()) == 1


@pytest.mark.parametrize("beams", [1, 4])
def test_side_by_side_each_text_is_translated_as_alone(
    tiny_transformer: Checkpoint, beams: int
) -> None:
    texts = ["The cat sat on the mat.", "Cats!", "The street was open and the cat sat.", "a cat"]
    alone = [translate(tiny_transformer, one, language="de", beams=beams).text for one in texts]
    for side_by_side in (1, 3, 64):
        together = translate_each(
            tiny_transformer, texts, language="de", beams=beams, side_by_side=side_by_side
        )
        assert together == alone


def test_a_tiny_model_is_measured_by_its_system(tiny_transformer: Checkpoint, pairs: Path) -> None:
    assert evaluator_of(tiny_transformer) is evaluate_translation
    found = evaluate(tiny_transformer, Options(pairs={"de": pairs}))
    assert found == evaluate(tiny_transformer, Options(pairs={"de": pairs})) | {
        "seconds": found["seconds"]
    }
    assert 0 <= found["bleu_de"] < 50


def test_what_is_missing_is_said(
    tiny_transformer: Checkpoint, pairs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="needs --pairs"):
        evaluate(tiny_transformer, Options())
    learnt = tmp_path / "learnt.tsv"
    learnt.write_text(f"{LEARNT}\tDas darf niemand.\n")
    with pytest.raises(CorpusError, match="no pair for measuring"):
        evaluate(tiny_transformer, Options(pairs={"de": learnt}))
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ConfigError, match="pip install sacrebleu"):
        evaluate(tiny_transformer, Options(pairs={"de": pairs}))
