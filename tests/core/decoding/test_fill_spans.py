"""Blanks are filled with exactly as many words as were asked for, whatever the model wants."""

import math
import random
from dataclasses import replace
from typing import Any

import pytest
import tokenizers
import torch

from core.checkpoints import Checkpoint
from core.decoding import Sampling
from core.decoding.blanks import MOST_CONTINUATIONS, MOST_FREE, FilledBlanks, blank_pieces
from core.engine import CallCancelledError
from core.engine.progress import stop_when
from core.errors import MissingHeadError, SequenceTooLongError
from core.hooks import Intervention, intervene
from core.tasks import (
    BlankSizeError,
    NoBlankError,
    SamplesOutOfRangeError,
    TooManyBlanksError,
    fill_spans,
    filling_spans,
    find_blanks,
)
from core.tasks.fill_spans import source_of
from core.tokenisation import MissingTokenError, Tokenizer
from core.tokenisation.blanks import SIZES, nearest_size, sentinel_ids, sizes_of
from core.tokenisation.training import T5_FRAME, VocabularyKind, train_tokenizer
from tests.core.decoding.conftest import SENTENCES

HOT = Sampling(temperature=2.0)


@pytest.mark.parametrize(
    ("text", "parts", "sizes"),
    [
        ("The ___ sat.", ("The ", " sat."), (1,)),
        ("___8___", ("", ""), (8,)),
        ("a ___2___ b _____ c", ("a ", " b ", " c"), (2, 1)),
        ("______512______ end", ("", " end"), (512,)),
        ("un___3___able", ("un", "able"), (3,)),
        ("___ 8 ___", ("", " 8 ", ""), (1, 1)),
        ("a __init__ ___007___", ("a __init__ ", ""), (7,)),
        ("a ___*___ b ___ c", ("a ", " b ", " c"), (None, 1)),
        ("____*_____ * ___", ("", " * ", ""), (None, 1)),
        ("so ___* it", ("so ", "* it"), (1,)),
    ],
)
def test_blanks_are_found(text: str, parts: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    found = find_blanks(text)
    assert (found.parts, found.sizes) == (parts, sizes)


@pytest.mark.parametrize("text", ["", "no blank", "one _ two __"])
def test_a_text_without_blanks_is_refused(text: str) -> None:
    with pytest.raises(NoBlankError):
        find_blanks(text)


@pytest.mark.parametrize("text", ["___0___", "___513___", "___" + "9" * 10_000 + "___"])
def test_senseless_sizes_are_refused(text: str) -> None:
    with pytest.raises(BlankSizeError):
        find_blanks(text)
    with pytest.raises(BlankSizeError, match="together"):
        find_blanks("___512___ " * 3)
    # A free blank counts with the most it can get.
    assert len(find_blanks(f"___*___ ___{1024 - MOST_FREE * 17}___ " + "___*___ " * 16).sizes) == 18
    with pytest.raises(BlankSizeError, match="not 1025"):
        find_blanks("___*___ " * (1024 // MOST_FREE) + "___")


def test_the_source_has_a_sentinel_and_a_size_for_every_blank(unigram: Tokenizer) -> None:
    blanks = find_blanks("The ___2___ on the ___. <extra_id_5> ___100___ sea")
    pieces = [unigram.token(number) for number in source_of(blanks, unigram)]
    marks = [piece for piece in pieces if piece.startswith(("<extra", "<size", "</s>"))]
    assert marks == [
        "<extra_id_0>",
        "<size_2>",
        "<extra_id_1>",
        "<size_1>",
        "<extra_id_2>",
        "<size_96>",  # the nearest that there is
        "</s>",
    ]
    assert pieces[pieces.index("<size_1>") + 1] == "."  # no space before it
    assert source_of(find_blanks("___"), unigram)[0] == sentinel_ids(unigram)[0]


def test_no_size_stands_behind_the_sentinel_of_a_free_blank(unigram: Tokenizer) -> None:
    blanks = find_blanks("The ___*___ on the ___. ___*___")
    pieces = [unigram.token(number) for number in source_of(blanks, unigram)]
    marks = [piece for piece in pieces if piece.startswith(("<extra", "<size", "</s>"))]
    assert marks == ["<extra_id_0>", "<extra_id_1>", "<size_1>", "<extra_id_2>", "</s>"]


def test_ids_of_sentinels_run_down(unigram: Tokenizer) -> None:
    marks = sentinel_ids(unigram)
    assert len(marks) == 100
    assert list(marks) == sorted(marks, reverse=True)
    assert set(sizes_of(unigram)) == set(SIZES)


@pytest.mark.parametrize(
    ("words", "size"), [(1, 1), (16, 16), (17, 16), (18, 20), (100, 96), (450, 512), (440, 384)]
)
def test_the_nearest_size_is_the_nearest_in_ratio(words: int, size: int) -> None:
    assert nearest_size(words, SIZES) == size


def check(text: str, found: Any) -> None:
    """Each blank has its words, nothing is empty, and around them stands the reader's text."""
    blanks = find_blanks(text)
    for fillings, whole in zip(found.fillings, found.texts, strict=True):
        for filling, size in zip(fillings, blanks.sizes, strict=True):
            words = len(filling.split())
            assert 1 <= words <= MOST_FREE if size is None else words == size
        assert all(filling == " ".join(filling.split()) for filling in fillings)
        assert not any(mark in "".join(fillings) for mark in ("<extra", "<size", "</s>", "<pad>"))
        expected = blanks.parts[0]
        for filling, part in zip(fillings, blanks.parts[1:], strict=True):
            expected += filling + part
        assert whole == expected


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("sampling", [Sampling(0.0), Sampling(1.0), HOT], ids=str)
def test_one_blank_of_any_size(tiny_t5: Checkpoint, size: int, sampling: Sampling) -> None:
    text = f"The cat ___{size}___, and the dog ran."
    check(text, fill_spans(tiny_t5, text, samples=3, sampling=sampling))


@pytest.mark.parametrize("blanks", [1, 2, 3, 10])
@pytest.mark.parametrize("sampling", [Sampling(0.0), HOT], ids=str)
def test_any_number_of_blanks(tiny_t5: Checkpoint, blanks: int, sampling: Sampling) -> None:
    sizes = random.Random(blanks).choices(range(1, 9), k=blanks)  # noqa: S311
    text = "".join(f"cat {index}  ___{size}___\n" for index, size in enumerate(sizes))
    found = fill_spans(tiny_t5, text, samples=4, sampling=sampling, seed=blanks)
    assert len(found.fillings) == (1 if sampling.greedy else 4)
    assert (found.words, found.wanted) == (len(found.fillings) * sum(sizes),) * 2
    check(text, found)


def test_a_hundred_blanks_use_the_end_where_no_sentinel_is_left(tiny_t5: Checkpoint) -> None:
    check("___ " * 100, fill_spans(tiny_t5, "___ " * 100, sampling=HOT))
    with pytest.raises(TooManyBlanksError):
        fill_spans(tiny_t5, "___ " * 101)


def test_blank_k_is_written_behind_sentinel_k(tiny_t5: Checkpoint) -> None:
    marks = sentinel_ids(tiny_t5.tokenizer)
    text = "a ___2___ b ___ c ___3___ d"
    steps = list(filling_spans(tiny_t5, text, sampling=HOT))
    written = [step.step.chosen[0] for step in steps]
    assert [piece for piece in written if piece in marks] == list(marks[:4])
    assert written[0] == marks[0]
    assert written[-1] == marks[3]


def test_512_words_come_with_progress_and_can_be_stopped(tiny_t5: Checkpoint) -> None:
    text = "So ___512___."
    counts = [step.words for step in filling_spans(tiny_t5, text, sampling=Sampling(1.0))]
    assert counts == sorted(counts)
    assert set(counts) == set(range(513))
    steps = filling_spans(tiny_t5, text, sampling=Sampling(1.0))
    for step in steps:
        if step.words == 3:
            break
    assert not step.done
    assert len(step.fillings[0][0].split()) in (2, 3)  # a lone space has begun the third
    assert step.texts[0].startswith("So ")
    assert step.texts[0].endswith(".")
    steps.close()  # type: ignore[attr-defined]


def test_an_engine_stops_it_between_two_layers(tiny_t5: Checkpoint) -> None:
    seen: list[int] = []
    with stop_when(lambda: len(seen) == 5), pytest.raises(CallCancelledError):
        seen.extend(step.words for step in filling_spans(tiny_t5, "So ___512___."))
    assert len(seen) == 5


def test_a_free_blank_is_as_long_as_the_model_makes_it(tiny_t5: Checkpoint) -> None:
    text = "The cat ___*___ on ___2___ and ___*___."
    marks = sentinel_ids(tiny_t5.tokenizer)
    steps = list(filling_spans(tiny_t5, text, samples=10, sampling=Sampling(1.0), seed=3))
    last = steps[-1]
    check(text, last)
    counts = {len(fillings[index].split()) for fillings in last.fillings for index in (0, 2)}
    assert len(counts) > 3
    written: list[list[int]] = [[] for _ in range(10)]
    for one in steps:
        for row, piece in zip(one.step.rows, one.step.chosen, strict=True):
            written[row].append(piece)
    for pieces in written:
        assert [piece for piece in pieces if piece in marks] == list(marks[:4])
    # What is wanted grows with what is written, and is all there is at last.
    wanted = [one.wanted for one in steps]
    assert wanted == sorted(wanted)
    assert (wanted[0], wanted[-1]) == (10 * (1 + 2 + 1), last.words)
    assert last.words == sum(len(one.split()) for some in last.fillings for one in some)


def preferring(pieces: torch.Tensor) -> Intervention:
    """A model whose scores of the next piece are raised by so much, ``[vocabulary]``."""
    return Intervention("language.logits", lambda scores, _site: scores + pieces)


@pytest.mark.parametrize("bias", [-1000.0, 1000.0])
def test_a_free_blank_ends_at_once_or_at_its_bound(tiny_t5: Checkpoint, bias: float) -> None:
    liked = torch.zeros(tiny_t5.config.embedding.vocabulary)
    liked[list(sentinel_ids(tiny_t5.tokenizer))] = bias
    text = "a ___*___ b ___3___ c ___*___"
    with intervene(preferring(liked)):
        found = fill_spans(tiny_t5, text)
    check(text, found)
    counts = [len(one.split()) for one in found.fillings[0]]
    bounded = find_blanks(text).bounded(found.fillings[0])
    if bias > 0:
        assert (counts, bounded) == ([1, 3, 1], ())
    else:
        assert (counts, bounded) == ([MOST_FREE, 3, MOST_FREE], (0, 2))


@pytest.mark.parametrize("kind", ["begins", "goes on", "bare", "end", "sentinels", "unknown"])
def test_an_obstinate_model_cannot_break_the_promise(tiny_t5: Checkpoint, kind: str) -> None:
    tokenizer = tiny_t5.tokenizer
    rows = tiny_t5.config.embedding.vocabulary
    table = blank_pieces(tokenizer, rows)
    wanted = torch.zeros(rows)
    ids = {
        "begins": table[1].nonzero()[:, 0],
        "goes on": table[2].nonzero()[:, 0],
        "bare": torch.tensor([tokenizer.id("▁")]),
        "end": torch.tensor([tokenizer.sep_id, tokenizer.pad_id]),
        "sentinels": torch.tensor([*sentinel_ids(tokenizer), *sizes_of(tokenizer).values()]),
        "unknown": torch.tensor([tokenizer.unknown_id, *range(tokenizer.vocabulary_size, rows)]),
    }[kind]
    wanted[ids] = 1000.0
    text = "a ___3___ b ___5___"
    with intervene(preferring(wanted)):
        check("a ___*___ b ___2___", fill_spans(tiny_t5, "a ___*___ b ___2___", sampling=HOT))
    for sampling in (Sampling(0.0), HOT):
        with intervene(preferring(wanted)):
            found = fill_spans(tiny_t5, text, samples=2, sampling=sampling)
        check(text, found)
        if kind == "goes on":  # each word is as long as it may be
            count = found.step.number + 1 - 3
            assert count == 8 * (1 + MOST_CONTINUATIONS)


def test_pieces_that_could_split_a_word_are_never_written(unigram: Tokenizer) -> None:
    inner = unigram.inner
    table = blank_pieces(unigram, unigram.vocabulary_size)
    assert not table[0].any()
    assert torch.equal(table[3], table[1] | table[2])
    for piece, number in inner.get_vocab().items():
        if piece.startswith("<") and piece.endswith(">") and len(piece) > 2:
            assert not table[3, number], piece
        elif table[3, number]:
            assert len(piece.replace("▁", "").split()) == (piece != "▁")
    fine, foul = (
        ("▁", "▁a", "a", "é", "▁<"),
        ("a\u3000b", "\u00a0", "▁\u2003x", "a▁b", "▁▁", "<0x20>", "<0xE3>", ""),
    )
    vocabulary = [("<unk>", 0.0), *((piece, -1.0) for piece in (*fine, *foul))]
    model = tokenizers.models.Unigram(vocabulary, unk_id=0)
    one = Tokenizer(tokenizers.Tokenizer(model))
    one.inner.add_special_tokens(["<unk>"])
    # One row more than there are pieces.
    assert blank_pieces(one, len(vocabulary) + 1)[3].tolist() == [False, *[True] * 5, *[False] * 9]


def test_the_guide_by_hand(unigram: Tokenizer) -> None:
    guide = FilledBlanks(unigram, [2], vocabulary=unigram.vocabulary_size)
    first, second = sentinel_ids(unigram)[:2]
    table = blank_pieces(unigram, unigram.vocabulary_size)
    on, bare = unigram.id("▁on"), unigram.id("▁")
    more = int(table[2].nonzero()[0, 0])

    def allowed() -> set[int]:
        return set(guide.allowed([0])[0].nonzero()[:, 0].tolist())

    begins, goes_on, both = (set(table[row].nonzero()[:, 0].tolist()) for row in (1, 2, 3))
    assert allowed() == {first}
    assert not guide.took(0, first)
    assert allowed() == begins  # never empty
    guide.took(0, bare)
    assert allowed() == goes_on  # a lone space is no word
    guide.took(0, more)
    assert (allowed(), guide.words(0)) == (both, 1)  # too early for the sentinel
    for _ in range(MOST_CONTINUATIONS - 1):
        guide.took(0, more)
    assert allowed() == begins  # long enough
    guide.took(0, on)
    assert (allowed(), guide.words(0)) == (goes_on | {second}, 2)
    for _ in range(MOST_CONTINUATIONS):
        guide.took(0, more)
    assert allowed() == {second}
    assert guide.took(0, second)
    assert guide.pieces(0) == ((bare, *[more] * MOST_CONTINUATIONS, on, *[more] * 12),)


def test_the_guide_of_a_free_blank_by_hand(unigram: Tokenizer) -> None:
    guide = FilledBlanks(unigram, [None, 1], vocabulary=unigram.vocabulary_size)
    first, second = sentinel_ids(unigram)[:2]
    begins, goes_on, both = (
        set(row.nonzero()[:, 0].tolist())
        for row in blank_pieces(unigram, unigram.vocabulary_size)[1:]
    )
    on, bare, more = unigram.id("▁on"), unigram.id("▁"), min(goes_on)

    def allowed() -> set[int]:
        return set(guide.allowed([0])[0].nonzero()[:, 0].tolist())

    guide.took(0, first)
    assert (allowed(), guide.wanted(0)) == (begins, 2)  # never empty
    guide.took(0, bare)
    assert allowed() == goes_on  # a lone space is no word
    for _ in range(MOST_CONTINUATIONS):
        guide.took(0, more)
    assert allowed() == begins | {second}  # long enough
    guide.took(0, on)
    assert (allowed(), guide.words(0), guide.wanted(0)) == (both | {second}, 2, 3)
    for _ in range(MOST_FREE - 2):
        guide.took(0, on)
    assert (allowed(), guide.words(0)) == (goes_on | {second}, MOST_FREE)
    assert not guide.took(0, second)
    assert (allowed(), guide.words(0), guide.wanted(0)) == (begins, MOST_FREE, MOST_FREE + 1)


def test_a_word_is_over_as_often_as_the_model_says(unigram: Tokenizer) -> None:
    guide = FilledBlanks(unigram, [2], vocabulary=unigram.vocabulary_size)
    first, second = sentinel_ids(unigram)[:2]
    _, begins, goes_on, _ = blank_pieces(unigram, unigram.vocabulary_size)
    on, comma = unigram.id("▁on"), int(goes_on.nonzero()[0, 0])

    def probabilities() -> torch.Tensor:
        # A word begins with 0.3, the blank closes with 0.5, a comma comes with 0.2.
        scores = torch.full((1, unigram.vocabulary_size), -torch.inf)
        scores[0, begins] = math.log(0.1 / (int(begins.sum()) - 1))
        scores[0, on] = math.log(0.2)
        scores[0, second], scores[0, comma] = math.log(0.5), math.log(0.2)
        return guide.guided([0], scores)[0].softmax(0)

    guide.took(0, first)
    guide.took(0, on)
    early = probabilities()
    assert early[second] == 0
    assert early[comma].item() == pytest.approx(0.2)
    assert early[on].item() == pytest.approx(0.8 * 2 / 3, rel=1e-4)
    guide.took(0, on)
    last = probabilities()
    assert last[begins].sum() == 0
    assert last[comma].item() == pytest.approx(0.2)
    assert last[second].item() == pytest.approx(0.8)


def test_a_seed_gives_the_same_words(tiny_t5: Checkpoint) -> None:
    def texts(seed: int) -> tuple[str, ...]:
        sampling = Sampling(temperature=1.0)
        text = "a ___4___ b ___2___"
        return fill_spans(tiny_t5, text, samples=3, sampling=sampling, seed=seed).texts

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)
    assert len(set(texts(1))) == 3


def test_candidates_are_those_that_are_allowed(tiny_t5: Checkpoint) -> None:
    steps = list(filling_spans(tiny_t5, "a ___2___ b", top=3))
    (only,) = steps[0].step.candidates[0]
    assert (only.piece, only.probability) == (sentinel_ids(tiny_t5.tokenizer)[0], 1.0)
    table = blank_pieces(tiny_t5.tokenizer, tiny_t5.config.embedding.vocabulary)
    assert all(table[1, one.piece] for one in steps[1].step.candidates[0])


def test_vocabularies_without_sentinels_or_sizes(tiny_t5: Checkpoint) -> None:
    plain = train_tokenizer(VocabularyKind.UNIGRAM, SENTENCES * 5, 200, frame=T5_FRAME)
    with pytest.raises(MissingTokenError, match="sentinel"):
        fill_spans(replace(tiny_t5, tokenizer=plain), "a ___")
    unsized = train_tokenizer(
        VocabularyKind.UNIGRAM,
        SENTENCES * 5,
        200,
        frame=T5_FRAME,
        further=("<extra_id_1>", "<extra_id_0>"),
    )
    found = fill_spans(replace(tiny_t5, tokenizer=unsized), "a ___3___ b ___")
    assert not any(unsized.token(number).startswith("<size") for number in found.source)
    check("a ___3___ b ___", found)


def test_what_cannot_be_asked(tiny_t5: Checkpoint, tiny_gpt: Checkpoint) -> None:
    with pytest.raises(MissingHeadError):
        fill_spans(tiny_gpt, "a ___")
    with pytest.raises(SamplesOutOfRangeError):
        fill_spans(tiny_t5, "a ___", samples=11)
    with pytest.raises(SequenceTooLongError):
        fill_spans(tiny_t5, "cat " * 700 + "___")
