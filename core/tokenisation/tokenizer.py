"""An adapter over ``tokenizers``: bounded, safe for any text, with words and readable pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import tokenizers

from core.errors import SequenceTooLongError
from core.tokenisation.character_map import check_normaliser
from core.tokenisation.display import no_piece, readable
from core.tokenisation.encoding import Encoding, Word
from core.tokenisation.errors import (
    EmptyTextError,
    MissingTokenError,
    TextTooLongError,
    TokenizerFileError,
)
from core.tokenisation.words import split_words

MAX_CHARACTERS = 20_000  # of one text: far more than 512 tokens hold, quick to refuse beyond

# Where no file says which token has the role.
_ROLES = {
    "mask": ("[MASK]", "<mask>"),
    "padding": ("[PAD]", "<pad>"),
    "first": ("[CLS]", "<cls>", "<s>"),  # XLNet has all of <cls>, <sep>, <s> and </s>
    "separator": ("[SEP]", "<sep>", "</s>"),
    "unknown": ("[UNK]", "<unk>"),
}
_ENDS = ("<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|im_end|>", "</s>")
Json = dict[str, Any]

_UNTYPED = "\U0010ffff"  # stands for no character, as the next: nobody types them
_MARK = "\U0010fffe"  # a mask, as long as a text is cut into pieces
_UNREADABLE = re.compile(f"[\ud800-\udfff{_MARK}]")  # lone surrogates, which no file can hold


class Tokenizer:
    """A vocabulary with its rules. Immutable, so threads may share it.

    A typed mask token (``[MASK]``) is read as one: that is how a person hides a word. Its other
    spelling (``<mask>``) means the same, so that one text goes to every model. Every other special
    token in a person's text (``[SEP]``, ``[PAD]``) is read as the plain characters it is written
    with, so that no text can end its own segment; ``Encoding.plain_specials`` names those.

    A text in which masks stand for words has the tokens that it has with these words hidden
    (:meth:`hide`): a mask takes one space before it along, as a piece such as ``▁the`` has it, and
    what follows is cut as it is behind a word.
    """

    def __init__(
        self,
        inner: tokenizers.Tokenizer,
        *,
        roles: Mapping[str, str] | None = None,
        ends: Sequence[int] | None = None,
        normaliser: Any = None,
    ) -> None:
        """Adapt a ready tokenizer, kept untouched as ``inner``.

        Args:
            inner: of the library.
            roles: the tokens for ``mask``, ``padding``, ``first``, ``separator`` and ``unknown``,
                as far as files name them; others are found by their usual spellings.
            ends: ids of the tokens that end a text which a causal model writes; ``None`` for those
                with a usual spelling.
            normaliser: what is done to a text first, where ``inner`` could not hold it exactly.
        """
        self.inner, self.normaliser = inner, normaliser
        self._roles = dict(roles or {})
        self._ends = None if ends is None else tuple(ends)
        description = json.loads(inner.to_str())
        check_normaliser(description["normalizer"])
        self.byte_level = '"ByteLevel"' in json.dumps(
            [description["pre_tokenizer"], description["decoder"]]
        )
        self._space = {"Ġ"} if self.byte_level else set()
        steps = [description["normalizer"], description["pre_tokenizer"]]
        if "▁" in json.dumps(steps, ensure_ascii=False):  # Metaspace, or Llama 2's replacement
            self._space = {"▁"}
        mask = self._spelling("mask")
        self._plain = _any_of(
            added["content"]
            for added in description["added_tokens"]
            if added["special"] and added["content"] != mask
        )
        self._masks = None if mask is None else re.compile(re.escape(mask))
        self._continuation = description["model"].get("continuing_subword_prefix") or None
        self._leading_space = mask is not None and _without_leading_space(description)
        self._marks = (
            mask is not None
            and self._space == {"▁"}
            and (inner.normalizer is None or _MARK in inner.normalizer.normalize_str(_MARK))
            and _with_marks(description, mask)
        )
        for added in description["added_tokens"]:
            if added["content"] == mask:
                # Spared by encode_special_tokens below; spaces are taken along in _shown.
                added |= {"special": False, "lstrip": added["lstrip"] and not self._space}
        _hide_specials(description)
        self._reader = tokenizers.Tokenizer.from_str(json.dumps(description))
        if normaliser is not None:
            self._reader.normalizer = normaliser
        self._reader.encode_special_tokens = True
        self._own = self._own_ids(description)
        # Files on the hub often carry the cutting and padding of somebody's training run.
        self._reader.no_truncation()
        self._reader.no_padding()
        # Apart, or it would run twice, on each text and on both: offsets would be trimmed twice.
        self._joiner = self._reader.post_processor
        self._reader.post_processor = None

    @property
    def of_target(self) -> Tokenizer:
        """The tokenizer of what the model writes: this one, unless both sides have their own."""
        return self

    @property
    def unwritten(self) -> tuple[int, ...]:
        """Ids that are never written, perhaps none."""
        return ()

    @classmethod
    def from_file(cls, path: str | Path) -> Tokenizer:
        """Read a ``tokenizer.json``.

        Raises:
            TokenizerFileError: it is missing or something else.
        """
        try:
            return cls(tokenizers.Tokenizer.from_file(str(path)))
        except Exception as error:  # the library raises bare Exception
            raise TokenizerFileError(Path(path)) from error

    def to_file(self, path: str | Path) -> None:
        """Write a ``tokenizer.json``."""
        self.inner.save(str(path))

    @property
    def marks_spaces(self) -> bool:
        """Whether a piece says that a space stands before it; else it says where there is none."""
        return bool(self._space)

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, special ones included."""
        return int(self.inner.get_vocab_size())

    def token(self, number: int) -> str:
        """The piece with this id; of a row without one, words that say so."""
        token = self.inner.id_to_token(number)
        return no_piece(number) if token is None else str(token)

    def id(self, token: str) -> int:
        """The id of this piece; ``KeyError`` if there is none."""
        number = self.inner.token_to_id(token)
        if number is None:
            raise KeyError(token)
        return int(number)

    def readable(self, token: str) -> str:
        """A raw piece of this vocabulary as a person can read it."""
        return readable(token, byte_level=self.byte_level)

    def _spelling(self, role: str) -> str | None:
        named = self._roles.get(role)
        for token in _ROLES[role] if named is None else (named, *_ROLES[role]):
            if self.inner.token_to_id(token) is not None:
                return token
        return None

    def _token_for(self, role: str) -> str:
        token = self._spelling(role)
        if token is None:
            raise MissingTokenError(role)
        return token

    @property
    def mask_token(self) -> str:
        """What a person types to hide a word; ``MissingTokenError`` if nothing does."""
        return self._token_for("mask")

    @property
    def mask_id(self) -> int:
        """Id of the mask token; like all five, ``MissingTokenError`` if there is none."""
        return self.id(self._token_for("mask"))

    @property
    def pad_id(self) -> int:
        """Id of the padding token."""
        return self.id(self._token_for("padding"))

    @property
    def cls_id(self) -> int:
        """Id of the token in front of every text."""
        return self.id(self._token_for("first"))

    @property
    def sep_id(self) -> int:
        """Id of the token after every text."""
        return self.id(self._token_for("separator"))

    @property
    def end_ids(self) -> tuple[int, ...]:
        """Ids of the tokens that end a text which a causal model writes, perhaps none."""
        if self._ends is not None:
            return self._ends
        found = map(self.inner.token_to_id, _ENDS)
        return tuple(number for number in found if number is not None)

    @property
    def unknown_id(self) -> int:
        """Id of the token for what the vocabulary cannot spell."""
        return self.id(self._token_for("unknown"))

    def encode(
        self, text: str, pair: str | None = None, *, limit: int | None = None, cut: bool = False
    ) -> Encoding:
        """Read one text, or two.

        Args:
            text: what a person typed; any characters.
            pair: a second text, or ``None``.
            limit: most tokens, special ones included; ``None`` for no limit.
            cut: leave out the end of the longer text until both fit, instead of refusing.

        Raises:
            EmptyTextError: nothing to read in one of the texts.
            TextTooLongError: more than ``MAX_CHARACTERS`` characters in one.
            SequenceTooLongError: more than ``limit`` tokens, and ``cut`` is off.
        """
        texts = tuple(self._clean(one) for one in (text, pair) if one is not None)
        shown = [self._shown(one) for one in texts]
        parts = [self._reader.encode(one.text, add_special_tokens=False) for one in shown]
        for segment, (one, part) in enumerate(zip(texts, parts, strict=True)):
            if not part.ids or not one.strip():
                raise EmptyTextError(segment)

        sizes = [len(part) for part in parts]
        total = sum(sizes)
        if self._joiner is not None:
            total += int(self._joiner.num_special_tokens_to_add(pair is not None))
        surplus = 0 if limit is None else max(0, total - limit)
        if limit is not None and surplus:
            if not cut:
                raise SequenceTooLongError(total, limit)
            for part, size in zip(parts, _shortened(sizes, surplus), strict=True):
                part.truncate(size)
        second = parts[1] if pair is not None else None
        if self._joiner is None:
            joined = self._reader.post_process(parts[0], second)
        else:
            joined = self._joiner.process(parts[0], second)
        return self._assembled(joined, texts, shown, len(parts[0]), surplus)

    def ids_of(self, text: str) -> tuple[int, ...]:
        """The pieces of a part of a text, perhaps none, without the tokens around a whole one.

        Raises:
            TextTooLongError: more than ``MAX_CHARACTERS`` characters.
        """
        return tuple(self.ids_of_each([text])[0])

    def ids_of_each(self, texts: Sequence[str]) -> list[list[int]]:
        """As :meth:`ids_of`, of many texts at once, several of them side by side.

        Raises:
            TextTooLongError: more than ``MAX_CHARACTERS`` characters in one.
        """
        shown = [self._shown(self._clean(text)).text for text in texts]
        read = self._reader.encode_batch_fast(shown, add_special_tokens=False)
        if not self._own:
            return [encoding.ids for encoding in read]
        return [[self._own.get(number, number) for number in one.ids] for one in read]

    def decoded(self, ids: Sequence[int], *, typed: Sequence[str] = ()) -> Encoding:
        """Pieces that did not come whole from a person's text, with the text that they decode to.

        Tokens that were added to the vocabulary as special ones stand for no text.

        Args:
            ids: of the pieces.
            typed: the parts that a person typed, in which special tokens were read as plain text.
        """
        added = self.inner.get_added_tokens_decoder()
        special = tuple(number in added and added[number].special for number in ids)
        text = str(self.inner.decode(list(ids)))
        ends = [0]
        for count in range(1, len(ids) + 1):
            # A character may need further pieces, and its bytes are no text until it is whole.
            begun = str(self.inner.decode(list(ids[:count]))).rstrip("\N{REPLACEMENT CHARACTER}")
            ends.append(max(ends[-1], min(len(begun), len(text))))
        trimmed = [_trimmed(text, start, end) for start, end in pairwise(ends)]
        offsets = [(start, end) if start < end else (0, 0) for start, end in trimmed]
        silent = [offset == (0, 0) for offset in offsets]
        tokens = tuple(map(self.token, ids))
        words, spans = _words((text,), offsets, silent, self._continuing(tokens), (0,) * len(ids))
        return Encoding(
            ids=tuple(ids),
            tokens=tokens,
            pieces=tuple(map(self.readable, tokens)),
            offsets=tuple(offsets),
            special=special,
            words=words,
            segments=(0,) * len(ids),
            cut=0,
            texts=(text,),
            spans=spans,
            plain_specials=self._plain_specials(typed),
        )

    def _assembled(
        self, raw: Any, texts: tuple[str, ...], shown: Sequence[_Shown], first: int, cut: int
    ) -> Encoding:
        special = tuple(map(bool, raw.special_tokens_mask))
        segments = _segments(special, first)
        ids, tokens, offsets = list(raw.ids), list(raw.tokens), list(raw.offsets)
        for at, (is_special, segment) in enumerate(zip(special, segments, strict=True)):
            if is_special:
                continue
            ids[at] = self._own.get(ids[at], ids[at])
            offsets[at] = shown[segment].typed(*offsets[at])
        for position in self._typed_masks(ids, special):
            # Some masks take the spaces before them along.
            tokens[position] = self.mask_token
            offsets[position] = _trimmed(texts[segments[position]], *offsets[position])
        silent = [
            is_special or token in self._space
            for is_special, token in zip(special, tokens, strict=True)
        ]
        words, spans = _words(texts, offsets, silent, self._continuing(tokens), segments)
        return Encoding(
            ids=tuple(ids),
            tokens=tuple(tokens),
            pieces=tuple(map(self.readable, tokens)),
            offsets=tuple(offsets),
            special=special,
            words=words,
            segments=segments,
            cut=cut,
            texts=texts,
            spans=spans,
            plain_specials=self._plain_specials(texts),
        )

    def _plain_specials(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found for text in texts for found in self._plain.findall(text)))

    def _continuing(self, tokens: Sequence[str]) -> list[bool]:
        sign = self._continuation
        return [sign is not None and token != sign and token.startswith(sign) for token in tokens]

    def _own_ids(self, description: Json) -> dict[int, int]:
        """The ids of this vocabulary for those that only the reader has."""
        pairs = [(added["content"], added["content"]) for added in description["added_tokens"]]
        if self._marks:
            pairs += [(piece, self.mask_token) for piece in (_MARK, f"▁{_MARK}")]
        own = {}
        for piece, ours in pairs:
            number = self._reader.token_to_id(piece)
            if number is not None and number != self.id(ours):
                own[number] = self.id(ours)
        return own

    def _shown(self, text: str) -> _Shown:
        """A text as the reader gets it, its masks so that they are read like words."""
        if self._masks is None or not (self._leading_space or self._masks.search(text)):
            return _Shown(text)
        parts: list[str] = []
        origins: list[tuple[int, int]] = []

        def take(start: int, end: int, as_text: str) -> None:
            parts.append(as_text)
            one_by_one = end - start == len(as_text)
            origins.extend(
                (start + at, start + at + 1) if one_by_one else (start, end)
                for at in range(len(as_text))
            )

        done = 0
        for found in [*self._masks.finditer(text), None]:
            start, end = (len(text), len(text)) if found is None else found.span()
            before = text[done:start]
            if not done and self._leading_space and before and before[0] != " ":
                take(0, 0, " ")
            if found is not None and self._space == {"Ġ"}:
                before = before.removesuffix(" ")  # which a piece such as Ġthe has, too
            take(done, done + len(before), before)
            if found is not None:
                take(start, end, _MARK if self._marks else found.group())
            done = end
        return _Shown("".join(parts), tuple(origins))

    def _clean(self, text: str) -> str:
        """The text with lone surrogates, which the library refuses, and other masks replaced."""
        if len(text) > MAX_CHARACTERS:
            raise TextTooLongError(len(text), MAX_CHARACTERS)
        text = _UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", text)
        try:
            own = self.mask_token
        except MissingTokenError:
            return text
        for spelling in _ROLES["mask"]:
            text = text.replace(spelling, own)
        return text

    def _typed_masks(self, ids: Sequence[int], special: Sequence[bool]) -> list[int]:
        try:
            mask = self.mask_id
        except MissingTokenError:
            return []
        return [at for at, number in enumerate(ids) if number == mask and not special[at]]

    def hide(self, encoding: Encoding, words: Collection[int]) -> Encoding:
        """The same encoding with every token of the given words replaced by the mask.

        A word of k pieces becomes k masks, one more if a piece of its own is the space before it;
        offsets, word numbers and texts stay, so that what was hidden can still be shown.
        """
        places = {at for word in words for at in encoding.tokens_with_space(word)}
        hidden = [at in places for at in range(len(encoding))]
        number, token = self.mask_id, self.mask_token

        def with_masks(values: Sequence[Any], mask: object) -> tuple[Any, ...]:
            return tuple(mask if hide else v for v, hide in zip(values, hidden, strict=True))

        return replace(
            encoding,
            ids=with_masks(encoding.ids, number),
            tokens=with_masks(encoding.tokens, token),
            pieces=with_masks(encoding.pieces, token),
        )


class _Shown(NamedTuple):
    """What the reader gets of a text.

    Attributes:
        text: perhaps with marks for masks.
        origins: for each character, where it stands in the typed text; ``None`` if it is the same.
    """

    text: str
    origins: tuple[tuple[int, int], ...] | None = None

    def typed(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of it in the typed text."""
        if self.origins is None or start >= end:
            return start, end
        return self.origins[start][0], self.origins[end - 1][1]


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(filter(None, texts), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _without_leading_space(description: Json) -> bool:
    """Let no space be put in front of each part of a text; whether there would have been one."""
    match description["pre_tokenizer"]:
        case {"type": "ByteLevel", "add_prefix_space": True} as step:
            step["add_prefix_space"] = False
            return True
    return False


def _with_marks(description: Json, mask: str) -> bool:
    """Give a vocabulary whose pieces carry spaces pieces for masks, with a space and without.

    A mask that the library finds by itself would divide the text, and what follows would begin with
    a space that nobody typed. Returns whether it could be done.
    """
    model, pieces = description["model"], (_MARK, f"▁{_MARK}")
    if model["type"] == "Unigram":
        # The one with the space must be likelier than a lone space and the other.
        likeliest = 1 + max(abs(score) for _piece, score in model["vocab"])
        model["vocab"] += [[pieces[0], 0.0], [pieces[1], 3 * likeliest]]
    elif model["type"] == "BPE" and "▁" in model["vocab"]:
        first = 1 + max(model["vocab"].values())
        model["vocab"] |= {piece: first + at for at, piece in enumerate(pieces)}
        model["merges"].insert(0, ["▁", _MARK])
    else:
        return False
    description["added_tokens"] = [
        added for added in description["added_tokens"] if added["content"] != mask
    ]
    return True


def _hide_specials(description: Json) -> None:
    """Make special tokens unreachable from text in a vocabulary that would match them as pieces.

    Unigram looks up any stretch of text. Under another name at the same position they are not
    found.
    """
    model = description["model"]
    if model["type"] != "Unigram":
        return
    hidden = {added["content"] for added in description["added_tokens"] if added["special"]}
    description["added_tokens"] = [
        added for added in description["added_tokens"] if added["content"] not in hidden
    ]
    model["vocab"] = [
        [_UNTYPED + piece if piece in hidden else piece, score] for piece, score in model["vocab"]
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without the spaces around it."""
    stretch = text[start:end]
    return end - len(stretch.lstrip()), start + len(stretch.rstrip())


def _shortened(sizes: Sequence[int], surplus: int) -> list[int]:
    """Take tokens off the longer text, one at a time; the second of two equal ones first.

    ``_shortened([7, 3], 5)`` is ``[3, 2]``: four off the first, then one off the second.
    """
    kept = list(sizes)
    for _ in range(min(surplus, sum(sizes))):
        longest = max(range(len(kept)), key=lambda index: (kept[index], index))
        kept[longest] -= 1
    return kept


def _segments(special: Sequence[bool], first: int) -> tuple[int, ...]:
    """Which text each token belongs to, if ``first`` tokens are of the first one.

    Special tokens belong to the text before them: ``[CLS] a [SEP] b [SEP]`` is ``0 0 0 1 1``.
    """
    segments, seen, current = [], 0, 0
    for is_special in special:
        if not is_special:
            current = int(seen >= first)
            seen += 1
        segments.append(current)
    return tuple(segments)


def _words(
    texts: Sequence[str],
    offsets: Sequence[tuple[int, int]],
    silent: Sequence[bool],
    continuing: Sequence[bool],
    segments: Sequence[int],
) -> tuple[tuple[int | None, ...], tuple[Word, ...]]:
    """Number the words that the tokens touch. A token across two words makes them one.

    Args:
        silent: whether a token stands for nothing that a person sees.
        continuing: whether a token says that it continues the word before, which makes them one.
    """
    found = [split_words(text) for text in texts]
    owners = [_owners(text, words) for text, words in zip(texts, found, strict=True)]
    numbers: list[int | None] = []
    spans: list[Word] = []
    reach = (0, -1)  # segment and last word of a text that a token has touched
    tokens = zip(offsets, silent, continuing, segments, strict=True)
    for (start, end), is_silent, continues, segment in tokens:
        touched = [] if is_silent else [w for w in owners[segment][start:end] if w is not None]
        if not touched:
            numbers.append(None)
            continue
        words = found[segment]
        if (segment, touched[0]) > reach and not (continues and reach[0] == segment and spans):
            spans.append(Word(segment, *words[touched[0]]))
        reach = max(reach, (segment, touched[-1]))
        spans[-1] = spans[-1]._replace(end=words[reach[1]][1])
        numbers.append(len(spans) - 1)
    return tuple(numbers), tuple(spans)


def _owners(text: str, words: Sequence[tuple[int, int]]) -> list[int | None]:
    """For every character the index of its word."""
    owners: list[int | None] = [None] * len(text)
    for index, (start, end) in enumerate(words):
        owners[start:end] = [index] * (end - start)
    return owners
