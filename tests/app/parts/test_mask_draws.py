"""Random masking in words and numbers, as the script that draws it is handed them."""

from dataclasses import replace

import pytest

from app.sections.fill_mask.mask_draws import (
    MOST_COLUMNS,
    MOST_TOKENS,
    draws_data,
    epochs_data,
    floored,
)
from core.objectives.masking import MaskingRule
from core.tasks import Corruption, random_masking

LONG = "The cat sat on the mat and the animal didn't cross the street. " * 3
CORRUPTIONS = {"mask": "[MASK]", "random": "random", "kept": "kept"}


def readings(checkpoint, text, **given):
    return [random_masking(checkpoint, text, dynamic=dynamic, **given) for dynamic in (False, True)]


def test_a_draw_is_cut_so_that_it_stays_on_its_side_of_a_border():
    assert [floored(draw, 2) for draw in (0.0, 0.7996, 0.8, 0.8999, 0.9, 0.9999)] == [
        "0.00", "0.79", "0.80", "0.89", "0.90", "0.99",
    ]  # fmt: skip


def test_every_token_has_its_uniform_number_and_every_chosen_one_its_draw(tiny_checkpoint):
    seen = set()
    for seed in range(12):
        result = random_masking(tiny_checkpoint, LONG, seed=seed)
        epoch, data = result.epochs[0], draws_data(result)
        assert [token["piece"] for token in data["tokens"]] == list(result.encoding.pieces)
        assert [token["special"] for token in data["tokens"]] == list(result.encoding.special)
        assert [uniform is None for uniform in data["uniforms"]] == list(result.encoding.special)
        for uniform, shown in zip(epoch.uniforms, data["uniforms"], strict=True):
            assert uniform is None or 0 <= uniform - float(shown) < 0.001
        for one, shown in zip(epoch.chosen, data["draws"], strict=True):
            assert (shown["at"], shown["corruption"]) == (one.position, one.corruption.value)
            assert shown["place"] == one.draw
            assert 0 <= one.draw - float(shown["draw"]) < 0.01
            assert (
                shown["because"]
                == {
                    Corruption.MASK: f"{shown['draw']} < 0.8",
                    Corruption.RANDOM: f"0.8 ≤ {shown['draw']} < 0.9",
                    Corruption.KEPT: f"0.9 ≤ {shown['draw']}",
                }[one.corruption]
            )
            assert (shown["seen"], shown["guess"]) == (one.piece, one.guess.token)
            seen.add(one.corruption)
    assert seen == set(Corruption)


def test_the_rule_is_worked_out_from_its_shares(tiny_checkpoint):
    result = random_masking(tiny_checkpoint, LONG)
    data, ordinary = draws_data(result), result.encoding.special.count(False)
    chosen = round(0.15 * ordinary)
    assert data["notes"] == [
        f"15\N{NO-BREAK SPACE}% of {ordinary} ordinary tokens, rounded: {chosen} are chosen, those"
        " with the smallest lots. Special tokens are never chosen."
    ]
    assert data["decisions"][0].endswith(
        "Of 1,000 tokens about 150 are chosen: 120 become [MASK], 15 a random piece, and 15 stay as"
        " they are."
    )
    assert [(zone["corruption"], zone["from"], zone["to"]) for zone in data["zones"]] == [
        ("mask", 0.0, 0.8),
        ("random", 0.8, 0.9),
        ("kept", 0.9, 1.0),
    ]
    assert data["corruptions"] == CORRUPTIONS
    other = MaskingRule(share=0.4, masked=0.5, replaced=0.3)
    changed = draws_data(replace(result, rule=other))
    assert "about 400 are chosen: 200 become [MASK], 120 a random" in changed["decisions"][0]
    assert [label for _place, label in changed["borders"]] == ["0", "0.5", "0.8", "1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cat", "is not even half a token; one is chosen"),
        ("the cat sat on", "rounded: 1 is chosen, the one with the smallest lot."),
        ("[MASK] [MASK]", "There is no ordinary token here"),
    ],
)
def test_short_texts_have_a_sentence_of_their_own(tiny_checkpoint, text, said):
    result = random_masking(tiny_checkpoint, text)
    data = draws_data(result)
    assert said in data["notes"][0]
    assert len(data["draws"]) == (0 if "[MASK]" in text else 1)


def test_distinct_tokens_are_counted_over_the_epochs(tiny_checkpoint):
    static, dynamic = readings(tiny_checkpoint, LONG, seed=3, epochs=6)
    data = epochs_data(static, dynamic)
    for group, result in zip(data["groups"], (static, dynamic), strict=True):
        assert len(group["rows"]) == 6
        chosen = {one.position for epoch in result.epochs for one in epoch.chosen}
        masked = {
            one.position
            for epoch in result.epochs
            for one in epoch.chosen
            if one.corruption is Corruption.MASK
        }
        ordinary = result.encoding.special.count(False)
        assert group["count"] == (
            f"After 6 epochs: {len(chosen)} of {ordinary} tokens chosen at least once,"
            f" {len(masked)} seen as [MASK]"
        )
    assert data["groups"][0]["count"] != data["groups"][1]["count"]


def test_of_a_long_text_as_much_is_drawn_as_can_be_read(tiny_checkpoint, monkeypatch):
    text = "the cat sat on the mat " * 40
    static, dynamic = readings(tiny_checkpoint, text, epochs=2)
    tokens = len(static.encoding)
    assert MOST_COLUMNS < tokens < MOST_TOKENS
    data = epochs_data(static, dynamic)
    assert len(data["tokens"]) == MOST_COLUMNS
    assert data["notes"] == [
        f"Here are the first {MOST_COLUMNS} of {tokens} tokens; what is counted is all of them."
    ]
    places = [
        draw["at"] for group in data["groups"] for row in group["rows"] for draw in row["draws"]
    ]
    assert max(places) < MOST_COLUMNS
    assert len(draws_data(static)["tokens"]) == tokens
    monkeypatch.setattr("app.sections.fill_mask.mask_draws.MOST_TOKENS", 100)
    cut = draws_data(static)
    assert len(cut["tokens"]) == len(cut["uniforms"]) == 100
    assert cut["notes"][-1].startswith(f"Here are the first 100 of {tokens} tokens")
