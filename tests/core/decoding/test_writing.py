"""Writing step by step: with and without a cache, against transformers, stopped half-way."""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from core.decoding import (
    Sampling,
    UntilEnd,
    beam_search,
    best_texts,
    by_gnmt,
    by_length,
    reader_of,
    texts_of,
    write,
)
from core.errors import SequenceTooLongError
from core.hooks import capture
from core.models.architectures.bert import bert_config
from core.models.architectures.seq2seq import seq2seq_config
from core.models.encoder_decoder import EncoderDecoder
from core.models.registry import build
from core.parity import comparison_of

pytestmark = pytest.mark.parity

LLAMAS = ("llama", "llama-3", "mistral", "qwen2", "qwen3")
TWO_SIDES = ("t5", "t5-1.1", "umt5", "transformer")
NAMES = ("gpt", "gpt1", "gpt-neox", "gpt-neox-serial", *LLAMAS, *TWO_SIDES)


@cache
def pair_of(name: str) -> tuple[Any, Any]:
    return comparison_of(name).pair()


def texts(rows: int, length: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(2, 99, (rows, length), generator=generator)


def padding_on_the_right(ids: Tensor) -> Tensor:
    """The second row half as long as the first, and so on."""
    lengths = torch.tensor([max(1, ids.shape[1] // (row + 1)) for row in range(len(ids))])
    return torch.arange(ids.shape[1]) < lengths[:, None]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", [1, 2, 9, 32, 64])
def test_with_a_cache_as_without(name: str, length: int) -> None:
    """Piece by piece and in two bites, against everything at once; sources are padded."""
    ours, _ = pair_of(name)
    ids, source = texts(3, length), texts(3, 13, seed=1)
    keep = padding_on_the_right(source)
    with torch.inference_mode():
        memory = ours.encode(source, keep) if isinstance(ours, EncoderDecoder) else None

        def decode(ids: Tensor, cache: Any = None) -> Tensor:
            if memory is None:
                return ours.decode(ids, cache=cache)
            return ours.decode(ids, memory, memory_keep=keep, cache=cache)

        whole = decode(ids)
        single, bites = ours.new_cache(), ours.new_cache()
        steps = [decode(ids[:, at : at + 1], single) for at in range(length)]
        halves = [decode(part, bites) for part in ids.split((length + 1) // 2, dim=1)]
    assert single.length == bites.length == length
    for found in (torch.cat(steps, dim=1), torch.cat(halves, dim=1)):
        torch.testing.assert_close(found, whole, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_cache_keeps_the_rows_that_it_is_told_to(name: str) -> None:
    ours, _ = pair_of(name)
    ids = texts(3, 8)
    rows = torch.tensor([2, 0, 2, 1])

    def reader(some: Tensor) -> Any:
        return reader_of(ours, some, padding_on_the_right(ids)[: len(some)])

    first = reader(ids)
    first.read(first.first)
    first.keep(rows)
    found = first.read(torch.tensor([[5], [6], [7], [8]]))
    for index, row in enumerate(rows.tolist()):
        alone = reader_of(ours, ids[row : row + 1], padding_on_the_right(ids)[row : row + 1])
        alone.read(alone.first)
        expected = alone.read(torch.tensor([[5 + index]]))
        torch.testing.assert_close(found[index], expected[0], atol=1e-5, rtol=1e-5)
    before = reader(ids)  # rows may change before anything was read, too
    before.keep(rows)
    other = reader(ids)
    torch.testing.assert_close(
        before.read(before.first), other.read(other.first)[rows], atol=1e-5, rtol=1e-5
    )


def an_end(ours: Any, ids: Tensor, keep: Tensor | None) -> int:
    """A piece that texts without an end contain: with random weights, none is special."""
    free = texts_of(write(reader_of(ours, ids, keep), most=12))
    return max(
        {piece for text in free for piece in text},
        key=lambda piece: (len({text.index(piece) for text in free if piece in text}), piece),
    )


def theirs_writes(
    name: str, ids: Tensor, keep: Tensor | None, end: int, **options: Any
) -> list[list[int]]:
    _, theirs = pair_of(name)
    start = 1 if name in TWO_SIDES else ids.shape[1]
    if name in TWO_SIDES:
        options["decoder_start_token_id"] = 100 if name == "transformer" else 0
    rows = theirs.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids) if keep is None else keep.long(),
        do_sample=False,
        eos_token_id=end,
        pad_token_id=100,
        forced_eos_token_id=None,
        use_cache="t5" not in name,  # theirs expects as many layers on both sides
        **options,
    )[:, start:].tolist()
    return [row[: row.index(end) + 1] if end in row else row for row in rows]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", [1, 6, 17])
def test_greedy_as_generate(name: str, length: int) -> None:
    ours, _ = pair_of(name)
    ids = texts(8, length)
    keep = padding_on_the_right(ids) if name in TWO_SIDES else None
    end = an_end(ours, ids, keep)
    found = texts_of(write(reader_of(ours, ids, keep), most=40, guide=UntilEnd([end])))
    expected = theirs_writes(name, ids, keep, end, max_new_tokens=40, num_beams=1)
    assert [list(text) for text in found] == expected
    assert len(set(map(len, found))) > 1  # some came to an end, and the others went on


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("beams", [2, 4])
@pytest.mark.parametrize("alpha", [1.0, 0.4])
def test_beams_as_generate(name: str, beams: int, alpha: float) -> None:
    ours, _ = pair_of(name)
    ids = texts(6, 9)
    keep = padding_on_the_right(ids) if name in TWO_SIDES else None
    end = an_end(ours, ids, keep)
    steps = beam_search(
        reader_of(ours, ids, keep), beams=beams, most=25, ends=[end], penalty=by_length(alpha)
    )
    expected = theirs_writes(
        name, ids, keep, end, max_new_tokens=25, num_beams=beams, length_penalty=alpha
    )
    assert [list(text) for text in best_texts(steps)] == expected


@pytest.mark.parametrize("name", ["gpt", "transformer"])
def test_one_beam_is_greedy_and_more_find_likelier_texts(name: str) -> None:
    ours, _ = pair_of(name)
    ids = texts(4, 9)
    greedy = texts_of(write(reader_of(ours, ids), most=12))
    one = beam_search(reader_of(ours, ids), beams=1, most=12)
    assert best_texts(one) == greedy
    *_, single = beam_search(reader_of(ours, ids), beams=1, most=12)
    *_, several = beam_search(reader_of(ours, ids), beams=6, most=12)
    gains = [
        two[0].log_probability - one[0].log_probability
        for one, two in zip(single.complete, several.complete, strict=True)
    ]
    assert sum(gains) > 0.1


def test_beams_tell_where_they_come_from_and_what_they_score() -> None:
    ours, _ = pair_of("t5")
    steps = list(beam_search(reader_of(ours, texts(1, 9)), beams=3, most=6, penalty=by_gnmt(0.6)))
    for before, after in pairwise(steps):
        for beam in after.running[0]:
            assert beam.pieces[:-1] == before.running[0][beam.parent].pieces
            parent = before.running[0][beam.parent]
            assert beam.log_probability < parent.log_probability
            length = len(beam.pieces)
            assert beam.score == pytest.approx(beam.log_probability / ((5 + length) / 6) ** 0.6)
    last = steps[-1]
    assert (last.running, last.over) == (((),), (True,))
    scores = [beam.score for beam in last.complete[0]]
    assert scores == sorted(scores, reverse=True)
    text = last.complete[0][0].pieces
    with torch.inference_mode():
        target = torch.tensor([[0, *text[:-1]]])
        logits = ours(texts(1, 9), target).logits[0].log_softmax(-1)
    total = float(logits.gather(-1, torch.tensor(text)[:, None]).sum())
    assert last.complete[0][0].log_probability == pytest.approx(total, abs=1e-4)


def counted(model: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls: list[int] = []
    whole = model.decode

    def decode(ids: Tensor, *rest: Any, **more: Any) -> Tensor:
        calls.append(1)
        return whole(ids, *rest, **more)

    monkeypatch.setattr(model, "decode", decode)
    return calls


@pytest.mark.parametrize("search", [write, beam_search])
def test_a_consumer_that_stops_stops_the_model(
    search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = pair_of("t5")
    calls = counted(ours, monkeypatch)
    steps = search(reader_of(ours, texts(1, 5)), most=500)
    assert calls == []  # nothing before somebody asks
    for step in steps:
        assert len(calls) == step.number + 1  # nothing ahead
        if step.number == 3:
            break
    steps.close()
    assert len(calls) == 4


def test_steps_tell_the_candidates_and_their_probabilities() -> None:
    ours, _ = pair_of("gpt")
    ids = texts(2, 6)
    sampling = Sampling(temperature=0.7, top_k=3)
    generator = torch.Generator().manual_seed(1)
    read = ids
    for step in write(reader_of(ours, ids), most=5, sampling=sampling, generator=generator, top=4):
        with torch.inference_mode():
            expected = ours(read).logits[:, -1].softmax(-1)
        for row in step.rows:
            shown = step.candidates[row]
            assert len({one.piece for one in shown}) == 4
            for one in shown:
                assert one.probability == pytest.approx(float(expected[row, one.piece]), abs=1e-6)
            assert [one.probability for one in shown] == sorted(
                (one.probability for one in shown), reverse=True
            )
            # Only three are drawn from.
            assert sum(one.sampling_probability for one in shown) == pytest.approx(1)
            assert [one.sampling_probability for one in shown][3] == 0
            assert step.chosen[row] in [one.piece for one in shown[:3]]
        read = torch.cat([read, torch.tensor(step.chosen)[:, None]], dim=1)


def test_a_chosen_piece_that_is_not_among_the_likeliest_is_told_too() -> None:
    ours, _ = pair_of("gpt")
    hot = Sampling(temperature=50.0)
    generator = torch.Generator().manual_seed(2)
    steps = write(reader_of(ours, texts(3, 4)), most=4, sampling=hot, generator=generator, top=2)
    shown = [row for step in steps for row in zip(step.chosen, step.candidates, strict=True)]
    others = [(piece, candidates) for piece, candidates in shown if len(candidates) == 3]
    assert len(others) > 6
    assert all(candidates[-1].piece == piece for piece, candidates in others)


def test_a_model_without_positions_left_says_so() -> None:
    ours, _ = pair_of("gpt")
    with pytest.raises(SequenceTooLongError):
        list(write(reader_of(ours, texts(1, 510)), most=9))


def test_patterns_of_what_is_written_can_be_watched() -> None:
    ours, _ = pair_of("t5")
    reader = reader_of(ours, texts(1, 5), explicit=True)
    shapes = []
    steps = write(reader, most=3)
    for _ in range(3):
        with capture(["decoder.layers.2.*.pattern"]) as trace:
            next(steps)
        shapes.append([tuple(record.value.shape) for record in trace.records])
    assert shapes == [[(1, 4, 1, keys), (1, 4, 1, 5)] for keys in (1, 2, 3)]


def test_the_recurrent_translator_writes_too() -> None:
    """In double precision: weights as wide as these make errors of rounding grow step by step."""
    config = seq2seq_config(vocabulary=50, width=16, initial_deviation=0.5)
    model: Any = build(config).eval().double()
    ids = texts(3, 7) % 50
    keep = padding_on_the_right(ids)
    found = texts_of(write(reader_of(model, ids, keep), most=8))
    *_, last = beam_search(reader_of(model, ids, keep), beams=3, most=8)
    start = torch.full((3, 1), model.config.start_id)
    with torch.inference_mode():
        target = start
        for _ in range(8):
            logits = model(ids, target, keep).logits[:, -1]
            target = torch.cat([target, logits.argmax(-1)[:, None]], dim=1)
        assert [list(text) for text in found] == target[:, 1:].tolist()
        for row, complete in enumerate(last.complete):
            pieces = torch.tensor(complete[0].pieces)
            read = torch.cat([start[row], pieces[:-1]])[None]
            scores = model(ids[row : row + 1], read, keep[row : row + 1]).logits[0]
            total = scores.log_softmax(-1).gather(-1, pieces[:, None]).sum()
            assert complete[0].log_probability == pytest.approx(float(total), abs=1e-5)


def test_an_encoder_writes_nothing() -> None:
    model = build(bert_config(vocabulary=9, layers=1, heads=1, width=4))
    with pytest.raises(TypeError, match="Bert writes no texts"):
        reader_of(model, texts(1, 3))
