"""Several kinds of attention on the page of all heads: what is sent, and what is answered."""

import io
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app import ask as asking
from app.parts.attention_canvas import attention_payload
from app.parts.attention_channel import Ask, CellAsk, HeadAsk, channel_answer
from app.parts.attention_settings import CanvasSettings
from app.sections.attention.foot import npz_of
from app.sections.attention.sentence import BLANK_EXAMPLES, ORDER_KEY, WRITING_EXAMPLES
from app.sections.translate.sentence import LANGUAGE_KEY
from app.settings import Settings
from core.engine import call
from core.tasks import attend
from tests.tiny_checkpoints import write_tiny
from tests.wire import unpack

KINDS = ["encoder", "decoder", "cross"]
TEXT = "The dog sleeps in the garden."
TARGET = "Der Hund schläft im Garten."


class Status:
    """A place where nothing is said."""

    def caption(self, words):
        pass

    def empty(self):
        pass


PLACE: Any = Status()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for system in ("transformer", "xlnet"):
        write_tiny(system, folder / f"my-{system}")
    return folder


@pytest.fixture(autouse=True)
def own_models(written, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(written))


@pytest.fixture
def request_of_two():
    return call(attend, "my-transformer", TEXT, target=TARGET, language="de")


def sets_of(request):
    result = asking.ask(request, PLACE)
    message = attention_payload(request, result, CanvasSettings())
    return result, {one["name"]: one for one in unpack(message)["sets"]}


def answer_to(request, **asked):
    return channel_answer(request, Ask(1, **asked), PLACE)


def test_every_kind_of_attention_is_sent(request_of_two):
    result, sets = sets_of(request_of_two)
    assert list(sets) == KINDS
    source, target = list(result.encoding.pieces), list(result.target.pieces)
    tokens = [(one["queryTokens"], one["keyTokens"]) for one in sets.values()]
    assert tokens == [(source, source), (target, target), (target, source)]
    assert [one["label"] for one in sets.values()] == ["Encoder", "Decoder", "Cross"]
    assert (sets["cross"]["queryLabel"], sets["cross"]["keyLabel"]) == ("target", "source")
    assert sets["cross"]["suggestions"] == []
    assert sets["decoder"]["maskedCells"] is not None
    assert len({one["identity"] for one in sets.values()}) == 3
    assert all(one["breaksDown"] for one in sets.values())


@pytest.mark.parametrize("name", KINDS)
def test_rows_and_layers_are_those_of_the_set_that_asks(request_of_two, name):
    result, sets = sets_of(request_of_two)
    identity, patterns = sets[name]["identity"], result[name].patterns
    cell = CellAsk(identity, layer=1, head=2, queries=(3,), key=2)
    answer = answer_to(request_of_two, set=identity, layers=(1,), cell=cell)
    np.testing.assert_array_equal(answer["cell"]["rows"], patterns[1, 2, [3]])
    assert answer["cell"]["measures"]["sum"] == pytest.approx(1, abs=1e-5)
    assert answer["cell"]["breakdown"]["weight"] == pytest.approx(patterns[1, 2, 3, 2], abs=1e-6)
    assert answer["cell"]["breakdown"]["products"].sum() == pytest.approx(
        answer["cell"]["breakdown"]["dot"], abs=1e-5
    )
    assert answer["set"] == identity
    assert [(layer, one.shape) for layer, one in answer["layers"]] == [(1, patterns[1].shape)]
    head = HeadAsk(identity, 1, 2)
    near = answer_to(request_of_two, similar=head)["similar"]["heads"]
    away = np.abs(patterns - patterns[1, 2]).sum(axis=-1).mean(axis=-1) / 2
    assert near[0]["distance"] == pytest.approx(np.sort(away, axis=None)[1], abs=1e-5)


def test_a_cell_is_bounded_by_the_tokens_of_its_own_set(request_of_two):
    result, sets = sets_of(request_of_two)
    queries, keys = result["cross"].patterns.shape[2:]
    assert queries != keys
    last = CellAsk(sets["cross"]["identity"], 0, 0, queries=(queries - 1,), key=keys - 1)
    assert answer_to(request_of_two, cell=last)["cell"] is not None
    for beyond in (replace(last, queries=(queries,)), replace(last, key=keys)):
        assert answer_to(request_of_two, cell=beyond)["cell"] is None
    elsewhere = replace(last, set=sets["encoder"]["identity"])
    fits = max(queries - 1, keys - 1) < len(result.encoding)
    assert (answer_to(request_of_two, cell=elsewhere)["cell"] is not None) == fits


def test_nothing_of_maps_that_are_not_shown(request_of_two):
    answer = answer_to(request_of_two, set="another", layers=(0,))
    assert [answer[part] for part in ("layers", "cell", "similar")] == [[], None, None]


def test_the_file_has_every_kind(request_of_two):
    result = asking.ask(request_of_two, PLACE)
    file = np.load(io.BytesIO(npz_of(request_of_two)), allow_pickle=False)
    assert list(file["kinds"]) == KINDS
    for name in KINDS:
        np.testing.assert_array_equal(file[f"patterns.{name}"], result[name].patterns)
        np.testing.assert_array_equal(file[f"masked.{name}"], result[name].masked)
    assert tuple(file["target.ids"]) == result.target.ids


def test_xlnet_in_an_order_has_two_streams():
    plain, sets = sets_of(call(attend, "my-xlnet", TEXT))
    assert list(sets) == ["content"]
    assert sets["content"]["breaksDown"]
    request = call(attend, "my-xlnet", TEXT, order="random")
    result, sets = sets_of(request)
    assert list(sets) == ["content", "query"]
    # Breaking a weight down reads a text in its own order, which gives other weights.
    assert not np.allclose(plain["content"].patterns, result["content"].patterns)
    assert not any(one["breaksDown"] for one in sets.values())
    cell = CellAsk(sets["query"]["identity"], 0, 0, queries=(2,), key=1)
    answered = answer_to(request, cell=cell)["cell"]
    np.testing.assert_array_equal(answered["rows"], result["query"].patterns[0, 0, [2]])
    assert answered["breakdown"] is None


@pytest.fixture
def open_attention(open_page):
    def open_at(**query):
        return open_page(query).switch_page("../pages/attention.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def markup(page):
    return " ".join(one.proto.body for one in page.get("html"))


def test_the_transformer_shows_what_it_wrote(open_attention, shown):
    page = open_attention(model="transformer", text="I am a boy")
    assert_answered(page)
    assert not page.info
    assert page.segmented_control(key=LANGUAGE_KEY).value == "de"
    assert "3 + 3 layers × 8 heads" in markup(page)
    assert "The model wrote, each time the likeliest piece: <b>Ich bin ein Junge" in markup(page)
    assert [one["name"] for one in shown(page, "explorer")["sets"]] == KINDS
    assert not [one for one in page.button if one.key == "check"]


def test_a_target_of_ones_own_is_read(open_attention, shown):
    page = open_attention(model="transformer", text="I am a boy")
    page.text_input(key="target").set_value("Ich bin <b>nicht</b> da").run()
    assert_answered(page)
    assert "given: <b>Ich bin &lt;b&gt;nicht" in markup(page)
    cross = shown(page, "explorer")["sets"][2]
    assert cross["queryTokens"][1:3] == ["␣Ich", "␣bin"]
    page.button(key="example-2").click().run()
    assert page.text_input(key="text").value == WRITING_EXAMPLES[2].text
    assert page.text_input(key="target").value == Settings.target == ""


def test_a_blank_is_filled_by_t5(open_attention):
    page = open_attention(model="t5", text=BLANK_EXAMPLES[0].text)
    assert_answered(page)
    assert "&lt;extra_id_0&gt; " in markup(page)
    assert "likeliest piece" in markup(page)


@pytest.mark.parametrize(("chosen", "drawn"), [("decoder", "Decoder"), ("cross", "Encoder")])
def test_bertviz_says_which_kind_it_draws(open_attention, chosen, drawn):
    page = open_attention(model="transformer", text="I am a boy", tool="heads", set=chosen)
    assert_answered(page)
    assert any(f"Drawn: {drawn}." in one.value for one in page.caption)


def test_xlnets_order_is_a_choice(open_attention, shown):
    page = open_attention(model="my-xlnet", text=TEXT)
    assert_answered(page)
    assert "content stream: every token" in markup(page)
    page.checkbox(key=ORDER_KEY).check().run()
    assert_answered(page)
    assert page.query_params["permuted"] == "true"
    assert "two streams" in markup(page)
    sets = shown(page, "explorer")["sets"]
    assert [one["name"] for one in sets] == ["content", "query"]


def test_a_model_that_has_gone_is_an_error_with_a_way_out(open_attention, written, tmp_path):
    gone = shutil.copytree(written / "my-transformer", written / "gone")
    assert_answered(open_attention(model="gone", text="I am a boy"))
    shutil.rmtree(gone)
    page = open_attention(model="gone", text="I am a boy")
    assert not page.exception
    assert page.error


@pytest.mark.parametrize("beams", ["1", "4"])
def test_a_translation_leads_to_its_heads(open_page, beams):
    query = {"text": "She is eating a green apple.", "to": "fr", "beams": beams}
    page = open_page(query).switch_page("../pages/translate.py").run()
    page.button(key="translate-attention").click().run()
    assert_answered(page)
    assert page.title[0].value == "Attention heads"
    assert page.query_params["set"] == "cross"
    assert page.text_input(key="text").value == query["text"]
    assert page.segmented_control(key=LANGUAGE_KEY).value == "fr"
    assert bool(page.text_input(key="target").value) == (beams == "4")


def test_filled_blanks_lead_to_their_heads(open_page):
    page = open_page({"samples": "2", "sample": "1"}).switch_page("../pages/spans.py").run()
    page.button(key="spans-attention").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == Settings.blanks
    assert page.text_input(key="target").value.startswith("___ ")
    assert "extra_id_1" in markup(page)


def test_a_target_of_an_earlier_visit_does_not_come_along(open_page):
    query = {"text": "I am a boy", "target": "Ich bin hier", "beams": "1"}
    page = open_page(query).switch_page("../pages/translate.py").run()
    page.button(key="translate-attention").click().run()
    assert_answered(page)
    assert page.text_input(key="target").value == ""
    assert "The model wrote" in markup(page)
