"""The page of hidden words, run without a browser."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.card_facts import weaknesses
from app.parts.head_switches import SIDE, small_maps
from app.sections.fill_mask import board
from app.sections.fill_mask.reading import NOTHING, MaskedReading
from app.sections.fill_mask.sentence import EXAMPLES
from app.settings import Settings
from app.theme import change, probability
from core.checkpoints import load_checkpoint
from core.tasks import ablate_each, compare_masks, fill_mask, logit_lens
from tests.app.conftest import SHELL

DINOSAURS = "i have a funny story about dinosours"
MILK = "the man went to the [MASK] to buy a [MASK] of milk"


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("bert", device="cpu")


@pytest.fixture
def open_fill():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/fill_mask.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def tables(page):
    """The rows of every table on the page, by its heading."""
    found = {}
    for html in page.get("html"):
        body = html.proto.body
        if 'class="mask-card"' not in body:
            continue
        (heading,) = re.findall(r"<h2>(.*?)<span>", body)
        rows = re.findall(r"<tr>(.*?)</tr>", body)
        cells = [re.findall(r"<t[hd].*?<bdi>(.*?)</bdi>", row) for row in rows]
        found[unescape(heading)] = [[unescape(cell) for cell in row] for row in cells]
    return found


def hidden_pieces(strip):
    return [token["piece"] for token in strip["tokens"] if token["word"] in strip["hidden"]]


def read_back(card):
    return "".join(part["text"] for part in card["sentence"])


def test_the_page_answers_before_anything_is_hidden(open_fill, shown, bert):
    page = open_fill()
    assert_answered(page)
    assert page.title[0].value == "Fill in the mask"
    strip, card = shown(page, "mask_strip"), shown(page, "mask_predictions")
    assert hidden_pieces(strip) == ["tired"]
    found = fill_mask(bert, Settings.text, mask_words=strip["hidden"], top=20, patterns=True)
    (mask,) = found.masks
    assert [one["word"] for one in card["candidates"]] == [piece for piece, _ in mask.predictions]
    assert [one["share"] for one in card["candidates"]] == pytest.approx(
        [share for _, share in mask.predictions], abs=1e-5
    )
    assert card["top"] == Settings.top
    assert read_back(card) == Settings.text.replace("tired", mask.predictions[0].token)
    assert found.patterns is not None
    drawn = shown(page, "head_switches")["maps"].astype(int)
    assert found.patterns is not None
    np.testing.assert_allclose(drawn, small_maps(found.patterns), atol=1)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_fill, shown, number):
    page = open_fill()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == EXAMPLES[number].text
    assert shown(page, "mask_predictions")["candidates"]


def test_several_words_are_hidden_and_each_mask_has_its_choice(open_fill, shown, bert):
    page = open_fill(hide="1.5.10", mask="1", choice="0.2.1", top="3")
    assert_answered(page)
    card = shown(page, "mask_predictions")
    assert [mask["word"] for mask in card["masks"]] == ["animal", "street", "tired"]
    assert (card["mask"], card["chosen"], card["top"]) == (1, 2, 3)
    masks = fill_mask(bert, Settings.text, mask_words=[1, 5, 10]).masks
    chosen = [masks[at].predictions[choice].token for at, choice in enumerate((0, 2, 1))]
    assert [part["text"] for part in card["sentence"] if part["mask"] is not None] == chosen
    assert shown(page, "mask_strip")["selected"] == masks[1].position


def test_typed_masks_need_nothing_hidden(open_fill, shown):
    page = open_fill(text=MILK)
    assert_answered(page)
    strip = shown(page, "mask_strip")
    assert strip["hidden"] == []
    assert len([token for token in strip["tokens"] if token["typed"]]) == 2
    assert len(shown(page, "mask_predictions")["masks"]) == 2


def test_a_word_of_several_pieces_is_said_to_be_as_many_masks(open_fill, shown, bert):
    page = open_fill(text=DINOSAURS, hide="6")
    pieces = len(bert.tokenizer.encode(DINOSAURS).tokens_of(6))
    assert pieces > 1
    assert len(shown(page, "mask_predictions")["masks"]) == pieces
    said = f"“dinosours” is {pieces} pieces, so {pieces} masks stand for it."
    assert shown(page, "mask_strip")["note"] == said
    assert shown(open_fill(), "mask_strip")["note"] == ""


def test_pieces_that_go_on_with_a_word_stand_close_to_it(open_fill, shown):
    page = open_fill(text="He is a good swim [MASK].")
    assert_answered(page)
    candidates = shown(page, "mask_predictions")["candidates"]
    assert {one["word"]: (one["text"], one["joins"]) for one in candidates if one["joins"]} == {
        one["word"]: (one["word"][2:], True) for one in candidates if one["word"][:2] == "##"
    }
    assert candidates[0]["joins"]
    assert not all(one["joins"] for one in candidates)


def test_every_word_can_be_shown_again(open_fill, shown):
    page = open_fill(hide=NOTHING)
    assert_answered(page)
    assert shown(page, "mask_strip")["hidden"] == []
    assert [info.value for info in page.info] == [
        "No word is hidden. Click one, and the model says what could stand there."
    ]
    assert tables(page) == {}
    # Masks in the text are there all the same.
    assert tables(open_fill(hide=NOTHING, text=MILK))


@pytest.mark.parametrize(
    "query",
    [
        {"hide": "9999"}, {"hide": "two"}, {"mask": "7"}, {"choice": "99.x"}, {"off": "99-1.4-99"},
        {"off": "</script>"}, {"top": "0"}, {"edit": " "}, {"hide": "", "off": "", "edit": ""},
    ],
)  # fmt: skip
def test_what_makes_no_sense_here_changes_nothing(open_fill, shown, query):
    page = open_fill(**query)
    assert not page.exception
    assert hidden_pieces(shown(page, "mask_strip")) == ["tired"]
    card = shown(page, "mask_predictions")
    assert (card["mask"], card["chosen"], card["top"]) == (0, 0, Settings.top)
    assert "With every head on" in tables(page)


def test_the_lens_is_that_of_the_model_and_ends_with_the_prediction(open_fill, shown, bert):
    page = open_fill(hide="1.10", mask="1")
    data = shown(page, "lens-values")
    table = dict(zip(data["columns"], data["cells"], strict=True))
    found = logit_lens(bert, Settings.text, mask_words=[1, 10], top=3)
    assert table["layer"] == list(range(7))
    for ordinal, column in enumerate(("1st", "2nd", "3rd")):
        assert table[column] == [layer[1][ordinal].token for layer in found.layers]
    candidates = shown(page, "mask_predictions")["candidates"]
    assert [one.token for one in found.followed[1]] == [
        *(one["word"] for one in candidates[:3]),
        "tired",
    ]
    for one in found.followed[1]:
        name = "tired (hidden)" if one.original else one.token
        assert table[f"rank of {name}"] == list(one.ranks)
        assert [float(cell) for cell in table[f"p of {name}"]] == pytest.approx(
            one.probabilities, rel=1e-3
        )
    assert float(table[f"p of {candidates[0]['word']}"][-1]) == pytest.approx(
        candidates[0]["share"], rel=1e-3
    )


def test_a_typed_mask_hides_no_word_that_could_be_followed(open_fill, shown):
    page = open_fill(text="The capital of France is [MASK].")
    ranks = [one for one in shown(page, "lens-values")["columns"] if one.startswith("rank of")]
    assert len(ranks) == 3
    assert not [one for one in ranks if "hidden" in one]


def test_without_some_heads_the_numbers_are_those_of_the_model(open_fill, bert):
    page = open_fill(off="4-7.5-2")
    assert_answered(page)
    (_, *rows), off = tables(page)["Without 2 heads"], [(4, 7), (5, 2)]
    before = dict(fill_mask(bert, Settings.text, mask_words=[10], top=100).masks[0].predictions)
    after = fill_mask(bert, Settings.text, mask_words=[10], top=100, off=off).masks[0].predictions
    later = dict(after)
    assert {row[0] for row in rows} == {*list(before)[:4], *list(later)[:4]}
    for word, was, now, moved in rows:
        assert was == probability(before[word])
        assert now == probability(later[word])
        assert moved == change(later[word] - before[word])
    assert any(row[1] != row[2] for row in rows)


def test_an_edit_is_compared_at_the_same_mask(open_fill, bert):
    changed = "The [MASK] did cross the street because it was so [MASK]."
    page = open_fill(hide="1.10", mask="1", edit=changed)
    assert_answered(page)
    rows = tables(page)["Before and after"][1:]
    found = compare_masks(bert, Settings.text, mask_words=[1, 10], mask=1, changed=changed, top=4)
    assert rows == [
        [one.token, probability(one.before), probability(one.after), change(one.after - one.before)]
        for one in found.words
    ]
    assert page.text_area[0].value == changed
    page.button(key="edit-back").click().run()
    assert page.text_area[0].value == Settings.text.replace("animal", "[MASK]").replace(
        "tired", "[MASK]"
    )
    assert all(row[2] == "–" for row in tables(page)["Before and after"][1:])
    assert "edit" not in page.query_params


def test_what_is_written_in_the_edit_stands_in_the_address_if_it_fits(open_fill):
    page = open_fill()
    changed = "The animal was too [MASK]."
    page.text_area[0].set_value(changed).run()
    assert page.query_params["edit"] == changed
    long_one = "[MASK] " + "ж" * 2_000
    page.text_area[0].set_value(long_one).run()
    assert "edit" not in page.query_params
    assert page.text_area[0].value == long_one
    page.text_input(key="text").set_value("The cat [MASK].").run()
    assert page.text_area[0].value == "The cat [MASK]."


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("no mask at all", "No word is hidden."),
        ("[MASK] only one", "that text has too few masks (1)"),
        ("[MASK] " * 600, "but this model reads at most 512"),
    ],
)
def test_an_edit_that_cannot_be_compared_is_named_in_its_place(open_fill, shown, edit, message):
    page = open_fill(hide="1.10", mask="1", edit=edit)
    assert not page.exception
    assert [message in error.value.replace("\\", "") for error in page.error] == [True]
    assert shown(page, "mask_predictions")["candidates"]
    assert "With every head on" in tables(page)


def test_another_text_forgets_what_belonged_to_the_old_one(open_fill, shown):
    page = open_fill(hide="1.10", mask="1", choice="0.2", edit="a [MASK] [MASK]", off="4-7")
    page.text_input(key="text").set_value("The cat sat.").run()
    assert_answered(page)
    assert hidden_pieces(shown(page, "mask_strip")) == ["sat"]
    assert page.text_area[0].value == "The cat [MASK]."
    assert "Without layer 4, head 7" in tables(page)


def test_every_head_is_ablated_by_itself_where_the_reader_asks(open_fill, shown, bert):
    page = open_fill(hide="1.10", mask="1", choice="0.2", off="4-7")
    with pytest.raises(AssertionError, match="no component 'ablation_map'"):
        shown(page, "ablation_map")
    page.toggle(key="ablated").set_value(True).run()
    assert_answered(page)
    data = shown(page, "ablation_map")
    found = ablate_each(bert, Settings.text, mask_words=[1, 10], mask=1, top=20)
    candidates = shown(page, "mask_predictions")["candidates"]
    assert data["names"] == [*(one["word"] for one in candidates), "tired (hidden)"]
    assert data["names"][data["chosen"]] == candidates[2]["word"]
    assert data["before"] == pytest.approx([one.before for one in found.pieces], abs=1e-4)
    after = np.stack([one.after for one in found.pieces])
    np.testing.assert_allclose(data["after"], after, atol=1e-4)
    assert data["off"] == ["4-7"]
    # All that can be chosen is known: another candidate asks the model nothing more.
    again = open_fill(hide="1.10", mask="1", choice="0.3", ablated="true")
    assert shown(again, "ablation_map")["chosen"] == 3


def test_heads_of_a_long_text_are_not_ablated_one_by_one(open_fill, shown):
    page = open_fill(text=" ".join(["word"] * 500), ablated="true")
    assert not page.exception
    [error] = page.error
    assert "over at most 227 tokens; the text has 502" in error.value.replace("\\", "")
    assert shown(page, "head_ranking")["lists"]


def test_heads_at_the_mask_are_ranked(open_fill, shown, bert):
    page = open_fill(off="2-3")
    onto, beyond = shown(page, "head_ranking")["lists"]
    result = fill_mask(bert, Settings.text, mask_words=[10], patterns=True)
    assert result.patterns is not None
    at = result.masks[0].position
    others = [
        token
        for token, special in enumerate(result.encoding.special)
        if not special and token != at
    ]
    for one in onto["rows"]:
        column = result.patterns[one["layer"], one["head"]][others, at]
        assert one["share"] == pytest.approx(column.mean(), abs=1e-5)
        assert one["token"] == others[column.argmax()]
        assert one["key"] == at
        assert one["off"] == ((one["layer"], one["head"]) == (2, 3))
    for one in beyond["rows"]:
        row = result.patterns[one["layer"], one["head"]][at, others]
        assert one["share"] == pytest.approx(row.max(), abs=1e-5)
        assert (one["token"], one["key"]) == (at, others[row.argmax()])
    for rows in (onto["rows"], beyond["rows"]):
        assert all(one["share"] >= other["share"] for one, other in pairwise(rows))


def test_small_maps_hold_the_largest_of_each_block():
    patterns = np.random.default_rng(0).random((2, 3, 50, 50)).astype(np.float32)
    maps = small_maps(patterns)
    assert maps.shape == (2, 3, 17, 17)  # blocks of three
    largest = patterns[1, 2].max()
    assert maps[1, 2, 16, 0] == round(float(patterns[1, 2, 48:, :3].max() / largest) * 255)
    assert maps.max(axis=(-2, -1)).tolist() == [[255] * 3] * 2
    assert small_maps(patterns[..., :SIDE, :SIDE]).shape[-2:] == (SIDE, SIDE)


def test_byte_level_pieces_become_words_of_a_sentence(bert):
    result = replace(fill_mask(bert, "so [MASK]"), byte_level=True, marks_spaces=True)
    reading = MaskedReading("bert", result.encoding, (), result, 0)
    assert (reading.filling("Ġtired").text, reading.filling("Ġtired").joins) == ("tired", False)
    assert (reading.filling("ing").text, reading.filling("ing").joins) == ("ing", True)


def test_the_weaknesses_are_the_points_of_the_card():
    card = "# A\n\n## Known weaknesses\n\n- One,\n  two.\n- Three [MASK].\n\n## More\n\n- four\n"
    assert weaknesses(card) == ["One, two.", "Three [MASK]."]
    assert weaknesses("no such part") == []


@pytest.mark.parametrize(
    "text",
    [
        "</script><img src=x onerror=window.hacked=1> [MASK]",
        "مرحبا بالعالم and שלום עולם",
        " ".join(["[MASK]"] * 300),
        "**bold** $x^2$ :red[x] [link](http://example.org)",
        "x" * 5_000,
        "?!",
    ],
)
def test_any_text_is_answered(open_fill, shown, text):
    page = open_fill(text=text, off="0-0")
    assert_answered(page)
    card = shown(page, "mask_predictions")
    assert 1 <= len(card["candidates"]) <= 20
    assert shown(page, "mask_strip")["selected"] > 0


@pytest.mark.parametrize("text", ["", "word " * 600])
def test_a_text_that_cannot_be_read_is_named(open_fill, text):
    page = open_fill()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert len(page.error) == 1


def test_the_copied_link_holds_every_choice(open_fill, shown):
    page = open_fill(hide="1.10", mask="1", choice="0.2", off="4-7", top="3", edit="a [MASK]")
    link = shown(page, "copy_link")["settings"]
    wanted = {
        "hide": "1.10", "mask": "1", "choice": "0.2", "off": "4-7", "top": "3", "edit": "a [MASK]"
    }  # fmt: skip
    assert {name: link[name] for name in wanted} == wanted


def test_a_model_of_ones_own_is_used(open_fill, shown, tiny_checkpoint_folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tiny_checkpoint_folder.parent))
    page = open_fill(model=tiny_checkpoint_folder.name, off="2-3.5-11")
    assert_answered(page)
    assert "Without layer 2, head 3" in tables(page)
    assert shown(page, "lens-values")["cells"][0] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("mask", "index", "wanted"),
    [(1, 2, "0.2"), (150_000_000, 1, None), (-1, 1, None), (0, 10**9, None)],
)
def test_a_choice_that_no_page_offers_is_left_alone(monkeypatch, mask, index, wanted):
    """A list as long as the mask's number would fill the memory."""
    chosen: dict[str, object] = {}
    said = {"mask": mask, "index": index, "stamp": 1}
    monkeypatch.setattr("streamlit.session_state", {board.CARD: {"choice": [said]}})
    monkeypatch.setattr(board, "current_settings", Settings)
    monkeypatch.setattr(board, "choose", chosen.__setitem__)
    monkeypatch.setattr(board, "forget", lambda name: chosen.pop(name, None))
    board._remember_candidate()
    assert chosen.get("choice") == wanted
