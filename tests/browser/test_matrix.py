"""The conflict matrix in a real browser: who is in whose way, on which lines."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import require_no_violation
from tests.hub.radar.test_radar import edit, seen, session
from tests.support.driver import RunningHub
from tests.support.lines_hub import hub

__all__ = ["hub"]

pytestmark = pytest.mark.browser


def test_the_matrix_and_the_list_show_who_is_in_whose_way(page: Page, hub: RunningHub) -> None:
    a, b, c = (session(hub, name) for name in ("Alpha", "Beta", "Gamma"))
    edit(a, "one.txt", [3], "mine")
    edit(c, "two.txt", [3], "elsewhere")
    seen(hub)
    page.keyboard.press("g")
    page.keyboard.press("x")
    expect(page.get_by_text("All sessions merge clean with each other.")).to_be_visible()
    edit(b, "one.txt", [3, 4], "yours")
    seen(hub)
    page.get_by_role("button", name="beta and alpha: conflict").click()
    detail = page.get_by_test_id("conflict-detail")
    expect(detail).to_contain_text("one.txt")
    expect(detail).to_contain_text("3 ↔ 3–4")
    expect(detail).to_contain_text("land alpha first")
    expect(page.get_by_test_id("cell-conflict")).to_have_count(2)
    expect(page.get_by_test_id("conflict-count")).to_contain_text("1 pair")
    for made, badges in ((a, 1), (b, 1), (c, 0)):
        row = page.locator(f"[data-session='{made['id']}']")
        expect(row.get_by_test_id("conflict-badge")).to_have_count(badges)
    require_no_violation(page, "matrix", inside="main")
