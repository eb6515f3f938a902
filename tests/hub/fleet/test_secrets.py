"""Canaries of every kind, sent along every path: found nowhere but where a person put them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.model.redaction.table import TABLE
from tests.support.driver import (
    Refused,
    RunningHub,
    bash,
    eventually,
    hold,
    of_type,
    script,
    write,
)
from tests.support.guarded import after_turn
from tests.support.terminal_hub import add_config, agent_table

BY_FORM = {
    text[span.start : span.end]
    for text in (row.sample for row in TABLE.rows)
    for span in TABLE.find(text)
}
"""What the table knows, whoever says it."""
IN_FILE = ("plain-words-of-the-env-file", "hunter2-of-the-env-file")
UNSAID = "words-that-stay-in-the-env-file"
REFERENCED = "plain-words-by-reference"
PASTED = "ghp" + "_Pasted0by1a2person3in4a5message6x7y"
ANSWERED = "ghp" + "_Answered0by1a2person3to4a5request6x7"
CANARIES = {*BY_FORM, ANSWERED, *IN_FILE, UNSAID, REFERENCED, PASTED}
OURS = ("worktrees", "trash", "rehearsal")
"""Where the sessions' own files are, secrets and all, and what the agent itself remembers."""


class Keyed(RunningHub):
    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "MY_REFERENCE": REFERENCED}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Keyed]:
    running = Keyed(tmp_path / "hub", linger=1.0)
    env = {"PS1": "ready> ", "INNER": "env:MY_REFERENCE"}
    add_config(running, agent_table("keyed", ["bash", "--norc", "-i"], env=env))
    with running:
        running.start_model()
        running.make_repo()
        yield running


def found_in(data: bytes) -> set[str]:
    spellings = {c: (c.encode(), json.dumps(c)[1:-1].encode()) for c in CANARIES}
    return {c for c, written in spellings.items() if any(w in data for w in written)}


def leaks(hub: RunningHub) -> dict[str, set[str]]:
    """Every file of the home but the sessions' own, whole: logs, spools, database and its log."""
    found = {}
    for path in hub.home.root.rglob("*"):
        inside = path.relative_to(hub.home.root)
        if inside.parts[0] in OURS or "private" in inside.parts or not path.is_file():
            continue
        if here := found_in(path.read_bytes()):
            found[str(inside)] = here
    return found


def objects(repo: Path) -> bytes:
    command = ("git", "cat-file", "--batch-all-objects", "--batch")
    return subprocess.run(command, cwd=repo, check=True, capture_output=True).stdout


def prepare(hub: RunningHub, said: Path) -> None:
    """A repository whose setup and checks, and whose `.env` file, hold all of them."""
    rows = "\n".join(row.sample for row in TABLE.rows)
    said.write_text(f"{rows}\n{' '.join(IN_FILE)}\n")
    (hub.repo / ".gitignore").write_text(".env\n")
    (hub.repo / ".env").write_text(
        f"FIRST_TOKEN={IN_FILE[0]}\nDB_PASS='{IN_FILE[1]}'\nA={UNSAID}\n"
    )
    (hub.repo / ".manyhands.toml").write_text(
        f'[worktree]\ncopy = [".env"]\n[setup]\nrun = ["cat {said}"]\n'
        f'[checks]\nrun = ["cat {said}; exit 1"]\n'
    )
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Setup and checks", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def test_no_canary_gets_into_a_record_a_log_or_the_repository(hub: Keyed, tmp_path: Path) -> None:
    said = tmp_path / "said"
    prepare(hub, said)
    keyed = hub.new('echo "it is $INNER"', agent="keyed", mode="ask")["id"]
    # Said by a person, as a title too, in a tool's input and output, and by the agent.
    steps = script(
        write("notes.txt", f"{said.read_text()}\n"),
        bash(f"printf %s {PASTED} > copy.txt; cat notes.txt"),
        hold("go-on"),
        {"text": f"I found {PASTED} and\n{said.read_text()}"},
    )
    made = hub.new(f"Use {PASTED} for it.\n{steps}")
    id = made["id"]
    assert PASTED not in json.dumps(made)
    copy = Path(made["worktree"], "copy.txt")
    eventually(copy.exists)
    hub.say(id, script({"text": f"again {PASTED}"}), follow_up=True)
    waiting = hub.get(f"/api/sessions/{id}/follow-ups")
    assert found_in(json.dumps(waiting).encode()) == set()
    copy.with_name("go-on").touch()
    hub.wait_idle(id, keyed)
    eventually(lambda: "again" in str(of_type(hub.events(id), "agent_message")[-1]["text"]))
    assert copy.read_text() == PASTED, "the agent was told it as it was said"
    after_turn(hub, id, 2)
    shown = [*views(hub, id), *refusals(hub, id)]
    with hub.reader(after=0, session=id) as reader:
        reader.until_type("checks_finished")
        shown.append(json.dumps(reader.events))
    hub.act(id, "fork", checkpoint="1")
    hub.act(keyed, "archive")
    hub.act(id, "archive")
    hub.get("/api/doctor")
    shown += [json.dumps(hub.get(path)) for path in ("/api/sessions?all=true", "/api/log/commands")]
    shown += [json.dumps(hub.events(ref)) for ref in (id, keyed)]
    assert found_in("\n".join(shown).encode()) == set()
    assert leaks(hub) == {}, "while it runs, the database's own log included"
    hub.terminate()
    assert leaks(hub) == {}
    # The rest is in files that the agent wrote, and the person committed.
    assert found_in(objects(hub.repo)) & {UNSAID, REFERENCED} == set()


def test_no_canary_gets_into_a_notification_a_live_frame_or_an_answer_on_record(
    hub: Keyed, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    command = ["sh", "-c", f'printf "%s\\n" "$1" >> {told}; cat >> {told}', "sh"]
    add_config(hub, f"[notify]\ncommand = {json.dumps(command)}\n")
    write_told = {
        "tool": "Write",
        "input": {"file_path": "answer.txt", "content": "$TOLD"},
        "subst": {"$TOLD": r"the token (ghp_\w+)"},
    }
    last = {"text": f"{'I was to use ' * 40}{PASTED}{', and that is all' * 40}."}
    steps = script(bash(f"curl -u {PASTED} x"), write_told, last)
    made = hub.new(f"Go on. {steps}", mode="edits", name="told")
    id, answer = made["id"], Path(made["worktree"], "answer.txt")
    # Before anybody looks: what is on a screen is not told.
    eventually(lambda: told.exists() and "}" in told.read_text())
    with hub.reader(after=0, session=id) as reader:
        item = hub.answer(id, "deny", text=f"Take the token {ANSWERED} instead.")
        reader.until_type("turn_finished")
        live, events = reader.live, json.dumps(reader.events)
    assert answer.read_text() == ANSWERED, "the agent was told it as it was said"
    deltas = "".join(frame.get("text", "") for frame in live)
    assert "instead." in events
    shown = [
        json.dumps(item),
        json.dumps(live),
        deltas,
        events,
        json.dumps(hub.get(f"/api/sessions/{id}/audit")),
        told.read_text(),
    ]
    assert [found_in(text.encode()) for text in shown] == [set()] * len(shown)
    assert leaks(hub) == {}


def views(hub: RunningHub, id: str) -> Iterator[str]:
    """The files and what changed in them, in every form in which they are shown."""
    own = f"/api/sessions/{id}"
    yield json.dumps(hub.get(f"{own}/files/notes.txt"))
    yield json.dumps(hub.get(f"{own}/diff"))
    yield json.dumps(hub.get(f"{own}/diff", turn=1))
    yield json.dumps(hub.get(f"{own}/review/patches?path=notes.txt"))
    yield json.dumps(hub.get(f"{own}/review/contents?path=notes.txt"))
    text = hub.get(f"{own}/files/notes.txt")["text"]
    number = next(n for n, line in enumerate(text.split("\n"), 1) if "GitHub token" in line)
    comment = {"path": "notes.txt", "start": number, "end": number, "text": f"not {PASTED}"}
    drafted = hub.post(f"{own}/review/comments", {**comment, "suggestion": f"x {PASTED}"})
    assert not drafted["outdated"], "a comment stands on what is shown"
    yield json.dumps(drafted)
    with pytest.raises(Refused, match="held a secret"):
        hub.post(f"{own}/review/comments/{drafted['id']}/apply", {})
    worktree = Path(hub.show(id)["worktree"])
    assert found_in((worktree / "notes.txt").read_bytes()) >= BY_FORM, "the file is as it was"


def refusals(hub: RunningHub, id: str) -> Iterator[str]:
    """What is refused for its words, and what fails and tells of it."""
    with pytest.raises(Refused, match="the commit message holds a GitHub token") as refused:
        hub.act(id, "commit", message=f"Use {PASTED}")
    yield str(refused.value)
    hub.act(id, "commit", message="Notes")
    with pytest.raises(Refused, match="failed") as failed:
        hub.act(id, "merge")
    yield str(failed.value)
