"""An agent that died before it had noted what it was told is told again; one that had is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.hub.conftest import MakeHub
from tests.support.driver import (
    REHEARSAL,
    Json,
    RunningHub,
    eventually,
    hold,
    of_type,
    script,
    write,
)

WORDS = "Build the bridge."
Lines = list[bytes]


def is_said(line: bytes) -> bool:
    """Whether it is the turn's message, as the program notes it for good."""
    entry = json.loads(line)
    return entry["type"] == "user" and WORDS in json.dumps(entry["message"])


def place_of(lines: Lines) -> int:
    return next(n for n, line in enumerate(lines) if is_said(line))


CUTS: dict[str, Callable[[Lines], Lines]] = {
    "queued": lambda lines: lines[: place_of(lines)],
    "without": lambda lines: [line for line in lines if not is_said(line)],
    "noted": lambda lines: lines[: place_of(lines) + 1],
    "first": lambda lines: lines[: place_of(lines)],
    "first-without": lambda lines: [line for line in lines if not is_said(line)],
}
"""What is left of the record of a turn; of a session's first one there may be nothing else."""


def records(hub: RunningHub, session: Json) -> list[Path]:
    place = hub.home.root / "rehearsal" / "home" / ".claude" / "projects"
    return list(place.glob(f"*/{session['agent_session']}.jsonl"))


def noted(hub: RunningHub, session: Json) -> Lines:
    """The whole lines of its record, which may not be there yet; the last may be half written."""
    written = [file.read_bytes().splitlines(keepends=True) for file in records(hub, session)]
    return [line for lines in written for line in lines if line.endswith(b"\n")]


def begin(hub: RunningHub, name: str) -> str:
    is_first = name.startswith("first")
    text = script(hold("go"), write("done.txt"), {"text": "built"}, words=WORDS)
    id: str = hub.new(text if is_first else script({"text": "ready"}), name=name, agent=REHEARSAL)[
        "id"
    ]
    if not is_first:
        hub.wait_idle(id)
        hub.say(id, text)
    return id


def cut_off(hub: RunningHub, id: str, cut: Callable[[Lines], Lines]) -> Json:
    """Its agent is killed in the turn's command, and the record is as if that was sooner."""
    with hub.reader(after=0, session=id) as reader:
        reader.until(lambda e: e.get("type") == "tool_called" and e["tool"] == "Bash")
    session = hub.show(id)
    eventually(lambda: b'"tool_use"' in b"".join(noted(hub, session)))
    psutil.Process(session["agent_pid"]).kill()
    assert hub.wait_attention(id)["kind"] == "agent_died"
    left = cut(noted(hub, session))
    (record,) = records(hub, session)
    record.write_bytes(b"".join(left))
    (Path(session["worktree"]) / "go").touch()
    return session


def test_words_that_were_not_noted_are_said_again_and_others_are_not(make_hub: MakeHub) -> None:
    hub = make_hub(working=8)
    hub.configure(hub.home.config.read_text().replace("[defaults]", '[defaults]\nresume = "ask"'))
    sessions = {name: begin(hub, name) for name in CUTS}
    cut = {name: cut_off(hub, sessions[name], CUTS[name]) for name in CUTS}
    for id in sessions.values():
        hub.answer(id, "retry")
    for name, id in sessions.items():
        (session,) = hub.wait_idle(id)
        assert (Path(session["worktree"]) / "done.txt").exists(), name
        notes = [note["text"] for note in of_type(hub.events(id), "note_made")]
        assert any("said again" in note for note in notes) is (name != "noted"), (name, notes)
        assert len(list(filter(is_said, noted(hub, session)))) == 1, name
        goes_on = session["agent_session"] == cut[name]["agent_session"]
        assert goes_on is (name != "first"), name
