"""Issues of all trackers: listed, picked by what they are called, and made sessions of."""

from __future__ import annotations

import pytest

from tests.support.console import Console
from tests.support.driver import Refused, of_type
from tests.support.tracker.desk import TASKS, Desk

BODY = """Say hello.

## Acceptance criteria

- is polite

## Else

- [ ] says goodbye
- not this
"""


def test_trackers_are_named(desk: Desk) -> None:
    found = desk.hub.get("/api/trackers", repo=str(desk.hub.repo))
    assert [(t["name"], t["kind"], t["project"], t["write"]) for t in found] == [
        ("forge", "forge", "", False),
        ("eng", "linear", "ENG", True),
        ("proj", "jira", "PROJ", False),
        ("tasks", "tasks", "tasks.md", False),
    ]


def test_every_tracker_is_listed_and_searched(desk: Desk) -> None:
    desk.forge.state.add_issue(12, "Greet people", "")
    desk.linear.add(1, "Greet Linear", mine=True)
    desk.linear.add(2, "Count", state="s-done")
    desk.jira.add(7, "Greet Jira")
    (desk.hub.repo / "tasks.md").write_text(TASKS)
    listed = [(i["tracker"], i["key"], i["ref"]) for i in desk.issues()]
    assert listed == [
        ("eng", "ENG-1", "eng:ENG-1"),
        ("proj", "PROJ-7", "proj:PROJ-7"),
        ("tasks", "1", "tasks:1"),
        ("tasks", "3", "tasks:3"),
    ]
    assert [i["title"] for i in desk.issues(search="greet")] == [
        *("Greet Linear", "Greet Jira", "Greet everyone")
    ]
    assert [i["key"] for i in desk.issues(tracker="eng", mine="true")] == ["ENG-1"]
    [own] = desk.issues(tracker="forge", limit=5)
    assert (own["number"], own["key"], own["ref"]) == (12, "#12", "acme/widgets#12")
    with pytest.raises(Refused, match="there is no tracker 'other'"):
        desk.issues(tracker="other")


def test_issues_are_named_in_every_way(desk: Desk) -> None:
    desk.forge.state.add_issue(12, "Greet people", "")
    desk.linear.add(1, "Greet Linear")
    desk.jira.add(7, "Greet Jira")
    (desk.hub.repo / "tasks.md").write_text(TASKS)
    address = f"{desk.jira.url}/browse/PROJ-7"
    refs = ["12", "#12", "acme/widgets#12", "eng-1", "proj:PROJ-7", address, "tasks:3"]
    refs.append("https://linear.app/acme/issue/ENG-1/greet")
    titles = [issue["title"] for issue in desk.issues(ref=refs)]
    assert titles == [
        *("Greet people", "Greet people", "Greet people", "Greet Linear"),
        *("Greet Jira", "Greet Jira", "Smile", "Greet Linear"),
    ]
    for ref, words in (
        ("OPS-1", "no tracker of this repository has issues called OPS"),
        ("https://github.com/acme/widgets/issues/12", "neither the forge of"),
        ("ENG-99", "has no issue ENG-99"),
        ("something", "does not name an issue"),
    ):
        with pytest.raises(Refused, match=words):
            desk.issues(ref=[ref])


def test_a_doubtful_name_is_said_to_be_so(desk: Desk) -> None:
    desk.linear.add(1, "Greet Linear")
    again = '[trackers.other]\nkind = "jira"\nproject = "ENG"\nurl = "https://x.invalid"\n'
    desk.configure(more=again)
    with pytest.raises(Refused, match="ENG-1 could be an issue of eng, other"):
        desk.issues(ref=["ENG-1"])
    assert desk.issues(ref=["eng:ENG-1"])[0]["title"] == "Greet Linear"


def test_an_issue_becomes_a_session_that_quotes_it(desk: Desk) -> None:
    desk.linear.add(1, "Greet Linear", f"{BODY}<!-- push -->", comments=["Please soon"])
    made = desk.at_work("ENG-1")
    assert made["title"] == "Greet Linear"
    [link] = made["issues"]
    assert (link["key"], link["tracker"], link["number"]) == ("ENG-1", "eng", 0)
    [said] = of_type(desk.hub.events(made["id"]), "user_message")
    for part in (
        "issue ENG-1 of Linear ENG (https://linear.app/acme/issue/ENG-1/slug)",
        "data that describes the task",
        "[hidden comment: push]",
        "\nPlease soon\n",
        "acceptance points, from the text:\n~~~\n- is polite\n- says goodbye\n~~~",
    ):
        assert part in said["text"]
    desk.told(made, "in_progress")
    [shown] = desk.issues(tracker="eng")
    assert (shown["sessions"], shown["stage"]) == ([made["id"]], "in_progress")


def test_several_are_picked_on_the_command_line(desk: Desk) -> None:
    desk.linear.add(1, "Greet \x1b[2J Linear", labels=("ux",))
    desk.jira.add(7, "Greet Jira")
    console = Console(desk.hub.home.root, desk.hub.repo)
    console.variables = desk.hub.environment
    lines = console.ok("issues", "--tracker", "eng", "--search", "greet").text.splitlines()
    assert lines[0].split() == ["ISSUE", "TITLE", "STATE", "LABELS", "BY", "SESSIONS"]
    assert lines[1].startswith("ENG-1 ")
    assert "Greet \\x1b[2J Linear" in lines[1]
    words = ("--issue", "ENG-1", "--issue", "proj:PROJ-7", "--issue", "ENG-1", "--no-start")
    first, second = console.json("new", *words)
    assert [s["issues"][0]["key"] for s in (first, second)] == ["ENG-1", "PROJ-7"]
    assert "ENG-1 https://linear.app/" in console.ok("show", first["id"]).text
    before = desk.hub.get("/api/sessions")
    failed = console.run("new", "--issue", "ENG-1", "--issue", "ENG-99", "--no-start", "--json")
    assert (failed.code, failed.error["code"]) == (5, "not_found")
    assert desk.hub.get("/api/sessions") == before


def test_a_task_is_known_by_its_words_and_its_list_is_left_alone(desk: Desk) -> None:
    file = desk.hub.repo / "tasks.md"
    file.write_text(TASKS)
    made = desk.session("tasks:1")
    assert (made["title"], made["issues"][0]["origin"]) == ("Greet everyone", "tasks.md:1")
    file.write_text(f"- First of all\n{TASKS}")
    listed = {issue["title"]: issue["sessions"] for issue in desk.issues(tracker="tasks")}
    assert listed == {"First of all": [], "Greet everyone": [made["id"]], "Smile": []}
