"""The page about BERT's family, with a tiny model of every system."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.scenes import scenes_of
from app.sections.family.family_card import MOST_CELLS, small_map
from app.sections.family.family_orders import PRESETS
from app.sections.family.members import MEMBERS
from app.sections.family.spans import span_around
from app.state import numbers_of
from core.checkpoints import LoadPolicy, catalogue, load_checkpoint
from core.tasks import fill_mask
from core.tasks.span_terms import span_terms
from tests.tiny_checkpoints import write_all

TEXT = "The dog sleeps in the garden."
SYSTEMS = [one.system for one in MEMBERS]


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    return write_all(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def shipped(written, monkeypatch) -> Path:
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", written)
    return written


@pytest.fixture
def open_family(open_page):
    def open_at(**query):
        return open_page(query).switch_page("../pages/family.py").run()

    return open_at


@pytest.fixture
def load(written):
    policy = LoadPolicy(roots=(written,))
    return lambda name: load_checkpoint(str(written / name), policy=policy)


def html(page):
    return " ".join(one.proto.body for one in page.get("html"))


def test_every_member_reads_the_sentence_in_its_own_way(open_family, shown, load):
    page = open_family(text=TEXT, hide="1")
    assert not page.exception
    assert not page.error
    for system in SYSTEMS:
        card = shown(page, f"family-{system}")
        expected = fill_mask(load(system), TEXT, mask_words=[1], patterns=True)
        assert expected.patterns is not None
        assert [one["piece"] for one in card["tokens"]] == list(expected.encoding.pieces)
        hidden = [at for at, one in enumerate(card["tokens"]) if one["hidden"]]
        assert hidden == [one.position for one in expected.masks] == card["map"]["rows"]
        shares = [one["share"] for one in card["hidden"][0]["guesses"]]
        assert shares == [share for _piece, share in expected.masks[0].predictions]
        assert f"rank {expected.masks[0].rank:,}" in card["hidden"][0]["truth"]
        last, weights = card["map"]["layers"][-1]
        np.testing.assert_allclose(weights, expected.patterns[last].mean(axis=0), atol=1e-6)
        assert (card["map"]["masked"] is not None) == (system == "xlnet")
        assert ("query stream" in card["strings"]["rest"]) == (system == "xlnet")


def test_one_word_is_hidden_at_a_time(open_family, shown):
    for query, expected in (({}, [4]), ({"hide": "2.3"}, [2]), ({"hide": "99"}, [5])):
        text = "She is eating a green apple." if "hide" in query else "I am a small boy"
        page = open_family(text=text, **query)
        assert shown(page, "family-strip")["hidden"] == expected
    page = open_family(text="The dog [MASK] in the garden.")
    assert shown(page, "family-strip")["hidden"] == []
    for system in SYSTEMS:
        card = shown(page, f"family-{system}")
        assert sum(one["hidden"] for one in card["tokens"]) == 1
        assert card["hidden"][0]["truth"] == ""


def test_without_a_model_of_a_system_its_card_says_so(
    open_family, shown, written, tmp_path, monkeypatch
):
    for name in ("bert", "roberta"):
        (tmp_path / name).symlink_to(written / name)
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_family(text=TEXT)
    assert not page.exception
    assert not page.error
    assert html(page).count("None came with Headlight") == len(SYSTEMS) - 2
    assert shown(page, "family-roberta")["title"] == "RoBERTa"
    assert "ALBERT: one layer" not in html(page)
    assert len(shown(page, "family-draws")["members"]) == 2


def test_an_empty_text_and_a_long_one_are_told(open_family):
    page = open_family(text="")
    assert "There is no text yet" in page.error[0].value
    page = open_family(text="dog " * 700)
    assert not page.exception
    assert "but this model reads at most 512" in page.error[0].value


def test_the_same_seed_draws_the_same_and_another_one_does_not(open_family, shown):
    drawn = [
        shown(open_family(text=TEXT, seed=seed), "family-draws")["members"]
        for seed in ("3", "3", "4")
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert [one["title"] for one in drawn[0]] == [one.title for one in MEMBERS]
    bert = drawn[0][0]
    assert bert["draws"][0] == bert["draws"][bert["copies"]]


def test_drawing_again_takes_the_next_seed(open_family, shown):
    page = open_family(text=TEXT, seed="999999")
    page.button(key="draw-again").click().run()
    assert page.number_input(key="seed").value == 0


def table_of(page, shown, figure):
    """The columns of a figure's table by their headings."""
    data = shown(page, f"{figure}-values")
    return dict(zip(data["columns"], data["cells"], strict=True))


def test_parameters_of_the_lecture_stand_on_the_page_with_the_other_conventions(open_family, shown):
    page = open_family(text=TEXT)
    table = table_of(page, shown, "family-published")
    rows = {
        model: (without, with_pooler, stated, counted)
        for model, without, with_pooler, stated, counted in zip(
            table["model"],
            table["together, without pooler"],
            table["with pooler"],
            table["published"],
            table["counted"],
            strict=True,
        )
    }
    lecture = (333_557_760, 334_607_360, "334M", "without pooler")
    assert rows["BERT-large, 30,000 pieces"] == lecture
    assert rows["ALBERT-large"] == (16_634_368, 17_683_968, "18M", "with pooler")
    assert rows["BERT-base"][:2] == (108_891_648, 109_482_240)
    assert rows["RoBERTa-base"] == (124_055_040, None, "", "")
    assert "24 layers of 1,024, 1 set of weights" in table["layers"]
    said = html(page)
    for number in ("333,557,760", "334,607,360", "17,683,968", "16,634,368"):
        assert number in said


def test_models_are_sorted_by_their_parameters_and_parts_add_up(open_family, shown, load):
    page = open_family(text=TEXT)
    for figure in ("family-published", "family-ours"):
        table = table_of(page, shown, figure)
        together = [
            with_pooler or without
            for with_pooler, without in zip(
                table["with pooler"], table["together, without pooler"], strict=True
            )
        ]
        assert together == sorted(together, reverse=True)
        names = ("pieces", "projection", "attention", "feed-forward", "rest", "pooler")
        sums = [
            sum(part or 0 for part in parts) for parts in zip(*map(table.get, names), strict=True)
        ]
        assert sums == together
    assert len(table["model"]) == len(SYSTEMS)
    bert = load("bert").model
    body = sum(
        one.numel()
        for name, one in bert.named_parameters()
        if name.startswith(("embedding.", "encoder."))
    )
    assert body in table["together, without pooler"]


def test_bars_are_counts_or_shares(open_family):
    def axes(page):
        charts = [json.loads(one.proto.spec) for one in page.get("vega_lite_chart")]
        return [chart["layer"][0]["encoding"]["x"]["field"] for chart in charts]

    page = open_family(text=TEXT)
    assert axes(page) == ["count", "count"]
    page.toggle(key="shares").set_value(True).run()
    assert axes(page) == ["share", "share"]
    assert axes(open_family(text=TEXT, shares="true")) == ["share", "share"]


def test_orders_are_those_of_the_lecture_with_every_other_one(open_family, shown):
    data = shown(open_family(text=TEXT), "family-orders")
    assert data["presets"] == [list(order) for order in PRESETS]
    assert data["presets"][0] == [0, 3, 1, 2]
    masks = {tuple(one["order"]): one for one in data["orders"]}
    assert len(masks) == 24
    # In 1-4-2-3 the third word sees 1, 4 and 2, and its own place only.
    assert masks[0, 3, 1, 2]["query"][2] == [1, 1, 0, 1]
    assert masks[0, 3, 1, 2]["content"][2] == [1, 1, 1, 1]


def test_spanberts_losses_are_worked_out(open_family, load):
    page = open_family(text=TEXT, hide="3", span="3")
    found = span_terms(load("spanbert"), TEXT, first=2, last=4, word=3)
    said = html(page)
    assert f"{found.masked.loss:.3f} + {found.boundary.loss:.3f} = {found.loss:.3f}" in said
    page.number_input(key="span").set_value(2).run()
    other = span_terms(load("spanbert"), TEXT, first=2, last=3, word=3)
    assert f"= {other.loss:.3f} nats" in html(page)


def test_a_span_lies_around_its_word():
    assert span_around(6, 4, 13) == (4, 7)
    assert span_around(0, 3, 5) == (0, 2)
    assert span_around(4, 3, 5) == (2, 4)
    assert span_around(1, 9, 3) == (0, 2)


def test_a_long_map_is_shrunk_to_its_strongest_cells():
    generator = np.random.default_rng(0)
    patterns = generator.random((3, 2, 300, 300), dtype=np.float32)
    found = small_map(patterns, [str(at) for at in range(300)], [299])
    assert len(found.labels) == MOST_CELLS
    assert found.rows == [MOST_CELLS - 1]
    assert [number for number, _ in found.layers] == [0, 1, 2]
    mean = patterns[2].mean(axis=0)
    assert found.layers[2][1].max() == mean.max()
    assert found.layers[2][1][0, 0] == mean[:3, :3].max()


def test_scenes_say_what_their_titles_say(monkeypatch):
    monkeypatch.undo()  # the bundled models
    settings = {scene.name: scene.settings for scene in scenes_of("family")}
    football = settings["football"]
    found = fill_mask(
        load_checkpoint("bert"), str(football["text"]), mask_words=[int(football["hide"])]
    )
    assert found.masks[0].piece == "football"
    assert found.masks[0].rank == 1
    assert span_around(int(football["hide"]), int(football["span"]), 13) == (4, 7)
    assert numbers_of(str(settings["order-of-reading"]["order"])) == PRESETS[1]
    milk = settings["gallon-of-milk"]
    found = fill_mask(load_checkpoint("bert"), str(milk["text"]), mask_words=[int(milk["hide"])])
    assert found.masks[0].piece == "milk"
