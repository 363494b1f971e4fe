"""The page on which replaced tokens are found, run without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.replaced.board import VIEW
from app.sections.replaced.edits import edited, read_edits, write_edits
from app.sections.replaced.reading import generator_of
from app.sections.replaced.sentence import EXAMPLES, TEMPERATURE, UNSEEN
from app.sections.scenes import KEY as SCENE_KEYS
from app.settings import Settings
from app.state import link_query, read_query, write_value
from core.checkpoints import catalogue, load_checkpoint
from core.tasks import detect_replaced, replace_by_generator, sample_replacements
from tests.app.conftest import SHELL
from tests.tiny_checkpoints import write_all, write_tiny

APPLE = "She is eating a green apple."


@pytest.fixture(autouse=True, scope="module")
def bundled(tmp_path_factory):
    """Tiny models in the place of ours: what is tested holds for any weights."""
    folder = write_all(tmp_path_factory.mktemp("bundled"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "BUNDLED_FOLDER", folder)
        yield folder


@pytest.fixture
def open_replaced():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/replaced.py").run()

    return open_at


@pytest.fixture
def drawn(shown):
    return lambda page: shown(page, VIEW)


def models():
    return [load_checkpoint(name, device="cpu") for name in ("electra", "electra-generator")]


def assert_answered(page):
    assert not page.exception
    assert not page.error


@pytest.mark.parametrize("temperature", [100, 300])
def test_the_generator_draws_and_the_discriminator_judges(open_replaced, drawn, temperature):
    page = open_replaced(text=APPLE, seed="3", heat=str(temperature))
    assert_answered(page)
    assert page.title[0].value == "Spot the replaced"
    assert page.selectbox(key=TEMPERATURE).value == temperature
    discriminator, generator = models()
    sampled, judged = replace_by_generator(
        discriminator, generator, APPLE, seed=3, temperature=temperature / 100
    )
    picture = drawn(page)
    tokens = picture["tokens"]
    assert [one["piece"] for one in tokens] == list(sampled.pieces)
    assert [one["probability"] for one in tokens] == pytest.approx(
        [one.probability for one in judged.tokens], abs=1e-5
    )
    assert [one["truth"] for one in tokens] == [one.truth for one in judged.tokens]
    (token,) = sampled.samples
    (told,) = picture["samples"]
    assert (told["position"], told["same"]) == (token.position, token.same)
    assert [text for text, _share in told["candidates"]] == [one.token for one in token.candidates]
    assert tokens[token.position]["was"] == ("" if token.same else token.original)
    losses = picture["losses"]
    assert losses["masked"] == pytest.approx(token.nats, rel=1e-5)
    assert losses["together"] == pytest.approx(
        losses["masked"] + picture["weight"] * losses["replaced"]
    )
    nats = [one["nats"] for one in tokens]
    assert losses["replaced"] == pytest.approx(sum(nats) / len(nats), rel=1e-5)


def test_the_curves_are_those_of_the_typed_tokens(open_replaced, drawn):
    picture = drawn(open_replaced(text=" ".join([APPLE] * 4), seed="3", heat="300"))
    typed = [one for one in picture["tokens"] if not one["special"]]
    assert len({one["truth"] for one in typed}) == 2
    curves = picture["curves"]
    positives = sum(one["truth"] for one in typed)
    *thresholds, last = curves["thresholds"]
    assert last is None, "with which every token is called"
    for at, threshold in enumerate([*thresholds, -1]):
        called = [one for one in typed if one["probability"] > threshold]
        hits = sum(one["truth"] for one in called)
        assert curves["recall"][at] == pytest.approx(hits / positives)
        assert curves["rate"][at] == pytest.approx((len(called) - hits) / (len(typed) - positives))
        if called:
            assert curves["precision"][at] == pytest.approx(hits / len(called))
    assert 0 <= curves["averagePrecision"] <= 1


def test_the_charts_come_for_both_schemes_with_titles_and_one_scale(open_replaced, drawn):
    specs = drawn(open_replaced(text=APPLE))["specs"]
    assert specs["light"]["roc"]["config"] != specs["dark"]["roc"]["config"]
    axes = {
        "tokens": ("at", "score"),
        "roc": ("rate", "recall"),
        "precision": ("recall", "precision"),
    }
    for name, (x, y) in axes.items():
        for scheme in specs.values():
            layers = scheme[name]["layer"]
            [encoding] = [
                one["encoding"] for one in layers if one.get("name") in ("bars", "points")
            ]
            assert [encoding[axis]["field"] for axis in "xy"] == [x, y]
            assert all(encoding[axis]["title"] for axis in "xy")
            assert encoding["y"]["scale"]["domain"] == [0, 1]
            assert any(layer["data"].get("name") == "chosen" for layer in layers)


def test_without_both_kinds_there_is_no_curve(open_replaced, drawn):
    assert drawn(open_replaced(text=APPLE, replacer="reader"))["curves"] is None


def test_a_hotter_draw_is_a_link(open_replaced, drawn):
    page = open_replaced(text=APPLE, seed="3")
    cool = drawn(page)
    page.selectbox(key=TEMPERATURE).set_value(300).run()
    assert_answered(page)
    warm = drawn(page)
    assert [one["position"] for one in warm["samples"]] == [
        one["position"] for one in cool["samples"]
    ]
    assert warm["samples"][0]["candidates"] != cool["samples"][0]["candidates"]
    assert drawn(open_replaced(text=APPLE, seed="3", heat="300")) == warm


def test_a_draw_that_is_the_original_is_not_replaced(open_replaced, drawn):
    text = " ".join([APPLE] * 12)  # many tokens, of which one is soon drawn as it was
    generator = models()[1]
    seeds = range(2_000)
    seed = next(
        seed
        for seed in seeds
        if any(sample.same for sample in sample_replacements(generator, text, seed=seed).samples)
    )
    picture = drawn(open_replaced(text=text, seed=str(seed)))
    same = [one for one in picture["samples"] if one["same"]]
    token = picture["tokens"][same[0]["position"]]
    assert (token["drawn_again"], token["truth"], token["was"]) == (True, False, "")


def test_the_reader_changes_words(open_replaced, drawn):
    page = open_replaced(text=APPLE, replacer="reader", changed="2:driving%20on,4:")
    assert_answered(page)
    picture = drawn(page)
    changed = "She is driving on a  apple."
    result = detect_replaced(models()[0], changed, original=APPLE)
    typed = [one for one in picture["tokens"] if not one["special"]]
    assert [one["probability"] for one in typed] == pytest.approx(
        [one.probability for one in result.tokens], abs=1e-5
    )
    assert [one["truth"] for one in typed] == [one.truth for one in result.tokens]
    assert [one["was"] for one in typed if one["was"]] == ["eating"]
    words = {one["number"]: (one["original"], one["text"]) for one in picture["words"]}
    assert (words[2], words[4]) == (("eating", "driving on"), ("green", ""))
    assert picture["samples"] == []
    assert picture["losses"]["masked"] is None
    page.button(key="edits-back").click().run()
    assert "changed" not in page.query_params or page.query_params["changed"] in ("", [""])
    assert drawn(page)["losses"] is None
    assert all(one["truth"] is None for one in drawn(page)["tokens"])


def test_no_word_left_is_a_plain_sentence_with_a_way_back(open_replaced, drawn):
    page = open_replaced(text="cat mat", replacer="reader", changed="0:,1:")
    assert not page.exception
    assert "There is no text yet" in page.error[0].value
    page.button(key="edits-back").click().run()
    assert_answered(page)
    page = open_replaced(text="cat mat", replacer="reader", changed="0:apple,1:dog")
    assert "no word in common" in page.error[0].value


def test_who_marks_first_does_not_see_the_sentence(open_replaced, drawn):
    page = open_replaced(mark_first="true")
    assert_answered(page)
    assert drawn(page)["markFirst"]
    seen = [drawn(page)["identity"]]
    for sentence in UNSEEN[:2]:
        page.button(key="next-sentence").click().run()
        assert_answered(page)
        assert page.text_input(key="text").value == sentence
        seen.append(drawn(page)["identity"])
    assert len(set(seen)) == 3
    assert page.number_input(key="seed").value == Settings.seed + 2
    page.toggle(key="mark_first").set_value(False).run()
    assert not drawn(page)["markFirst"]
    assert "next-sentence" not in {button.key for button in page.button}


def test_another_text_forgets_the_changes(open_replaced, drawn):
    page = open_replaced(replacer="reader", changed="5:banana")
    assert [one["was"] for one in drawn(page)["tokens"] if one["was"]] == ["street"]
    page.text_input(key="text").set_value(APPLE).run()
    assert_answered(page)
    assert [one["text"] for one in drawn(page)["words"]] == [*APPLE[:-1].split(), "."]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_replaced, drawn, number):
    page = open_replaced()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert drawn(page)["samples"]


@pytest.mark.parametrize("number", range(len(scenes_of("replaced"))))
def test_every_scene_is_a_link_that_is_answered(open_replaced, drawn, shown, number):
    scene = scenes_of("replaced")[number]
    query = {name: write_value(value) for name, value in scene.settings.items()}
    page = open_replaced(**query, scene=str(number + 1))
    assert_answered(page)
    assert drawn(page)["tokens"]
    assert shown(page, SCENE_KEYS)["current"] == number + 1


def test_links_keep_what_was_chosen(open_replaced, drawn):
    settings = read_query({"replacer": "reader", "changed": "5:banana", "mark_first": "true"})
    first = drawn(open_replaced(**link_query(settings)))
    again = drawn(open_replaced(**link_query(read_query(link_query(settings)))))
    assert first == again
    assert first["markFirst"]


def test_a_discriminator_without_its_generator_leaves_the_words_to_the_reader(
    open_replaced, drawn, monkeypatch, tmp_path
):
    write_tiny("electra", tmp_path / "electra")
    write_tiny("bert", tmp_path / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_replaced()
    assert_answered(page)
    assert drawn(page)["words"]
    assert any("No generator" in one.value for one in page.caption)


def test_a_generator_is_found_by_its_name():
    assert generator_of("electra") == "electra-generator"
    assert generator_of("electra-generator") is None
    assert generator_of("bert") is None


def test_without_any_discriminator_the_page_says_so(open_replaced, monkeypatch, tmp_path):
    write_tiny("bert", tmp_path / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_replaced()
    assert not page.exception
    assert "There is no model called “electra”" in page.error[0].value.replace("\\", "")


def test_a_model_for_something_else_is_named(open_replaced, drawn):
    page = open_replaced(model="gpt")
    assert_answered(page)
    assert "no head that tells replaced tokens" in page.info[0].value
    assert not open_replaced(model="bert").info


def test_the_attention_is_that_of_the_changed_sentence(open_replaced):
    page = open_replaced(replacer="reader", changed="5:banana")
    page.button(key="open-attention").click().run()
    assert not page.exception
    assert page.text_input(key="text").value == Settings.text.replace("street", "banana")


@pytest.mark.parametrize("text", ["", "   ", "word " * 600])
def test_texts_that_cannot_be_read_are_a_plain_sentence(open_replaced, text):
    page = open_replaced(text=text)
    assert not page.exception
    assert len(page.error) == 1


def test_edits_are_written_and_read_back():
    edits = {3: "a, b: c%", 0: "", 12: "Größe"}
    assert read_edits(write_edits(edits)) == edits
    assert read_edits("x,1,2:a:b,99999:q") == {}


def test_words_stand_where_the_edits_put_them(bundled):
    encoding = models()[0].tokenizer.encode("the  cat sat")
    found = edited(encoding, {1: "big dog", 2: "", 7: "nothing"})
    assert found.text == "the  big dog "
    assert [found.spelling(number) for number in range(3)] == ["the", "big dog", ""]
    assert found.changed == {1, 2}
    assert [found.word_at(at) for at in (0, 3, 5, 9, 12)] == [0, None, 1, 1, None]
