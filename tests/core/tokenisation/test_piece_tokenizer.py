"""Files that SentencePiece's own library made, read by it and by us."""

import io
import random
from typing import Any

import numpy as np
import pytest
import tokenizers
from tokenizers import models, normalizers

from core.tokenisation import CharacterMapError, Tokenizer
from core.tokenisation.character_map import check_character_map
from core.tokenisation.piece_file import Piece, PieceKind, read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import Frame
from tests.core.tokenisation.piece_encoding import message, piece_file
from tests.tiny_checkpoints.vocabularies import SENTENCES

FRAME = Frame(specials=("<unk>",), unknown="<unk>")
ODD = (
    "",
    "The keeper  of the  lighthouse ",
    "ＦＵＬＬ width ﬁ ½ ² ﷺ",
    "naïve café e\u0301 가나다 각",
    "x\u00a0y\u2003z\n\tw\u00ad\u200bv",
    "日本語のテキスト 🙂👨‍👩‍👧",
    "(a) - b – c. £5 €6 … “q”",
    "▁under▁score▁",
    "<s> hi </s> <unk>",
    "zzzqqq ЖЖЖ xx",
    "Ａ\u0302 ﬁ\u0301 e\u0302\u0301 o\u0323\u0302 o\u0302\u0323 İ ẞ ＡＢ\u0308",
    "\u1112\u1161\u11ab\u1100\u116e\u11a8 \u30ab\u3099 \uff76\uff9e \u05d1\u05bc",
)
SYMBOLS = "(,),-,.,–,£,€"


def texts() -> list[str]:
    letters = [
        *"abcdeghiklmnoprstuwy THS .,()-–£'éﬁ½ 日本🙂Ж\u00a0\u200bａＡ▁",
        "e\u0301",
        "o\u0308",
        "e\u0302\u0301",
        "\u1112\u1161\u11ab",
        "Ａ\u0302",
    ]
    generator = random.Random(0)  # noqa: S311 - no secret
    drawn = ["".join(generator.choices(letters, k=generator.randint(1, 40))) for _ in range(150)]
    return [*ODD, *SENTENCES, *drawn]


def trained(**options: Any) -> bytes:
    sentencepiece = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 5),
        model_writer=written,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return written.getvalue()


@pytest.mark.parity
@pytest.mark.parametrize("rules", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "identity"])
@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "unigram", "vocab_size": 250},
        {"model_type": "unigram", "vocab_size": 250, "user_defined_symbols": SYMBOLS},
        {"model_type": "unigram", "vocab_size": 250, "add_dummy_prefix": False},
        {"model_type": "unigram", "vocab_size": 250, "remove_extra_whitespaces": False},
        {"model_type": "unigram", "vocab_size": 250, "split_by_whitespace": False},
        {"model_type": "bpe", "vocab_size": 180},
        {"model_type": "bpe", "vocab_size": 430, "byte_fallback": True},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_it_cuts_as_sentencepiece_does(rules, options):
    import sentencepiece

    content = trained(normalization_rule_name=rules, **options)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    ours = piece_tokenizer(read_piece_file(content), FRAME)
    for text in texts():
        assert list(ours.ids_of(text)) == theirs.encode(text), text


def compiled(replacements: dict[str, str]) -> bytes:
    """A table of replacements, 256 units for every beginning of a key."""
    beginnings = sorted({key.encode()[:end] for key in replacements for end in range(len(key) * 4)})
    block = {one: 256 * number for number, one in enumerate(beginnings, start=1)}
    units = np.zeros(256 * (len(block) + 1), dtype="<u4")
    units[0] = block[b""] << 10
    texts = b"".join(value.encode() + b"\0" for value in replacements.values())
    starts = {key.encode(): texts.index(new.encode() + b"\0") for key, new in replacements.items()}
    for one, base in block.items():
        if not one:
            continue
        place = block[one[:-1]] ^ one[-1]
        units[place] = (place ^ base) << 10 | (one in starts) << 8 | one[-1]
        units[base] = 1 << 31 | starts.get(one, 0)
    return (4 * len(units)).to_bytes(4, "little") + units.tobytes() + texts


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("e e\u0302 e\u0302\u0301x", ["▁e", "▁ê", "▁ế", "x"]),
        ("ê\u0301", ["▁ế"]),
        ("\u1112\u1161\u11ab\u1112\u1161", ["▁", "한", "하"]),
        ("x½y", ["▁", "x", "1/2", "y"]),
        ("½½", ["▁", "1/2", "1/2"]),
        ("a\u200bx", ["▁", "x"]),
        ("Àx", ["▁", "À", "x"]),
    ],
)
def test_the_longest_key_of_a_table_counts(text: str, tokens: list[str]) -> None:
    rules = {
        "e\u0302": "ê",
        "ê\u0301": "ế",
        "e\u0302\u0301": "ế",
        "\u1112\u1161": "하",
        "\u1112\u1161\u11ab": "한",
        "½": "1/2",
        "a\u200b": "",
        "À": "a",
    }
    pieces = [
        Piece("<unk>", 0.0, PieceKind.UNKNOWN),
        Piece("À", 0.0, PieceKind.USER_DEFINED),
        *(Piece(text, -1.0) for text in ("▁e", "▁ê", "▁ế", "1/2")),
        *(Piece(text, -3.0) for text in "▁x하한yae"),
    ]
    before = message(1, b"house_rules") + message(2, compiled(rules))
    tokenizer = piece_tokenizer(read_piece_file(piece_file(pieces, before=before)), FRAME)
    encoding = tokenizer.encode(text)
    assert list(encoding.tokens) == tokens
    assert "".join(encoding.spellings) == "".join(text.split()), encoding.offsets


@pytest.fixture(scope="module")
def table() -> bytes:
    content = trained(model_type="unigram", vocab_size=200, normalization_rule_name="nmt_nfkc")
    return read_piece_file(content).before.character_map


def test_a_sound_table_of_characters(table):
    check_character_map(table)


def test_tables_that_a_lookup_would_leave(table):
    size = int.from_bytes(table[:4], "little")
    units = np.frombuffer(table[4 : 4 + size], dtype="<u4").copy()
    generator = np.random.default_rng(0)
    refused = 0
    for _attempt in range(20):
        broken = units.copy()
        indices = generator.integers(0, len(units), 200)
        broken[indices] = generator.integers(0, 2**32, 200, dtype=np.uint32)
        content = table[:4] + broken.tobytes() + table[4 + size :]
        try:
            check_character_map(content)
        except CharacterMapError:
            refused += 1
            continue
        for text in texts():  # what is let through must not end the thread
            normalizers.Precompiled(content).normalize_str(text)
    assert refused > 10


@pytest.mark.parametrize(
    "content",
    [b"", b"\x08\0\0\0", b"\x03\0\0\0abcdefg", b"\x04\0\0\0\0\0\0\0\xff", b"x" * 5_000_000],
)
def test_what_is_no_table(content):
    with pytest.raises(CharacterMapError):
        check_character_map(content)


def test_a_tokenizer_with_a_damaged_table_is_refused_before_it_reads():
    far = (4).to_bytes(4, "little") + (0xFFFFFC00).to_bytes(4, "little") + b"a"
    inner = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Precompiled(far)])
    with pytest.raises(CharacterMapError, match="leave it"):
        Tokenizer(inner)
