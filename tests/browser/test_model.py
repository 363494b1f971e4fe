"""Bringing a model along, in a real Chromium, with folders that the host allows."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.figures.training_log import counted_on
from app.sections.model.training import RUNS
from core.checkpoints import bundled, load_checkpoint
from core.training.loop import StepEvent
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import SIZES, press_clicker, resize
from tests.tiny_checkpoints import write_tiny

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'
SHAPE = ".model-shape"
DAMAGED = "Copy or download the model again."


def write_damaged(models: Path) -> None:
    """Folders that were a model, or say that they are one."""
    good = next(one.folder for one in bundled() if one.name == "bert")

    def copy(name: str) -> Path:
        return Path(shutil.copytree(good, models / name))

    next(copy("gap").glob("*-00002-of-*.safetensors")).unlink()
    cut = next(copy("cut").glob("*-00001-of-*.safetensors"))
    cut.write_bytes(cut.read_bytes()[:1_000_000])
    settings = json.loads((good / "config.json").read_text())
    huge = {**settings, "hidden_size": 12 * 10**6, "intermediate_size": 48 * 10**6}
    (copy("huge") / "config.json").write_text(json.dumps(huge))
    (copy("foreign") / "config.json").write_text(json.dumps({"model_type": "mamba"}))
    (models / "nothing").mkdir()


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("host")
    write_tiny("roberta", folder / "models" / "mine")
    outside = write_tiny("gpt", folder / "elsewhere" / "secret")
    pickle = Path(shutil.copytree(outside, folder / "models" / "pickle"))
    for path in pickle.glob("model*"):
        path.unlink()
    (pickle / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch /tmp/never'\ntR.")
    broken = Path(shutil.copytree(outside, folder / "models" / "broken"))
    (broken / "config.json").write_text('{"model_type": ')
    write_damaged(folder / "models")
    (folder / "models" / "mine" / "card.md").write_text(
        "# Mine\n\n<img src=x onerror=alert(1)> ![p](https://evil.example/p.png)"
        " [l](https://evil.example)\n\n## Known weaknesses\n\n- **None**\n"
    )
    return folder


@pytest.fixture(scope="module")
def url(launch_app, host) -> str:
    return launch_app(env={"HEADLIGHT_MODELS": str(host / "models")})


def bring(page: Page, name: str) -> None:
    field = page.get_by_role("textbox", name="Folder")
    field.fill(name)
    field.press("Enter")


def test_a_folder_is_opened_and_every_page_works_with_it(
    url, new_page, assert_clean, axe_violations
):
    page = new_page()
    page.goto(f"{url}/model")
    expect(page.locator(SHAPE)).to_contain_text("6 layers × 12 heads, 384 wide")
    bring(page, "mine")
    expect(page.locator(SHAPE).filter(has_text="RoBERTa")).to_be_visible()
    expect(page.locator(".model-there")).to_contain_text("masked words")
    expect(page.locator(".model-missing")).to_contain_text("pooler")
    assert "model=mine" in page.url
    # Its card is text: no picture is asked for, and no link leads away.
    card = page.locator(".model-text")
    expect(card).to_contain_text("<img src=x onerror=alert(1)> p (https://evil.example/p.png)")
    expect(card.get_by_role("listitem")).to_have_text("None")
    assert card.locator("img, a").count() == 0
    assert axe_violations(page) == []

    page.get_by_role("link", name="See its attention heads").click()
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.locator(".fact b").first).to_have_text("mine")
    expect(page.locator(".attention-canvas")).to_contain_text("␣it")
    page.get_by_role("link", name="Fill in the mask").click()
    expect(page.locator(".mask-strip")).to_contain_text("<mask>")
    expect(page.locator(".fact b").first).to_have_text("mine")

    # The link carries it to another reader, who has it then; a third one has not.
    reader = new_page(color_scheme="dark")
    reader.goto(page.url)
    expect(reader.locator(".fact b").first).to_have_text("mine")
    other_reader = new_page()
    other_reader.goto(url)
    other_reader.get_by_role("combobox", name="Model").click()
    expect(other_reader.get_by_role("option", name="BERT · 34 MB")).to_be_visible()
    expect(other_reader.get_by_role("option", name="mine")).to_have_count(0)
    reader.get_by_role("link", name="Bring your own").click()
    expect(reader.locator(SHAPE)).to_contain_text("RoBERTa")
    assert axe_violations(reader) == []
    for one in (page, reader, other_reader):
        assert_clean(one)


def test_refusals_name_their_reason(url, host, new_page, assert_clean, axe_violations):
    page = new_page()
    page.goto(f"{url}/model")
    expect(page.locator(SHAPE)).to_contain_text("6 layers")
    alert = page.get_by_role("alert")
    for name, said in (
        ("pickle", "is a pickle, which can run code"),
        (str(host / "elsewhere" / "secret"), "may not be opened here"),
        ("broken", "“config.json” is damaged"),
        ("../elsewhere/secret", "may not be opened here"),
    ):
        bring(page, name)
        expect(alert).to_contain_text(said)
    expect(page.get_by_text("In detail")).to_be_visible()
    assert axe_violations(page) == []
    assert "model=" not in page.url
    # What was there stays, and the next good name is opened.
    expect(page.locator(SHAPE)).to_contain_text("384 wide")
    bring(page, "mine")
    expect(page.locator(SHAPE).filter(has_text="RoBERTa")).to_be_visible()
    expect(alert).to_have_count(0)
    assert_clean(page)


def test_nothing_is_cut_off(url, new_page):
    page = new_page()
    page.goto(f"{url}/model?present=1")
    expect(page.locator(SHAPE)).to_be_visible()
    for width, height in SIZES:
        resize(page, width, height)
        wide = page.evaluate(
            """() => [...document.querySelectorAll(".model-card")]
                .filter((card) => card.scrollWidth > card.clientWidth + 1)
                .map((card) => card.className)"""
        )
        assert wide == []
    expect(page.get_by_role("button", name="Next scene")).to_be_visible()  # it hears the keys now
    press_clicker(page)
    expect(page.get_by_text("What BERT is made of")).to_be_visible()
    press_clicker(page)
    expect(page.locator(SHAPE)).to_contain_text("GPT-2")


def test_parameters_are_opened_module_by_module_and_saved(app_url, new_page, assert_clean):
    page = new_page(height=1100)
    page.goto(f"{app_url}/model?model=albert")
    figure = page.locator(".st-key-figure-parameters")
    figure.scroll_into_view_if_needed()
    said = page.locator(".st-key-model-map h2")
    expect(said).to_contain_text("12 layers of the encoder share 1 set of weights")
    figure.locator("text.slicetext", has_text="feed-forward").hover(force=True)
    expect(figure.locator(".hoverlayer")).to_contain_text("525\u202f568 parameters")
    shared = figure.locator("text.slicetext", has_text="layers 0–11, shared")
    expect(figure.locator("text.slicetext", has_text="query_projection")).to_have_count(0)
    shared.click(force=True)  # what is under the pointer is the rectangle
    expect(figure.locator("text.slicetext", has_text="query_projection.weight")).to_be_visible()
    expect(figure.locator(".pathbar text.slicetext", has_text="encoder")).to_be_visible()
    figure.locator("summary").click()
    model = load_checkpoint("albert", device="cpu").model
    count = f"{sum(one.numel() for one in model.parameters()):,}"
    expect(figure.locator("tbody tr").first).to_contain_text(count)
    for kind, begins in (("CSV", b"\xef\xbb\xbfpart,shape,"), ("SVG", b"<svg")):
        with page.expect_download() as saved:
            figure.get_by_role("button", name=kind, exact=True).click()
        assert saved.value.suggested_filename == f"parameters.{kind.lower()}"
        assert Path(saved.value.path()).read_bytes().startswith(begins)
    assert_clean(page)


def test_the_log_of_a_training_is_looked_at_zoomed_and_saved(
    app_url, new_page, assert_clean, axe_violations
):
    page = new_page()
    page.goto(f"{app_url}/model?model=electra")
    figure = page.locator(".st-key-figure-training")
    chart = figure.locator("svg.marks")
    assert_own_style(page, "model")
    figure.scroll_into_view_if_needed()
    expect(chart).to_contain_text("learning rate")
    expect(chart).to_contain_text("replaced or original")
    assert axe_violations(page, both_schemes=True) == []

    # Under the pointer: what was recorded, exactly.
    events = StepEvent.read_file(RUNS / "electra.jsonl")
    figure.locator("summary").scroll_into_view_if_needed()
    chart.locator(".hover_0_marks path").nth(200).hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    step = int(tooltip.locator("tr").first.locator("td").last.inner_text().replace(",", ""))
    places, _runs = counted_on([event.step for event in events])
    event = events[list(places).index(step)]
    expect(tooltip).to_contain_text(f"{event.losses['masked']:.4f}")
    expect(tooltip).to_contain_text(f"{event.gradient_norm:.3f}")

    # One drag over the whole run zooms all panels.
    curves = chart.locator("g.mark-line path")
    before = [curve.get_attribute("d") for curve in curves.all()]
    box = chart.bounding_box()
    strip = box["y"] + box["height"] - 50
    page.mouse.move(box["x"] + 200, strip)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, strip, steps=3)
    page.mouse.up()
    for curve, path in zip(curves.all(), before, strict=True):
        expect(curve).not_to_have_attribute("d", path)

    # Every value, by keyboard, and the files.
    figure.locator("summary").focus()
    page.keyboard.press("Enter")
    rows = figure.locator("tbody tr")
    expect(rows).to_have_count(len(events))
    assert axe_violations(page) == []
    for kind, begins in (("CSV", b"\xef\xbb\xbfstep,run,"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            figure.get_by_role("button", name=kind, exact=True).click()
        assert saved.value.suggested_filename == f"training.{kind.lower()}"
        assert Path(saved.value.path()).read_bytes().startswith(begins)
    assert_clean(page)


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("gap", "A part of the model is missing: “model-00002-of-00003.safetensors”. " + DAMAGED),
        ("cut", "The file “model-00001-of-00003.safetensors” is damaged. " + DAMAGED),
        ("foreign", "This is a model of the family “mamba”, which Headlight does not have."),
        ("huge", "This model is too large to be opened here. Choose a smaller one."),
        ("pickle", "“pytorch_model.bin” is a pickle, which can run code when it is opened"),
        ("nothing", "The folder “nothing” holds no model: config.json is missing."),
    ],
)
def test_a_link_to_a_folder_that_is_no_model_names_it(url, new_page, assert_clean, folder, message):
    page = new_page()
    page.goto(f"{url}/?model={folder}")
    expect(page.get_by_test_id("stAlert")).to_contain_text(message)
    expect(page.locator(DRAWN)).to_have_count(0)
    assert_clean(page)
