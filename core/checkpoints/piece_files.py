"""Tokenizers of checkpoints without ``tokenizer.json``: pieces, and pairs that are merged."""

from __future__ import annotations

from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from core.checkpoints.files import MERGES, PAIRS, PIECES, Folder
from core.hugging_face.errors import DamagedFileError, NotACheckpointError
from core.hugging_face.limits import MAX_VOCABULARY
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.piece_file import PieceFile, read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import (
    GPT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    XLNET_FRAME,
    Frame,
    sentinels,
)

ALBERT_FRAME = Frame(
    specials=("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    mask="[MASK]",
    unknown="<unk>",
)
# By the name of the family in ``config.json``.
OF_PIECES = {
    **dict.fromkeys(("t5", "mt5", "umt5"), T5_FRAME),
    "albert": ALBERT_FRAME,
    "xlnet": XLNET_FRAME,
}
OF_PAIRS = {"gpt2": GPT_FRAME, "roberta": ROBERTA_FRAME}

_SENTINELS, _MOST_SENTINELS = 100, 1_000


def tokenizer_of_pieces(folder: Folder, family: str, settings: dict[str, Any]) -> Tokenizer:
    """The tokenizer of a ``spiece.model``.

    Args:
        folder: where it lies.
        family: ``model_type``, which decides where special tokens stand.
        settings: of ``tokenizer_config.json``: ``extra_ids`` (T5), ``do_lower_case``,
            ``keep_accents`` (ALBERT, XLNet).

    Raises:
        TokenizerRefusedError: another family, or something that could not be followed exactly.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: the file is damaged.
    """
    if family not in OF_PIECES:
        reason = f"a model of the family {family} has its tokens in another file"
        raise TokenizerRefusedError(PIECES, reason)
    file = read_piece_file(folder.read(PIECES) or b"")
    if OF_PIECES[family] is T5_FRAME:
        return piece_tokenizer(file, T5_FRAME, further=_sentinels_beyond(file, settings))
    return piece_tokenizer(file, OF_PIECES[family], before=_own_steps(family, settings))


def _sentinels_beyond(file: PieceFile, settings: dict[str, Any]) -> list[str]:
    count = settings.get("extra_ids", _SENTINELS)
    if type(count) is not int or not 0 <= count <= _MOST_SENTINELS:
        raise TokenizerRefusedError(PIECES, f"extra_ids is not one of 0 to {_MOST_SENTINELS}")
    there = {piece.text for piece in file.pieces}
    return [token for token in sentinels(count) if token not in there]


def _own_steps(family: str, settings: dict[str, Any]) -> list[Any]:
    """What the released code of ALBERT and XLNet does to a text before its pieces are cut."""
    steps: list[Any] = [
        normalizers.Replace(Regex(r"\s+"), " "),
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
    ]
    if settings.get("keep_accents", False) is not True:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if settings.get("do_lower_case", family == "albert") is True:
        steps.append(normalizers.Lowercase())
    return steps


def tokenizer_of_pairs(folder: Folder, family: str, settings: dict[str, Any]) -> Tokenizer:
    """The byte-level tokenizer of a ``vocab.json`` and its ``merges.txt``.

    Args:
        folder: where they lie.
        family: ``model_type``, which decides where special tokens stand.
        settings: of ``tokenizer_config.json``: ``add_prefix_space``.

    Raises:
        TokenizerRefusedError: another family.
        NotACheckpointError: one of the files is missing.
        DamagedFileError: they contradict themselves or each other.
    """
    if family not in OF_PAIRS:
        reason = f"a model of the family {family} has its tokens in another file"
        raise TokenizerRefusedError(PAIRS, reason)
    vocabulary = vocabulary_of(folder)
    merges = _merges(folder, vocabulary)
    frame = OF_PAIRS[family]
    for token in (*pre_tokenizers.ByteLevel.alphabet(), *frame.specials):
        if token not in vocabulary:
            raise DamagedFileError(PAIRS, f"it has no piece {token}")
    leading_space = settings.get("add_prefix_space", False) is True
    inner = tokenizers.Tokenizer(models.BPE(vocabulary, merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=leading_space)
    inner.decoder = decoders.ByteLevel()
    # A mask takes the space before it along.
    inner.add_special_tokens(
        [AddedToken(one, lstrip=one == frame.mask, normalized=False) for one in frame.specials]
    )
    inner.post_processor = processors.Sequence(
        [
            processors.ByteLevel(add_prefix_space=leading_space, trim_offsets=True),
            processors.TemplateProcessing(
                single=frame.single,
                pair=frame.pair,
                special_tokens=[(token, vocabulary[token]) for token in frame.specials],
            ),
        ]
    )
    return Tokenizer(inner)


def vocabulary_of(folder: Folder) -> dict[str, int]:
    """The ids in ``vocab.json``; errors as :func:`tokenizer_of_pairs`."""
    table = folder.read_table(PAIRS)
    if table is None:
        raise NotACheckpointError(folder.path, PAIRS)
    if any(type(one) is not int or not 0 <= one < MAX_VOCABULARY for one in table.values()):
        raise DamagedFileError(PAIRS, "an id is no number, or too large")
    if len(set(table.values())) < len(table):
        raise DamagedFileError(PAIRS, "two pieces have one id")
    return table


def _merges(folder: Folder, vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    text = folder.read_text(MERGES)
    if text is None:
        raise NotACheckpointError(folder.path, MERGES)
    merges = []
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line or (number == 1 and line.startswith("#version")):
            continue
        left, _space, right = line.partition(" ")
        if not {left, right, left + right} <= vocabulary.keys():
            raise DamagedFileError(MERGES, f"line {number} merges what {PAIRS} does not have")
        merges.append((left, right))
    return merges
