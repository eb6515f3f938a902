"""Issues in *New*: found, picked, and one session for each."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.support.driver import RunningHub

pytestmark = pytest.mark.browser
TASKS = "- [ ] Greet everyone\n- [x] Count everyone\n- [ ] Smile at dawn\n- [ ] Wave\n"
TRACKER = '[trackers.tasks]\nkind = "tasks"\nfile = "tasks.md"\n'


def test_issues_are_searched_and_each_that_is_picked_becomes_a_session(
    page: Page, hub: RunningHub
) -> None:
    (hub.repo / "tasks.md").write_text(TASKS)
    hub.configure(hub.home.config.read_text() + TRACKER)
    page.keyboard.press("n")
    dialog = page.get_by_test_id("new-session")
    dialog.get_by_role("button", name="From issues…").click()
    issues = dialog.get_by_test_id("issues")
    expect(issues.locator(".issue-title")).to_have_text(["Greet everyone", "Smile at dawn", "Wave"])
    issues.get_by_label("Greet everyone").check()
    issues.get_by_label("Search issues").fill("smile")
    # What was picked stays in sight.
    expect(issues.locator(".issue-title")).to_have_text(["Greet everyone", "Smile at dawn"])
    issues.get_by_label("Smile at dawn").check()
    require_accessible(page, "picking issues")
    require_good_on_a_phone(page, "picking issues")
    page.set_viewport_size({"width": 1440, "height": 900})
    dialog.get_by_label("Task", exact=True).fill("Be brief.")
    dialog.get_by_role("button", name="Start 2").click()
    expect(page.get_by_test_id("new-session")).to_have_count(0)
    made = {issue["title"]: s for s in hub.here() for issue in s["issues"]}
    assert sorted(made) == ["Greet everyone", "Smile at dawn"]
    for title, session in made.items():
        hub.wait_idle(session["id"])
        [first] = [e for e in hub.events(session["id"]) if e["type"] == "user_message"]
        assert title in first["text"]
        assert "Be brief." in first["text"]


def test_without_a_remote_or_a_tracker_it_is_said_that_there_are_none(
    page: Page, hub: RunningHub
) -> None:
    page.keyboard.press("n")
    dialog = page.get_by_test_id("new-session")
    dialog.get_by_role("button", name="From issues…").click()
    expect(dialog.get_by_test_id("issues")).to_contain_text("No issues to pick from")
