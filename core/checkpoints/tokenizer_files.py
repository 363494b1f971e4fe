"""The tokenizer of a checkpoint: our one file, or those that older checkpoints have instead."""

from __future__ import annotations

from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from core.checkpoints.byte_files import BYTE_CLASS, byte_tokenizer
from core.checkpoints.fairseq_files import tokenizer_of_fairseq
from core.checkpoints.files import (
    CONFIG,
    FAIRSEQ_PIECES,
    LIMITS,
    MERGES,
    PAIRS,
    PIECES,
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    Folder,
)
from core.checkpoints.marian_files import MARIAN_FILES, tokenizer_of_two_sides
from core.checkpoints.piece_files import tokenizer_of_pairs, tokenizer_of_pieces
from core.config import EmbeddingConfig
from core.hugging_face.errors import (
    DamagedFileError,
    NotACheckpointError,
    TooLargeError,
    VocabularyMismatchError,
)
from core.tokenisation import MissingTokenError, Tokenizer

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

# Their names of the special tokens, and ours of the ids.
_ROLES = {
    "pad_token": "pad_id",
    "unk_token": "unknown_id",
    "cls_token": "cls_id",
    "sep_token": "sep_id",
    "mask_token": "mask_id",
}


def load_tokenizer(folder: Folder) -> Tokenizer:
    """Read ``tokenizer.json``, or build the tokenizer that other files describe.

    Those are, in this order, ``source.spm`` with ``target.spm`` (which come before it, too),
    ``spiece.model``, ``sentencepiece.bpe.model``, ``vocab.json`` with ``merges.txt``,
    ``vocab.txt``. ByT5 has none of them, but its class in ``tokenizer_config.json`` or
    ``config.json``.

    Raises:
        NotACheckpointError: none of them is there.
        DamagedFileError: a file lacks a special token, or contradicts itself.
        TooLargeError: a file is over its limit.
        core.tokenisation.TokenizerRefusedError: it could not be followed exactly.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: ``spiece.model`` is damaged.
        core.tokenisation.TokenizerFileError: ``tokenizer.json`` is something else.
    """
    if tokenizer_files(folder) == MARIAN_FILES:
        return tokenizer_of_two_sides(folder, folder.read_table(TOKENIZER_CONFIG) or {})
    if (path := folder.find(TOKENIZER)) is not None:
        size = path.stat().st_size
        if size > LIMITS[TOKENIZER]:
            raise TooLargeError(f"the file {TOKENIZER}, in bytes,", size, LIMITS[TOKENIZER])
        return Tokenizer.from_file(path)
    settings = folder.read_table(TOKENIZER_CONFIG) or {}
    family = str((folder.read_table(CONFIG) or {}).get("model_type"))
    match tokenizer_files(folder):
        case (one,) if one == PIECES:
            return tokenizer_of_pieces(folder, family, settings)
        case (one,) if one == FAIRSEQ_PIECES:
            return tokenizer_of_fairseq(folder, family)
        case (one, *_) if one == PAIRS:
            return tokenizer_of_pairs(folder, family, settings)
        case (one,) if one == VOCABULARY:
            return word_piece_tokenizer(folder.read_text(VOCABULARY) or "", settings)
        case (one,) if one in (TOKENIZER_CONFIG, CONFIG):
            return byte_tokenizer(settings)
    raise NotACheckpointError(folder.path, TOKENIZER)


def tokenizer_files(folder: Folder) -> tuple[str, ...]:
    """The files from which the tokenizer is made; none if there are none.

    Raises:
        CheckpointNotAllowedError: one is a link that leads out of the folder.
    """
    for files in (
        MARIAN_FILES,
        (TOKENIZER,),
        (PIECES,),
        (FAIRSEQ_PIECES,),
        (PAIRS, MERGES),
        (VOCABULARY,),
    ):
        if folder.find(files[0]) is not None:
            return files
    for name in (TOKENIZER_CONFIG, CONFIG):
        if (found := (folder.read_table(name) or {}).get("tokenizer_class")) is not None:
            return (name,) if found == BYTE_CLASS else ()
    return ()


def check_vocabulary(tokenizer: Tokenizer, tables: EmbeddingConfig) -> None:
    """Refuse a tokenizer that makes ids for which the model has no row.

    Raises:
        VocabularyMismatchError: naming the rows needed and those there are.
    """
    needed = 1 + max(tokenizer.inner.get_vocab().values(), default=-1)
    if needed > tables.vocabulary:
        raise VocabularyMismatchError(needed, tables.vocabulary)


def word_piece_tokenizer(words: str, settings: dict[str, Any]) -> Tokenizer:
    """BERT's tokenizer from its word list.

    Args:
        words: one piece a line; its number is its id.
        settings: of ``tokenizer_config.json``: ``do_lower_case``, ``strip_accents``,
            ``tokenize_chinese_chars``.

    Raises:
        DamagedFileError: a special token is not in the list.
    """
    # Only line feeds separate: some pieces are characters that splitlines would split at.
    pieces = [line.removesuffix("\r") for line in words.removesuffix("\n").split("\n")]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    for token in _SPECIAL:
        if token not in vocabulary:
            raise DamagedFileError(VOCABULARY, f"it has no piece {token}")
    inner = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106
    inner.normalizer = normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case", True) is not False,
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True) is not False,
    )
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    inner.decoder = decoders.WordPiece()
    inner.add_special_tokens(list(_SPECIAL))
    return Tokenizer(inner)


def tokenizer_settings(tokenizer: Tokenizer, tables: EmbeddingConfig) -> dict[str, Any]:
    """What ``tokenizer_config.json`` must say so that transformers opens the tokenizer too."""
    tokens = {}
    for theirs, ours in _ROLES.items():
        try:
            tokens[theirs] = tokenizer.token(getattr(tokenizer, ours))
        except MissingTokenError:
            continue  # a vocabulary need not have all five
    segments = ["token_type_ids"] if tables.segments else []
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": tables.max_positions,
        "model_input_names": ["input_ids", *segments, "attention_mask"],
        **tokens,
    }
