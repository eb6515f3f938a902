"""Trackers are told how far the work is: once, forwards, where it is allowed, whatever happens."""

from __future__ import annotations

from typing import Any

from tests.support.driver import Json, eventually, of_type
from tests.support.tracker.desk import Desk
from tests.support.tracker.loopback import SILENCE, TrackerFault


def comments(desk: Desk, key: str = "ENG-1") -> list[str]:
    return next(i.comments for i in desk.linear.issues if i.identifier == key)


def link(desk: Desk, session: Json) -> Any:
    return desk.hub.show(session["id"])["pr"]["url"]


def test_an_issue_follows_its_session(desk: Desk) -> None:
    desk.linear.add(1, "Greet Linear")
    session = desk.session("ENG-1", committed=True)
    assert desk.linear.state_of("ENG-1") == "s-todo"
    desk.hub.act(session["id"], "pr")
    assert desk.told(session, "in_review")["state"] == "In Review"
    assert desk.linear.state_of("ENG-1") == "s-review"
    desk.hub.act(session["id"], "pr/merge")
    desk.told(session, "done")
    assert desk.linear.state_of("ENG-1") == "s-done"
    url = link(desk, session)
    said = [text.partition("\n")[0] for text in comments(desk)]
    assert said == [f"In review: {url}", f"Done: {url}"]


def test_a_landing_here_is_the_end_too(desk: Desk) -> None:
    desk.configure(jira="write = true")
    desk.jira.add(7, "Greet Jira")
    session = desk.session("PROJ-7", committed=True)
    landed = desk.hub.act(session["id"], "merge")
    desk.told(session, "done")
    assert desk.jira.issues["PROJ-7"].status == "Done"
    [said] = desk.jira.issues["PROJ-7"].comments
    assert landed["commit"][:12] in str(said)


def test_the_forges_own_issue_is_closed(desk: Desk) -> None:
    labels = 'in_progress = "doing"\nin_review = "review"\n'
    desk.configure(more=f'[trackers.own]\nkind = "github"\nwrite = true\n{labels}')
    desk.forge.state.add_issue(12, "Greet people", "")
    session = desk.session("12", committed=True)
    desk.hub.act(session["id"], "merge")
    desk.told(session, "done")
    assert desk.issues(tracker="forge") == []


def test_nothing_is_written_unless_allowed(desk: Desk) -> None:
    desk.jira.add(7, "Greet Jira")
    desk.linear.add(1, "Greet Linear")
    quiet = desk.session("PROJ-7", committed=True)
    desk.hub.act(quiet["id"], "merge")
    loud = desk.session("ENG-1", committed=True)
    desk.hub.act(loud["id"], "merge")
    desk.told(loud, "done")
    assert (desk.jira.issues["PROJ-7"].status, desk.jira.count("POST")) == ("To Do", 0)


def test_what_a_person_did_is_left_alone(desk: Desk) -> None:
    desk.linear.add(1, "Greet Linear", state="s-no")
    session = desk.session("ENG-1", committed=True)
    desk.hub.act(session["id"], "pr")
    assert desk.told(session, "in_review").get("state", "") == ""
    assert desk.linear.state_of("ENG-1") == "s-no"


def test_a_refusal_is_told_and_tried_again_when_a_person_says_so(desk: Desk) -> None:
    desk.configure(linear='write = true\nin_review = "Nope"')
    desk.linear.add(1, "Greet Linear")
    session = desk.session("ENG-1", committed=True)
    desk.hub.act(session["id"], "pr")
    item = desk.item(session)
    assert (item["kind"], [o["id"] for o in item["options"]]) == ("issues", ["retry", "skip"])
    assert "Nope" in item["summary"]
    assert "In Review" in item["detail"]["hint"]
    desk.configure()
    desk.hub.answer(session["id"], "retry")
    desk.told(session, "in_review")
    assert desk.linear.state_of("ENG-1") == "s-review"


def test_an_error_after_success_doubles_nothing(desk: Desk) -> None:
    for pattern in ("issueUpdate", "commentCreate"):
        desk.linear.faults.append(TrackerFault(pattern, 502, after=True))
    desk.linear.add(1, "Greet Linear")
    session = desk.session("ENG-1", committed=True)
    desk.hub.act(session["id"], "pr")
    desk.told(session, "in_review")
    assert (desk.linear.count("issueUpdate"), len(comments(desk))) == (1, 1)
    assert desk.hub.show(session["id"])["attention"] == []


def test_a_hub_that_is_killed_in_between_neither_forgets_nor_repeats(desk: Desk) -> None:
    desk.linear.faults.append(TrackerFault("commentCreate", SILENCE, after=True))
    desk.linear.add(1, "Greet Linear")
    session = desk.session("ENG-1", committed=True)
    desk.hub.act(session["id"], "pr")
    eventually(lambda: comments(desk))
    desk.hub.restart()
    desk.told(session, "in_review")
    assert len(comments(desk)) == 1
    assert len(of_type(desk.hub.events(session["id"]), "issue_stage_announced")) == 1
