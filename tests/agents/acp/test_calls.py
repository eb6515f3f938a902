"""Tool calls in every order in which agents tell of them: each begins once and ends once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from acp.schema import SessionNotification

from manyhands.agents.acp.stream import NOT_FINISHED, AcpStream
from manyhands.agents.known import Quirks
from manyhands.model.clock import now
from manyhands.model.events import ToolCalled, ToolFinished
from tests.support.agent_driver import Driver, workplace
from tests.support.told_agent import call, piece, said

EDIT = {"title": "Edit a.py", "kind": "edit"}
THERE = {"locations": [{"path": "/main/a.py"}]}
GIVEN = {"rawInput": {"path": "/main/a.py", "content": "x"}}
DIFF = {"content": [{"type": "diff", "path": "/main/a.py", "oldText": "a", "newText": "b"}]}
RUN = {"title": "touch b", "kind": "execute"}


def followed(*steps: dict[str, Any]) -> Driver:
    """What is told of these updates, within a turn that then ends."""
    driver = Driver()
    at = workplace("s", Path("/w"), True, None)
    stream = AcpStream(driver, at, Quirks(), lambda options: None)
    stream.open()
    for step in steps:
        given = {"sessionId": "s", "update": step["update"]}
        stream.take(SessionNotification.model_validate(given).update)
    stream.end()
    return driver


def known(driver: Driver) -> tuple[str, str]:
    """The one call as it is known in the end: its tool and its file."""
    (called,), (ended,) = driver.all(ToolCalled), driver.all(ToolFinished)
    given = called.input if ended.input is None else ended.input
    return ended.tool, str(given.get("file_path", given.get("command", "")))


@pytest.mark.parametrize(
    "steps",
    [
        (call("1", **EDIT, **GIVEN, status="pending"), piece("1", status="completed")),
        (call("1", **EDIT, **THERE), piece("1", status="completed")),
        (call("1", **EDIT, status="pending"), piece("1", **GIVEN, status="completed")),
        (call("1", **EDIT, status="pending"), piece("1", **THERE), piece("1", status="completed")),
        (call("1", **EDIT, status="in_progress"), piece("1", **THERE, status="completed")),
        (call("1", **EDIT, status="in_progress"), piece("1", **DIFF, status="completed")),
        (call("1", **EDIT, **THERE, status="completed"),),
        (
            call("1", title="Changing", status="pending"),
            piece("1", **EDIT, **THERE),
            call("1", **EDIT, status="completed"),
        ),
        (
            call("1", title="Changing", status="in_progress"),
            piece("1", kind="edit", **THERE, status="completed"),
        ),
        (call("1", title="Changing", kind="other"), piece("1", **DIFF, status="completed")),
        (
            call("1", **EDIT, status="in_progress"),
            piece("1", status="completed"),
            piece("1", **THERE),
        ),
        (
            call("1", **EDIT, **THERE, status="pending"),
            piece("1", status="completed"),
            piece("1", status="completed"),
            said("done"),
            piece("1", **DIFF),
        ),
    ],
)
def test_a_call_is_told_once_and_by_its_end_all_that_is_known_of_it(
    steps: tuple[dict[str, Any], ...],
) -> None:
    tool, path = known(followed(*steps))
    assert tool in ("Edit", "Write")
    assert path == "/main/a.py"


def test_a_call_that_is_known_is_told_before_it_is_over() -> None:
    driver = followed(call("1", **EDIT, **GIVEN, status="pending"), said("meanwhile"))
    assert [type(event).__name__ for event in driver.events] == [
        "ToolCalled",
        "AgentMessage",
        "ToolFinished",
    ]
    (ended,) = driver.all(ToolFinished)
    assert (ended.output, ended.is_error) == (NOT_FINISHED, True)


def test_a_call_told_late_began_when_the_agent_first_spoke_of_it() -> None:
    driver = Driver()
    at = workplace("s", Path("/w"), True, None)
    stream = AcpStream(driver, at, Quirks(), lambda options: None)
    stream.open()

    def take(step: dict[str, Any]) -> None:
        given = {"sessionId": "s", "update": step["update"]}
        stream.take(SessionNotification.model_validate(given).update)

    take(call("1", **RUN, status="pending"))
    spoken = now()
    take(piece("1", status="completed"))
    assert "" < driver.all(ToolCalled)[0].at <= spoken


def test_what_is_known_from_the_start_is_not_told_twice() -> None:
    driver = followed(call("1", **EDIT, **GIVEN), piece("1", **THERE, status="completed"))
    (ended,) = driver.all(ToolFinished)
    assert ended.input is None


def test_an_id_that_is_used_again_is_another_call() -> None:
    first = (call("1", **RUN, status="in_progress"), piece("1", status="completed"))
    driver = followed(*first, *first)
    assert len(driver.all(ToolCalled)) == len(driver.all(ToolFinished)) == 2


def test_every_file_of_an_edit_is_named() -> None:
    both = [{"type": "diff", "path": f"/main/{n}", "oldText": "", "newText": "b"} for n in "ab"]
    driver = followed(call("1", **EDIT, content=both, status="completed"))
    assert driver.all(ToolCalled)[0].input["paths"] == ["/main/a", "/main/b"]
