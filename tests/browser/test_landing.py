"""The landing pane: a person commits, opens the pull request, sees a remark, and merges."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import require_no_violation
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.hub import ForgeHub, description, forge, hub, place

__all__ = ["description", "forge", "hub", "place"]

pytestmark = pytest.mark.browser


def test_work_lands_from_the_page(page: Page, hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work(committed=False)
    page.goto(f"{hub.url}/s/{session['id']}")
    page.locator("button[data-pane=landing]").click()
    pane = page.get_by_label("Landing")
    pane.get_by_label("Commit message").fill("Greet from the page")
    pane.get_by_role("button", name="Commit 1 file").click()
    expect(pane.get_by_text("everything is committed")).to_be_visible()
    pane.get_by_role("button", name="Prepare a pull request").click()
    pane.get_by_label("Title").fill("Greetings")
    pane.get_by_label("Description").fill("So that people feel welcome.")
    expect(pane.get_by_label("Into", exact=True)).to_have_value("main")
    pane.get_by_label("Labels").fill("greeting")
    pane.get_by_label("Reviewers").fill("dana")
    pane.get_by_label("Reviewers").press("Enter")
    expect(pane.get_by_label("Check first")).to_be_disabled()
    require_no_violation(page, "the form of a pull request", inside=".landing")
    pane.get_by_role("button", name="Push and open").click()
    card = page.get_by_test_id("pull-request")
    expect(card).to_contain_text("#100")
    [pull] = forge.state.pulls.values()
    assert (pull.title, pull.body) == ("Greetings", "So that people feel welcome.")
    assert (forge.state.labels[100], pull.reviewers) == (["greeting"], ["dana"])
    forge.state.add_thread(100, "add-a-greeting.txt", 1, "dana", "Too short")
    forge.state.add_check(pull.sha, "tests", "failure")
    hub.get(f"/api/sessions/{session['id']}/pr")
    expect(card).to_contain_text("checks failed")
    remark = card.get_by_label("Remarks").get_by_role("listitem")
    expect(remark).to_contain_text("dana Too short")
    expect(card.get_by_label("Checks", exact=True)).to_contain_text("tests failed")
    expect(card).to_contain_text("Checks failed")
    remark.get_by_role("textbox").fill("Longer now")
    remark.get_by_role("button", name="Reply").click()
    expect(remark).to_contain_text("casey Longer now")
    remark.get_by_role("button", name="Resolve").click()
    expect(remark).to_have_count(0)
    assert pull.threads[0]["isResolved"]
    expect(page.get_by_test_id("session-row").get_by_test_id("pr-badge")).to_have_text(
        "#100 ○ open ✕ checks failed"
    )
    require_no_violation(page, "landing", inside=".landing")
    forge.state.add_check(pull.sha, "tests", "success")
    card.get_by_role("button", name="Look again").click()
    expect(card).to_contain_text("Ready to merge")
    card.get_by_role("button", name="Merge", exact=True).click()
    expect(card).to_contain_text("merged")
    expect(page.get_by_test_id("session-row").get_by_test_id("pr-badge")).to_have_text(
        "#100 ● merged"
    )
    expect(card.get_by_role("button", name="Archive the session…")).to_be_visible()
    assert forge.state.bare.git("rev-list", "--count", "main") == "3"
