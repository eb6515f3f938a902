"""A person at the page: starts a session, watches, answers, and loses the hub on the way."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE
from tests.hub.core.test_kills import PLAN, QUESTION
from tests.support.driver import ACTOR, REHEARSAL, SECONDS, RunningHub, bash, script, write
from tests.support.impostor import Impostor

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("page")]
SLOWLY = {"chunk_delay": 0.15}
BEGUN = """([begin, end]) => {
  const said = [...document.querySelectorAll("[data-testid=live]")].map((live) => live.innerText);
  return said.some((text) => text.includes(begin) && !text.includes(end));
}"""


@pytest.fixture(scope="module")
def agent() -> str:
    return ACTOR


@pytest.fixture(scope="module")
def hub(lasting_hub: RunningHub) -> RunningHub:
    return lasting_hub


def start(page: Page, task: str, mode: str, agent: str = ACTOR) -> str:
    """Make a session in the dialog; its id."""
    page.get_by_role("button", name="New session").first.click()
    dialog = page.get_by_test_id("new-session")
    dialog.get_by_role("textbox", name="Task").fill(task)
    dialog.get_by_role("combobox", name="Agent", exact=True).select_option(agent)
    dialog.get_by_role("combobox", name="Mode", exact=True).select_option(mode)
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_url("**/s/*")
    return page.url.rsplit("/", 1)[1]


def settle(page: Page, kind: str, option: str) -> None:
    card = page.locator(f"[data-testid=attention][data-kind={kind}]")
    card.locator(f"[data-option='{option}']").click()
    expect(card).to_have_count(0)


def has_finished(page: Page, turn: int = 1) -> None:
    expect(page.locator("[data-testid=turn-end][data-outcome=done]")).to_have_count(turn)


def test_words_and_hunks_stream_in_while_the_agent_works(page: Page) -> None:
    words = (
        "One two three. " + "The long middle of it goes on for a while. " * 8 + "At last, the end."
    )
    start(
        page,
        script(
            write("poem.txt", "roses\nviolets\n"),
            {"text": words, **write("later.txt", "after\n"), **SLOWLY},
            {"text": "Finished."},
            words="Write a poem.",
        ),
        "auto",
    )
    # The page itself looks, frame by frame: it shows the beginning before there is an end.
    page.wait_for_function(BEGUN, arg=["One two three", "At last"])
    poem = page.locator("[data-testid=diff-file][data-path='poem.txt']")
    expect(poem).to_be_visible()
    expect(page.locator("[data-testid=diff-line]").filter(has_text="violets").first).to_be_visible()
    has_finished(page)
    expect(page.get_by_test_id("agent-message").filter(has_text=words)).to_have_count(1)
    expect(page.locator("[data-testid=diff-file][data-path='later.txt']")).to_be_visible()


def test_a_plan_a_permission_and_a_question_are_answered_on_the_page(page: Page) -> None:
    start(page, PLAN, "plan", REHEARSAL)
    expect(page.get_by_test_id("attention").filter(has_text="Wait for the person")).to_be_visible()
    settle(page, "plan", "approve")
    has_finished(page)

    start(page, script(bash("touch made-by-bash"), {"text": "Done."}), "ask", REHEARSAL)
    asked = page.locator("[data-testid=attention][data-kind=permission]")
    expect(asked).to_contain_text("Asked because: runs a command")
    settle(page, "permission", "allow")
    has_finished(page)
    expect(page.locator("[data-testid=diff-file][data-path='made-by-bash']")).to_be_visible()

    start(page, QUESTION, "ask", REHEARSAL)
    settle(page, "question", "q1.2")
    expect(page.get_by_test_id("settled")).to_contain_text("by you, from the page in")
    expect(page.get_by_test_id("agent-message").filter(has_text="Thank you.")).to_be_visible()
    has_finished(page)


def test_what_is_new_and_would_run_is_shown_before_it_is_trusted(
    page: Page, hub: RunningHub
) -> None:
    (hub.repo / ".envrc").write_text("echo <b>entered</b>\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "For direnv", cwd=hub.repo)
    start(page, script({"text": "Done."}), "ask")
    card = page.locator("[data-testid=attention][data-kind=trust]")
    expect(card.get_by_text("+echo <b>entered</b>")).to_be_visible()
    expect(card.get_by_text("direnv: the whole script")).to_be_visible()
    settle(page, "trust", "trust")
    has_finished(page)


def test_the_page_loses_the_hub_to_a_kill_and_goes_on(page: Page, hub: RunningHub) -> None:
    session = start(page, QUESTION, "auto")
    card = page.locator("[data-testid=attention][data-kind=question]")
    expect(card).to_be_visible()
    page.get_by_test_id("message").fill("a draft of mine")
    hub.kill()
    expect(page.get_by_test_id("connection")).to_have_attribute("data-connection", "away")
    hub.start()
    expect(page.get_by_test_id("connection")).to_have_attribute("data-connection", "open")
    expect(card).to_have_count(1)
    expect(page.get_by_test_id("message")).to_have_value("a draft of mine")
    settle(page, "question", "q1.1")
    expect(page.get_by_test_id("agent-message").filter(has_text="Thank you.")).to_have_count(1)
    has_finished(page)
    hub.say(session, script({"text": "Still here."}))
    expect(page.get_by_test_id("agent-message").filter(has_text="Still here.")).to_have_count(1)


def test_a_message_steers_follows_up_and_stops_the_turn(page: Page, hub: RunningHub) -> None:
    task = script({"text": "Never said.", "delay": 120})
    session = start(page, task, "auto", REHEARSAL)
    expect(page.get_by_test_id("session")).to_have_attribute("data-status", "working")
    box = page.get_by_test_id("message")
    box.fill("Then say goodbye.")
    box.press("Alt+Enter")
    expect(page.get_by_role("list", name="Follow-ups")).to_contain_text("goodbye")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-testid=turn-end][data-outcome=interrupted]")).to_have_count(1)
    assert hub.show(session)["status"] == "idle"


def test_a_page_is_told_of_what_it_shows_and_asks_for_no_session(
    context: BrowserContext, page: Page, hub: RunningHub
) -> None:
    shown = hub.new(script({"text": "Shown."}), name="Shown")["id"]
    hub.wait_idle(shown)
    told: list[dict[str, Any]] = []
    asked: list[str] = []
    opened = context.new_page()
    opened.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    opened.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: told.extend(json.loads(text))),
    )
    opened.goto(f"{hub.url}/s/{shown}")
    has_finished(opened)
    beside = hub.new(script(write("beside.txt"), {"text": "Unseen."}), name="Beside")["id"]
    expect(
        opened.locator(f".row.unread[data-session='{beside}'][data-status=idle]")
    ).to_be_visible()
    hub.say(shown, script({"text": "Again."}))
    has_finished(opened, turn=2)
    topics = {piece["topic"] for piece in told}
    assert topics == {"fleet", f"session/{shown}"}
    views = [view for piece in told for view in piece.get("views", ()) if view["id"] == beside]
    assert views[-1]["status"] == "idle"
    assert len(views) < len(hub.events(beside))
    assert not [url for url in asked if re.search(r"^GET .*/api/sessions(/\w+)?$", url)]
    opened.close()


def test_an_edit_from_outside_shows_while_the_session_is_looked_at(
    page: Page, hub: RunningHub
) -> None:
    session = start(page, script({"text": "Ready."}), "auto")
    has_finished(page)
    worktree = Path(hub.show(session)["worktree"])
    (worktree / "by-hand.txt").write_text("typed in an editor\n")
    expect(page.locator("[data-testid=diff-file][data-path='by-hand.txt']")).to_be_visible()


def test_titles_and_markdown_full_of_attacks_stay_inert(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    attack = (
        "<img src=x onerror=alert(1)> ![p](http://203.0.113.9/pixel.png) "
        "[l](javascript:alert(1)) <script>document.title='owned'</script>"
    )
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    start(page, script({"text": attack}, words="<b>bold</b> \u202egnp.exe task"), "auto")
    has_finished(page)
    assert "owned" not in page.title()
    assert not [url for url in asked if "203.0.113.9" in url]
    assert page.locator("[data-testid=agent-message] img[src^=http]").count() == 0
    assert page.locator("[data-testid=agent-message] a[href^=javascript]").count() == 0


def test_a_one_time_link_opens_no_second_browser(page: Page, hub: RunningHub) -> None:
    link = hub.post("/api/link")["url"]
    browser = page.context.browser
    assert browser is not None
    for expected in ("fleet", "locked"):
        other = browser.new_context()
        other.set_default_timeout(PATIENCE)
        second = other.new_page()
        second.goto(link)
        second.get_by_test_id(expected).wait_for()
        other.close()


def test_on_a_phone_a_question_can_be_answered(page: Page, hub: RunningHub) -> None:
    session = start(page, QUESTION, "auto")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{hub.url}/s/{session}")
    settle(page, "question", "q1.1")
    has_finished(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, "the page scrolls sideways"


def test_whoever_takes_the_hubs_port_meanwhile_learns_nothing_of_use(
    page: Page, hub: RunningHub
) -> None:
    connection = page.get_by_test_id("connection")
    hub.kill()
    with Impostor.listening(hub.port) as impostor:
        assert impostor.proven.wait(SECONDS)
    assert page.evaluate("Object.keys(localStorage)").count("manyhands.token") == 1
    hub.start()
    expect(connection).to_have_attribute("data-connection", "open")
    for stolen in impostor.tokens:
        headers = {"Authorization": f"Bearer {stolen}"}
        assert hub.request("GET", "/api/status", headers=headers).status == 401
    for proof in impostor.proofs:
        body, kind = json.dumps(proof).encode(), {"Content-Type": "application/json"}
        assert hub.request("POST", "/api/exchange", body, kind).status == 403
