"""The landing pane without a remote: commit, update, merge and archive, what would happen first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.support.driver import Json, RunningHub
from tests.support.sides import numbered

# One hub serves them all, each test in a repository of its own.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("landing here")]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub"), working=4) as running:
        running.start_model()
        yield running


@pytest.fixture
def hub(running: RunningHub) -> RunningHub:
    repo = running.change_repo()
    (repo / "one.txt").write_text(numbered(30))
    running.git("add", "-A", cwd=repo)
    running.git("commit", "-q", "-m", "Lines", cwd=repo)
    return running


def work(
    hub: RunningHub, name: str, *, committed: bool = True, lines: tuple[int, ...] = ()
) -> Json:
    """A session with a file of its own, and these lines of the common one changed."""
    made = hub.new("", name=name, start=False)
    hub.wait_idle(made["id"])
    worktree = Path(made["worktree"])
    (worktree / f"{name.lower()}.txt").write_text("new\n")
    if lines:
        (worktree / "one.txt").write_text(numbered(30, list(lines), name))
    if committed:
        hub.git("add", "-A", cwd=worktree)
        hub.git("commit", "-q", "-m", f"{name} is done", cwd=worktree)
    return made


def with_checks(hub: RunningHub, command: str) -> None:
    (hub.repo / ".manyhands.toml").write_text(f"[checks]\nrun = ['true', '{command}']\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Checks", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def landing(page: Page, hub: RunningHub, made: Json) -> Locator:
    page.goto(f"{hub.url}/s/{made['id']}")
    page.locator("button[data-pane=landing]").click()
    return page.get_by_label("Landing", exact=True)


def on_main(hub: RunningHub) -> list[str]:
    return hub.git("ls-tree", "--name-only", "main", cwd=hub.repo).split()


def test_work_is_committed_and_merged_with_what_would_happen_shown_first(
    page: Page, hub: RunningHub
) -> None:
    with_checks(hub, "grep -q new alpha.txt")
    made = work(hub, "Alpha", committed=False)
    pane = landing(page, hub, made)
    expect(pane.get_by_text("1 file not committed")).to_be_visible()
    expect(pane.get_by_role("button", name="pull request")).to_have_count(0)
    pane.get_by_role("button", name="Commit first").click()
    message = pane.get_by_label("Commit message")
    expect(message).to_be_focused()
    expect(message).to_have_value(re.compile("^Alpha"))
    message.fill("Add alpha")
    pane.get_by_role("button", name="Commit 1 file").click()
    plan = pane.get_by_test_id("merge-plan")
    expect(plan).to_contain_text("1 commit into main, as a merge commit")
    expect(plan.get_by_role("listitem")).to_have_text(["Add alpha"])
    expect(plan).to_contain_text("grep -q new alpha.txt")
    expect(plan).to_contain_text(f"{hub.repo} comes along")
    pane.get_by_role("button", name="squash").click()
    expect(plan).to_contain_text("as one commit")
    assert "alpha.txt" not in on_main(hub)
    require_accessible(page, "landing")
    pane.get_by_role("button", name="Merge into main").click()
    expect(pane.get_by_test_id("landed")).to_contain_text("Landed in main")
    assert "alpha.txt" in on_main(hub)
    assert (hub.repo / "alpha.txt").exists()
    assert hub.git("log", "-1", "--format=%P", "main", cwd=hub.repo).count(" ") == 0


def test_a_check_that_fails_is_shown_with_its_log_and_nothing_lands(
    page: Page, hub: RunningHub
) -> None:
    with_checks(hub, "echo no such luck; exit 3")
    pane = landing(page, hub, work(hub, "Alpha"))
    pane.get_by_role("button", name="Merge into main").click()
    alert = pane.get_by_role("alert")
    expect(alert).to_contain_text("nothing was merged")
    expect(alert.get_by_role("button", name="Send the log to its agent")).to_be_visible()
    checks = pane.get_by_label("Checks before it lands").get_by_role("listitem")
    expect(checks.nth(0)).to_have_attribute("data-state", "passed")
    expect(checks.nth(1)).to_have_attribute("data-state", "failed")
    expect(pane.locator("pre.said")).to_contain_text("no such luck")
    assert "alpha.txt" not in on_main(hub)
    page.reload()
    expect(pane.get_by_role("alert")).to_contain_text("nothing was merged")
    require_good_on_a_phone(page, "landing, failed")


def test_a_check_is_seen_while_it_runs_and_can_be_called_off(page: Page, hub: RunningHub) -> None:
    with_checks(hub, "echo it begins; exec sleep 600")
    pane = landing(page, hub, work(hub, "Alpha"))
    pane.get_by_role("button", name="Merge into main").click()
    expect(pane.locator("pre.said")).to_contain_text("it begins")
    checks = pane.get_by_label("Checks before it lands").get_by_role("listitem")
    expect(checks.nth(1)).to_have_attribute("data-state", "running")
    pane.get_by_role("button", name="Cancel").click()
    expect(pane.get_by_role("alert")).to_contain_text("cancelled")
    assert "alpha.txt" not in on_main(hub)


def test_the_base_comes_in_and_an_update_in_conflict_is_aborted(
    page: Page, hub: RunningHub
) -> None:
    clean, clashing = work(hub, "Clean"), work(hub, "Clashing", lines=(3,))
    (hub.repo / "one.txt").write_text(numbered(30, [3], "main"))
    hub.git("commit", "-q", "-a", "-m", "Main goes on", cwd=hub.repo)
    pane = landing(page, hub, clean)
    base = pane.locator("[data-part=update]")
    expect(base).to_contain_text("Base main has 1 commit more")
    base.get_by_text("What would come in").click()
    expect(base.get_by_role("listitem")).to_have_text(["Main goes on"])
    base.get_by_role("button", name="rebase").click()
    base.get_by_role("button", name="Bring main in").click()
    expect(base).to_contain_text("all of it is in this session")
    told = hub.git("log", "-2", "--format=%s", cwd=Path(clean["worktree"])).split("\n")
    assert told[:2] == ["Clean is done", "Main goes on"]

    before = hub.git("rev-parse", "HEAD", cwd=Path(clashing["worktree"]))
    pane = landing(page, hub, clashing)
    expect(pane.get_by_role("alert")).to_contain_text("conflict in one.txt")
    pane.get_by_role("alert").get_by_role("button", name="Bring main in").click()
    expect(base.get_by_label("Files in conflict")).to_have_text("one.txt")
    hub.wait_idle(clashing["id"])
    base.get_by_role("button", name="Abort").click()
    expect(base).to_contain_text("has 1 commit more")
    assert hub.git("rev-parse", "HEAD", cwd=Path(clashing["worktree"])) == before


def test_a_session_lands_and_is_archived_in_one_step_by_key(page: Page, hub: RunningHub) -> None:
    made = work(hub, "Alpha")
    page.goto(f"{hub.url}/s/{made['id']}")
    page.get_by_test_id("session").wait_for()
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.keyboard.press("l")
    page.keyboard.press("a")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_test_id("merge-plan")).to_contain_text("1 commit into main")
    expect(dialog).to_contain_text("it lands untested")
    dialog.get_by_text("Then archived").click()
    expect(dialog).to_contain_text("Kept")
    require_accessible(page, "land and archive")
    dialog.get_by_role("button", name="Land and archive").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_test_id("session")).to_have_attribute("data-status", "archived")
    assert "alpha.txt" in on_main(hub)


def test_chosen_sessions_land_one_after_the_other_and_who_cannot_says_why(
    page: Page, hub: RunningHub
) -> None:
    for name, lines in (("Alpha", (3,)), ("Beta", (20,))):
        work(hub, name, lines=lines)
    work(hub, "Gamma", committed=False)
    page.goto(hub.url)
    for name in ("Alpha", "Beta", "Gamma"):
        row = page.locator(".place").filter(has_text=f"mh/{name.lower()}")
        row.filter(has=page.locator(f"[data-session='{_id(hub, name)}']")).click(
            modifiers=["Control"]
        )
    page.get_by_test_id("chosen").get_by_role("button", name="Merge…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Gamma")).to_contain_text("not committed")
    dialog.get_by_role("button", name="Merge 2").click()
    for name in ("Alpha", "Beta"):
        expect(dialog.get_by_label(name)).to_contain_text("Merged into main as")
    assert {"alpha.txt", "beta.txt"} <= set(on_main(hub))
    assert "gamma.txt" not in on_main(hub)


def _id(hub: RunningHub, name: str) -> str:
    return next(str(s["id"]) for s in hub.here() if s["title"] == name)
