"""The conflict matrix in a real browser: who is in whose way, on which lines, and what to do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.hub.radar.test_radar import edit, seen, session
from tests.support.driver import Json, RunningHub
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
    _sides_and_ways_out(page, hub, detail, (a, b))


def _sides_and_ways_out(
    page: Page, hub: RunningHub, detail: Locator, pair: tuple[Json, Json]
) -> None:
    """Both sides next to each other; the second is told, the first one lands."""
    a, b = pair
    sides = detail.get_by_test_id("clash").locator(".side")
    expect(sides.nth(0).locator("[data-own]")).to_have_text(["3mine 3", "4line 4"])
    expect(sides.nth(1).locator("[data-own]")).to_have_text(["3yours 3", "4yours 4"])
    require_accessible(page, "matrix")
    heads = detail.locator(".heads .side")
    heads.nth(1).get_by_role("button", name="Tell its agent…").click()
    words = heads.nth(1).get_by_label("What its agent is told")
    expect(words).not_to_have_value("")
    words.fill("Leave line 3 alone.")
    heads.nth(1).get_by_role("button", name="Tell", exact=True).click()
    expect(words).to_have_count(0)
    said = [e["text"] for e in hub.events(b["id"]) if e["type"] == "user_message"]
    assert said == ["Leave line 3 alone."]
    hub.wait_idle(b["id"])
    hub.act(a["id"], "commit", message="Mine")
    heads.nth(0).get_by_role("button", name="Land this first").click()
    page.get_by_role("dialog").get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "mine 3" in hub.git("show", "main:one.txt", cwd=hub.repo)
    # What is left is the second one against its base, which it can now bring in.
    page.get_by_role("button", name="beta and main: conflict").click()
    expect(heads.nth(0).get_by_role("button", name="Update from main")).to_be_visible()
    expect(heads.nth(0).get_by_role("button", name="Land this first")).to_have_count(0)
    require_good_on_a_phone(page, "conflicts")
