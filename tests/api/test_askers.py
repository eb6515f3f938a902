"""An agent cannot act as the person, and who decided is on record."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.process.lineage import program
from tests.support.attack import attack, reported
from tests.support.console import PROGRAM, SECONDS, Console
from tests.support.driver import Json, RunningHub, bash, eventually, of_type, script, write

DECISIONS = ("session_created", "mode_changed", "session_renamed")

# One hub serves them all.
pytestmark = pytest.mark.xdist_group("askers")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub")) as running:
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture(scope="module")
def other(hub: RunningHub) -> Json:
    return hub.new("Another", start=False, mode="ask")


@pytest.fixture(scope="module")
def attacked(hub: RunningHub, other: Json) -> Json:
    """A session that asks its person something, while a child of its agent tries to answer."""
    made = hub.new("Wait.", start=False, mode="auto")
    tree = Path(made["worktree"])
    places = {"home": str(hub.home.root), "run": str(hub.home.run), "repo": str(hub.repo)}
    places["origin"] = hub.url
    writes = attack(tree / "attack.py", session=made["id"], other=other["id"], epoch=1, **places)
    starts, asks = bash("python3 attack.py && echo started"), write(str(hub.root / "outside"))
    hub.say(made["id"], script(writes, starts, asks, {"text": "Done."}))
    hub.wait_attention(made["id"])
    keeper = hub.keeper(made["id"]).pid
    (tree / "go").touch()
    eventually(lambda: "end" in reported(tree))
    assert reported(tree)["end"]["above"] == keeper
    return hub.show(made["id"])


def test_a_child_of_an_agent_cannot_answer_for_the_person(hub: RunningHub, attacked: Json) -> None:
    came = reported(Path(attacked["worktree"]))
    for way in ("answer", "answer, marked", "up", "new"):
        assert came[way]["code"] == 4, came[way]
        said = json.loads(came[way]["err"])
        assert said["code"] == "not_trusted"
        assert f"this is session {attacked['id']}'s agent; only a person may" in said["message"]
    assert len(attacked["attention"]) == 1
    assert of_type(hub.events(attacked["id"]), "attention_resolved") == []


def test_the_persons_token_is_no_use_to_an_agent(hub: RunningHub, attacked: Json) -> None:
    came = reported(Path(attacked["worktree"]))
    asked = {way: one for way, one in came.items() if way.startswith("/api/")}
    assert len(asked) >= 10
    for one in asked.values():
        assert one["status"] == 403, one
        assert f"the agent of session {attacked['id']}" in json.loads(one["body"])["message"]
    assert hub.get("/api/status")["pid"] == hub.pid


def test_to_kill_ones_keeper_makes_nobody_a_person(attacked: Json) -> None:
    came = reported(Path(attacked["worktree"]))
    assert came["orphan"]["status"] == 403
    assert "a program that the hub runs" in came["orphan"]["body"]


def test_an_agent_reads_its_own_session_and_no_other(hub: RunningHub, attacked: Json) -> None:
    came = reported(Path(attacked["worktree"]))
    assert json.loads(came["look"]["out"])["id"] == attacked["id"]
    assert came["log"]["code"] == 0
    assert "session_created" in came["log"]["out"]
    assert "attack.py" in came["diff"]["out"]
    assert came["other"]["code"] == 4


def test_another_session_keeps_its_mode(hub: RunningHub, attacked: Json, other: Json) -> None:
    assert attacked["mode"] == "auto"
    assert hub.show(other["id"])["mode"] == "ask"


def test_a_keeper_turns_away_whoever_is_not_the_hub(hub: RunningHub, attacked: Json) -> None:
    assert reported(Path(attacked["worktree"]))["keeper"]["got"] == ""
    said = (hub.home.logs / f"keeper-{attacked['id']}.log").read_text()
    assert "is not the hub, and was turned away" in said


def test_who_answered_is_on_record(hub: RunningHub, attacked: Json) -> None:
    answer = [PROGRAM, "answer", attacked["id"], "--deny"]
    with subprocess.Popen(answer, env=hub.environment, stdout=subprocess.PIPE) as person:
        assert person.wait(SECONDS) == 0
    (settled,) = of_type(hub.events(attacked["id"]), "attention_resolved")
    expected = {"via": "cli", "token": "command line", "program": "manyhands", "seen": True}
    assert settled["asked_by"] == {**expected, "pid": person.pid}
    line = hub.get(f"/api/sessions/{attacked['id']}/audit")[-1]
    assert (line["by"], line["asked_by"]) == ("human", settled["asked_by"])
    hub.wait_idle(attacked["id"])
    later = hub.events(attacked["id"], after=settled["seq"])
    assert not any("asked_by" in event for event in of_type(later, "turn_finished"))


def test_every_change_that_somebody_asks_for_says_who(hub: RunningHub) -> None:
    made = hub.new("Nothing yet", start=False)
    hub.act(made["id"], "mode", mode="plan")
    hub.act(made["id"], "rename", title="Other words")
    changes = [e for e in hub.events(made["id"]) if e["type"] in DECISIONS]
    assert [e["type"] for e in changes] == list(DECISIONS)
    for change in changes:
        asker = {"via": "api", "token": "command line", "pid": os.getpid(), "seen": True}
        assert change["asked_by"].items() >= asker.items()
        assert hub.token not in json.dumps(change)
    told = Console(hub.home.root, hub.root).ok("log", made["id"]).text
    assert f"by you, over the API ({program(os.getpid())} {os.getpid()})" in told
