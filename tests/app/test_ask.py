"""What is remembered, for how long, and what happens to a reader who leaves."""

import contextvars
import io
import shutil
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from app import ask as asking
from app import host, i18n
from app.models import title_of
from app.parts.attention_canvas import attention_payload
from app.parts.attention_channel import Ask, CellAsk, HeadAsk, channel_answer
from app.parts.attention_settings import CanvasSettings
from app.sections.attention.foot import npz_of
from core.checkpoints import (
    Checkpoint,
    LoadPolicy,
    MissingShardError,
    UnknownCheckpointError,
    fingerprint,
    save_checkpoint,
)
from core.engine import Call, SizedCache, WorkerEngine, call
from core.models.registry import build
from core.tasks import attend, fill_mask
from core.tokenisation import EmptyTextError
from tests.wire import unpack

TEXT = "the cat sat on the mat"


class Status:
    """A place for words about a wait; a reader who moves on ends the run at the next word."""

    def __init__(self, *, leaves=False):
        self.leaves = leaves
        self.said = []

    def caption(self, words):
        self.said.append(words)
        self.empty()

    def empty(self):
        if self.leaves:
            raise KeyboardInterrupt


def ask(question: Call[Any], status: Status | None = None) -> Any:
    place: Any = status or Status()
    return asking.ask(question, place)


class Holding:
    """What a call does in this process, by its name: it waits to be let go, and is counted."""

    def __init__(self):
        self.began = threading.Event()
        self.let_go = threading.Event()
        self.runs = 0


HOLDING: dict[str, Holding] = {}


def hold(checkpoint: Checkpoint, name: str) -> str:
    holding = HOLDING[name]
    holding.runs += 1
    holding.began.set()
    assert holding.let_go.wait(10)
    return name


@pytest.fixture
def busy(folder):
    """The engine is busy for somebody until this is let go."""
    HOLDING["busy"] = holding = Holding()
    asking.engine().submit("somebody", call(hold, "mine", "busy"))
    assert holding.began.wait(10)
    yield holding
    holding.let_go.set()


@pytest.fixture
def counted():
    """A call that runs at once and is counted."""
    HOLDING["counted"] = holding = Holding()
    holding.let_go.set()
    return holding


@pytest.fixture
def folder(tiny_checkpoint_folder, tmp_path, monkeypatch):
    """A folder of one's own with the tiny checkpoint, which a test may change."""
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return shutil.copytree(tiny_checkpoint_folder, tmp_path / "mine")


@pytest.fixture(autouse=True)
def fresh_memory(monkeypatch):
    monkeypatch.setattr(asking, "_models", SizedCache(asking.MODEL_BYTES))
    monkeypatch.setattr(asking, "_results", SizedCache(asking.RESULT_BYTES))
    monkeypatch.setattr(asking, "_listed", {})
    engine = WorkerEngine(asking.model_of)
    monkeypatch.setattr(asking, "engine", lambda: engine)
    yield
    engine.close()


def test_an_answer_is_remembered(folder):
    request = call(attend, "mine", TEXT)
    first = ask(request)
    assert ask(call(attend, "mine", TEXT)) is first
    assert ask(call(attend, "mine", "the cat")) is not first
    assert ask(call(fill_mask, "mine", TEXT, mask_words=(0,))) is not first


def test_what_went_wrong_is_not_remembered(folder):
    for _ in range(2):
        with pytest.raises(EmptyTextError):
            ask(call(attend, "mine", " "))
    assert len(asking._results) == 0


def test_a_changed_folder_is_loaded_anew(folder, tiny_checkpoint):
    request = call(attend, "mine", TEXT)
    before = ask(request)
    assert asking.model_of("mine") is asking.model_of("mine")
    loaded = asking.model_of("mine")

    torch.manual_seed(11)
    shutil.rmtree(folder)
    config, tokenizer = tiny_checkpoint.config, tiny_checkpoint.tokenizer
    save_checkpoint(build(config), config, tokenizer, folder, dtype=torch.float32)
    after = ask(request)
    assert asking.model_of("mine") is not loaded
    assert not np.allclose(before.patterns, after.patterns)


def test_a_shard_that_disappears_is_noticed(folder):
    ask(call(attend, "mine", TEXT))
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    with pytest.raises(MissingShardError):
        ask(call(attend, "mine", TEXT))


def test_files_are_listed_once_a_change(folder, monkeypatch):
    listed = []

    def count(path):
        listed.append(path)
        return fingerprint(path)

    monkeypatch.setattr(asking, "fingerprint", count)
    monkeypatch.setattr(asking, "LISTED_SECONDS", 3_600)
    for number in range(5):
        ask(call(attend, "mine", f"{TEXT} {number}"))
    assert listed == [folder]
    (folder / "notes.txt").write_text("new")
    ask(call(attend, "mine", TEXT))
    assert listed == [folder] * 2


def test_a_file_written_in_place_is_noticed_in_time(folder, monkeypatch):
    loaded = asking.model_of("mine")
    card = folder / "config.json"
    with card.open("a") as file:
        file.write("\n")
    monkeypatch.setattr(asking, "LISTED_SECONDS", 0)
    assert asking.model_of("mine") is not loaded


def test_memory_is_bounded_in_bytes(folder, monkeypatch):
    one = ask(call(attend, "mine", TEXT))
    size = asking._results.used_bytes
    assert size >= one.patterns.nbytes + one.positions.nbytes
    monkeypatch.setattr(asking, "_results", SizedCache(3 * size))
    for number in range(10):
        ask(call(attend, "mine", f"{TEXT} {number}"))
    assert asking._results.used_bytes <= 3 * size
    assert 1 <= len(asking._results) <= 3


def test_models_are_counted_by_their_weights(folder):
    loaded = asking.model_of("mine")
    assert asking._models.used_bytes == sum(w.nbytes for w in loaded.model.parameters())


def test_a_picture_is_remembered_in_one_language(folder):
    request, settings = call(attend, "mine", TEXT), CanvasSettings(0, 0, None)
    result = ask(request)

    def picture_in(language, settings=settings):
        def draw():
            i18n.use_language(language)
            return attention_payload(request, result, settings)

        return contextvars.copy_context().run(draw)

    english = picture_in("en")
    assert picture_in("en") is english
    assert picture_in("ru") is not english
    assert picture_in("en", CanvasSettings(1, 0, None)) != english


def answer_to(asked, text=TEXT):
    place: Any = Status()
    return channel_answer(call(attend, "mine", text), asked, place)


def identity_of(text=TEXT):
    return answer_to(Ask(1), text)["set"]


def test_a_picture_and_its_channel_call_the_maps_the_same(folder):
    request = call(attend, "mine", TEXT)
    message = attention_payload(request, ask(request), CanvasSettings(0, 0, None))
    assert [one["identity"] for one in unpack(message)["sets"]] == [identity_of()]
    assert identity_of("the cat") != identity_of()


def test_a_picture_knows_words_and_sentences(folder):
    request = call(attend, "mine", "the cats sat", pair="the mat")
    result = ask(request)
    [entry] = unpack(attention_payload(request, result, CanvasSettings()))["sets"]
    words = [-1 if word is None else word for word in result.encoding.words]
    assert entry["queryWords"] == entry["keyWords"] == words
    assert entry["keyWordTexts"] == ["the", "cats", "sat", "the", "mat"]
    assert entry["querySegments"] == list(result.encoding.segments)
    assert set(entry["querySegments"]) == {0, 1}


def test_the_channel_brings_layers_that_there_are(folder):
    patterns = ask(call(attend, "mine", TEXT)).patterns
    answer = answer_to(Ask(7, identity_of(), layers=(1, 99)))
    assert answer["number"] == 7
    ((layer, levels),) = answer["layers"]
    assert layer == 1
    largest = patterns[1].max(axis=-1, keepdims=True)
    read = levels * (largest / 255)
    assert (np.abs(read - patterns[1]) <= largest / 510 * (1 + 1e-4)).all()


def test_the_channel_brings_no_layers_of_other_maps(folder):
    assert answer_to(Ask(7, identity_of("the cat"), layers=(0,)))["layers"] == []
    assert [layer for layer, _ in answer_to(Ask(8, "", layers=(0,)))["layers"]] == [0]


def test_nothing_asked_nothing_answered(folder):
    assert answer_to(None)["number"] == 0
    assert len(asking._results) == 0


def test_rows_come_exactly_as_they_are(folder):
    patterns = ask(call(attend, "mine", TEXT)).patterns
    asked = CellAsk(identity_of(), layer=1, head=0, queries=(2, 3), key=None)
    cell = answer_to(Ask(1, cell=asked))["cell"]
    assert {name: cell[name] for name in vars(asked)} == vars(asked)
    np.testing.assert_array_equal(cell["rows"], patterns[1, 0, [2, 3]])
    assert cell["measures"]["sum"] == pytest.approx(1, abs=1e-6)
    assert cell["measures"]["mostEntropy"] == pytest.approx(np.log2(patterns.shape[-1]))
    assert cell["breakdown"] is None


def test_a_cell_breaks_down_into_the_weight_of_the_maps(folder):
    patterns = ask(call(attend, "mine", TEXT)).patterns
    asked = CellAsk(identity_of(), layer=1, head=1, queries=(3,), key=5)
    cell = answer_to(Ask(1, cell=asked))["cell"]
    assert cell["breakdown"]["weight"] == pytest.approx(patterns[1, 1, 3, 5], abs=1e-6)
    assert cell["breakdown"]["products"].sum() == pytest.approx(cell["breakdown"]["dot"], abs=1e-5)
    quotient = cell["breakdown"]["exponential"] / cell["breakdown"]["total"]
    assert quotient == pytest.approx(cell["breakdown"]["weight"], abs=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        {"set": "another"},
        {"layer": 3},
        {"head": 4},
        {"queries": (99,)},
        {"queries": (0, 99)},
        {"key": 99},
    ],
)
def test_cells_that_are_not_there_have_no_answer(folder, change):
    layers, heads, tokens, _ = ask(call(attend, "mine", TEXT)).patterns.shape
    assert (layers, heads) == (3, 4)
    assert tokens < 99
    good = CellAsk(identity_of(), layer=1, head=1, queries=(0,), key=0)
    assert answer_to(Ask(1, cell=good))["cell"] is not None
    assert answer_to(Ask(1, cell=replace(good, **change)))["cell"] is None


def test_similar_heads_come_nearest_first(folder):
    asked = HeadAsk(identity_of(), 1, 1)
    similar = answer_to(Ask(1, similar=asked))["similar"]
    near = [tuple(one.values()) for one in similar.pop("heads")]
    assert similar == vars(asked)
    patterns = ask(call(attend, "mine", TEXT)).patterns
    away = np.abs(patterns - patterns[1, 1]).sum(axis=-1).mean(axis=-1) / 2
    assert [distance for _, _, distance in near] == pytest.approx(
        np.sort(away, axis=None)[1 : len(near) + 1].tolist(), abs=1e-6
    )
    assert all(away[layer, head] == pytest.approx(found, abs=1e-6) for layer, head, found in near)
    assert answer_to(Ask(1, similar=HeadAsk(asked.set, 3, 0)))["similar"] is None


def test_all_numbers_of_a_text_can_be_read_back(folder):
    request = call(attend, "mine", "the cats sat", pair="the mat \N{CAT}")
    file = np.load(io.BytesIO(npz_of(request)), allow_pickle=False)
    result = ask(request)
    encoding = result.encoding
    np.testing.assert_array_equal(file["patterns"], result.patterns)
    assert file["logits"].shape[0] == len(encoding)
    assert file["patterns"].dtype == np.float32
    assert tuple(file["ids"].tolist()) == encoding.ids
    assert tuple(file["tokens"].tolist()) == encoding.tokens
    assert tuple(file["pieces"].tolist()) == encoding.pieces
    assert tuple(file["special"].tolist()) == encoding.special
    assert tuple(file["segments"].tolist()) == encoding.segments
    assert tuple(map(tuple, file["offsets"].tolist())) == encoding.offsets
    assert [None if word < 0 else word for word in file["words"]] == list(encoding.words)
    assert tuple(file["spellings"].tolist()) == encoding.spellings
    assert tuple(file["texts"].tolist()) == ("the cats sat", "the mat \N{CAT}")
    assert str(file["checkpoint"]) == "mine"


def test_a_reader_who_leaves_takes_the_call_along(busy):
    with pytest.raises(KeyboardInterrupt):
        ask(call(attend, "mine", TEXT), Status(leaves=True))
    assert asking.engine().waiting == 0
    assert len(asking._results) == 0


def in_threads(*jobs):
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    return threads


def test_a_class_that_asks_for_the_same_thing_asks_once(busy, counted):
    question = call(hold, "mine", "counted")
    waiting, answers = set(), []

    class Waits(Status):
        def empty(self):
            waiting.add(threading.current_thread())

    threads = in_threads(*[lambda: answers.append(ask(question, Waits()))] * 20)
    while len(waiting) < 20:
        time.sleep(0.01)
    assert asking.engine().waiting == 1
    busy.let_go.set()
    for thread in threads:
        thread.join(10)
    assert len(answers) == 20
    assert counted.runs == 1


def test_who_waits_along_is_answered_when_the_first_one_leaves(busy, counted):
    question = call(hold, "mine", "counted")
    joined, answers = threading.Event(), []

    class LeavesLater(Status):
        def empty(self):
            if joined.is_set():
                raise KeyboardInterrupt

    class Joins(Status):
        def empty(self):
            joined.set()

    def first():
        with pytest.raises(KeyboardInterrupt):
            ask(question, LeavesLater())

    threads = in_threads(first)
    while not asking.engine().waiting:
        time.sleep(0.01)
    threads += in_threads(lambda: answers.append(ask(question, Joins())))
    threads[0].join(10)
    busy.let_go.set()
    threads[1].join(10)
    assert len(answers) == 1
    assert counted.runs == 1


def test_a_longer_wait_is_spoken_of(busy, monkeypatch):
    monkeypatch.setattr(asking, "SLICE_SECONDS", 0.001)

    class Impatient(Status):
        def caption(self, words):
            super().caption(words)
            busy.let_go.set()

    status = Impatient()
    ask(call(attend, "mine", TEXT), status)
    assert status.said[0] == "1 request is before yours."


def test_models_come_from_the_named_folder_only(folder, monkeypatch, tmp_path):
    assert host.load_policy() == LoadPolicy((tmp_path.resolve(),), fetch_on_demand=False)
    monkeypatch.setenv("HEADLIGHT_MODELS", " ")
    assert host.load_policy() == LoadPolicy(fetch_on_demand=False)
    with pytest.raises(UnknownCheckpointError):
        ask(call(attend, "mine", TEXT))


def test_a_model_is_called_by_its_title():
    assert title_of("bert") == "BERT"
    assert title_of("mine") == "mine"
