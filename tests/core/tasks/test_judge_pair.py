"""How two texts belong together: labels that mean what training meant."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.errors import MissingHeadError, MissingPairError, SequenceTooLongError
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.structbert import ORDERS, structbert_config
from core.models.registry import build
from core.objectives.inputs import Segments
from core.objectives.relations import Relation, WindowPairs
from core.tasks import judge_pair
from core.tasks.judge_pair import ELSEWHERE, FOLLOWS, IN_ORDER, PRECEDES, SWAPPED
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus

A, B = "The cat sat on the mat.", "The cats were sleeping."


def opened(configure: Any, tokenizer: Tokenizer, folder: Path, **settings: Any) -> Checkpoint:
    sizes = {"layers": 1, "heads": 2, "width": 16, "feed_forward": 32, "initial_deviation": 0.5}
    config = configure(vocabulary=tokenizer.vocabulary_size, **sizes, **settings)
    torch.manual_seed(1)
    save_checkpoint(build(config), config, tokenizer, folder / "pair", dtype=torch.float32)
    policy = LoadPolicy(roots=(folder,))
    return load_checkpoint(str(folder / "pair"), device="cpu", policy=policy)


@pytest.mark.parametrize(
    ("configure", "objective", "labels"),
    [
        (bert_config, "next sentence", (FOLLOWS, ELSEWHERE)),
        (albert_config, "sentence order", (IN_ORDER, SWAPPED)),
        (structbert_config, "sentence structure", (FOLLOWS, PRECEDES, ELSEWHERE)),
    ],
)
def test_probabilities_are_the_softmax_of_the_models_own_head(
    configure: Any,
    objective: str,
    labels: tuple[str, ...],
    word_pieces: Tokenizer,
    tmp_path: Path,
) -> None:
    checkpoint = opened(configure, word_pieces, tmp_path)
    found = judge_pair(checkpoint, A, B, patterns=True)
    assert (found.objective, found.labels) == (objective, labels)
    ids = torch.tensor([found.encoding.ids])
    segments = torch.tensor([found.encoding.segments])
    model: Any = checkpoint.model
    with torch.inference_mode():
        expected = model.judge_pair(model.encode(ids, segments))[0].softmax(-1)
    assert found.probabilities == pytest.approx(expected.tolist(), abs=1e-6)
    assert sum(found.probabilities) == pytest.approx(1.0)
    assert found.likeliest == labels[int(expected.argmax())]
    assert found.patterns is not None
    assert np.allclose(found.patterns.sum(-1), 1.0, atol=1e-5)
    other = judge_pair(checkpoint, B, A)
    assert other.probabilities != found.probabilities, "the order of the two matters"
    assert judge_pair(checkpoint, A, B).patterns is None


@pytest.mark.parametrize(
    ("relation", "meaning"),
    [
        (Relation.ORDER, (IN_ORDER, SWAPPED)),
        (Relation.STRUCTURE, (FOLLOWS, PRECEDES, ELSEWHERE)),
    ],
)
def test_labels_name_the_classes_of_training(
    relation: Relation, meaning: tuple[str, ...], word_pieces: Tokenizer, tmp_path: Path
) -> None:
    corpus = TokenCorpus(  # pieces are numbered: what follows is seen
        torch.arange(1_200, dtype=torch.int32),
        torch.arange(0, 1_201, 6),
        torch.arange(0, 1_201, 30),
    )
    drawn: Segments = WindowPairs(corpus, torch.Generator().manual_seed(0)).draw(60, 32, relation)
    configure = albert_config if relation is Relation.ORDER else structbert_config
    labels = judge_pair(opened(configure, word_pieces, tmp_path), A, B).labels
    assert labels == meaning
    seen = set()
    for first, size, second, other, kind in zip(
        drawn.first, drawn.first_size, drawn.second, drawn.second_size, drawn.follows, strict=True
    ):
        if first + size == second:
            label = labels[0]
        elif second + other == first:
            label = labels[1]
        else:
            label = ELSEWHERE
        assert labels[int(kind)] == label
        seen.add(label)
    assert seen == set(labels)
    assert len(ORDERS) == 3


def test_what_cannot_be_judged(
    tiny_checkpoint: Checkpoint, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    with pytest.raises(MissingPairError):
        judge_pair(tiny_checkpoint, A, None)
    with pytest.raises(SequenceTooLongError):
        judge_pair(tiny_checkpoint, A * 60, B)
    assert judge_pair(tiny_checkpoint, A * 60, B, cut=True).encoding.cut > 0
    with pytest.raises(MissingHeadError, match="how two texts belong together"):
        judge_pair(opened(roberta_config, word_pieces, tmp_path), A, B)
