"""A person reads and writes: every kind of step, turns and their ways back, the box to speak."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import require_accessible, require_no_violation
from tests.support.driver import Json, RunningHub, bash, eventually, hold, script, write

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("conversation")]
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PASTE = """([data, name]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type: "image/png" }));
  const event = new ClipboardEvent("paste", { clipboardData: given, bubbles: true });
  document.querySelector("[data-testid=message]").dispatchEvent(event);
}"""


@pytest.fixture(scope="module")
def hub(lasting_hub: RunningHub) -> RunningHub:
    return lasting_hub


def edit(path: str, old: str, new: str) -> Json:
    return {"tool": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}


def done(hub: RunningHub, *steps: Json) -> str:
    """A session that has played the steps."""
    session: str = hub.new(script(*steps))["id"]
    hub.wait_idle(session)
    return session


def visit(page: Page, hub: RunningHub, session: str) -> None:
    page.goto(f"{hub.url}/s/{session}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("session").wait_for()


def leave(page: Page, hub: RunningHub, session: str) -> None:
    """Goes elsewhere once the page has noted up to where it was seen, a moment after the last."""
    last = hub.events(session)[-1]["seq"]
    seen = "id => JSON.parse(localStorage['manyhands.seen'] ?? '{}').marks?.[id]?.seq ?? 0"
    eventually(lambda: page.evaluate(seen, session) >= last)
    page.goto(f"{hub.url}/inbox")


def tool(page: Page, name: str) -> Locator:
    return page.locator(f"[data-testid=tool][data-tool={name}]")


def test_steps_are_lines_that_open_into_diffs_commands_and_files(
    page: Page, hub: RunningHub
) -> None:
    session = done(
        hub,
        {"thinking": "Where to begin?", **write("app.py", "one\ntwo\n")},
        {"tool": "Read", "input": {"file_path": "app.py"}},
        edit("app.py", "two\n", "three\n"),
        bash("printf '\\033[31m5 passed in 0.1s\\033[0m\\n'; : pytest"),
        bash("python3 -m pytest --version || echo '3 passed in 0.2s'"),
        {"text": "Ready."},
    )
    visit(page, hub, session)
    expect(tool(page, "Edit").locator(".end").last).to_contain_text("+1")
    expect(page.locator(".patch")).to_have_count(0)
    tool(page, "Edit").get_by_role("button").click()
    patch = tool(page, "Edit").locator(".patch")
    expect(patch.locator(".removed")).to_contain_text("two")
    expect(patch.locator(".added")).to_contain_text("three")
    tool(page, "Bash").first.get_by_role("button").click()
    output = tool(page, "Bash").first.locator(".output")
    expect(output).to_have_text("5 passed in 0.1s")
    tool(page, "Read").get_by_role("button").click()
    expect(tool(page, "Read").locator(".code")).to_contain_text("two")
    thought = page.get_by_test_id("thought")
    expect(thought.locator(".markdown")).to_have_count(0)
    thought.get_by_role("button").click()
    expect(thought.locator(".markdown")).to_have_text("Where to begin?")


def test_three_levels_show_more_or_less_of_the_work(page: Page, hub: RunningHub) -> None:
    session = done(hub, write("a.txt"), write("b.txt"), bash("echo hello"), {"text": "Ready."})
    visit(page, hub, session)
    expect(page.get_by_test_id("tool")).to_have_count(3)
    page.get_by_role("button", name="brief").click()
    steps = page.get_by_test_id("steps")
    expect(steps).to_contain_text("Wrote 2 files, ran 1 command")
    expect(page.get_by_test_id("tool")).to_have_count(0)
    steps.click()
    expect(page.get_by_test_id("tool")).to_have_count(3)
    page.get_by_role("button", name="full", exact=True).click()
    expect(page.locator(".output").filter(has_text="hello")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="full", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.locator("main h1").click()
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="brief")).to_have_attribute("aria-pressed", "true")


def test_a_sub_agents_work_stands_under_its_call(page: Page, hub: RunningHub) -> None:
    below = script(bash("echo from-below"), {"text": "Found it."})
    started = {
        "tool": "Agent",
        "input": {
            "description": "look around",
            "prompt": below,
            "subagent_type": "general-purpose",
        },
    }
    session = done(hub, started, {"text": "Ready."})
    visit(page, hub, session)
    call = page.locator("[data-testid=tool]:is([data-tool=Agent], [data-tool=Task])")
    expect(call).to_contain_text("look around")
    expect(call).to_contain_text("step")
    expect(tool(page, "Bash")).to_have_count(0)
    call.get_by_role("button").first.click()
    expect(tool(page, "Bash")).to_have_count(1)
    nested = page.locator(".entry[data-depth='1']").filter(has=tool(page, "Bash"))
    expect(nested).to_have_count(1)


def test_the_agents_list_shows_how_far_it_is(page: Page, hub: RunningHub) -> None:
    tasks = [
        {"tool": "TaskCreate", "input": {"subject": s, "description": s}} for s in ("Dig", "Plant")
    ]
    update = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    session = done(hub, *tasks, update, {"text": "Ready."})
    visit(page, hub, session)
    line = page.get_by_test_id("todo-line")
    expect(line).to_contain_text("1 of 2")
    line.click()
    todos = page.locator(".talk-bar").get_by_test_id("todos")
    expect(todos.locator("li[data-state=done]")).to_have_text("done: Dig")
    expect(todos.locator("li[data-state=pending]")).to_have_text("to do: Plant")


def test_a_turn_shows_its_diff_and_can_be_forked_and_gone_back_to(
    page: Page, hub: RunningHub
) -> None:
    session = done(hub, write("a.txt", "first\n"), {"text": "One."})
    hub.say(session, script(edit("a.txt", "first", "second"), {"text": "Two."}))
    hub.wait_idle(session)
    visit(page, hub, session)
    diffs = page.get_by_role("button", name="Diff of this turn")
    expect(diffs).to_have_count(2)
    diffs.last.click()
    diff = page.get_by_test_id("turn-diff")
    expect(diff.locator(".removed")).to_contain_text("first")
    expect(diff.locator(".added")).to_contain_text("second")

    page.get_by_role("button", name="Fork").first.click()
    page.wait_for_url(lambda url: session not in url)
    forked = page.url.rsplit("/", 1)[1]
    hub.wait_idle(forked)
    assert (Path(hub.show(forked)["worktree"]) / "a.txt").read_text() == "first\n"

    visit(page, hub, session)
    page.get_by_role("button", name="Rewind…").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("kept as a checkpoint")
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog).to_have_count(0)
    assert (Path(hub.show(session)["worktree"]) / "a.txt").read_text() == "first\n"


def test_files_and_commands_are_completed_in_the_box(page: Page, hub: RunningHub) -> None:
    session = done(hub, write("lib/redis_client.py"), {"text": "Ready."})
    visit(page, hub, session)
    box = page.get_by_test_id("message")
    box.press_sequentially("see @redis")
    offers = page.get_by_test_id("offers")
    expect(offers.get_by_role("option")).to_have_text(["lib/redis_client.py"])
    box.press("Enter")
    expect(box).to_have_value("see @lib/redis_client.py ")
    box.fill("")
    names = [command["name"].lstrip("/") for command in hub.show(session)["commands"]]
    wanted = next(name for name in names if name.startswith("comp"))
    box.press_sequentially(f"/{wanted[:4]}")
    expect(offers.get_by_role("option").first).to_contain_text(wanted)
    box.press("Escape")
    expect(offers).to_have_count(0)
    box.fill("")


def test_a_draft_and_what_is_attached_survive_a_reload_and_are_sent_once(
    page: Page, hub: RunningHub
) -> None:
    session = done(hub, {"text": "Ready."})
    visit(page, hub, session)
    box = page.get_by_test_id("message")
    box.fill(script({"text": "A pixel."}, words="What is this?"))
    page.evaluate(PASTE, [PIXEL, "pixel.png"])
    expect(page.get_by_test_id("attachment")).to_contain_text("pixel.png")
    expect(page.get_by_test_id("attachment").locator("img")).to_be_visible()
    page.reload()
    expect(box).to_have_value(script({"text": "A pixel."}, words="What is this?"))
    expect(page.get_by_test_id("attachment")).to_have_count(1)
    box.press("Enter")
    expect(box).to_have_value("")
    expect(page.get_by_test_id("attachment")).to_have_count(0)
    expect(page.get_by_test_id("user-message").last).to_contain_text("pixel.png")
    expect(page.get_by_test_id("agent-message").filter(has_text="A pixel.")).to_have_count(1)
    said = [e for e in hub.events(session) if e["type"] == "user_message"]
    assert [a["name"] for a in said[-1]["attachments"]] == ["pixel.png"]
    page.reload()
    expect(page.get_by_test_id("attachment")).to_have_count(0)


def test_follow_ups_can_be_changed_and_taken_back_before_their_turn(
    page: Page, hub: RunningHub
) -> None:
    made = hub.new(script(hold("go"), {"text": "Ready."}))
    session, go = made["id"], Path(made["worktree"]) / "go"
    visit(page, hub, session)
    expect(page.get_by_test_id("session")).to_have_attribute("data-status", "working")
    box = page.get_by_test_id("message")
    for words in (script({"text": "First said."}, words="first"), "second"):
        box.fill(words)
        box.press("Alt+Enter")
        expect(box).to_have_value("")
    waiting = page.get_by_test_id("follow-up")
    expect(waiting).to_have_count(2)
    waiting.last.get_by_role("button", name="Delete").click()
    expect(waiting).to_have_count(1)
    waiting.get_by_role("button", name="Edit").click()
    page.get_by_label("Follow-up", exact=True).fill(script({"text": "Other said."}, words="other"))
    page.get_by_role("button", name="Save").click()
    expect(waiting).to_contain_text("other")
    go.touch()
    expect(page.get_by_test_id("agent-message").filter(has_text="Other said.")).to_have_count(1)
    eventually(lambda: hub.show(session)["status"] == "idle")
    assert "second" not in json.dumps([e for e in hub.events(session) if "user_" in e["type"]])


HOSTILE = """
<script>document.title = "owned"</script> <img src=x onerror="document.title='owned'">
<svg onload="document.title='owned'"></svg> <iframe src="http://203.0.113.9/f"></iframe>
![p](http://203.0.113.9/pixel.png) ![d](data:image/svg+xml;base64,PHN2Zy8+)
[j](javascript:document.title='owned') [J](JaVaScRiPt:alert(1)) [d](data:text/html,hi)
[v](vbscript:x) [f](file:///etc/passwd) <a href="javascript:alert(1)">raw</a>
<style>body { display: none }</style> <base href="http://203.0.113.9/">
<form action="http://203.0.113.9/"><input name=a></form> <math><mtext></mtext></math>

`</code><script>document.title='owned'</script>`

```html
<script>document.title = "owned"</script>
```
"""


def test_an_aside_has_its_own_words_and_leaves_the_task_alone(page: Page, hub: RunningHub) -> None:
    session = done(hub, {"text": "Ready."})
    visit(page, hub, session)
    said = page.get_by_test_id("agent-message")
    expect(said).to_have_text("Ready.")
    page.get_by_role("button", name="+ Aside").click()
    box = page.get_by_test_id("message")
    box.fill(script({"text": "Beside."}, words="Is it so?"))
    box.press("Enter")
    expect(said).to_have_text("Beside.")
    page.get_by_role("button", name="Main", exact=True).click()
    expect(said).to_have_text("Ready.")
    page.reload()
    page.get_by_role("navigation", name="Conversations").get_by_text("rehearsal 1").click()
    expect(said).to_have_text("Beside.")
    assert hub.show(session)["turn"] == 1


def test_another_effort_holds_for_one_message(page: Page, hub: RunningHub) -> None:
    session = done(hub, {"text": "Ready."})
    visit(page, hub, session)
    pick = page.get_by_label("Effort of this message")
    pick.select_option("low")
    box = page.get_by_test_id("message")
    box.fill(script({"text": "Easy."}))
    box.press("Enter")
    expect(page.get_by_test_id("agent-message").filter(has_text="Easy.")).to_be_visible()
    expect(pick).to_have_value("")
    said = [event for event in hub.events(session) if event["type"] == "user_message"]
    assert [event.get("effort", "") for event in said] == ["", "low"]
    assert hub.show(session)["effort"] == ""


def test_hostile_markdown_is_text_and_loads_nothing(page: Page, hub: RunningHub) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    table = "| a | b |\n|---|---|\n" + "| <b>x</b> | y |\n" * 400
    wide = "x" * 5000 + " \u202egnp.exe\u202c"
    attack = f"{HOSTILE}\n\n{table}\n\n{wide}"
    words = "<img src=x onerror=alert(1)> \u202egnp.exe"
    session = hub.new(script({"text": attack}, words=words), name="<b>t</b>\u202e")["id"]
    hub.wait_idle(session)
    visit(page, hub, session)
    message = page.get_by_test_id("agent-message")
    expect(message).to_contain_text("gnp.exe")
    for bad in ("script", "img", "iframe", "svg", "style", "base", "form", "math", "[onerror]"):
        expect(message.locator(bad)).to_have_count(0)
    links = [link.get_attribute("href") or "" for link in message.locator("a").all()]
    assert not [href for href in links if not href.startswith(("http://", "https://"))]
    assert "owned" not in page.title()
    assert not [url for url in asked if not url.startswith((hub.url, "data:image/png"))]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    page.keyboard.press("Shift+G")
    expect(page.get_by_test_id("user-message")).to_contain_text("‹U+202E›gnp.exe")


def test_what_happened_since_one_looked_is_told(page: Page, hub: RunningHub) -> None:
    question = {
        "question": "Keep the old column?",
        "header": "Column",
        "multiSelect": False,
        "options": [
            {"label": "Keep it", "description": ""},
            {"label": "Drop it", "description": ""},
        ],
    }
    session = done(hub, {"text": "Ready."})
    visit(page, hub, session)
    expect(page.get_by_test_id("turn-end")).to_have_count(1)
    leave(page, hub, session)
    hub.say(
        session,
        script(
            write("made.py", "x = 1\n"),
            bash("python3 -m pytest --version || echo; echo '7 passed in 0.3s'"),
            {"tool": "AskUserQuestion", "input": {"questions": [question]}},
            {"text": "Now it is done."},
            words="Make it.",
        ),
    )
    hub.wait_attention(session)
    visit(page, hub, session)
    card = page.get_by_test_id("catch-up")
    expect(card).to_contain_text("Since you looked")
    expect(card).to_contain_text("1 file changed")
    expect(card).to_contain_text("pytest 7 passed")
    expect(page.get_by_test_id("catch-up-asked")).to_contain_text("Keep the old column?")
    leave(page, hub, session)
    hub.answer(session, "q1.2")
    hub.wait_idle(session)
    visit(page, hub, session)
    expect(card).to_contain_text("1 turn finished")
    expect(card).to_contain_text("Drop it")
    expect(card).not_to_contain_text("7 passed")
    card.get_by_role("button", name="More").click()
    expect(card).to_contain_text("Now it is done.")
    card.get_by_role("button", name="Put away").click()
    expect(card).to_have_count(0)


def test_an_open_conversation_has_no_accessibility_violation(page: Page, hub: RunningHub) -> None:
    session = done(
        hub,
        {"thinking": "Hm.", **write("app.py", "def f():\n    return 1\n")},
        edit("app.py", "1", "2"),
        bash("ls nowhere"),
        {"text": "# Head\n\n- a\n- b\n\n```python\nx = 1  # one\n```\n\n| a |\n|---|\n| b |\n"},
    )
    visit(page, hub, session)
    page.get_by_role("button", name="full", exact=True).click()
    expect(page.locator(".patch").first).to_be_visible()
    page.get_by_role("button", name="Diff of this turn").click()
    page.get_by_test_id("turn-diff").wait_for()
    page.get_by_test_id("message").press_sequentially("@a")
    page.get_by_test_id("offers").wait_for()
    require_accessible(page, "conversation")
    page.get_by_test_id("message").fill("")


def test_a_budget_is_set_and_raised_in_the_header(page: Page, hub: RunningHub) -> None:
    dear = {"text": "Dear.", "usage": {"in": 500_000, "out": 1000}}
    session = done(hub, dear)
    visit(page, hub, session)
    chip = page.get_by_role("button", name="Budget")
    dollars = page.get_by_label("US dollars")
    for wide, sum_ in ((1440, "2"), (390, "3")):
        page.set_viewport_size({"width": wide, "height": 844})
        chip.focus()
        page.keyboard.press("Enter")
        expect(dollars).to_be_focused()
        dollars.fill(sum_)
        require_no_violation(page, f"the budget at {wide}")
        page.keyboard.press("Enter")
        expect(dollars).to_be_hidden()
        expect(chip).to_be_focused()
        expect(chip).to_contain_text(f"of ${sum_}.00")
    assert hub.show(session)["budget"] == {"usd": 3.0, "minutes": None}
    hub.say(session, script(dear, words="Again."))
    hub.wait_idle(session)
    hub.say(session, script({"text": "Cheap."}, words="More."))
    hub.wait_attention(session)
    chip.click()
    page.get_by_role("button", name="Raise to $6.00").click()
    expect(chip).to_contain_text("of $6.00")
    hub.wait_idle(session)


def test_a_terminals_screen_stands_as_it_was_and_the_header_says_what_is_not_known(
    page: Page, hub: RunningHub
) -> None:
    config = '[agents.shell]\nkind = "terminal"\ncommand = ["/bin/sh"]\n'
    hub.configure(hub.home.config.read_text() + config)
    words = "printf '# not a heading\\n  two   columns\\n'"
    session = hub.new(words, agent="shell", mode="ask")["id"]
    hub.wait_idle(session)
    visit(page, hub, session)
    screen = page.get_by_test_id("screen").last
    expect(screen).to_contain_text("# not a heading")
    assert "  two   columns" in screen.inner_text()
    expect(page.locator(".agent :is(h1, h2, p)")).to_have_count(0)
    expect(page.get_by_role("note")).to_contain_text("known from its screen only")
    expect(page.locator(".head .pick")).to_have_count(0)
