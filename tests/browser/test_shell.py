"""A person who keeps to the keyboard: starts, answers, moves around, arranges, and is told."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.test_page import has_finished
from tests.hub.core.test_kills import QUESTION
from tests.support.driver import ACTOR, RunningHub, bash, eventually, script, write

pytestmark = pytest.mark.browser


def one_line(task: str) -> str:
    assert "\n" not in task
    return f"- {task}"


@pytest.fixture(scope="module")
def agent() -> str:
    return ACTOR


def test_a_morning_of_four_tasks_by_keyboard_alone(page: Page, hub: RunningHub) -> None:
    keys = page.keyboard
    tasks = [
        QUESTION,
        script(bash("touch by-bash"), {"text": "Touched."}, words="Touch a file."),
        script(write("limits.py", "LIMIT = 120\n"), {"text": "Limited."}, words="Set a limit."),
        script({"text": "Nothing to do."}, words="Look around."),
    ]
    keys.press("n")
    expect(page.get_by_role("textbox", name="Task")).to_be_focused()
    keys.insert_text("\n".join(one_line(task) for task in tasks))
    expect(page.get_by_role("button", name="Start 4")).to_be_enabled()
    keys.press("Control+Enter")
    page.wait_for_url("**/wall")
    expect(page.get_by_test_id("tile")).to_have_count(4)
    keys.press("g")
    keys.press("i")
    page.wait_for_url("**/inbox")
    cards = page.get_by_test_id("attention")
    expect(cards).to_have_count(3)
    for left in (2, 1, 0):
        active = page.locator("[data-testid=attention][data-active=true]")
        keys.press("1" if active.get_attribute("data-kind") == "question" else "a")
        expect(cards).to_have_count(left)
    sessions = [session["id"] for session in hub.get("/api/sessions")]
    hub.wait_idle(*sessions)
    expect(page.get_by_test_id("fleet").locator(".row.unread")).to_have_count(4)
    read: list[str] = []
    for _ in sessions:
        keys.press("Control+Shift+U" if not read else "e")
        page.wait_for_function("seen => !seen.includes(location.pathname)", arg=read)
        read.append(page.evaluate("location.pathname"))
        has_finished(page)
        # The page goes by what the hub has told it; until then this one would still be next.
        shown = f"[data-session='{read[-1].removeprefix('/s/')}']"
        expect(page.get_by_test_id("fleet").locator(f".row.unread{shown}")).to_have_count(0)
    assert sorted(read) == sorted(f"/s/{session}" for session in sessions)
    eventually(lambda: not any(hub.show(session)["unread"] for session in sessions))
    keys.press("e")
    page.wait_for_url("**/inbox")
    page.get_by_text("Nothing waits for you").wait_for()
    changed = [hub.show(session)["files_changed"] for session in sessions]
    assert sorted(changed) == [0, 0, 1, 1]
    review_by_keys(page)


def review_by_keys(page: Page) -> None:
    """A comment on a line, sent, and addressed by what the agent does."""
    keys = page.keyboard
    keys.press("Control+k")
    expect(page.get_by_test_id("palette")).to_be_focused()
    keys.insert_text("Set a limit")
    expect(page.locator(".command").first).to_contain_text("Set a limit")
    keys.press("Enter")
    expect(page.get_by_test_id("diff-line").filter(has_text="LIMIT = 120")).to_be_visible()
    keys.press("p")
    keys.press("d")
    expect(page.get_by_test_id("hunks")).to_be_focused()
    keys.press("j")
    keys.press("c")
    editor = page.get_by_test_id("comment-editor").get_by_label("Comment")
    expect(editor).to_be_focused()
    keys.insert_text("Sixty is enough.")
    keys.press("Control+Enter")
    comment = page.get_by_test_id("comment").filter(has_text="Sixty is enough.")
    expect(comment).to_have_attribute("data-state", "draft")
    keys.press("Shift+S")
    expect(page.get_by_label("Words before the comments")).to_be_focused()
    keys.insert_text(script(bash("echo 'LIMIT = 60' > limits.py"), {"text": "Lowered."}))
    keys.press("Control+Enter")
    card = page.locator("[data-testid=attention][data-active=true]")
    expect(card).to_be_visible()
    keys.press("a")
    expect(comment).to_have_attribute("data-state", "addressed")


def test_the_list_is_walked_filtered_chosen_and_told_at_once(page: Page, hub: RunningHub) -> None:
    keys = page.keyboard
    names = ("Alpha", "Beta", "Gamma")
    ids = [hub.new(script({"text": "Ready."}), name=name)["id"] for name in names]
    hub.wait_idle(*ids)
    rows = page.get_by_test_id("session-row")
    expect(rows).to_have_count(3)
    keys.press("Alt+1")
    page.wait_for_url("**/s/*")
    keys.press("/")
    expect(page.get_by_test_id("filter")).to_be_focused()
    keys.insert_text("gam")
    expect(rows).to_have_count(1)
    keys.press("Escape")
    expect(rows).to_have_count(3)
    page.goto(f"{hub.url}/s/{ids[0]}")
    has_finished(page)
    keys.press("x")
    page.goto(f"{hub.url}/s/{ids[0]}")  # what is chosen is for this visit only
    has_finished(page)
    expect(page.get_by_test_id("chosen")).to_have_count(0)
    keys.press("x")
    page.locator(f"[data-session='{ids[1]}']").focus()
    keys.press("x")
    expect(page.get_by_test_id("chosen")).to_contain_text("2 chosen")
    page.get_by_role("button", name="Say…").press("Enter")
    expect(page.locator(".dialog textarea")).to_be_focused()
    keys.insert_text(script({"text": "Heard."}, words="To both."))
    keys.press("Control+Enter")
    expect(page.locator(".dialog")).to_have_count(0)
    hub.wait_idle(*ids)
    assert [hub.show(session)["turn"] for session in ids] == [2, 2, 1]


def test_news_are_told_except_for_what_is_on_the_screen(
    context: BrowserContext, page: Page, hub: RunningHub
) -> None:
    context.grant_permissions(["notifications"])
    context.add_init_script(
        """
        window.told = [];
        window.Notification = class extends Notification {
          constructor(title, options) { super(title, options); window.told.push(title); }
        };
        """
    )
    seen = hub.new(script({"text": "Ready."}), name="Seen")["id"]
    hub.wait_idle(seen)
    page.goto(f"{hub.url}/inbox")
    page.get_by_label("On the desktop").click()
    expect(page.get_by_label("On the desktop")).to_be_checked()
    page.goto(f"{hub.url}/s/{seen}")
    has_finished(page)
    hub.say(seen, QUESTION)
    expect(page.get_by_test_id("attention")).to_be_visible()
    hub.new(QUESTION, name="Elsewhere")
    page.wait_for_function("() => window.told.length > 0")
    assert page.evaluate("window.told") == ["Elsewhere"]
    expect(page).to_have_title("(2) manyhands")
    icon = page.locator("link[rel=icon]")
    assert (icon.get_attribute("href") or "").startswith("data:image/png")


def test_two_tabs_agree(context: BrowserContext, page: Page, hub: RunningHub) -> None:
    session = hub.new(QUESTION)["id"]
    other = context.new_page()
    page.goto(f"{hub.url}/s/{session}")
    other.goto(f"{hub.url}/inbox")
    expect(other.get_by_test_id("attention")).to_be_visible()
    page.locator("[data-option='q1.1']").click()
    expect(other.get_by_test_id("attention")).to_have_count(0)
    expect(other.get_by_text("Nothing waits for you")).to_be_visible()
    has_finished(page)
    page.evaluate("localStorage['manyhands.look'] = JSON.stringify({theme: 'dark'})")
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_message_sent_while_the_hub_is_away_arrives_once(page: Page, hub: RunningHub) -> None:
    session = hub.new(script({"text": "Ready."}))["id"]
    page.goto(f"{hub.url}/s/{session}")
    has_finished(page)
    hub.kill()
    expect(page.get_by_test_id("away")).to_contain_text("does not answer")
    box = page.get_by_test_id("message")
    box.fill(script({"text": "Once."}, words="Only once."))
    box.press("Enter")
    hub.start()
    expect(page.get_by_test_id("connection")).to_have_attribute("data-connection", "open")
    expect(page.get_by_test_id("away")).to_be_empty()
    if box.input_value():  # the hub was away for longer than one tries: the draft is there
        box.press("Enter")
    has_finished(page, turn=2)
    said = [e for e in hub.events(session) if e["type"] == "user_message"]
    assert len(said) == 2
    expect(page.get_by_test_id("user-message")).to_have_count(2)


def test_a_laptop_that_slept_shows_the_exact_state_again(
    context: BrowserContext, page: Page, hub: RunningHub
) -> None:
    session = hub.new(script({"text": "Ready."}), name="Sleeper")["id"]
    page.goto(f"{hub.url}/s/{session}")
    has_finished(page)
    page.get_by_test_id("message").fill("unsent")
    page.reload()  # a discarded tab comes back like this
    has_finished(page)
    expect(page.locator(".pane [aria-busy=true]")).to_have_count(0)  # all of its code is there
    context.set_offline(True)
    hub.terminate()
    hub.start()
    hub.say(session, script(write("meanwhile.txt"), {"text": "Done meanwhile."}))
    hub.wait_idle(session)
    context.set_offline(False)
    has_finished(page, turn=2)
    expect(page.get_by_test_id("agent-message").filter(has_text="Done meanwhile")).to_have_count(1)
    expect(page.locator("[data-testid=diff-file][data-path='meanwhile.txt']")).to_be_visible()
    expect(page.get_by_test_id("message")).to_have_value("unsent")


def test_on_the_wall_a_question_is_answered_in_place_and_work_is_seen(
    page: Page, hub: RunningHub
) -> None:
    asking = hub.new(QUESTION)["id"]
    busy = hub.new(script(write("live.txt", "first\nsecond\n"), {"text": "Wrote it."}))["id"]
    page.keyboard.press("g")
    page.keyboard.press("w")
    tile = page.locator(f"[data-tile='{busy}']")
    expect(tile).to_contain_text("Wrote it.")
    expect(tile.locator(".hunk .added").first).to_have_text("+first\n")
    expect(page.locator(f"[data-tile='{asking}'] [data-testid=attention]")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_test_id("attention")).to_have_count(0)
    hub.wait_idle(asking)
    expect(page.locator(f"[data-tile='{asking}']")).to_contain_text("Thank you.")
