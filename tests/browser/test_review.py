"""A person reviews on the page: comments, ticks, verdicts, reverts, in one tab and in two."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import COLOURS, require_no_violation
from tests.support.driver import ACTOR, RunningHub, eventually, script, write

pytestmark = pytest.mark.browser
CODE = "".join(f"line {n}\n" for n in range(1, 81))
_names = itertools.count(1)


class Desk:
    """The page at a session whose agent has written, and that session's worktree."""

    def __init__(self, page: Page, hub: RunningHub, session: str) -> None:
        self.page, self.hub, self.session = page, hub, session
        self.worktree = Path(hub.show(session)["worktree"])

    def line(self, number: int) -> Locator:
        return self.page.locator(f"[data-testid=diff-line][data-line='{number}']")

    def comment_on(self, number: int, words: str) -> None:
        self.line(number).get_by_label(f"Comment on line {number}").click()
        self.page.get_by_test_id("comment-editor").get_by_label("Comment").fill(words)

    def comment(self, words: str) -> Locator:
        return self.page.get_by_test_id("comment").filter(has_text=words)

    def file(self, path: str) -> Locator:
        return self.page.locator(f"[data-testid=diff-file][data-path='{path}']")

    def edit(self, old: str, new: str, path: str = "code.py") -> None:
        """In one step: half of it would be shown as well."""
        file, part = self.worktree / path, self.hub.root / "part"
        part.write_text(file.read_text().replace(old, new, 1))
        part.replace(file)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    """One for all of these tests; each has a session of its own."""
    running = RunningHub(tmp_path_factory.mktemp("hub"), working=8, agent=ACTOR)
    running.ignore_conflicts()
    with running:
        repo = running.make_repo()
        (repo / "code.py").write_text(CODE)
        running.git("add", "-A", cwd=repo)
        running.git("commit", "-q", "-m", "Code", cwd=repo)
        yield running


@pytest.fixture
def desk(page: Page, hub: RunningHub) -> Desk:
    """No agent has run: the files are a hand's."""
    made = hub.new("x", start=False, name=f"Review {next(_names)}")
    hub.wait_idle(made["id"])
    return open_desk(page, hub, made["id"])


def open_desk(page: Page, hub: RunningHub, session: str) -> Desk:
    worktree = Path(hub.show(session)["worktree"])
    (worktree / "other.py").write_text("x\n")
    changed = CODE.replace("line 10\n", "line ten\n").replace("line 60\n", "line sixty\n")
    (worktree / "code.py").write_text(changed)
    page.goto(f"{hub.url}/s/{session}")
    expect(page.get_by_test_id("diff-line").filter(has_text="line ten")).to_be_visible()
    return Desk(page, hub, session)


def show_changes_alone(page: Page) -> None:
    """On a screen that has just become narrow."""
    expect(page.locator(".panes.one")).to_be_visible()
    page.get_by_role("button", name="Changes").first.click()


def test_a_comment_is_sent_and_addressed_by_the_agents_edit(desk: Desk) -> None:
    desk.comment_on(10, "Say eleven.")
    desk.page.get_by_role("button", name="Save draft").click()
    expect(desk.comment("Say eleven.")).to_have_attribute("data-state", "draft")
    desk.page.get_by_test_id("send").click()
    edit = {"command": "sed -i 's/line ten/line eleven/' code.py", "description": "edit"}
    words = script({"tool": "Bash", "input": edit}, {"text": "Changed."})
    desk.page.get_by_label("Words before the comments").fill(words)
    desk.page.get_by_test_id("send-now").click()
    expect(desk.comment("Say eleven.")).to_have_attribute("data-state", "addressed")
    expect(desk.comment("Say eleven.")).to_contain_text("outdated")
    expect(desk.page.get_by_test_id("verdict")).to_have_count(0)
    desk.comment("Say eleven.").get_by_role("button", name="Resolve").click()
    expect(desk.comment("Say eleven.")).to_have_attribute("data-state", "resolved")


def test_a_draft_outlives_a_reload_and_shows_in_another_tab(desk: Desk) -> None:
    desk.comment_on(10, "Half a thou")
    expect(desk.page.get_by_text("kept", exact=True)).to_be_visible()
    other = desk.page.context.new_page()
    other.goto(desk.page.url)
    expect(other.get_by_test_id("comment").filter(has_text="Half a thou")).to_be_visible()
    desk.page.get_by_label("Comment", exact=True).fill("Half a thought, at the last moment")
    desk.page.reload()
    expect(desk.comment("at the last moment")).to_be_visible()
    expect(other.get_by_test_id("comment").filter(has_text="last moment")).to_be_visible()


def test_what_is_typed_while_the_hub_is_away_outlives_a_crash_of_the_page(desk: Desk) -> None:
    saving = "**/review/comments"
    desk.page.route(saving, lambda route: route.abort())
    desk.comment_on(10, "Never arrived")
    desk.page.reload()
    expect(desk.line(10)).to_be_visible()
    expect(desk.comment("Never arrived")).to_have_count(0)
    desk.page.unroute(saving)
    desk.page.reload()
    expect(desk.comment("Never arrived")).to_have_attribute("data-state", "draft")


def test_a_tick_goes_when_the_agent_changes_the_file_and_shows_what_changed(desk: Desk) -> None:
    head = desk.page.get_by_test_id("file-head").filter(has_text="code.py").last
    head.get_by_test_id("viewed").click()
    expect(desk.file("code.py")).to_have_attribute("data-viewed", "yes")
    expect(desk.page.get_by_test_id("progress")).to_contain_text("1 of 2")
    # The page ticks at once; the hub keeps a tick only for what is still so when it hears of it.
    eventually(lambda: "file_viewed" in desk.hub.types(desk.session))
    desk.edit("line 40\n", "line forty\n")
    expect(desk.file("code.py")).to_have_attribute("data-viewed", "changed")
    expect(desk.page.get_by_test_id("diff-line").filter(has_text="line ten")).to_be_visible()
    desk.page.get_by_role("button", name="Changed since viewed").first.click()
    expect(desk.page.get_by_test_id("diff-line").filter(has_text="line forty")).to_be_visible()
    expect(desk.page.get_by_test_id("diff-line").filter(has_text="line ten")).to_have_count(0)


def test_edits_show_without_a_request_and_can_be_approved(desk: Desk) -> None:
    """Once its keeper watches: it has told of what there was to tell."""
    eventually(lambda: desk.hub.show(desk.session)["files_changed"] == 2)
    row = desk.page.get_by_test_id("diff-line")
    asked: list[str] = []
    desk.page.on("request", lambda request: asked.append(request.url))
    for old, new in (("line ten", "line 10 a"), ("line sixty", "line 60 a"), ("10 a", "10 b")):
        desk.edit(old, new)
        expect(row.filter(has_text=new)).to_be_visible()
    (desk.worktree / "fresh.py").write_text("fresh\n")
    expect(desk.file("fresh.py")).to_be_visible()
    (desk.worktree / "other.py").unlink()
    expect(desk.file("other.py")).to_have_count(0)
    assert [url for url in asked if "/review/diff" in url or "/patches" in url] == []
    desk.page.get_by_test_id("approve").click()
    expect(desk.page.get_by_test_id("verdict")).to_have_attribute("data-verdict", "approved")


def test_an_approval_lapses_with_the_next_edit(desk: Desk) -> None:
    desk.page.get_by_test_id("approve").click()
    expect(desk.page.get_by_test_id("verdict")).to_have_attribute("data-verdict", "approved")
    desk.edit("line ten\n", "line TEN\n")
    expect(desk.page.get_by_test_id("verdict")).to_have_count(0)
    assert desk.hub.show(desk.session)["review"] == "none"


def test_a_change_is_reverted_and_the_rest_stays(desk: Desk) -> None:
    removed = desk.page.get_by_test_id("diff-line").filter(has_text="line 10")
    removed.hover()
    removed.get_by_label("Revert this change").click()
    expect(desk.page.get_by_test_id("diff-line").filter(has_text="line ten")).to_have_count(0)
    assert (desk.worktree / "code.py").read_text() == CODE.replace("line 60\n", "line sixty\n")
    desk.page.get_by_label("Revert other.py").last.click()
    expect(desk.file("other.py")).to_have_count(0)
    assert not (desk.worktree / "other.py").exists()


def test_on_a_phone_a_file_is_commented_on_and_reverted_from_its_menu(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 390, "height": 844})
    show_changes_alone(desk.page)
    more = desk.page.get_by_role("button", name="More for other.py").last
    more.click()
    desk.page.get_by_role("menuitem", name="Comment on the file").click()
    desk.page.get_by_test_id("comment-editor").get_by_label("Comment").fill("Is it needed?")
    desk.page.get_by_role("button", name="Save draft").click()
    expect(desk.comment("Is it needed?")).to_have_attribute("data-state", "draft")
    more.focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("menuitem", name="Open in editor")).to_be_focused()
    desk.page.keyboard.press("ArrowUp")
    require_no_violation(desk.page, "a file's menu")
    desk.page.keyboard.press("Enter")
    expect(desk.file("other.py")).to_have_count(0)
    assert not (desk.worktree / "other.py").exists()


def height(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box is not None
    return box["y"]


def test_hidden_lines_open_and_a_live_edit_above_moves_nothing(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 1440, "height": 500})
    desk.page.get_by_label("Show all 43 lines").click()
    expect(desk.line(14)).to_be_attached()
    desk.page.get_by_test_id("hunks").evaluate("list => { list.scrollTop = 700 }")
    mark = desk.line(40)
    expect(mark).to_be_visible()
    before = height(mark)
    desk.edit("line 1\n", "new\nnewer\nline 1\n")
    moved = desk.line(42)
    expect(moved).to_contain_text("line 40")
    eventually(lambda: abs(height(moved) - before) < 2)  # the page scrolls after it has drawn


def test_the_keyboard_reaches_files_lines_comments_and_ticks(desk: Desk) -> None:
    keys = desk.page.keyboard
    desk.page.get_by_test_id("hunks").focus()
    keys.press("j")
    keys.press("j")
    keys.press("c")
    desk.page.get_by_test_id("comment-editor").get_by_label("Comment").type("By key.")
    keys.press("Control+Enter")
    expect(desk.comment("By key.")).to_be_visible()
    desk.page.get_by_test_id("hunks").focus()
    keys.press("v")
    expect(desk.file("code.py")).to_have_attribute("data-viewed", "yes")
    keys.press("]")
    expect(desk.file("other.py")).to_have_attribute("aria-current", "true")


def test_split_view_and_spaces_are_chosen(desk: Desk) -> None:
    desk.page.get_by_label("Side by side").click()
    expect(desk.page.locator(".pair").first).to_be_visible()
    desk.page.get_by_label("Side by side").click()
    desk.edit("line 30\n", "line  30\n")
    spaced = desk.page.get_by_test_id("diff-line").filter(has_text="line  30")
    expect(spaced).to_have_count(2)
    desk.page.get_by_label("Ignore white space").click()
    expect(spaced).to_have_count(0)


def test_the_path_of_a_file_is_copied_from_its_head(desk: Desk) -> None:
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=desk.hub.url)
    desk.page.get_by_label("Copy the path of code.py").click()
    expect(desk.page.get_by_text("Path copied.")).to_be_visible()
    assert desk.page.evaluate("navigator.clipboard.readText()") == str(desk.worktree / "code.py")


def test_one_turn_is_looked_at_by_itself(page: Page, hub: RunningHub) -> None:
    made = hub.new(script(write("other.py"), {"text": "Done."}))
    hub.wait_idle(made["id"])
    # What a hand writes after the turn's checkpoint is not the turn's.
    eventually(lambda: "checkpoint_made" in hub.types(made["id"]))
    desk = open_desk(page, hub, made["id"])
    page.get_by_test_id("against").select_option("turn:1")
    expect(desk.file("code.py")).to_have_count(0)
    expect(desk.file("other.py")).to_be_visible()


def test_hostile_names_and_contents_stay_inert(desk: Desk) -> None:
    desk.page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    name = "<img src=x onerror=alert(1)>\u202egnp.py"
    (desk.worktree / name).write_text("<script>alert(1)</script>\u202e // safe \u2066\n\x1b[31m\n")
    expect(desk.page.locator(".diff-files .odd").filter(has_text="U+202E")).to_be_visible()
    expect(desk.page.locator(".hunks code .odd").filter(has_text="U+2066")).to_be_visible()
    assert desk.page.locator(".diff img").count() == 0


def test_a_review_has_no_accessibility_violation(desk: Desk) -> None:
    desk.comment_on(10, "Why ten?")
    desk.page.get_by_role("button", name="Save draft").click()
    expect(desk.comment("Why ten?")).to_be_visible()
    desk.comment_on(60, "Being written")
    desk.page.get_by_test_id("send").click()
    for wide in (1440, 390):
        desk.page.set_viewport_size({"width": wide, "height": 900})
        if wide < 1080:
            show_changes_alone(desk.page)
        for scheme in ("light", "dark"):
            desk.page.emulate_media(color_scheme=scheme)
            only = None if scheme == "light" else COLOURS
            require_no_violation(desk.page, f"{wide} px, {scheme}", only)
