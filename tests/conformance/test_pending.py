"""What an ACP agent had asked stays open whoever is killed, and its answer is heard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from manyhands.model.events import Mode
from tests.conformance.capability import proves
from tests.conformance.hubs import hub_of
from tests.conformance.subjects import CODEX, EXAMPLE_AGENT, Place, Step, Subject, script
from tests.support.driver import Json, RunningHub, eventually, gone, of_type

pytestmark = pytest.mark.timeout(300)

TOLD: Step = {"text": "I remember $WORD.", "subst": {"$WORD": r"Remember the word (\w+)"}}
ANSWERS = {"permission": "allow", "question": "Blue", "plan": "approve"}
VICTIMS = ("hub", "agent", "keeper", "hub and keeper")


@pytest.fixture(params=[CODEX, EXAMPLE_AGENT], ids=lambda subject: subject.name)
def subject(request: pytest.FixtureRequest) -> Subject:
    found: Subject = request.param
    return found


@pytest.fixture
def hub(tmp_path: Path, subject: Subject) -> Iterator[RunningHub]:
    with hub_of(tmp_path, (subject,)) as running:
        yield running


def _asking(subject: Subject, kind: str, number: int) -> tuple[Mode, tuple[Step, ...]]:
    match kind:
        case "permission":
            place = Place(Path(), Path(), "")
            return "ask", (subject.write(place, f"{number}.txt", "x\n"),)
        case "question":
            return subject.question_mode, (subject.question("Which colour?", ("Red", "Blue")),)
    return "plan", subject.plan("1. look\n2. build\n")


@proves("resume after kill -9 of the agent")
def test_what_is_pending_outlives_agent_keeper_and_hub(hub: RunningHub, subject: Subject) -> None:
    sessions: dict[str, Json] = {}
    for kind in ANSWERS:
        mode, steps = _asking(subject, kind, 0)
        words = script(*steps, TOLD, words="Remember the word heron.")
        sessions[kind] = hub.new(words, agent=subject.name, mode=mode, name=kind)
    for number, victim in enumerate(VICTIMS):
        if number:
            for kind, session in sessions.items():
                mode, steps = _asking(subject, kind, number)
                hub.act(session["id"], "mode", mode=mode)
                hub.say(session["id"], script(*steps, TOLD))
        items = {kind: hub.wait_attention(s["id"]) for kind, s in sessions.items()}
        assert {kind: item["kind"] for kind, item in items.items()} == {k: k for k in ANSWERS}
        _kill(hub, victim, [session["id"] for session in sessions.values()])
        for kind, session in sessions.items():
            shown = hub.show(session["id"])
            assert (shown["status"], shown["attention"]) == ("waiting", [items[kind]])
            _answer(hub, subject, session, kind, number, is_late=victim != "hub")
        for kind, session in sessions.items():
            _is_settled(hub, session, kind, number)


def _kill(hub: RunningHub, victim: str, ids: list[str]) -> None:
    agents = [psutil.Process(hub.show(id)["agent_pid"]) for id in ids]
    keepers = [hub.keeper(id) for id in ids]
    exits = {id: len(of_type(hub.events(id), "agent_exited")) for id in ids}
    if "hub" in victim:
        hub.kill()
    dying = {"agent": agents, "hub": []}.get(victim, keepers)
    for process in dying:
        process.kill()
    if dying:
        assert all(gone(agent) for agent in agents)
    if "hub" in victim:
        hub.start()
    for id in ids if dying else ():
        _until_told(hub, id, exits[id])


def _until_told(hub: RunningHub, id: str, exits: int) -> None:
    eventually(lambda: len(of_type(hub.events(id), "agent_exited")) > exits)


def _answer(
    hub: RunningHub, subject: Subject, session: Json, kind: str, number: int, *, is_late: bool
) -> None:
    """A late answer carries a new script: the old one ends with the agent that played it."""
    again = _asking(subject, kind, number)[1] if kind == "permission" else ()
    words = script(*again, TOLD) if is_late else ""
    hub.answer(session["id"], ANSWERS[kind], text=words)


def _is_settled(hub: RunningHub, session: Json, kind: str, number: int) -> None:
    [rested] = hub.wait_idle(session["id"])
    events = hub.events(session["id"])
    assert of_type(events, "agent_message")[-1]["text"] == "I remember heron."
    assert (rested["attention"], rested["error"]) == ([], None)
    assert len({event["agent_session"] for event in of_type(events, "agent_started")}) == 1
    if kind == "permission":
        assert (Path(session["worktree"]) / f"{number}.txt").exists()
        asked = of_type(events, "permission_requested")
        assert len(asked) == number + 1, "an allow is a one-time grant"
    if kind == "plan":
        assert rested["mode"] == "edits"
