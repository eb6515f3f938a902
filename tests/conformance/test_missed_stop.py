"""A stop that mistral-vibe misses: it ends all the same, bounded, and the state is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.conformance.hubs import hub_of
from tests.conformance.subjects import VIBE, Step, script
from tests.support.driver import Json, RunningHub, gone, of_type

pytestmark = pytest.mark.timeout(300)

SAID: Step = {"text": "the word is plum"}
RECALLED: Step = {"text": "it was $WORD", "subst": {"$WORD": "the word is (plum)"}}


@pytest.fixture
def hub(tmp_path: Path, no_vibe: str) -> Iterator[RunningHub]:
    if no_vibe:
        pytest.skip(no_vibe)
    with hub_of(tmp_path, (VIBE,)) as running:
        yield running


def test_a_stop_between_two_steps_and_one_that_is_not_heard_at_all(hub: RunningHub) -> None:
    """Its own stop may fall between two steps and be lost; stopped by a signal, it hears none."""
    session = hub.new(script(SAID), agent=VIBE.name, name="stopped")
    hub.wait_idle(session["id"])
    steps = [VIBE.run(f"touch {number}.txt") for number in range(40)]
    hub.say(session["id"], script(*steps, {"text": "never said", "delay": 600}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until(lambda frame: frame.get("type") == "tool_finished")
    _stop(hub, session)

    # Killed while its model is busy, it asks it once more when it comes back, before it answers us.
    hub.say(session["id"], script(VIBE.run("touch deaf.txt"), {"text": "late", "delay": 40}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until(lambda f: f.get("type") == "tool_finished" and f.get("turn") == 3)
    agent = psutil.Process(hub.show(session["id"])["agent_pid"])
    agent.suspend()
    _stop(hub, session)
    assert gone(agent)
    exited = of_type(hub.events(session["id"]), "agent_exited")[-1]
    assert exited["expected"]

    hub.say(session["id"], script(RECALLED))
    hub.wait_idle(session["id"])
    assert of_type(hub.events(session["id"]), "agent_message")[-1]["text"] == "it was plum"


def _stop(hub: RunningHub, session: Json) -> None:
    stopped = hub.act(session["id"], "stop")
    assert (stopped["status"], stopped["attention"], stopped["error"]) == ("idle", [], None)
    ended = of_type(hub.events(session["id"]), "turn_finished")
    assert len(ended) == stopped["turn"]
    assert ended[-1]["outcome"] == "interrupted"
