"""Tokenizers of checkpoints without ``tokenizer.json``: pieces, and pairs that are merged."""

from __future__ import annotations

from tokenizers import Regex, normalizers

from core.checkpoints.files import MERGES, PAIRS, PIECES, Folder
from core.checkpoints.tokenizer_classes import Pieces, Settings, own_steps, switch
from core.hugging_face.errors import DamagedFileError, NotACheckpointError
from core.hugging_face.limits import MAX_VOCABULARY
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.piece_file import PieceFile, read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import T5_FRAME, XLNET_FRAME, Frame, sentinels

ALBERT_FRAME = Frame(
    specials=("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    mask="[MASK]",
    unknown="<unk>",
)
OF_CLASS = {
    "T5Tokenizer": T5_FRAME,
    "AlbertTokenizer": ALBERT_FRAME,
    "XLNetTokenizer": XLNET_FRAME,
}

_SENTINELS, _MOST_SENTINELS = 100, 1_000


def tokenizer_of_pieces(folder: Folder, name: str, settings: Settings) -> Tokenizer:
    """The tokenizer of a ``spiece.model``.

    Args:
        folder: where it lies.
        name: of its class, which decides where special tokens stand.
        settings: of ``tokenizer_config.json``: ``extra_ids`` (T5), ``do_lower_case``,
            ``keep_accents`` (ALBERT, XLNet).

    Raises:
        TokenizerRefusedError: something that could not be followed exactly.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: the file is damaged.
    """
    file = read_piece_file(folder.read(PIECES) or b"")
    if name == "T5Tokenizer":
        return piece_tokenizer(file, T5_FRAME, further=_sentinels_beyond(file, settings))
    lower_case = bool(switch(settings, "do_lower_case", name == "AlbertTokenizer"))
    keep_accents = bool(switch(settings, "keep_accents", False))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    steps = own_steps(keep_accents=keep_accents, lower_case=lower_case)
    return piece_tokenizer(file, OF_CLASS[name], before=[spaces, *steps])


def _sentinels_beyond(file: PieceFile, settings: Settings) -> list[str]:
    count = settings.get("extra_ids", _SENTINELS)
    if type(count) is not int or not 0 <= count <= _MOST_SENTINELS:
        raise TokenizerRefusedError(PIECES, f"extra_ids is not one of 0 to {_MOST_SENTINELS}")
    there = {piece.text for piece in file.pieces}
    return [token for token in sentinels(count) if token not in there]


def pairs_of(folder: Folder) -> Pieces:
    """The pieces of a ``vocab.json`` and the pairs of its ``merges.txt``.

    Raises:
        NotACheckpointError: one of the files is missing.
        DamagedFileError: they contradict themselves or each other.
    """
    vocabulary = vocabulary_of(folder)
    return Pieces(PAIRS, "BPE", vocabulary, _merges(folder, vocabulary))


def vocabulary_of(folder: Folder) -> dict[str, int]:
    """The ids in ``vocab.json``; errors as :func:`pairs_of`."""
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
