"""A person in the terminals of a session: types, splits, searches, copies, and loses the hub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Position,
    expect,
)

from tests.browser.conftest import PATIENCE
from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.support.driver import ACTOR, RunningHub, eventually, script, write

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("terminals")]
INSIDE: Position = {"x": 10, "y": 8}
"""Of a line, which the terminal covers with a layer that hears the mouse."""
CELLS = """name => {
  const rows = document.querySelectorAll(
    `[data-testid=terminal][data-name="${name}"] .xterm-rows > div`);
  const bare = (looks) => looks.replace(/xterm-cursor\\S*/g, "").trim();
  return [...rows].map((row) =>
    [...row.children].map((cell) => [bare(cell.className), cell.textContent]));
}"""


@pytest.fixture(scope="module")
def agent() -> str:
    return ACTOR


@pytest.fixture(scope="module")
def hub(lasting_hub: RunningHub) -> RunningHub:
    return lasting_hub


@pytest.fixture
def session(hub: RunningHub) -> str:
    task = script(write("notes/list.md", "# List\n\n- one\n"), {"text": "Done."}, words="Go.")
    made: str = hub.new(task)["id"]
    hub.wait_idle(made)
    return made


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the page's policy refused, and what broke in it."""
    heard: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            heard.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def visit(page: Page, hub: RunningHub, session: str) -> None:
    page.goto(f"{hub.url}/s/{session}")
    page.get_by_test_id("session").wait_for()
    expect(page.locator("[data-connection=open]")).to_be_attached()


def terminal(page: Page, name: str = "shell") -> Locator:
    return page.locator(f"[data-testid=terminal][data-name='{name}']")


def screen(page: Page, name: str = "shell") -> Locator:
    return terminal(page, name).locator(".xterm-rows")


def is_ready(page: Page, name: str = "shell") -> None:
    """The screen is drawn, has the focus, and its shell has said something."""
    expect(terminal(page, name)).to_have_attribute("data-state", "live")
    expect(terminal(page, name).locator("textarea")).to_be_focused()
    expect(screen(page, name)).to_contain_text(re.compile(r"\S"))


def open_drawer(page: Page, hub: RunningHub, session: str) -> None:
    visit(page, hub, session)
    page.keyboard.press("Control+Backquote")
    is_ready(page)


def run(page: Page, line: str, said: str, name: str = "shell") -> None:
    """Type a line; what it says must not stand in the line itself."""
    assert said not in line
    page.keyboard.type(f"{line}\n")
    expect(screen(page, name)).to_contain_text(said)


@contextmanager
def second_page(browser: Browser, hub: RunningHub, width: int) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": width, "height": 700})
    context.set_default_timeout(PATIENCE)
    other = context.new_page()
    other.goto(hub.post("/api/link")["url"])
    expect(other.locator("[data-connection=open]")).to_be_attached()
    yield other
    context.close()


def test_what_runs_in_a_terminal_outlives_the_page_and_the_hub(
    page: Page, hub: RunningHub, session: str, complaints: list[str]
) -> None:
    open_drawer(page, hub, session)
    run(page, "KEPT=kept; echo be''fore", "before")
    page.reload()
    expect(screen(page)).to_contain_text("before")
    expect(terminal(page)).to_have_attribute("data-state", "live")
    hub.kill()
    expect(page.get_by_test_id("connection")).to_have_attribute("data-connection", "away")
    expect(page.get_by_test_id("terminal-away")).to_be_visible()
    hub.start()
    expect(terminal(page)).to_have_attribute("data-state", "live")
    expect(screen(page)).to_contain_text("before")
    terminal(page).locator(".xterm-screen").click()
    run(page, "echo $KEPT-$((40 + 2))", "kept-42")
    assert complaints == []


def test_a_second_viewer_sees_the_same_cells_and_one_that_watches_types_nothing(
    page: Page, hub: RunningHub, session: str, browser: Browser
) -> None:
    open_drawer(page, hub, session)
    run(page, r"printf '\e[1;31mred\e[0m \e[44mblue\e[0m 世界 %s\n' fi''ne", "fine")
    with second_page(browser, hub, 1000) as other:
        open_drawer(other, hub, session)
        expect(page.get_by_test_id("viewers")).to_have_text("2 viewers")
        expect(screen(other)).to_contain_text("fine")
        run(other, "echo from-the-o''ther", "from-the-other")
        expect(screen(page)).to_contain_text("from-the-other")
        # The prompt after it may be on its way to one of them.
        eventually(lambda: page.evaluate(CELLS, "shell") == other.evaluate(CELLS, "shell"))
        other.get_by_role("button", name="More for shell").click()
        other.get_by_role("menuitem", name="Only watch").click()
        expect(other.get_by_test_id("watching")).to_be_visible()
        expect(terminal(other)).to_have_attribute("data-state", "live")
        terminal(other).locator(".xterm-screen").click()
        other.keyboard.type("never")
        terminal(page).locator(".xterm-screen").click()
        run(page, "echo af''ter", "after")
        expect(screen(other)).to_contain_text("after")
        expect(screen(other)).not_to_contain_text("never")
    expect(page.get_by_test_id("viewers")).to_have_count(0)


def test_terminals_stand_beside_each_other_and_are_named_moved_restarted_and_closed(
    page: Page, hub: RunningHub, session: str
) -> None:
    open_drawer(page, hub, session)
    keys = page.keyboard
    keys.press("Control+Shift+Enter")
    is_ready(page, "shell 2")
    expect(page.get_by_test_id("terminal")).to_have_count(2)
    keys.press("Control+Shift+ArrowLeft")
    expect(terminal(page).locator("textarea")).to_be_focused()
    keys.press("Control+Shift+ArrowRight")
    keys.press("Control+Shift+ArrowUp")
    tabs = page.get_by_test_id("terminal-tab")
    second = tabs.nth(1).get_by_role("button")
    expect(second).to_be_focused()
    keys.press("F2")
    keys.type("tests")
    keys.press("Enter")
    expect(tabs.nth(1)).to_have_attribute("data-name", "tests")
    tabs.nth(1).get_by_role("button").focus()
    keys.press("Alt+ArrowLeft")
    expect(tabs.nth(0)).to_have_attribute("data-name", "tests")
    tabs.nth(0).get_by_role("button").click()
    is_ready(page, "tests")
    keys.type("exit 3\n")
    over = page.get_by_test_id("terminal-over")
    expect(over).to_contain_text("Exited with 3 after")
    expect(tabs.nth(0)).to_contain_text("exit 3")
    over.get_by_role("button", name="Restart").click()
    expect(over).to_have_count(0)
    expect(tabs.nth(0)).to_have_attribute("data-over", "false")
    page.get_by_role("button", name="More for tests").click()
    page.get_by_role("menuitem", name="Kill and close").click()
    expect(tabs).to_have_count(1)
    expect(page.get_by_test_id("terminal")).to_have_count(1)


def test_letters_go_to_the_shell_and_the_way_out_is_a_key(
    page: Page, hub: RunningHub, session: str
) -> None:
    visit(page, hub, session)
    page.get_by_test_id("message").focus()
    page.keyboard.press("Control+Backquote")
    is_ready(page)
    run(page, "echo n g i '?' e''nd", "n g i ? end")
    expect(page.locator(".dialog")).to_have_count(0)
    page.keyboard.press("Control+Shift+ArrowUp")
    expect(page.get_by_test_id("terminal-tab").get_by_role("button")).to_be_focused()
    page.keyboard.press("Control+Backquote")
    expect(page.get_by_test_id("drawer")).to_have_count(0)
    expect(page.get_by_test_id("message")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.keyboard.press("t")
    is_ready(page)
    expect(page.get_by_test_id("pane-terminals")).to_be_visible()


def test_words_are_found_in_what_scrolled_away(page: Page, hub: RunningHub, session: str) -> None:
    open_drawer(page, hub, session)
    run(page, "seq -f 'row %g' 300; echo at-the-e''nd", "at-the-end")
    expect(screen(page)).not_to_contain_text("row 17 ")
    page.keyboard.press("Control+f")
    expect(page.get_by_label("Search in the terminal")).to_be_focused()
    page.keyboard.type("row 17")
    expect(page.get_by_test_id("found")).to_have_text("11 of 11")
    for left in range(10, 0, -1):
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("found")).to_have_text(f"{left} of 11")
    expect(screen(page)).to_contain_text("row 18")
    page.keyboard.press("Escape")
    expect(terminal(page).locator("textarea")).to_be_focused()


def test_text_is_copied_and_pasted_without_a_way_to_end_the_paste(
    context: BrowserContext, page: Page, hub: RunningHub, session: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_drawer(page, hub, session)
    page.evaluate(
        "navigator.clipboard.writeText('echo pas\\u001b[201~ted\\u001b[20\\u001b[201~1~')"
    )
    page.keyboard.press("Control+Shift+V")
    expect(screen(page)).to_contain_text("echo pasted")
    page.keyboard.press("Enter")
    said = screen(page).locator("> div").filter(has_text=re.compile(r"^pasted\s*$"))
    expect(said).to_have_count(1)
    said.dblclick(position=INSIDE, force=True)
    page.keyboard.press("Control+c")
    copied = "() => navigator.clipboard.readText().then((text) => text === 'pasted')"
    page.wait_for_function(copied)
    # A program may give, and never ask.
    run(page, r"printf '\e]52;c;Z2l2ZW4=\a\e]52;c;?\a'; echo gi''ven", "given")
    page.wait_for_function(copied.replace("'pasted'", "'given'"))
    run(page, "read -t 1 -n 9 ASKED; echo \"as''ked:<$ASKED>\"", "ked:<>")


def test_a_link_leads_to_the_change(page: Page, hub: RunningHub, session: str) -> None:
    open_drawer(page, hub, session)
    run(page, "cd notes; echo ./list''.md:3:1", "./list.md:3:1")
    page.get_by_test_id("pane-diff").locator("[data-testid=diff-file]").first.wait_for()
    row = screen(page).locator("> div").filter(has_text=re.compile(r"^\./list"))
    row.hover(position=INSIDE, force=True)
    expect(row.locator("[style*=underline]").first).to_be_visible()
    row.click(position=INSIDE, force=True)
    expect(page.get_by_test_id("hunks")).to_be_focused()


def test_a_terminal_that_is_not_shown_has_no_socket(
    page: Page, hub: RunningHub, session: str
) -> None:
    open_drawer(page, hub, session)
    page.keyboard.press("Control+Backquote")
    with page.expect_websocket(lambda made: "/terminals/" in made.url) as opening:
        page.keyboard.press("Control+Backquote")
    is_ready(page)
    run(page, "echo sho''wn", "shown")
    with opening.value.expect_event("close"):
        page.keyboard.press("Control+Backquote")
    expect(page.get_by_test_id("terminal")).to_have_count(0)


def test_terminals_are_accessible_keep_the_policy_and_fit_a_phone(
    page: Page, hub: RunningHub, session: str, complaints: list[str]
) -> None:
    open_drawer(page, hub, session)
    run(page, "ls --color=always; echo lis''ted", "listed")
    require_accessible(page, "terminals in the drawer")
    page.keyboard.press("Control+Shift+Enter")
    is_ready(page, "shell 2")
    page.keyboard.press("Control+f")
    require_accessible(page, "two terminals and a search")
    page.keyboard.press("Escape")
    page.keyboard.type("exit\n")
    expect(page.get_by_test_id("terminal-over")).to_be_visible()
    require_accessible(page, "a terminal that is over")
    require_good_on_a_phone(page, "the drawer")
    page.get_by_role("button", name="Close the drawer").click()
    page.locator(".pane-tabs [data-pane=terminals]").click()
    expect(terminal(page)).to_have_attribute("data-state", "live")
    require_good_on_a_phone(page, "the pane of terminals")
    terminal(page).get_by_role("button", name="Ctrl").click()
    page.keyboard.type("u")
    # Whatever directory it is in, a line is not to be broken.
    run(page, "PS1='$ '; echo sho''rt", "short")
    run(page, "echo by-fin''ger", "by-finger")
    terminal(page).get_by_role("button", name="Up").click()
    expect(screen(page).locator("> div").filter(has_text="echo by-fin''ger")).to_have_count(2)
    assert complaints == []


def test_a_reader_hears_what_a_program_says(page: Page, hub: RunningHub, session: str) -> None:
    open_drawer(page, hub, session)
    page.get_by_role("button", name="More for shell").click()
    page.get_by_role("menuitem", name="For a screen reader").click()
    terminal(page).locator(".xterm-screen").click()
    run(page, "echo lou''dly", "loudly")
    read = terminal(page).locator(".xterm-accessibility-tree")
    expect(read).to_contain_text("loudly")
    require_accessible(page, "a terminal that is read out")


def test_a_flood_is_drawn_to_its_end(page: Page, hub: RunningHub, session: str) -> None:
    open_drawer(page, hub, session)
    run(page, "seq 100000; echo flood-o''ver", "flood-over")
    run(page, "echo st''ill", "still")
