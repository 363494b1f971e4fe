"""The page "Warm-up lab" without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from app.lab.run import State
from app.sections.warm_up.lab_curves import part_in_words, state_in_words

PAGE = "../pages/warm_up.py"


@pytest.fixture
def open_lab_page(open_page):
    def opened(query):
        page: AppTest = open_page(query)
        return page.switch_page(PAGE).run()

    return opened


def test_the_page_draws_its_fields_and_nothing_runs(open_lab_page):
    page = open_lab_page({"lab": "compare-optimiser.warm_up-0.task-sort"})
    assert not page.exception
    assert page.title[0].value == "Warm-up lab"
    values = {box.key: box.value for box in page.selectbox}
    assert values["lab-compare"] == "optimiser"
    assert values["lab-task"] == "sort"
    assert values["lab-warm_up"] == "0"
    assert values["lab-peak_rate"] == "0.002"


def test_what_makes_no_run_is_said_in_words(open_lab_page):
    page = open_lab_page({"lab": "shape-inverse-root"})
    page.button(key="lab-train").click().run()
    assert not page.exception
    assert "needs a warm" in page.error[0].value


def test_every_state_and_part_has_its_words():
    assert len({state_in_words(state) for state in State}) == len(State)
    assert state_in_words(State.WAITING, 3) == "waits behind 3"
    assert part_in_words("decoder.2") == "decoder layer 2"
    assert part_in_words("embedding") == "embedding"
