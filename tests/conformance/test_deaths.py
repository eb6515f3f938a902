"""kill -9 of an agent, of its keeper and of the hub, with all agents at once in one repository."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from manyhands.agents.acp import past as acp_past
from manyhands.agents.claude import history as claude_history
from manyhands.errors import NotPossible
from manyhands.model.agent.conversation import Fork
from manyhands.model.agent.views import PastConversation
from manyhands.model.events import AgentExited, AgentMessage, AgentStarted, UsageRecorded
from manyhands.model.ids import AgentSessionId
from tests.conformance.bench import Stand
from tests.conformance.capability import proves
from tests.conformance.hubs import hub_of
from tests.conformance.subjects import SUBJECTS, VIBE, Step, Subject, script
from tests.support.driver import Json, RunningHub, eventually, gone, of_type

pytestmark = pytest.mark.timeout(600)

PATIENCE = 200.0
"""Four agents start at once, one of them heavy: on a busy machine that takes its time."""
SAID: Step = {"text": "the word is plum"}
RECALLED: Step = {"text": "it was $WORD", "subst": {"$WORD": "the word is (plum)"}}


@proves("resume after kill -9 of the agent", "past conversations")
async def test_an_agent_that_was_killed_goes_on_with_its_dialogue(stand: Stand) -> None:
    async with stand.agent() as driver:
        await driver.turn(stand.say(SAID))
        (started,) = driver.all(AgentStarted)
        psutil.Process(started.pid).kill()
        await driver.until(lambda: driver.all(AgentExited))
        (exited,) = driver.all(AgentExited)
        assert (exited.returncode, exited.expected) == (-9, False)
        spent = sum(u.cost_usd for u in driver.all(UsageRecorded))
    async with stand.agent(resume=started.agent_session) as driver:
        (again,) = driver.all(AgentStarted)
        assert again.resumed
        assert driver.all(AgentMessage) == []
        end = await driver.turn(stand.say(RECALLED))
        assert end.outcome == "done", end
        assert [m.text for m in driver.all(AgentMessage)] == ["it was plum"]
        # What the first process had spent is not told again.
        assert sum(u.cost_usd for u in driver.all(UsageRecorded)) < 2 * spent or not spent
    await _is_past(stand, started.agent_session)


async def _is_past(stand: Stand, id: AgentSessionId) -> None:
    """Listed for its own directory and no other; taken up elsewhere, it goes on in a copy."""
    past = stand.subject.capabilities.past
    if past == "no":
        with pytest.raises(NotPossible, match="does not list"):
            await _listed(stand, stand.worktree)
        return
    before = await _listed(stand, stand.worktree)
    assert [kept.id for kept in before] == [id]
    assert before[0].updated_at
    if past == "listed":
        return
    assert await _listed(stand, stand.bench.home) == []
    place = stand.bench.worktree.with_name("elsewhere")
    shutil.copytree(stand.worktree, place)
    other = replace(stand, fork=Fork(id, "", str(stand.worktree)))
    other.bench = replace(stand.bench, worktree=place)
    async with other.agent("auto") as driver:
        end = await driver.turn(other.say(other.write("copied.txt"), RECALLED))
        assert (end.outcome, driver.all(AgentMessage)[-1].text) == ("done", "it was plum")
        assert driver.all(AgentStarted)[0].agent_session != id
    assert (place / "copied.txt").exists()
    assert not (stand.worktree / "copied.txt").exists()
    assert await _listed(stand, stand.worktree) == before


async def _listed(stand: Stand, directory: Path) -> list[PastConversation]:
    if stand.subject.kind == "claude":
        return claude_history.past_conversations(stand.spec().env, directory)
    return await acp_past.past_conversations(stand.spec(), directory)


@pytest.fixture
def subjects(no_vibe: str) -> tuple[Subject, ...]:
    return tuple(s for s in SUBJECTS if s is not VIBE or not no_vibe)


@pytest.fixture
def hub(tmp_path: Path, subjects: tuple[Subject, ...]) -> Iterator[RunningHub]:
    with hub_of(tmp_path, subjects) as running:
        yield running


def _hold(subject: Subject) -> Step:
    return subject.run("touch held; until test -e go; do sleep 0.1; done")


def _until_held(session: Json) -> None:
    eventually((Path(session["worktree"]) / "held").exists, PATIENCE)


def _until_in_turn(hub: RunningHub, session: Json) -> None:
    eventually(lambda: "turn_started" in hub.types(session["id"]), PATIENCE)


def _wait_idle(hub: RunningHub, *ids: str) -> None:
    waited = hub.wait(*ids, seconds=PATIENCE)
    assert waited["outcome"] == "reached", waited


def _release(session: Json) -> None:
    (Path(session["worktree"]) / "go").touch()


def _texts(hub: RunningHub, session: Json) -> list[str]:
    return [event["text"] for event in of_type(hub.events(session["id"]), "agent_message")]


@proves("queue", "resume after kill -9 of the keeper", "resume after kill -9 of the hub")
def test_all_agents_at_once_outlive_the_hub_and_come_back_after_their_keepers(
    hub: RunningHub, subjects: tuple[Subject, ...]
) -> None:
    # Some agents wait for a command half a minute at most, and then go on to the next: that waits
    # for the same, or is over at once.
    sessions = {
        s.name: hub.new(script(*[_hold(s)] * 4, SAID), agent=s.name, name=s.name) for s in subjects
    }
    for session in sessions.values():
        _until_held(session)
    before = {name: hub.keeper(session["id"]) for name, session in sessions.items()}
    hub.restart()
    assert {name: hub.keeper(s["id"]) for name, s in sessions.items()} == before
    for subject in subjects:
        session = sessions[subject.name]
        # One that can be steered is told to leave it for later; the others do so by themselves.
        later = subject.capabilities.steers
        # What the agent told before the hub died may reach the new one a moment later.
        _until_in_turn(hub, session)
        said = hub.say(session["id"], script({"text": "the second word"}), follow_up=later)
        assert said["follow_up"], subject.name
        _release(session)
    ids = [session["id"] for session in sessions.values()]
    _wait_idle(hub, *ids)
    for name, session in sessions.items():
        assert _texts(hub, session) == ["the word is plum", "the second word"], name

    agents = [psutil.Process(hub.show(id)["agent_pid"]) for id in ids]
    for subject in subjects:
        session = sessions[subject.name]
        worktree = Path(session["worktree"])
        (worktree / "go").unlink()
        (worktree / "held").unlink()
        hub.say(session["id"], script(_hold(subject), {"text": "never said"}))
    for session in sessions.values():
        _until_held(session)
    for id in ids:
        hub.keeper(id).kill()
    assert all(gone(agent) for agent in agents)
    _wait_idle(hub, *ids)
    for session in sessions.values():
        hub.say(session["id"], script(RECALLED))
    _wait_idle(hub, *ids)
    for name, session in sessions.items():
        assert _texts(hub, session)[-1] == "it was plum", name
        assert hub.show(session["id"])["status"] == "idle"
        started = of_type(hub.events(session["id"]), "agent_started")
        assert [event.get("resumed", False) for event in started] == [False, True], name
    _are_listed(hub, subjects)


def _are_listed(hub: RunningHub, subjects: tuple[Subject, ...]) -> None:
    """Those that ran, with what was learnt of them; those that are only known, with the way."""
    views = {view["name"]: view for view in hub.get("/api/agents")}
    for subject in subjects:
        view = views[subject.name]
        assert (view["kind"], view["installed"]) == (subject.kind, True)
        assert view["logged_in"] is not False
        assert subject.kind == "claude" or set(subject.models) <= set(view["models"])
    assert views["codex"]["version"] == "2.6.0"
    gemini = views["gemini"]
    assert (gemini["kind"], gemini["installed"], gemini["version"]) == ("acp", False, "")
    assert "npm install -g @google/gemini-cli" in gemini["hint"]
