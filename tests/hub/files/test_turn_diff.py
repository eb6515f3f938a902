"""What a turn changed can be asked for as soon as it is over, however long keeping it takes."""

from __future__ import annotations

import http.client
import select
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.hub.conftest import hub, lasting_hub
from tests.support.driver import Json, Refused, RunningHub, bash, hold, script, write

__all__ = ["hub", "lasting_hub"]


@pytest.fixture
def held(hub: RunningHub) -> tuple[Json, Path]:
    """A session whose turn is over and is being kept; the lock that keeps it from that."""
    hub.git("config", "core.filesRefLockTimeout", "600000", cwd=hub.repo)
    return ended(hub)


def ended(hub: RunningHub) -> tuple[Json, Path]:
    session = hub.new(script(write("made.txt"), hold("go.ignored"), {"text": "done"}))
    lock = hub.repo / ".git" / "refs" / "manyhands" / "checkpoints" / session["id"] / "1.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    (Path(session["worktree"]) / "go.ignored").touch()
    hub.wait_idle(session["id"])
    return session, lock


def test_a_turn_that_is_just_over_is_waited_for(hub: RunningHub, held: tuple[Json, Path]) -> None:
    session, lock = held
    ways = ("diff?turn=1", "review/diff?against=turn:1", "checkpoints")
    with ExitStack() as stack:
        links = []
        for way in ways:
            link = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=120)
            stack.callback(link.close)
            link.request("GET", f"/api/sessions/{session['id']}/{way}", headers=hub.bearer)
            links.append(link)
        hub.show(session["id"])
        early = select.select([link.sock for link in links], (), (), 0.5)[0]
        lock.unlink()
        assert early == []
        answers = [link.getresponse() for link in links]
        assert [answer.status for answer in answers] == [200, 200, 200]
        bodies = [answer.read() for answer in answers]
    assert b"made.txt" in bodies[0]
    assert b"made.txt" in bodies[1]
    assert b'"turn":1' in bodies[2]


def test_a_keeper_that_ends_first_ends_the_wait(hub: RunningHub, held: tuple[Json, Path]) -> None:
    session, lock = held
    hub.keeper(session["id"]).kill()
    with pytest.raises(Refused) as refused:
        hub.get(f"/api/sessions/{session['id']}/diff", turn=1)
    lock.unlink()
    assert refused.value.status == 404
    assert refused.value.message.endswith("has no checkpoint: its keeper ended before it was made")


def test_why_a_turn_was_not_kept_is_said(hub: RunningHub) -> None:
    session, lock = ended(hub)
    with pytest.raises(Refused) as refused:
        hub.get(f"/api/sessions/{session['id']}/diff", turn=1)
    lock.unlink()
    assert f"turn 1 of {session['slug']} has no checkpoint: " in refused.value.message
    assert "1.lock" in refused.value.message


def test_the_count_of_changed_files_is_true_wherever_it_is_told(hub: RunningHub) -> None:
    """A moved file is one, and however many there are, none is left out."""
    many = "git mv README.md elsewhere.md; for n in $(seq 1500); do echo $n > f$n.txt; done"
    id = hub.new(script(bash(many), {"text": "done"}))["id"]
    (session,) = hub.wait_idle(id)
    with hub.reader(after=0, session=id) as reader:
        told = reader.until_type("person_notified")
    assert told["text"].endswith(", 1501 files changed")
    diff = hub.get(f"/api/sessions/{id}/diff", patch=False)
    assert session["files_changed"] == len(diff["files"]) == 1501
    assert session["added"] == sum(file["added"] for file in diff["files"]) == 1500
    assert session["removed"] == 0
