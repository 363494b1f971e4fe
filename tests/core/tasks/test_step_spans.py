"""How blanks were filled, step by step, with a tiny T5."""

import pytest
import torch

from core.decoding import GREEDY, Sampling
from core.engine.progress import heard_by
from core.tasks.errors import NoBlankError
from core.tasks.fill_spans import fill_spans
from core.tasks.step_spans import TOP, attend_written, step_spans

TEXT = "A dog ___2___ to the ___ and sat there."


def test_the_texts_are_those_of_filling(t5):
    sampling = Sampling(0.8)
    found = step_spans(t5, TEXT, samples=3, sampling=sampling, seed=4)
    plain = fill_spans(t5, TEXT, samples=3, sampling=sampling, seed=4)
    texts = [found.blanks.filled(one.fillings) for one in found.texts]
    assert texts == list(plain.texts)
    assert found.source.ids == plain.source
    assert [[len(two.split()) for two in one.fillings] for one in found.texts] == [[2, 1]] * 3


def test_each_step_tells_the_ten_likeliest_and_what_was_written(t5):
    (text,) = step_spans(t5, TEXT).texts
    assert len(text.pieces) == len(text.ids)
    for piece in text.pieces:
        shares = [one.probability for one in piece.options[:TOP]]
        assert shares == sorted(shares, reverse=True)
        assert piece.options[piece.chosen].piece == piece.piece
        assert piece.chosen == 0  # always the likeliest
        assert sum(shares) <= 1 + 1e-5
    first = text.pieces[0]
    assert first.forced
    assert (first.piece, first.options[0].probability) == ("<extra_id_0>", 1.0)


def test_a_piece_that_is_drawn_beyond_the_ten_stands_behind_them(t5):
    found = step_spans(t5, TEXT, samples=10, sampling=Sampling(5.0))
    drawn = [one for text in found.texts for one in text.pieces if one.chosen == TOP]
    assert drawn
    assert all(len(one.options) == TOP + 1 for one in drawn)


def test_every_piece_knows_its_blank(t5):
    found = step_spans(t5, TEXT)
    (text,) = found.texts
    blanks = [one.blank for one in text.pieces]
    assert blanks == sorted(blanks)
    assert [one.piece for one in text.pieces if one.mark] == [
        "<extra_id_0>",
        "<extra_id_1>",
        "<extra_id_2>",
    ]
    assert set(blanks) == {0, 1, 2}
    owned = {
        piece: owner
        for piece, owner in zip(found.source.pieces, found.owners, strict=True)
        if owner is not None
    }
    assert owned == {"<extra_id_0>": 0, "<size_2>": 0, "<extra_id_1>": 1, "<size_1>": 1}


def test_free_blanks_are_stepped_through_among_sized_ones(t5):
    text = "A dog ___*___ to the ___2___ and ___*___ there."
    found = step_spans(t5, text, samples=3, sampling=Sampling(1.0), seed=1)
    plain = fill_spans(t5, text, samples=3, sampling=Sampling(1.0), seed=1)
    assert [found.blanks.filled(one.fillings) for one in found.texts] == list(plain.texts)
    owned = [
        (piece, owner)
        for piece, owner in zip(found.source.pieces, found.owners, strict=True)
        if owner is not None
    ]
    assert owned == [
        ("<extra_id_0>", 0),
        ("<extra_id_1>", 1),
        ("<size_2>", 1),
        ("<extra_id_2>", 2),
    ]
    for one in found.texts:
        assert [step.piece for step in one.pieces if step.mark] == [
            f"<extra_id_{blank}>" for blank in range(4)
        ]
        ended = [step for step in one.pieces if step.mark and step.blank in (1, 3)]
        assert not any(step.forced for step in ended)  # to end is a choice among others
        result = attend_written(t5, text, one.ids)
        assert result["cross"].patterns.shape[-2:] == (len(one.ids), len(found.source))


def test_progress_is_told_in_words(t5):
    told = []
    with heard_by(lambda done, wanted: told.append((done, wanted))):
        step_spans(t5, TEXT)
    assert told[0] == (0, 3)
    assert told[-1] == (3, 3)


def test_the_attention_of_a_step_is_that_of_what_it_read(t5):
    (text,) = step_spans(t5, TEXT).texts
    result = attend_written(t5, TEXT, text.ids)
    decoder, cross = result["decoder"], result["cross"]
    steps = len(text.ids)
    assert decoder.patterns.shape[-2:] == (steps, steps)
    assert decoder.query.pieces[1:] == tuple(one.piece for one in text.pieces[:-1])
    assert torch.from_numpy(decoder.patterns.copy()).triu(1).abs().max() == 0
    assert cross.patterns.sum(axis=-1) == pytest.approx(1, abs=1e-5)


def test_the_steps_of_one_pass_say_what_was_written(t5):
    """One pass over all that was written scores as the steps did."""
    found = step_spans(t5, TEXT, sampling=GREEDY)
    (text,) = found.texts
    start = t5.config.start_id
    with torch.inference_mode():
        memory = t5.model.encode(torch.tensor([found.source.ids]))
        hidden = t5.model.decode(torch.tensor([[start, *text.ids[:-1]]]), memory)
        scores = t5.model.score_words(hidden[0]).softmax(-1)
    compared = 0
    for step, piece in enumerate(text.pieces):
        if piece.forced:
            continue
        # Only the ratios are the model's, among the pieces that begin a word and among the others:
        # the end of a word is as likely as the model says, by whatever may end it here.
        for begins in (True, False):
            options = [
                one
                for one in piece.options
                if one.piece.startswith(("▁", "␣")) == begins and not one.piece.startswith("<")
            ][:2]
            if len(options) == 2:
                ids = [t5.tokenizer.id(_raw(t5, one.piece)) for one in options]
                ratio = float(scores[step, ids[0]] / scores[step, ids[1]])
                told = options[0].probability / options[1].probability
                assert told == pytest.approx(ratio, rel=1e-3)
                compared += 1
    assert compared > 2


def _raw(t5, piece):
    vocabulary = t5.tokenizer.inner.get_vocab()
    return piece if piece in vocabulary else piece.replace("␣", "▁")


def test_a_text_without_blanks_is_refused(t5):
    with pytest.raises(NoBlankError):
        step_spans(t5, "No blank.")


def test_special_tokens_that_a_person_typed_beside_blanks_are_named(t5):
    assert step_spans(t5, TEXT).source.plain_specials == ()
    source = step_spans(t5, f"</s> {TEXT} <extra_id_1>").source
    assert source.plain_specials == ("</s>", "<extra_id_1>")
