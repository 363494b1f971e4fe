"""Every bundled model on every page that it fits, and a word about it where it does not."""

from itertools import product
from pathlib import Path

import pytest

from app import ask as asking
from app.models import models
from app.parts.model_picker import HIDDEN_WORDS, KEY, ONE_TEXT, label_of
from app.settings import Settings
from core.checkpoints import BundledCheckpoint, Checkpoint, catalogue, load_checkpoint
from core.engine import SizedCache, call
from core.tasks import attend
from tests.tiny_checkpoints import CAUSAL, CHECKPOINTS, write_all

TWO_SIDED = {"t5", "transformer", "seq2seq"}
READING = sorted(CHECKPOINTS.keys() - TWO_SIDED)
WITH_HEADS = sorted(CHECKPOINTS.keys() - {"seq2seq"})
GUESSING = sorted(set(READING) - {"electra", "xlnet"} - CAUSAL)
OWN_MASK = {"roberta": "<mask>", "xlnet": "<mask>"}
PAGES = {"attention": "attention.py", "fill": "fill_mask.py"}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    return write_all(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def shipped(written, monkeypatch) -> Path:
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", written)
    return written


@pytest.fixture
def open_at(open_page):
    def open_one(page, **query):
        opened = open_page(query)
        return opened if page == "start" else opened.switch_page(f"../pages/{PAGES[page]}").run()

    return open_one


def assert_answered(page):
    assert not page.exception
    assert not page.error


def facts_of(page):
    return " ".join(html.proto.body for html in page.get("html") if "fact" in html.proto.body)


def test_the_list_has_the_models_that_fit_the_page(open_at):
    for page, names in (("start", READING), ("attention", WITH_HEADS), ("fill", GUESSING)):
        picker = open_at(page).selectbox(key=KEY)
        assert picker.value == Settings.model
        assert len(picker.options) == len(names)
        assert "bert · 1 MB" in picker.options
        assert "electra-generator · 1 MB" in picker.options


@pytest.mark.parametrize("model", READING)
def test_every_model_of_one_text_is_drawn(open_at, shown, model):
    page = open_at("start", model=model)
    assert_answered(page)
    assert not page.info
    assert f"<b>{model}</b>" in facts_of(page)
    assert page.selectbox(key=KEY).value == model
    keys = [one.proto.id for one in page.get("bidi_component")]
    assert any(key.endswith("-word_guess") for key in keys) == (model in GUESSING)
    assert any("no head for masked words" in one.value for one in page.caption) == (
        model not in GUESSING
    )
    page.button(key="check").click().run()
    assert_answered(page)
    assert any("Largest difference from Hugging Face" in one.value for one in page.caption)


@pytest.mark.parametrize("model", READING)
def test_every_model_of_one_text_has_its_heads(open_at, shown, model):
    page = open_at("attention", model=model, pair="He likes playing.")
    assert_answered(page)
    kinds = dict.fromkeys(CAUSAL, "decoder: a token sees itself and those before it")
    kinds |= {"mistral": "itself and up to 5 before it", "xlnet": "content stream"}
    assert kinds.get(model, "encoder: every token") in facts_of(page)
    assert page.text_input(key="pair").disabled == (model in CAUSAL)


@pytest.mark.parametrize("model", GUESSING)
def test_every_model_with_that_head_fills_masks(open_at, shown, model):
    page = open_at("fill", model=model, text="the man went to the [MASK] to buy a <mask> of milk")
    assert_answered(page)
    strip = shown(page, "mask_strip")
    mask = OWN_MASK.get(model, "[MASK]")
    assert strip["maskToken"] == mask
    assert [one["piece"] for one in strip["tokens"]].count(mask) == 2
    card = shown(page, "mask_predictions")
    assert len(card["masks"]) == 2
    assert all("Ġ" not in one["word"] and "▁" not in one["word"] for one in card["candidates"])
    edit = next(area for area in page.text_area if area.key.startswith("edit-"))
    assert edit.value == f"the man went to the {mask} to buy a {mask} of milk"


def test_a_piece_joins_or_not_by_the_rule_of_its_vocabulary(open_at, shown):
    for model in ("bert", "roberta", "albert"):
        card = shown(open_at("fill", model=model, top="20"), "mask_predictions")
        spaced = {one["word"]: one["joins"] for one in card["candidates"]}
        for word, joins in spaced.items():
            starts = word.startswith("##") if model == "bert" else not word.startswith("␣")
            assert joins == starts, (model, word)


@pytest.mark.parametrize(
    ("page", "model"),
    [("attention", "seq2seq"), *product(("start", "fill"), sorted(TWO_SIDED))],
)
def test_a_model_that_does_not_fit_is_named_and_the_default_is_shown(open_at, page, model):
    opened = open_at(page, model=model)
    assert_answered(opened)
    (notice,) = opened.info
    said = notice.value.replace("\\", "")  # as Markdown shows it
    assert said.startswith(model)
    assert said.endswith("You see bert instead.")
    assert opened.selectbox(key=KEY).value == "bert"
    assert "<b>bert</b>" in facts_of(opened)


def test_a_model_without_masks_is_named_where_words_are_hidden(open_at):
    for model in ("electra", "xlnet", *CAUSAL):
        (notice,) = open_at("fill", model=model).info
        said = notice.value.replace("\\", "")  # as Markdown shows it
        assert said == f"{model} has no head for masked words. You see bert instead."


def test_another_model_stands_in_the_address_and_forgets_what_was_counted_in_pieces(open_at):
    page = open_at("fill", hide="1.4", mask="1", choice="0.2")
    page.selectbox(key=KEY).set_value("roberta").run()
    assert_answered(page)
    assert page.query_params["model"] == "roberta"
    assert page.query_params["hide"] == "1.4"
    assert "mask" not in page.query_params
    assert "choice" not in page.query_params
    assert "<b>roberta</b>" in facts_of(page)


def test_a_second_sentence_waits_while_a_model_reads_one(open_at):
    page = open_at("attention", pair="he likes playing")
    page.selectbox(key=KEY).set_value("gpt").run()
    assert_answered(page)
    page.selectbox(key=KEY).set_value("xlnet").run()
    assert page.text_input(key="pair").value == "he likes playing"
    assert not page.text_input(key="pair").disabled


def test_a_label_says_the_system_where_the_title_does_not(shipped):
    def entry(title, system):
        return BundledCheckpoint("x", system, title, shipped, 16_400_000, frozenset())

    assert label_of(entry("ELECTRA's generator", "electra")) == "ELECTRA's generator · 16 MB"
    assert label_of(entry("English to German", "seq2seq")) == "English to German · Seq2seq · 16 MB"


def test_all_models_fit_one_of_the_kinds_or_read_two_texts():
    kinds = {one.name: (ONE_TEXT.fits(one), HIDDEN_WORDS.fits(one)) for one in models()}
    assert {name for name, (reads, _guesses) in kinds.items() if not reads} == TWO_SIDED
    assert {name for name, (_reads, guesses) in kinds.items() if guesses} == set(GUESSING)


def test_a_visit_to_all_models_keeps_no_more_than_there_is_room_for(monkeypatch):
    """The bound is on bytes of weights: the models that were asked for last stay."""
    sizes = {}
    for name in READING:
        model = asking.model_of(name).model
        sizes[name] = sum(weights.nbytes for weights in model.parameters())
    room = sum(sizes.values()) // 3
    kept: SizedCache[Checkpoint] = SizedCache(room)
    monkeypatch.setattr(asking, "_models", kept)
    loaded = []

    def load(name, **options):
        loaded.append(name)
        return load_checkpoint(name, **options)

    monkeypatch.setattr(asking, "load_checkpoint", load)
    for name in READING:
        asking.model_of(name)
        assert kept.used_bytes <= room
    asking.model_of(READING[-1])
    assert loaded == READING
    asking.model_of(READING[0])
    assert loaded == [*READING, READING[0]]


def test_the_first_token_of_the_lines_is_the_same_word_in_every_vocabulary():
    from app.parts.sentence_box import first_token

    for name in READING:
        checkpoint = asking.model_of(name)
        request = call(attend, name, Settings.text)
        encoding = request.run(checkpoint).encoding
        word = encoding.words[first_token(encoding)]
        assert word is not None
        assert encoding.spellings[word] == "it"
        other = call(attend, name, "My dog is cute.").run(checkpoint).encoding
        word = other.words[first_token(other)]
        assert word is not None
        assert other.spellings[word] == "My"
