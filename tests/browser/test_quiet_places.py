"""The quieter places: usage, settings, archive, command log, and a session's files and log."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Position, expect

from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.support.driver import Refused, RunningHub, bash, script, write

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("quiet places")]
CONFIG = """\
# mine
[limits]
working = 8  # as many as the fan allows
[defaults]
agent = "rehearsal"
"""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub"), working=8) as running:
        running.configure(CONFIG, whole=True)
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture(scope="module")
def session(hub: RunningHub) -> str:
    """One that did some work."""
    steps = (
        write("lib/made.py", "def made():\n    return 1\n"),
        bash("echo hi"),
        {"text": "Ready."},
    )
    made: str = hub.new(script(*steps), name="Worked")["id"]
    hub.wait_idle(made)
    return made


def last_bar(plot: Locator) -> Position:
    box = plot.bounding_box()
    assert box is not None
    return {"x": box["width"] - 4, "y": box["height"] / 2}


def test_usage_is_shown_by_day_and_by_anything_and_taken_away(
    page: Page, hub: RunningHub, session: str
) -> None:
    page.goto(f"{hub.url}/usage")
    cost = hub.show(session)["cost_usd"]
    expect(page.get_by_test_id("totals")).to_contain_text(f"${cost:.2f}")
    days = page.get_by_test_id("days")
    expect(days.get_by_role("img", name=f"${cost:.2f} in all")).to_be_visible()
    # Today's bar is the last one.
    days.locator(".u-over").hover(position=last_bar(days.locator(".u-over")))
    expect(days).to_contain_text(f"${cost:.2f} cost")
    table = page.get_by_test_id("usage-table")
    expect(table.locator("tbody th")).to_have_text(["repo"])
    page.get_by_role("button", name="Session", exact=True).click()
    expect(table.locator("tbody a").filter(has_text="Worked")).to_have_count(1)
    page.get_by_role("button", name="time").click()
    expect(page.get_by_test_id("days")).to_contain_text("waiting")
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(saved.value.path().read_text().splitlines()))
    assert [row["title"] for row in rows if row["session"] == session] == ["Worked"]
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON").click()
    cells = json.loads(saved.value.path().read_text())
    assert session in [cell["session"] for cell in cells]


def test_settings_change_the_users_file_and_keep_its_comments(page: Page, hub: RunningHub) -> None:
    hub.configure(CONFIG, whole=True)
    page.goto(f"{hub.url}/settings")
    working = page.get_by_label("limits.working")
    expect(working).to_have_value("8")
    working.fill("6")
    working.press("Enter")
    text = page.get_by_role("textbox", name="config.toml")
    expect(text).to_have_value(CONFIG.replace("= 8 ", "= 6 "))
    assert hub.home.config.read_text() == CONFIG.replace("= 8 ", "= 6 ")
    working.fill("many")
    expect(working).to_have_attribute("aria-invalid", "true")
    working.press("Escape")

    text.fill("[limits]\nworking = 0\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("line 2")
    expect(text).to_have_value("[limits]\nworking = 0\n")
    hub.configure(CONFIG + "# by an editor\n", whole=True)
    text.fill("# mine alone\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("changed meanwhile")
    assert hub.home.config.read_text() == CONFIG + "# by an editor\n"
    page.get_by_role("button", name="Drop changes").click()
    expect(text).to_have_value(CONFIG + "# by an editor\n")


def test_who_is_told_of_what_is_chosen_kind_by_kind(page: Page, hub: RunningHub) -> None:
    hub.configure(CONFIG, whole=True)
    page.goto(f"{hub.url}/settings")
    rules = page.get_by_role("list", name="notify.rules")
    rules.get_by_label("Finished").select_option("off")
    text = page.get_by_role("textbox", name="config.toml")
    expect(text).to_have_value(re.compile(r'finished = "off"'))
    expect(rules.get_by_label("Finished")).to_have_value("off")
    rules.get_by_label("Finished").select_option("")
    expect(text).not_to_have_value(re.compile("finished"))
    page.get_by_label("notify.quiet").fill("22:00-07:00")
    page.get_by_label("notify.quiet").press("Enter")
    expect(text).to_have_value(re.compile(r'quiet = "22:00-07:00"'))
    page.get_by_label("Finished: sound").check()
    page.reload()
    expect(page.get_by_label("Finished: sound")).to_be_checked()


def test_the_theme_is_chosen_in_settings_and_kept(page: Page, hub: RunningHub) -> None:
    page.goto(f"{hub.url}/settings")
    page.get_by_role("button", name="dark", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_what_is_archived_is_found_restored_and_removed_by_its_plan(
    page: Page, hub: RunningHub
) -> None:
    titles = {}
    for title in ("Old thing", "Other thing"):
        made = hub.new("", start=False, name=title)
        (Path(made["worktree"]) / "kept.txt").write_text("kept\n")
        hub.act(made["id"], "archive")
        titles[title] = made
    page.goto(f"{hub.url}/archive")
    rows = page.get_by_test_id("archived")
    expect(rows).to_have_count(2)
    page.get_by_label("Filter the archive").fill("old")
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name="Restore").click()
    page.wait_for_url(f"**/s/{titles['Old thing']['id']}")
    assert (Path(titles["Old thing"]["worktree"]) / "kept.txt").read_text() == "kept\n"

    page.goto(f"{hub.url}/archive")
    rows.filter(has_text="Other thing").get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Lost")
    expect(dialog).to_contain_text("kept.txt")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(dialog).to_have_count(0)
    expect(rows).to_have_count(0)


def test_every_git_command_can_be_found_and_copied(
    page: Page, hub: RunningHub, session: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=hub.url)
    page.goto(f"{hub.url}/commands")
    lines = page.get_by_test_id("command")
    expect(lines.first).to_be_visible()
    page.get_by_label("Filter the commands").fill("--no-checkout")
    expect(lines.first).to_contain_text("git worktree add")
    lines.first.get_by_role("button").click()
    expect(page.get_by_text("Command copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("cd ")
    assert "&& git worktree add" in copied


def test_files_are_found_and_shown_and_change_with_the_worktree(
    page: Page, hub: RunningHub, session: str
) -> None:
    worktree = Path(hub.show(session)["worktree"])
    (worktree / ".env").write_text("SECRET=1\n")
    page.goto(f"{hub.url}/s/{session}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("session").wait_for()
    page.keyboard.press("p")
    page.keyboard.press("f")
    pane = page.get_by_test_id("pane-files")
    expect(pane.locator("[data-path='README.md']")).to_be_visible()
    expect(pane.locator("[data-path='.env']")).to_have_count(0)
    pane.locator("[data-path='lib']").click()
    pane.locator("[data-path='lib/made.py']").click()
    expect(pane.get_by_test_id("file-content")).to_contain_text("def made():")
    expect(pane.locator(".hljs-keyword").first).to_have_text("def")
    pane.get_by_label("Find a file").fill("readme")
    pane.locator("[data-path='README.md']").click()
    expect(pane.get_by_test_id("file-content")).to_contain_text("# Sample")


def test_the_log_is_filtered_opened_and_live(page: Page, hub: RunningHub, session: str) -> None:
    page.goto(f"{hub.url}/s/{session}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("session").wait_for()
    page.keyboard.press("p")
    page.keyboard.press("l")
    pane = page.get_by_test_id("pane-log")
    pane.get_by_label("Filter the log").fill("tool_called bash")
    line = pane.get_by_test_id("log-line")
    expect(line).to_have_count(1)
    line.get_by_role("button").click()
    expect(line.locator("pre")).to_contain_text('"command": "echo hi"')
    pane.get_by_label("Filter the log").fill("session_renamed")
    expect(line).to_have_count(0)
    hub.act(session, "rename", title="Worked")
    expect(line).to_have_count(1)


SHOWN = {
    "usage": "[data-testid=usage-table]",
    "settings": "#config-file",
    "archive": "main .sheet-filter",
    "commands": "[data-testid=command]",
    "jobs": "main h1",
}


@pytest.mark.parametrize("place", SHOWN)
def test_a_quiet_place_is_accessible_and_fits_a_phone(
    page: Page, hub: RunningHub, session: str, place: str
) -> None:
    hub.configure(CONFIG, whole=True)
    page.goto(f"{hub.url}/{place}")
    page.locator(SHOWN[place]).first.wait_for()
    require_accessible(page, place)
    require_good_on_a_phone(page, place)


def test_files_and_log_have_no_accessibility_violation(
    page: Page, hub: RunningHub, session: str
) -> None:
    page.goto(f"{hub.url}/s/{session}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("session").wait_for()
    for pane, key in (("files", "f"), ("log", "l")):
        page.keyboard.press("p")
        page.keyboard.press(key)
        page.get_by_test_id(f"pane-{pane}").locator("button").first.wait_for()
        require_accessible(page, pane)


def test_a_job_is_shown_while_it_runs_and_can_be_cancelled(page: Page, hub: RunningHub) -> None:
    (hub.repo / ".manyhands.toml").write_text('[checks]\nrun = ["sleep 600"]\n')
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Checks that take long", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    made = hub.new("", name="Lands slowly", start=False)
    hub.wait_idle(made["id"])
    worktree = Path(made["worktree"])
    (worktree / "more.txt").write_text("more\n")
    hub.git("add", "-A", cwd=worktree)
    hub.git("commit", "-q", "-m", "More", cwd=worktree)
    page.goto(f"{hub.url}/jobs")
    with ThreadPoolExecutor(1) as threads:
        landing = threads.submit(hub.act, made["id"], "merge")
        job = page.get_by_test_id("job").filter(has_text="mergeLands slowly")
        expect(job).to_contain_text("running: check")
        job.get_by_role("button", name="Cancel").click()
        expect(job).to_contain_text("cancelled")
        with pytest.raises(Refused, match="cancelled"):
            landing.result()
    assert "more.txt" not in hub.git("ls-tree", "--name-only", "main", cwd=hub.repo)
