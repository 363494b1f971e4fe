"""The tokenizer of ByT5, which has no file: a text is its bytes, in UTF-8.

Source: Xue et al. 2022, "ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte Models",
section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors

from core.checkpoints.files import TOKENIZER_CONFIG
from core.hugging_face.errors import DamagedFileError
from core.hugging_face.limits import MAX_VOCABULARY
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.display import BYTES
from core.tokenisation.training import T5_FRAME

BYTE_CLASS = "ByT5Tokenizer"
_FIRST = ("<pad>", "</s>", "<unk>")  # a byte's id is its number after these
_SENTINELS = 125


def byte_tokenizer(settings: Mapping[str, Any]) -> Tokenizer:
    """One piece for each byte.

    Args:
        settings: of ``tokenizer_config.json``: ``added_tokens_decoder``, or else
            ``extra_special_tokens``, ``additional_special_tokens`` or ``extra_ids``.

    Raises:
        DamagedFileError: a token has no number, or the number of a byte.
        TokenizerRefusedError: the first tokens are other ones.
    """
    vocabulary = {character: byte + len(_FIRST) for character, byte in BYTES.items()}
    specials = {name: number for number, name in enumerate(_FIRST)} | _further(settings)
    inner = tokenizers.Tokenizer(models.BPE({**specials, **vocabulary}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(name, normalized=False) for name in specials])
    inner.post_processor = processors.TemplateProcessing(
        single=T5_FRAME.single, pair=T5_FRAME.pair, special_tokens=[("</s>", 1)]
    )
    return Tokenizer(inner)


def _further(settings: Mapping[str, Any]) -> dict[str, int]:
    """The special tokens behind the bytes, with their ids."""
    start = len(_FIRST) + len(BYTES)
    table = settings.get("added_tokens_decoder")
    if isinstance(table, dict):
        found = {_number(key): _content(token) for key, token in table.items()}
        for number, name in enumerate(_FIRST):
            if found.pop(number, name) != name:
                raise TokenizerRefusedError(TOKENIZER_CONFIG, f"its token {number} is not {name}")
    else:
        names = settings.get("extra_special_tokens") or settings.get("additional_special_tokens")
        count = settings.get("extra_ids", _SENTINELS)
        if type(count) is not int or not 0 <= count <= MAX_VOCABULARY:
            raise DamagedFileError(TOKENIZER_CONFIG, "extra_ids is no number, or too large")
        if not isinstance(names, list):
            names = [f"<extra_id_{number}>" for number in range(count)]
        found = {number: _content(token) for number, token in enumerate(names, start=start)}
    if any(number < start for number in found) or len(set(found.values())) < len(found):
        problem = "an added token has the number of a byte, or two have one name"
        raise DamagedFileError(TOKENIZER_CONFIG, problem)
    return {name: number for number, name in found.items()}


def _number(key: str) -> int:
    if not key.isascii() or not key.isdigit() or len(key) > 7:
        raise DamagedFileError(TOKENIZER_CONFIG, "an added token has no number")
    return int(key)


def _content(token: Any) -> str:
    name = token.get("content") if isinstance(token, dict) else token
    if not isinstance(name, str) or not name:
        raise DamagedFileError(TOKENIZER_CONFIG, "an added token is no text")
    return name
