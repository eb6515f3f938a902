"""The landing pane where local main is behind its remote: said first, then brought forward."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.remote_hub import RemoteHub, hub, lasting_hub

__all__ = ["hub", "lasting_hub"]

pytestmark = pytest.mark.browser


def test_a_target_behind_its_remote_is_brought_forward_and_said_so_first(
    page: Page, hub: RemoteHub
) -> None:
    made = hub.work("Alpha", {"alpha.txt": "a\n"}, base="main")
    theirs = hub.push({"theirs.txt": "t\n"})
    page.goto(f"{hub.url}/s/{made['id']}")
    page.locator("button[data-pane=landing]").click()
    pane = page.get_by_label("Landing", exact=True)
    plan = pane.get_by_test_id("merge-plan")
    expect(plan).to_contain_text("1 commit into main")
    expect(plan).to_contain_text("main is brought to origin/main first: 1 commit")
    expect(pane.locator("[data-part=update]")).to_contain_text("Theirs")
    # A remote that is no forge has nobody to ask for a pull request.
    expect(pane.get_by_role("button", name="pull request")).to_have_count(0)
    assert hub.at("main") != theirs
    pane.get_by_role("button", name="squash").click()
    expect(plan).to_contain_text("as one commit")
    pane.get_by_role("button", name="Merge into main").click()
    expect(pane.get_by_test_id("landed")).to_contain_text("Landed in main")
    assert hub.at("main^") == theirs
    changed = hub.git("diff", "--name-only", "main^", "main", cwd=hub.repo).split()
    assert changed == ["alpha.txt"]
