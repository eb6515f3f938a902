"""Moving around by keyboard: panes, keys of one's own, the palette, the first steps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_page import has_finished
from tests.support.driver import ACTOR, REHEARSAL, RunningHub, eventually, script, write

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("moving")]


@pytest.fixture(scope="module")
def agent() -> str:
    return ACTOR


@pytest.fixture(scope="module")
def hub(lasting_hub: RunningHub) -> RunningHub:
    return lasting_hub


def test_panes_are_moved_by_keys_and_stay_where_they_were_put(page: Page, hub: RunningHub) -> None:
    session = hub.new(script({"text": "Ready."}))["id"]
    page.goto(f"{hub.url}/s/{session}")
    has_finished(page)
    shape = "[...document.querySelectorAll('.column')].map(c => c.innerText.split('\\n')[0])"
    assert page.evaluate(shape) == ["Conversation", "Changes"]
    page.keyboard.press("p")
    page.keyboard.press("c")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".column")).to_have_count(1)
    page.reload()
    expect(page.locator("[data-connection=open]")).to_be_attached()
    expect(page.locator(".column")).to_have_count(1)
    expect(page.get_by_test_id("pane-conversation")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("d")
    expect(page.get_by_test_id("pane-diff")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("0")
    expect(page.locator(".column")).to_have_count(2)


def test_the_edge_between_panes_is_moved_by_keys_and_stays(page: Page, hub: RunningHub) -> None:
    session = hub.new(script({"text": "Ready."}))["id"]
    page.goto(f"{hub.url}/s/{session}")
    has_finished(page)
    share = "Math.round(100 * document.querySelector('.column').clientWidth / innerWidth)"
    before = page.evaluate(share)
    edge = page.get_by_role("separator", name="Width of the panes")
    edge.focus()
    edge.press("ArrowRight")
    page.wait_for_function(f"{share} > {before}")
    moved = page.evaluate(share)
    page.reload()
    has_finished(page)
    page.wait_for_function(f"{share} === {moved}")
    page.keyboard.press("p")
    page.keyboard.press("0")
    page.wait_for_function(f"{share} === {before}")


def test_a_key_can_be_another_one_and_letters_can_be_turned_off(page: Page) -> None:
    page.keyboard.press("?")
    page.get_by_role("button", name="Change New session, now n").click()
    page.keyboard.press("Control+Shift+Y")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("fleet").wait_for()
    page.keyboard.press("n")
    expect(page.get_by_test_id("new-session")).to_have_count(0)
    page.keyboard.press("Control+Shift+Y")
    expect(page.get_by_test_id("new-session")).to_be_visible()
    page.keyboard.press("Escape")
    # Until it has closed, a letter goes into its box.
    expect(page.get_by_test_id("new-session")).to_have_count(0)
    page.keyboard.press("?")
    page.get_by_label("Single letters act").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("keys")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_test_id("keys")).to_have_count(0)


def test_the_palette_finds_sessions_actions_and_changed_files(page: Page, hub: RunningHub) -> None:
    step = write("deep/inside/found.txt", "here\n")
    session = hub.new(script(step, {"text": "Ready."}), name="Needle")["id"]
    hub.wait_idle(session)
    page.keyboard.press("Control+k")
    expect(page.get_by_test_id("palette")).to_be_focused()
    page.keyboard.insert_text("needle")
    expect(page.locator(".command").first).to_contain_text("Needle")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/s/{session}")
    has_finished(page)
    expect(page.get_by_test_id("diff-file")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_test_id("palette")).to_be_focused()
    page.keyboard.insert_text("found.txt")
    expect(page.locator(".command").first).to_contain_text("deep/inside/found.txt")
    page.get_by_test_id("palette").fill("go to wall")
    expect(page.locator(".command").first).to_contain_text("Go to wall")
    page.keyboard.press("Enter")
    page.wait_for_url("**/wall")


def test_hostile_names_stay_inert_in_every_place(page: Page, hub: RunningHub) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    name = "<img src=x onerror=alert(1)>'\"`${alert(2)}javascript:alert(3)"
    file = "<script>alert(4)</script>.txt"
    steps = (write(f"odd/{file.replace('/', '_')}"), {"text": "\x1b]0;owned\x07 <b>x</b>"})
    session = hub.new(script(*steps), name=name)["id"]
    hub.wait_idle(session)
    for place in ("/", "/wall", "/inbox", f"/s/{session}", f"/compare?of={session},{session}"):
        page.goto(f"{hub.url}{place}")
        expect(page.locator("[data-connection=open]")).to_be_attached()
        row = page.locator(f"[data-testid=session-row][data-session='{session}']")
        expect(row.first).to_contain_text("<img src=x")
        assert page.locator("img[src='x']").count() == 0
        assert page.locator("body script").count() <= 1, "only the page's own"
    page.keyboard.press("Control+k")
    expect(page.locator(".command").filter(has_text="<img src=x")).to_have_count(1)


def test_the_first_steps_lead_to_a_trusted_repository_and_a_task(
    page: Page, hub: RunningHub
) -> None:
    other = hub.root / "other"
    hub.make_repo(other, trust=False)
    (other / ".manyhands.toml").write_text('[setup]\nrun = ["echo prepared"]\n')
    hub.git("add", "-A", cwd=other)
    hub.git("commit", "-q", "-m", "Setup", cwd=other)
    page.goto(f"{hub.url}/welcome")
    welcome = page.get_by_test_id("welcome")
    expect(welcome).to_contain_text("git version")
    expect(welcome).to_contain_text("rehearsal")
    welcome.get_by_label("Repository").fill(str(other))
    welcome.get_by_label("Repository").press("Enter")
    trust = page.get_by_test_id("trust")
    trust.get_by_text(".manyhands.toml").click()
    expect(trust).to_contain_text("echo prepared")
    trust.get_by_role("button", name="Trust").click()
    expect(trust).to_have_count(0)
    trusted = {repo["path"]: repo["trusted"] for repo in hub.get("/api/repos")}
    assert trusted[str(other)] is True


def test_facts_of_the_header_can_be_changed(page: Page, hub: RunningHub) -> None:
    session = hub.new(script({"text": "Ready."}), agent=REHEARSAL)["id"]
    page.goto(f"{hub.url}/s/{session}")
    page.get_by_label(re.compile("^mode(?!l)")).select_option("plan")
    eventually(lambda: hub.show(session)["mode"] == "plan")
