"""A BERT small enough to be built for every run: random weights, a vocabulary of its own."""

import random
from pathlib import Path

import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.models.architectures.bert import bert_config
from core.models.registry import build
from core.tokenisation import Tokenizer
from core.tokenisation.training import BERT_FRAME, VocabularyKind, train_tokenizer

LAYERS, HEADS, WIDTH, POSITIONS = 3, 4, 32, 320

SENTENCES = (
    "The capital of France is Paris. The animal didn't cross the street because it was tired.",
    "The cat sat on the mat; a café in the capital was open, and the cats were sleeping.",
)


@pytest.fixture(scope="session")
def word_pieces() -> Tokenizer:
    """An uncased WordPiece vocabulary like BERT's."""
    return train_tokenizer(
        VocabularyKind.WORD_PIECE, SENTENCES * 3, 160, frame=BERT_FRAME, lower_case=True
    )


@pytest.fixture(scope="session")
def tiny_checkpoint_folder(
    word_pieces: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A checkpoint in Hugging Face's layout, its weights spread out so that results differ."""
    config = bert_config(
        vocabulary=word_pieces.vocabulary_size,
        layers=LAYERS,
        heads=HEADS,
        width=WIDTH,
        max_positions=POSITIONS,
        initial_deviation=0.3,
    )
    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(build(config), config, word_pieces, folder, dtype=torch.float32)
    return folder


@pytest.fixture(scope="session")
def tiny_checkpoint(tiny_checkpoint_folder: Path) -> Checkpoint:
    """The same, loaded on the CPU."""
    policy = LoadPolicy(roots=(tiny_checkpoint_folder.parent,))
    return load_checkpoint(str(tiny_checkpoint_folder), device="cpu", policy=policy)


@pytest.fixture(scope="session")
def corpus_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty documents of ten sentences, in words that the vocabulary knows, some 4,000 pieces."""
    words = "the capital of france animal street cat mat was open and cats were tired".split()
    generator = random.Random(0)  # noqa: S311

    def sentence() -> str:
        return " ".join(generator.choices(words, k=generator.randint(5, 11))).capitalize() + "."

    documents = (
        "\n".join(f"{sentence()} {sentence()}" for _ in range(5)) + "\n" for _ in range(40)
    )
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(documents), encoding="utf-8")
    return path
