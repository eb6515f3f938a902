"""Linear and Jira: listed, searched, read, moved, told and made; the same promises for both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from manyhands.errors import ForgeDenied, ForgeFailed, NotFound, NotPossible
from manyhands.trackers import adf
from manyhands.trackers.tracker import IssuesAsked, NewIssue, Tracker, state_for
from tests.support.tracker.jira_server import JiraServer
from tests.support.tracker.linear_server import LinearServer
from tests.support.tracker.lines import jira_of, linear_of
from tests.support.tracker.loopback import SILENCE, LoopbackTracker, TrackerFault

BODY = "Say *hello*.\n\n- [ ] politely\n- [x] at once"


@dataclass
class Service:
    server: Any
    prefix: str
    creating: str
    commenting: str
    moving: str
    reading: str

    def open(self, **more: Any) -> AbstractAsyncContextManager[Tracker]:
        if isinstance(self.server, LinearServer):
            return linear_of(self.server, **more)
        return jira_of(self.server, **more)

    def add(self, number: int, title: str, body: str = "", **more: Any) -> str:
        is_linear = isinstance(self.server, LinearServer)
        self.server.add(number, title, body if is_linear else adf.document(body), **more)
        return f"{self.prefix}-{number}"

    def fault(self, pattern: str, status: int, **more: Any) -> None:
        self.server.faults.append(TrackerFault(pattern, status, **more))


@pytest.fixture(params=["linear", "jira"])
def service(request: pytest.FixtureRequest) -> Service:
    server: LoopbackTracker = request.getfixturevalue(request.param)
    if isinstance(server, LinearServer):
        return Service(server, "ENG", "issueCreate", "commentCreate", "issueUpdate", r"issue\(id")
    assert isinstance(server, JiraServer)
    posting = "POST /rest/api/3/issue"
    return Service(
        server,
        "PROJ",
        f"{posting} ",
        "/comment .*body",
        "/transitions .*transition",
        "GET .*issue/",
    )


@pytest.fixture
async def tracker(service: Service) -> AsyncIterator[Tracker]:
    async with service.open() as opened:
        yield opened


async def test_open_issues_are_listed_newest_first(service: Service, tracker: Tracker) -> None:
    for number in range(1, 121):
        service.add(number, f"Issue {number}", mine=number == 7)
    found = await tracker.issues(IssuesAsked(most=110))
    assert [issue.key for issue in found] == [f"{service.prefix}-{n}" for n in range(120, 10, -1)]
    mine = await tracker.issues(IssuesAsked(mine=True))
    assert [(issue.title, bool(issue.assignee)) for issue in mine] == [("Issue 7", True)]


async def test_words_are_searched_for(service: Service, tracker: Tracker) -> None:
    service.add(1, "Greet people", "with a smile")
    service.add(2, "Count people")
    found = await tracker.issues(IssuesAsked(search="greet smile"))
    assert [issue.title for issue in found] == ["Greet people"]
    assert await tracker.issues(IssuesAsked(search="nobody")) == []


async def test_signs_of_jiras_language_are_only_words(jira: JiraServer) -> None:
    jira.add(1, "Greet people")
    async with jira_of(jira) as tracker:
        assert await tracker.issues(IssuesAsked(search='greet" OR project = "X')) == []
        assert len(await tracker.issues(IssuesAsked(search='"greet" (people)!'))) == 1
    assert all(one.count("%22") == 4 for one in jira.asked)


async def test_an_issue_is_read_with_its_comments(service: Service, tracker: Tracker) -> None:
    key = service.add(3, "Greet people", BODY, labels=["ux"])
    for text in ("first", "second"):
        await tracker.comment(key, text)
    found = await tracker.issue(key)
    assert (found.title, found.state.kind, found.labels) == ("Greet people", "todo", ("ux",))
    assert "Say *hello*." in found.body
    assert "[ ] politely" in found.body
    assert [(comment.body, bool(comment.author)) for comment in found.said] == [
        ("first", True),
        ("second", True),
    ]


async def test_of_many_comments_the_newest_are_taken(service: Service, tracker: Tracker) -> None:
    key = service.add(3, "Greet people")
    issues = service.server.issues
    issue = issues[key] if isinstance(issues, dict) else issues[0]
    issue.comments += [f"comment {n}" for n in range(130)]
    found = await tracker.issue(key)
    assert [c.body for c in found.said] == [f"comment {n}" for n in range(30, 130)]
    assert found.left_out == 30


async def test_an_issue_that_is_not_there_is_said_so(service: Service, tracker: Tracker) -> None:
    with pytest.raises(NotFound, match=f"has no issue {service.prefix}-99"):
        await tracker.issue(f"{service.prefix}-99")


async def test_states_are_found_by_their_kind(service: Service, tracker: Tracker) -> None:
    key = service.add(4, "Greet people")
    for stage, kind in (("in_progress", "started"), ("in_review", "review"), ("done", "done")):
        state = state_for(stage, await tracker.states(key), "")  # type: ignore[arg-type]
        assert state is not None
        await tracker.set_state(key, state)
        assert (await tracker.issue(key)).state.kind == kind


async def test_a_state_that_is_not_there_is_named(service: Service, tracker: Tracker) -> None:
    key = service.add(4, "Greet people")
    states = await tracker.states(key)
    with pytest.raises(NotPossible, match="Shipped") as caught:
        state_for("done", states, "Shipped")
    assert "In Progress" in caught.value.hint


async def test_issues_are_made_and_found_again(service: Service, tracker: Tracker) -> None:
    assert await tracker.made("(mark 1)") is None
    made = await tracker.create(NewIssue(title="Split", body="**why**\n\n(mark 1)"))
    found = await tracker.made("(mark 1)")
    assert found is not None
    assert (found.key, found.title) == (made.key, "Split")
    assert "**why**" in (await tracker.issue(made.key)).body


async def test_a_wrong_token_is_told_with_the_way_out(service: Service) -> None:
    async with service.open(token="wrong") as tracker:
        with pytest.raises(ForgeDenied) as caught:
            await tracker.issues(IssuesAsked())
    assert (caught.value.status, "mend the token" in caught.value.hint) == (401, True)


@pytest.mark.parametrize("status", [403, 404, 409, 422])
async def test_a_refusal_is_final(service: Service, tracker: Tracker, status: int) -> None:
    key = service.add(5, "Greet people")
    service.fault(service.commenting, status, body={"errorMessages": ["not today"]})
    with pytest.raises(ForgeFailed, match="not today") as caught:
        await tracker.comment(key, "hello")
    assert (caught.value.status, caught.value.unsure) == (status, False)
    assert service.server.count(service.commenting) == 1


async def test_reads_are_tried_again(service: Service, tracker: Tracker) -> None:
    key = service.add(6, "Greet people")
    service.fault(service.reading, 503, times=2)
    assert (await tracker.issue(key)).title == "Greet people"


@pytest.mark.parametrize("after", [False, True])
async def test_writes_are_sent_once(service: Service, tracker: Tracker, after: bool) -> None:
    service.fault(service.creating, 502, after=after)
    with pytest.raises(ForgeFailed) as caught:
        await tracker.create(NewIssue(title="Split", body="(mark 2)"))
    assert caught.value.unsure
    assert service.server.count(service.creating) == 1
    assert (await tracker.made("(mark 2)") is not None) is after


async def test_a_short_wait_is_kept_and_a_long_one_told(service: Service, tracker: Tracker) -> None:
    key = service.add(7, "Greet people")
    service.fault(service.commenting, 429, headers={"Retry-After": "1"})
    service.fault(service.commenting, 429, headers={"Retry-After": "600"})
    with pytest.raises(ForgeFailed, match="asks to be left alone") as caught:
        await tracker.comment(key, "hello")
    asked = len(service.server.asked)
    with pytest.raises(ForgeFailed, match="asks to be left alone"):
        await tracker.issue(key)
    assert (caught.value.status, len(service.server.asked)) == (429, asked)


async def test_silence_ends(service: Service) -> None:
    key = service.add(8, "Greet people")
    service.fault(service.moving, SILENCE)
    async with service.open(seconds=2.0) as tracker:
        state = state_for("in_progress", await tracker.states(key), "")
        assert state is not None
        with pytest.raises(ForgeFailed, match="does not answer") as caught:
            await tracker.set_state(key, state)
    assert caught.value.unsure


async def test_a_limit_of_linear_has_its_own_code(linear: LinearServer) -> None:
    code = {"code": "RATELIMITED", "userPresentableMessage": "Rate limit exceeded"}
    refused = {"errors": [{"message": "Rate limit exceeded", "extensions": code}]}
    linear.faults.append(TrackerFault("issues", 400, body=refused))
    async with linear_of(linear) as tracker:
        with pytest.raises(ForgeFailed, match="asks to be left alone") as caught:
            await tracker.issues(IssuesAsked())
    assert caught.value.status == 429
