"""Giving a checkpoint a smaller vocabulary: the frequent pieces keep their rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor

from core.checkpoints.tokenizer_files import word_piece_tokenizer
from core.config import Head, ModelConfig
from core.errors import ConfigError
from core.models.architectures.bert import Bert
from core.models.registry import build
from core.tokenisation import Tokenizer

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LAST_LETTER = "\u04ff"  # Latin, Greek and Cyrillic letters stand below


def choose_pieces(vocabulary: Mapping[str, int], counts: Tensor, size: int) -> list[str]:
    """The pieces to keep, in the order of their new ids.

    First the special tokens, then every single letter of the European alphabets, so that names and
    foreign words can always be written, then the most frequent pieces; all but the special tokens
    in the order of their old ids.

    Args:
        vocabulary: old piece to old id.
        counts: how often each old id occurs in a corpus, ``[old id]``.
        size: pieces to keep; fewer are kept if fewer occur in the corpus.

    Raises:
        ConfigError: ``size`` is more than there are or leaves no room for the letters, or the
            specials are missing.
    """
    if missing := [name for name in SPECIALS if name not in vocabulary]:
        raise ConfigError(f"the vocabulary lacks {', '.join(missing)}")
    if size > len(vocabulary):
        raise ConfigError(f"{size} pieces cannot be kept of a vocabulary of {len(vocabulary)}")
    letters = {
        piece
        for piece in vocabulary
        if len(piece.removeprefix("##")) == 1 and piece.removeprefix("##") <= _LAST_LETTER
    }
    if size < len(SPECIALS) + len(letters):
        raise ConfigError(f"{size} pieces cannot hold {len(letters)} letters and the specials")
    old = {number: piece for piece, number in vocabulary.items()}
    kept = set(letters)
    for number in counts.argsort(descending=True, stable=True).tolist():
        if len(kept) + len(SPECIALS) >= size or counts[number] == 0:
            break
        if old[number] not in SPECIALS:
            kept.add(old[number])
    return [*SPECIALS, *sorted(kept, key=vocabulary.__getitem__)]


def pruned_tokenizer(tokenizer: Tokenizer, pieces: Sequence[str]) -> Tokenizer:
    """The tokenizer with these pieces only; how it treats capitals and accents stays.

    Raises:
        ConfigError: it does not cut words into BERT's word pieces.
    """
    description = json.loads(tokenizer.inner.to_str())
    normaliser = description["normalizer"] or {}
    found = (description["model"]["type"], normaliser.get("type"))
    if found != ("WordPiece", "BertNormalizer"):
        raise ConfigError("only a vocabulary of BERT's word pieces can be made smaller")
    settings = {
        "do_lower_case": normaliser["lowercase"],
        "strip_accents": normaliser["strip_accents"],
        "tokenize_chinese_chars": normaliser["handle_chinese_chars"],
    }
    return word_piece_tokenizer("\n".join(pieces), settings)


@torch.no_grad()
def with_vocabulary(model: Bert, rows: Tensor) -> tuple[Bert, ModelConfig]:
    """A BERT for pre-training with the given rows of the token table, all else copied.

    Heads that the old model has are copied too; others start fresh.

    Args:
        model: the old model.
        rows: old ids in the order of the new ones, ``[new id]``.

    Returns:
        The new model, in training mode, and its configuration.
    """
    config = replace(
        model.config,
        embedding=replace(model.config.embedding, vocabulary=len(rows)),
        heads=(Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
        pooler=True,
    )
    fresh = cast(Bert, build(config))
    old = dict(model.named_parameters())
    for name, parameter in fresh.named_parameters():
        if name in ("embedding.token_table.weight", "masked_language.bias"):
            if name in old:
                parameter.copy_(old[name][rows])
        elif name in old:
            parameter.copy_(old[name])
    return fresh, config
