"""The tokenizer of a checkpoint: our one file, or those that older checkpoints have instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import tokenizers
from tokenizers import AddedToken, models

from core.checkpoints.byte_files import BYTE_CLASS, byte_tokenizer
from core.checkpoints.fairseq_files import tokenizer_of_fairseq
from core.checkpoints.files import (
    ADDED_TOKENS,
    CONFIG,
    FAIRSEQ_PIECES,
    GENERATION,
    LIMITS,
    MERGES,
    PAIRS,
    PIECES,
    SPECIAL_TOKENS,
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    Folder,
)
from core.checkpoints.marian_files import MARIAN_FILES, tokenizer_of_two_sides
from core.checkpoints.piece_files import pairs_of, tokenizer_of_pieces
from core.checkpoints.tokenizer_classes import (
    Pieces,
    Settings,
    build,
    class_named,
    class_of_family,
    is_as_written,
    token_named,
    with_defaults,
)
from core.config import EmbeddingConfig
from core.hugging_face.errors import (
    DamagedFileError,
    NotACheckpointError,
    TooLargeError,
    VocabularyMismatchError,
)
from core.tokenisation import (
    MissingTokenError,
    Tokenizer,
    TokenizerFileError,
    TokenizerRefusedError,
)

# Their names of the special tokens, and ours of the roles and of the ids.
_ROLES = {
    "pad_token": ("padding", "pad_id"),
    "unk_token": ("unknown", "unknown_id"),
    "cls_token": ("first", "cls_id"),
    "sep_token": ("separator", "sep_id"),
    "mask_token": ("mask", "mask_id"),
}
_NAMED = (*_ROLES, "bos_token", "eos_token")
# Names under which further special tokens are listed.
_FURTHER = ("additional_special_tokens", "extra_special_tokens")
# Files of tokenizers that are not followed, and whose they are.
_OTHER_FILES = {
    "bpe.codes": "the merges of PhobertTokenizer and BertweetTokenizer",
    "tokenizer.model": "pieces of LlamaTokenizer without tokenizer.json",
}


def load_tokenizer(folder: Folder) -> Tokenizer:
    """Make the tokenizer that transformers makes of a checkpoint's files.

    Its pieces come from ``tokenizer.json``, else, in this order, from ``spiece.model``,
    ``sentencepiece.bpe.model``, ``vocab.json`` with ``merges.txt``, ``vocab.txt``; before them all
    comes ``source.spm`` with ``target.spm``, and ByT5 has its class alone. The rest is as the class
    has it that the files name, with the settings of ``tokenizer_config.json``.
    ``added_tokens.json`` and ``special_tokens_map.json`` are what older checkpoints have besides.

    Raises:
        NotACheckpointError: no file with pieces is there.
        DamagedFileError: a file contradicts itself.
        TooLargeError: a file is over its limit.
        core.tokenisation.TokenizerRefusedError: it could not be followed exactly.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: ``spiece.model`` is damaged.
        core.tokenisation.TokenizerFileError: ``tokenizer.json`` is something else.
    """
    config = folder.read_table(CONFIG) or {}
    settings = _settings(folder)
    files = tokenizer_files(folder)
    if files == MARIAN_FILES:
        return tokenizer_of_two_sides(folder, settings)
    if files in ((TOKENIZER_CONFIG,), (CONFIG,)):
        return byte_tokenizer(settings)
    if files == (FAIRSEQ_PIECES,):
        return tokenizer_of_fairseq(folder, str(config.get("model_type")))
    name = class_named(settings, config)
    _refuse_other_files(folder)
    if files and files[0] != TOKENIZER:
        name = class_of_family(name, config, files[0])
    settings = with_defaults(name, settings)
    normaliser: Any = None
    listed: Iterable[AddedToken] = ()
    match files:
        case (one,) if one == TOKENIZER:
            inner, listed = _of_json(folder, name, settings)
        case (one,) if one == PIECES:
            made = tokenizer_of_pieces(folder, str(name), settings)
            inner, normaliser = made.inner, made.normaliser
        case (one, *_) if one == PAIRS:
            inner = build(str(name), pairs_of(folder), settings)
        case (one,) if one == VOCABULARY:
            pieces = _words(folder.read_text(VOCABULARY) or "")
            inner = build(str(name), pieces, settings)
        case _:
            raise NotACheckpointError(folder.path, TOKENIZER)
    inner.add_tokens([*_added(folder, settings, listed)])
    return _with_roles(inner, settings, _ends(folder, config, settings, inner), normaliser)


def _settings(folder: Folder) -> Settings:
    """``tokenizer_config.json``, and what older checkpoints have beside it."""
    settings = folder.read_table(TOKENIZER_CONFIG) or {}
    if "added_tokens_decoder" not in settings:
        settings |= folder.read_table(SPECIAL_TOKENS) or {}
    return settings


def _refuse_other_files(folder: Folder) -> None:
    if any(folder.find(file) is not None for file in (TOKENIZER, PIECES, PAIRS)):
        return
    for file, what in _OTHER_FILES.items():
        if folder.find(file) is not None:
            known = f"{TOKENIZER}, {PIECES}, {PAIRS} with {MERGES}, {VOCABULARY}"
            raise TokenizerRefusedError(file, f"it has {what}; those that are followed are {known}")


def _of_json(
    folder: Folder, name: str | None, settings: Settings
) -> tuple[tokenizers.Tokenizer, list[AddedToken]]:
    """What a class makes of ``tokenizer.json``, and the added tokens that the file lists."""
    path = folder.path / TOKENIZER
    size = path.stat().st_size
    if size > LIMITS[TOKENIZER]:
        raise TooLargeError(f"the file {TOKENIZER}, in bytes,", size, LIMITS[TOKENIZER])
    try:
        inner = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise TokenizerFileError(path) from error
    if is_as_written(name, inner):
        return inner, []
    assert name is not None
    listed = {} if "added_tokens_decoder" in settings else inner.get_added_tokens_decoder()
    return build(name, Pieces.of(inner), settings), [listed[number] for number in sorted(listed)]


def _added(folder: Folder, settings: Settings, listed: Iterable[AddedToken]) -> list[AddedToken]:
    """The tokens that are added to the pieces, in the order of their ids."""
    if "added_tokens_decoder" not in settings:
        return [*_older_added(folder, settings), *listed]
    table = settings["added_tokens_decoder"]
    try:
        in_order = sorted(table.items(), key=lambda item: int(item[0]))
        return [_added_token(value) for _number, value in in_order]
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        problem = "its added_tokens_decoder is no table of tokens by their ids"
        raise DamagedFileError(TOKENIZER_CONFIG, problem) from error


def _older_added(folder: Folder, settings: Settings) -> list[AddedToken]:
    table = folder.read_table(ADDED_TOKENS) or {}
    if any(type(number) is not int for number in table.values()):
        raise DamagedFileError(ADDED_TOKENS, "an id is no number")
    # Only those that tokenizer_config.json lists are special, not those of special_tokens_map.json.
    own = folder.read_table(TOKENIZER_CONFIG) or {}
    special = {*_named(settings), *_further(own)}
    return [
        AddedToken(token, normalized=token not in special, special=token in special)
        for token in sorted(table, key=table.__getitem__)
    ]


def _added_token(value: Mapping[str, Any]) -> AddedToken:
    flags = ("lstrip", "rstrip", "single_word", "normalized", "special")
    return AddedToken(value["content"], **{key: bool(value[key]) for key in flags if key in value})


def _named(settings: Settings) -> list[str]:
    found = (token_named(settings, key) for key in _NAMED)
    return [token for token in found if token is not None]


def _further(settings: Settings) -> list[str]:
    found = []
    for key in _FURTHER:
        value = settings.get(key)
        for one in value if isinstance(value, list) else ():
            token = token_named({key: one}, key)
            if token is not None:
                found.append(token)
    return found


def _ends(
    folder: Folder, config: Settings, settings: Settings, inner: tokenizers.Tokenizer
) -> tuple[int, ...] | None:
    """The ids that end a text; ``None`` if no file says it."""
    for table in (folder.read_table(GENERATION) or {}, config):
        value = table.get("eos_token_id")
        numbers = value if isinstance(value, list) else [value]
        found = tuple(number for number in numbers if type(number) is int and number >= 0)
        if found:
            return found
    end = token_named(settings, "eos_token")
    number = None if end is None else inner.token_to_id(end)
    return None if number is None else (number,)


def _with_roles(
    inner: tokenizers.Tokenizer,
    settings: Settings,
    ends: tuple[int, ...] | None = None,
    normaliser: Any = None,
) -> Tokenizer:
    """Add the special tokens that the settings name, as far as they are pieces."""
    roles = {role: token_named(settings, key) for key, (role, _id) in _ROLES.items()}
    if roles["separator"] is None:
        roles["separator"] = token_named(settings, "eos_token")
    vocabulary = inner.get_vocab()
    # Where pieces carry spaces, a mask takes the one before it along.
    masks = () if isinstance(inner.model, models.WordPiece) else (roles["mask"],)
    added = {token.content for token in inner.get_added_tokens_decoder().values()}
    further = [token for token in _further(settings) if token not in added]
    inner.add_special_tokens(
        [
            AddedToken(token, lstrip=token in masks, normalized=False)
            for token in dict.fromkeys([*_named(settings), *further])
            if token in vocabulary
        ]
    )
    known = {role: token for role, token in roles.items() if token is not None}
    return Tokenizer(inner, roles=known, ends=ends, normaliser=normaliser)


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


def word_piece_tokenizer(words: str, settings: Settings) -> Tokenizer:
    """BERT's tokenizer from its word list.

    Args:
        words: one piece a line; its number is its id.
        settings: of ``tokenizer_config.json``: ``do_lower_case``, ``strip_accents``,
            ``tokenize_chinese_chars``, names of special tokens.

    Raises:
        core.tokenisation.TokenizerRefusedError: a special token is not in the list.
    """
    whole = with_defaults("BertTokenizer", settings)
    return _with_roles(build("BertTokenizer", _words(words), whole), whole)


def _words(content: str) -> Pieces:
    # Only line feeds separate: some pieces are characters that splitlines would split at.
    lines = [line.removesuffix("\r") for line in content.removesuffix("\n").split("\n")]
    vocabulary = {piece: number for number, piece in enumerate(lines)}
    return Pieces(VOCABULARY, "WordPiece", vocabulary, [])


def tokenizer_settings(tokenizer: Tokenizer, tables: EmbeddingConfig) -> dict[str, Any]:
    """What ``tokenizer_config.json`` must say so that transformers opens the tokenizer too."""
    tokens = {}
    for theirs, (_role, ours) in _ROLES.items():
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
