"""The page where readers bring their own models: what is opened, for whom, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

from app import downloads, host
from app import models as own_models
from app.host import load_policy
from app.parts.model_picker import KEY
from app.scenes import scenes_of
from app.sections.model import ask as asking
from app.theme import percent
from core.checkpoints import (
    LoadPolicy,
    OfflineError,
    Progress,
    bundled,
    load_checkpoint,
    save_checkpoint,
)
from core.checkpoints.examine import examine
from core.checkpoints.files import Folder
from core.config import Head, LabelConfig
from core.models.architectures.distilbert import distilbert_config
from core.models.registry import build
from core.tasks.fine_tuned import classify_text
from tests.tiny_checkpoints import write_tiny


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("host")
    for name in ("gpt", "roberta", "t5", "mtdnn", "xlnet"):
        write_tiny(name, folder / "models" / f"my-{name}")
    write_tiny("albert", folder / "models" / "deep" / "mine")
    write_tiny("electra", folder / "models" / "bert")  # as a bundled one is called
    write_tiny("bert", folder / "elsewhere" / "secret")
    return folder


@pytest.fixture(autouse=True)
def allowed(written, monkeypatch) -> Path:
    folder = written / "models"
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))
    monkeypatch.delenv("HEADLIGHT_HUB", raising=False)
    return folder


@pytest.fixture
def open_model(open_page):
    def open_it(**query) -> AppTest:
        return open_page(query).switch_page("../pages/model.py").run()

    return open_it


def bring(page: AppTest, name: str) -> AppTest:
    page.text_input(key=asking.FIELD).set_value(name)
    return page.button(key="open-own").click().run()


def shown(page: AppTest) -> str:
    assert not page.exception
    return " ".join(one.proto.body for one in page.get("html"))


def options(page: AppTest) -> list[str]:
    return list(page.selectbox(key=KEY).options)


def test_it_opens_with_the_default_and_its_card(open_model):
    page = open_model()
    html = shown(page)
    assert "6 layers × 12 heads, 384 wide" in html
    assert "16\u202f917\u202f146 parameters" in html
    assert "6 × 591\u202f360" in html
    assert "<h3>Known weaknesses</h3>" in html
    assert "Apache-2.0" in html
    assert "top-1 0.588" in html


@pytest.mark.parametrize(
    ("name", "predicts"), [("my-gpt", "next word"), ("my-xlnet", "words, in any order")]
)
def test_a_language_head_is_called_by_what_it_predicts(open_model, name, predicts):
    assert f"<li><span>{predicts}</span>" in shown(bring(open_model(), name))


def test_xlnets_head_is_called_so_among_its_parts_too(open_model):
    assert ">head: words, in any order<" in shown(bring(open_model(), "my-xlnet"))


def test_its_scenes_are_models_that_come_along():
    names = {one.name for one in bundled()}
    assert {scene.settings["model"] for scene in scenes_of("model")} <= names


def test_a_folder_is_opened_and_goes_along(open_model):
    page = bring(open_model(), "my-roberta")
    html = shown(page)
    assert "byte-level BPE" in html
    assert "<dd>RoBERTa</dd>" in html
    assert "pooler (first token)</span> <small>not in the files" in html
    assert page.query_params["model"] == "my-roberta"
    assert any(one.startswith("my-roberta ·") for one in options(page))
    page.switch_page("../pages/attention.py").run()
    assert "<b>my-roberta</b>" in shown(page)
    assert page.selectbox(key=KEY).value == "my-roberta"
    # Another one is chosen, and it stays in the list.
    page.selectbox(key=KEY).set_value("bert").run()
    assert "<b>BERT</b>" in shown(page)
    assert any(one.startswith("my-roberta ·") for one in options(page))
    page.switch_page("../pages/fill_mask.py").run()
    assert any(one.startswith("my-roberta ·") for one in options(page))


def test_another_session_does_not_see_it(open_model, open_page):
    bring(open_model(), "my-roberta")
    other = open_model()
    assert not any("my-roberta" in one for one in options(other))
    assert "my-roberta" not in shown(other)
    assert not any("my-roberta" in one for one in options(open_page()))


def test_a_link_opens_it_for_whoever_has_the_link(open_page, open_model):
    page = open_page({"model": "my-roberta"})
    assert "<b>my-roberta</b>" in shown(page)
    assert page.selectbox(key=KEY).value == "my-roberta"
    assert "<dd>GPT-2</dd>" in shown(open_model(model="my-gpt"))


def test_a_model_of_two_texts_is_opened_too(open_model):
    page = bring(open_model(), "my-t5")
    html = shown(page)
    assert "<dt>Encoder</dt>" in html
    assert "<dt>Decoder</dt>" in html
    assert "attention to the source" in html
    assert "no end to its positions" in html


def test_tasks_and_missing_heads_are_named(open_model):
    html = shown(bring(open_model(), "my-mtdnn"))
    assert "the task “likeness”" in html
    assert "next sentence</span> <small>not in the files" in html


def add_tensor(folder: Path, name: str) -> None:
    """One more in the only shard; the index follows."""
    (file,) = folder.glob("*.safetensors")
    tensors = {**load_file(file), name: torch.zeros(2)}
    save_file(tensors, file)
    index = {"weight_map": dict.fromkeys(tensors, file.name)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def test_a_fine_tuned_model_says_its_labels_by_name(open_model, allowed):
    tokenizer = load_checkpoint("bert", device="cpu").tokenizer
    config = distilbert_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=1,
        heads=2,
        width=8,
        predicts=(Head.SEQUENCE_CLASSES,),
        labels=LabelConfig(("<b>bad</b>", "good")),
    )
    folder = save_checkpoint(build(config), config, tokenizer, allowed / "labels")
    add_tensor(folder, "<i>other</i>.weight")
    page = bring(open_model(), "labels")
    html = shown(page)
    assert "labels of texts</span> <small>found" in html
    assert "Its labels: &lt;b&gt;bad&lt;/b&gt;, good." in html
    assert "and is not read: &lt;i&gt;other&lt;/i&gt;.weight." in html
    assert "<i>other" not in html
    said = page.text_input(key="label-text").set_value("A fine film.").run()
    (card,) = [one.proto.body for one in said.get("html") if "model-labels" in one.proto.body]
    shares = classify_text(load_checkpoint(str(folder), policy=load_policy()), "A fine film.")
    for name, share in zip(("&lt;b&gt;bad&lt;/b&gt;", "good"), shares.probabilities, strict=True):
        assert f"<bdi>{name}</bdi></th><td><bdi>{percent(share)}</bdi>" in card


def test_a_path_becomes_a_short_name_without_the_way_to_it(open_model, allowed):
    page = bring(open_model(), str(allowed / "deep" / "mine"))
    assert page.query_params["model"] == "deep/mine"
    assert str(allowed.parent) not in shown(page)


def test_a_folder_called_like_a_bundled_model_is_told_from_it(open_model, allowed):
    assert own_models.short_name(str(allowed / "bert")) == "./bert"
    page = bring(open_model(), "bert")
    assert page.query_params["model"] == "./bert"
    assert "<dd>ELECTRA</dd>" in shown(page)
    labels = [one for one in options(page) if "bert ·" in one.casefold()]
    assert any(one.startswith("BERT ·") for one in labels)
    assert any(one.startswith("./bert · ELECTRA ·") for one in labels)
    # The list still chooses the bundled one.
    page.selectbox(key=KEY).set_value("bert").run()
    assert "<dd>BERT</dd>" in shown(page)


def test_the_name_of_a_bundled_model_opens_it_where_no_folder_is_called_so(open_model):
    assert own_models.short_name("electra") == "electra"
    page = bring(open_model(), "electra")
    assert page.query_params["model"] == "electra"


@pytest.mark.parametrize("name", ["../elsewhere/secret", "ABSOLUTE", "/etc", "link", "~/x"])
def test_what_lies_outside_is_refused_whether_it_is_there_or_not(open_model, written, name):
    link = written / "models" / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(written / "elsewhere" / "secret")
    name = str(written / "elsewhere" / "secret") if name == "ABSOLUTE" else name
    page = bring(open_model(), name)
    link.unlink()
    (error,) = page.error
    assert "may not be opened here" in error.value or "no model called" in error.value
    assert "model" not in page.query_params
    assert page.selectbox(key=KEY).value == "bert"


def spoil(folder: Path, kind: str) -> None:
    """Damage a checkpoint in one way."""
    config = json.loads((folder / "config.json").read_text())
    weights = next(folder.glob("*.safetensors"))
    match kind:
        case "pickle":
            for path in [*folder.glob("*.safetensors"), folder / "model.safetensors.index.json"]:
                path.unlink()
            (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
        case "config":
            (folder / "config.json").write_text("{")
        case "family":
            (folder / "config.json").write_text('{"model_type": "mamba"}')
        case "setting":
            (folder / "config.json").write_text(json.dumps({**config, "n_head": "four"}))
        case "shape":
            (folder / "config.json").write_text(json.dumps({**config, "n_positions": 99}))
        case "size":
            (folder / "config.json").write_text(json.dumps({**config, "n_layer": 10**8}))
        case "weights":
            weights.write_bytes(weights.read_bytes()[:-8])
        case "tokenizer":
            (folder / "tokenizer.json").write_text("[]")
        case "pieces":
            (folder / "tokenizer.json").unlink()
            (folder / "spiece.model").write_bytes(b"?")
        case "no tokenizer":
            (folder / "tokenizer.json").unlink()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("pickle", "is a pickle, which can run code"),
        ("config", "“config.json” is damaged"),
        ("family", "family “mamba”"),
        ("setting", "The setting “n_head”"),
        ("shape", "config.json implies 99, 32"),
        ("size", "too large"),
        ("weights", "is damaged"),
        ("tokenizer", "“tokenizer.json” cannot be read"),
        ("pieces", "GPT2Tokenizer reads another; it is read by T5Tokenizer"),
        ("no tokenizer", "tokenizer.json is missing"),
    ],
)
def test_a_refusal_names_the_reason(open_model, allowed, tmp_path, monkeypatch, kind, said):
    folder = Path(shutil.copytree(allowed / "my-gpt", tmp_path / "spoilt"))
    spoil(folder, kind)
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    page = bring(open_model(), "spoilt")
    (error,) = page.error
    assert said in error.value.replace("\\", "")
    assert any(one.value.startswith("In detail") for one in page.caption)
    assert page.selectbox(key=KEY).value == "bert"
    assert "6 layers × 12 heads" in shown(page)
    # The next one is opened as if nothing had been.
    monkeypatch.setenv("HEADLIGHT_MODELS", str(allowed))
    assert not bring(page, "my-gpt").error
    assert page.query_params["model"] == "my-gpt"


def test_a_name_that_is_too_long_for_a_link(open_model, allowed, tmp_path, monkeypatch):
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    shutil.copytree(allowed / "my-gpt", folder)
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    (error,) = bring(open_model(), str(folder)).error
    assert "too long for a link" in error.value


def test_a_link_to_what_is_refused_says_so_and_leads_back(open_model):
    page = open_model(model="nobody")
    assert len(page.error) == 1
    page.button(key="default-model").click().run()
    assert not page.error
    assert "16\u202f917\u202f146" in shown(page)


def test_without_permission_there_is_no_field_and_the_way_to_one_is_said(open_model, monkeypatch):
    monkeypatch.delenv("HEADLIGHT_MODELS")
    page = open_model()
    assert not [one for one in page.text_input if one.key == asking.FIELD]
    assert any("HEADLIGHT_MODELS=/a/folder make run" in one.value for one in page.caption)


def test_what_the_host_says(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADLIGHT_MODELS", f"{tmp_path / 'a'}: {tmp_path / 'b'} :")
    assert host.model_roots() == (tmp_path / "a", tmp_path / "b")
    for written, size in (("500", 500_000_000), ("", 0), ("yes", 0), ("-1", 0), ("1e9", 0)):
        monkeypatch.setenv("HEADLIGHT_HUB", written)
        assert host.hub_bytes() == size
        assert host.load_policy().allow_hub == (size > 0)
        assert not host.load_policy().fetch_on_demand


def test_a_name_in_the_first_of_two_folders_is_found_first(monkeypatch, allowed, tmp_path):
    shutil.copytree(allowed / "my-gpt", tmp_path / "my-roberta")
    monkeypatch.setenv("HEADLIGHT_MODELS", f"{allowed}:{tmp_path}")
    assert own_models.short_name("my-roberta") == "my-roberta"
    behind = str(tmp_path / "my-roberta")
    assert own_models.short_name(behind) == behind


def test_the_heads_of_a_list_are_those_in_the_files(allowed, tmp_path):
    path = Path(shutil.copytree(allowed / "my-roberta", tmp_path / "my-roberta"))
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "architectures": ["RobertaModel"]}))
    found = examine("it", Folder(path, within=path))
    assert found.heads == {Head.MASKED_LANGUAGE}
    assert (found.name, found.title, found.system) == ("it", "it", "roberta")
    opened = load_checkpoint("my-roberta", policy=LoadPolicy(roots=(tmp_path,)), device="cpu")
    assert frozenset(opened.config.heads) == found.heads


def test_a_link_fetches_nothing(open_model, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_HUB", "500")
    asked = []
    monkeypatch.setattr(asking, "download_size", lambda *_one: asked.append(1))
    page = open_model(model="owner/model")
    (error,) = page.error
    assert "has not been fetched" in error.value
    assert not asked


def test_a_name_on_the_hub_is_sized_fetched_and_opened(open_model, monkeypatch, allowed):
    monkeypatch.setenv("HEADLIGHT_HUB", "500")
    monkeypatch.setattr(asking, "download_size", lambda *_one: 123_000_000)
    monkeypatch.setattr(downloads, "_fetches", {})
    fetched = []

    def download(name, _policy):
        yield Progress(0, 123_000_000)
        shutil.copytree(allowed / "my-gpt", allowed / "owner" / "model")
        fetched.append(name)
        yield Progress(123_000_000, 123_000_000)

    monkeypatch.setattr(downloads, "download", download)
    page = bring(open_model(), "owner/model")
    assert not page.error
    assert any("123 MB" in one.value for one in page.markdown)
    assert not fetched
    page.button(key="drop-own").click().run()
    assert not any("123 MB" in one.value for one in page.markdown)
    bring(page, "owner/model")
    page.button(key="fetch-own").click().run()
    while not downloads._fetches["owner/model"].ended:
        page.run()
    page.run()
    assert fetched == ["owner/model"]
    assert page.query_params["model"] == "owner/model"
    assert "<dd>GPT-2</dd>" in shown(page)
    shutil.rmtree(allowed / "owner")


def test_a_hub_that_does_not_answer(open_model, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_HUB", "500")

    def offline(name, _policy):
        raise OfflineError(name, ["bert"])

    monkeypatch.setattr(asking, "download_size", offline)
    (error,) = bring(open_model(), "owner/model").error
    assert "hub cannot be reached" in error.value


def test_the_hub_is_off_unless_switched_on(open_model):
    (error,) = bring(open_model(), "owner/model").error
    assert "may not be opened here" in error.value
