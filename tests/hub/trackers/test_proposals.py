"""An agent proposes issues; a person chooses; those are made, each once."""

from __future__ import annotations

import pytest

from tests.support.console import Console
from tests.support.driver import Json, Refused, eventually, of_type
from tests.support.tracker.desk import Desk
from tests.support.tracker.loopback import SILENCE, TrackerFault

LIST = "- [ ] First part\n  with reasons\n- Second part\n- [ ] Third part\n"


def agent_of(desk: Desk, session: Json) -> Console:
    """A command line as the session's agent has it."""
    console = Console(desk.hub.home.root, desk.hub.repo)
    own = {"MANYHANDS_SESSION": session["id"], "MANYHANDS_WORKTREE": session["worktree"]}
    console.variables = desk.hub.environment | own
    return console


def proposed(desk: Desk, session: Json) -> Json:
    console = agent_of(desk, session)
    return console.json("propose", "--file", "-", stdin=LIST.encode())


def titles(desk: Desk) -> list[str]:
    return [issue.title for issue in desk.linear.issues]


def test_only_what_a_person_chose_is_made(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    item = proposed(desk, session)
    assert item["detail"]["place"] == "Linear ENG"
    assert item["detail"]["issues"][0] == {"title": "First part", "body": "with reasons"}
    offered = [option["id"] for option in item["options"]]
    assert offered == ["create", "issue.1", "issue.2", "issue.3", "decline"]
    assert titles(desk) == ["Whole work"]
    desk.hub.answer(session["id"], "issue.1", "issue.3")
    desk.hub.await_jobs(session["id"])
    assert titles(desk) == ["Whole work", "First part", "Third part"]
    note = of_type(desk.hub.events(session["id"]), "note_made")[-1]["text"]
    assert note == "Made in Linear ENG: ENG-2 (First part), ENG-3 (Third part)."


def test_a_person_may_want_none(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    proposed(desk, session)
    desk.hub.answer(session["id"], "decline", text="too small")
    note = of_type(desk.hub.events(session["id"]), "note_made")[-1]["text"]
    assert note.endswith("were made (too small).")
    assert (titles(desk), desk.hub.show(session["id"])["attention"]) == (["Whole work"], [])


def test_an_agent_proposes_for_itself_and_decides_nothing(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session, other = desk.session("ENG-1"), desk.session("ENG-1")
    proposed(desk, session)
    agent = agent_of(desk, session)
    strange = agent.run("propose", other["id"], "--file", "-", "--json", stdin=LIST.encode())
    assert (strange.code, strange.error["code"]) == (4, "not_trusted")
    assert agent.run("answer", session["id"], "--option", "create").code == 4
    assert desk.hub.show(other["id"])["attention"] == []


def test_proposals_are_bounded(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    for issues, words in (
        ([], "1 to 20 issues"),
        ([{"title": "x"}] * 21, "1 to 20 issues"),
        ([{"title": "two\nlines"}], "one line"),
        ([{"title": "x", "body": "y" * 30_000}], "longer than"),
    ):
        with pytest.raises(Refused, match=words):
            desk.hub.act(session["id"], "proposals", issues=issues)
    secret = "token: ghp_" + "a1B2c3" * 6
    item = desk.hub.act(session["id"], "proposals", issues=[{"title": "x", "body": secret}])
    assert "ghp_" not in str(item)
    for _ in range(2):
        desk.hub.act(session["id"], "proposals", issues=[{"title": "x"}])
    with pytest.raises(Refused, match="wait for a person already"):
        desk.hub.act(session["id"], "proposals", issues=[{"title": "x"}])


def test_a_failure_offers_what_is_left_again(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    proposed(desk, session)
    refused = {"errors": [{"message": "Argument Validation Error"}]}
    desk.linear.faults.append(TrackerFault("issueCreate.*Second", 400, body=refused))
    desk.hub.answer(session["id"], "create")
    desk.hub.await_jobs(session["id"])
    assert titles(desk) == ["Whole work", "First part"]
    item = desk.item(session)
    assert "Argument Validation Error" in item["detail"]["problem"]
    desk.hub.answer(session["id"], "create")
    desk.hub.await_jobs(session["id"])
    assert titles(desk) == ["Whole work", "First part", "Second part", "Third part"]


def test_a_hub_that_is_killed_while_it_makes_them_makes_each_once(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    proposed(desk, session)
    desk.linear.faults.append(TrackerFault("issueCreate.*Second", SILENCE, after=True))
    desk.hub.answer(session["id"], "create")
    eventually(lambda: "Second part" in titles(desk))
    desk.hub.restart()
    desk.hub.await_jobs(session["id"])
    assert titles(desk) == ["Whole work", "First part", "Second part", "Third part"]
    made = of_type(desk.hub.events(session["id"]), "proposed_issue_created")
    assert [one["issue"]["key"] for one in made] == ["ENG-2", "ENG-3", "ENG-4"]


def test_a_task_list_is_the_users_own(desk: Desk) -> None:
    desk.linear.add(1, "Whole work")
    session = desk.session("ENG-1")
    with pytest.raises(Refused, match="the user's to edit"):
        desk.hub.act(session["id"], "proposals", issues=[{"title": "x"}], tracker="tasks")
