"""What a page says of a model comes from hook points: without them it refuses, in a real Chromium.

The models of this server compute the same logits, but these pass no hook point, and ALBERT's
patterns pass one of another name. That the pages draw with them, the tests of each page show.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import expect_idle

pytestmark = pytest.mark.browser

WITHOUT_HOOKS = Path(__file__).parent / "apps" / "without_hooks.py"
# By page: a hook point that it asks, and what it would draw from what passes there.
PAGES = {
    "fill-mask": ("masked_language.logits", ".candidate, .ranking li, tbody"),
    "replaced": ("masked_language.logits", ".replaced .chip"),
    "replaced?replacer=reader": ("replaced_token.logits", ".replaced .chip"),
    "next-word": ("language.logits", ".distribution .candidate, .next-strip .chip"),
    "spans": ("language.logits", ".span-view .samples button"),
    "attention?model=albert": ("encoder.layers.*.attention.pattern", ".attention-canvas"),
}


def test_without_hook_points_no_page_draws_what_passes_there(launch_app, new_page, assert_clean):
    url = launch_app(WITHOUT_HOOKS)
    page = new_page()
    for path, (site, drawn) in PAGES.items():
        page.goto(f"{url}/{path}")
        refusal = page.get_by_role("alert").filter(has_text=site).first
        expect(refusal).to_have_text(
            re.compile(rf"This model has no hook point .*\b{re.escape(site)}, .*another model\.")
        )
        expect_idle(page)
        assert page.locator(drawn).count() == 0
    assert_clean(page)
