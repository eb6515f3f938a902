"""Settings, hooks and tool servers that a repository brings for its agents count after trust."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from manyhands.git import refs
from manyhands.workspace.runnable import runnable_at, runnable_in
from tests.support.driver import RunningHub, eventually, gone, script


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path / "hub", linger=30.0)
    with running:
        running.start_model()
        running.make_repo(trust=False)
        yield running


SERVER = """\
import json, sys
open({mark!r}, "a").write("up")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    version = asked.get("params", {{}}).get("protocolVersion", "2025-06-18")
    about = {{"protocolVersion": version, "capabilities": {{"tools": {{}}}},
             "serverInfo": {{"name": "own", "version": "1"}}}}
    tool = {{"name": "hello", "description": "greets", "inputSchema": {{"type": "object"}}}}
    answers = {{"initialize": about, "tools/list": {{"tools": [tool]}},
               "tools/call": {{"content": [{{"type": "text", "text": "hello from the server"}}]}}}}
    result = answers.get(asked["method"], {{}})
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""


def bring(repo: Path, marks: Path, name: str) -> None:
    """Settings with a hook, and a tool server; each leaves a mark when it runs."""
    marks.mkdir(exist_ok=True)
    hook = {"type": "command", "command": f"touch {marks / name}.hook"}
    (repo / ".claude").mkdir(exist_ok=True)
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
    (repo / ".claude" / "settings.json").write_text(json.dumps(settings))
    local = {
        "hooks": {"PreToolUse": [{"hooks": [{**hook, "command": f"touch {marks / name}.local"}]}]}
    }
    (repo / ".claude" / "settings.local.json").write_text(json.dumps(local))
    program = marks / f"{name}.py"
    program.write_text(SERVER.format(mark=str(marks / f"{name}.server")))
    server = {"command": "python3", "args": [str(program)]}
    (repo / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": server}}))


def left(marks: Path) -> set[str]:
    return {p.name for p in marks.iterdir() if p.suffix != ".py"}


READ = {"tool": "Read", "input": {"file_path": "README.md"}}
CALL = script({"tool": "mcp__own__hello", "input": {}}, READ, {"text": "ok"})


def test_only_after_trust_and_only_what_was_approved(hub: RunningHub, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    bring(hub.repo, marks, "first")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Bring things", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    session = hub.new(script(READ, {"text": "ok"}))["id"]
    hub.wait_idle(session)
    everything = {"first.hook", "first.local", "first.server"}
    eventually(lambda: left(marks) == everything)
    hub.say(session, CALL)
    assert hub.wait_attention(session)["detail"]["tool"] == "mcp__own__hello"
    hub.answer(session, "allow")
    hub.wait_idle(session)
    said = [e for e in hub.events(session) if e["type"] == "tool_finished"]
    assert "hello from the server" in said[1]["output"]

    # Changed behind the keeper's back while it lives: its next agent runs without them.
    pid = hub.show(session)["agent_pid"]
    agent = psutil.Process(pid)
    agent.kill()
    assert gone(agent)
    eventually(lambda: not hub.show(session)["agent_pid"])
    bring(Path(hub.show(session)["worktree"]), marks, "second")
    for mark in left(marks):
        (marks / mark).unlink()
    hub.say(session, script(READ, {"text": "ok"}))
    hub.wait_idle(session)
    assert left(marks) == set()

    # A new keeper asks, and runs nothing before the answer.
    hub.keeper(session).terminate()
    eventually(lambda: not hub.has_keeper(session))
    hub.say(session, script(READ, {"text": "ok"}))
    item = hub.wait_attention(session)
    assert item["kind"] == "trust"
    assert {".mcp.json", ".claude/settings.json"} <= set(item["detail"]["files"])
    assert left(marks) == set()
    hub.answer(session, "trust")
    hub.wait_idle(session)
    # The local settings of the main checkout, which were approved, hold in every worktree.
    everything = {"second.hook", "second.local", "second.server"}
    eventually(lambda: left(marks) - {"first.local"} == everything)


def test_words_of_a_command_count_where_they_name_files_of_the_base(hub: RunningHub) -> None:
    repo = hub.repo
    (repo / "tools").mkdir()
    (repo / "tools" / "setup.sh").write_text("echo set up\n")
    commands = ["bash tools/setup.sh > ./out.cfg", "printenv > out.txt"]
    (repo / ".manyhands.toml").write_text(f"[setup]\nrun = {json.dumps(commands)}\n")
    hub.git("add", "-A", cwd=repo)
    hub.git("commit", "-qm", "Setup", cwd=repo)
    base = refs.resolve(repo, "main")
    assert base is not None
    before = runnable_in(repo, base=base)
    assert {p.path for p in before} == {".manyhands.toml", "tools/setup.sh"}
    assert {p.digest for p in before} == {p.digest for p in runnable_at(repo, base)}
    (repo / "out.cfg").write_text("made by the setup\n")
    (repo / "out.txt").write_text("made by the setup\n")
    hub.git("config", "user.nickname", "nobody's business", cwd=repo)
    assert runnable_in(repo, base=base) == before
    (repo / "tools" / "setup.sh").write_text("curl evil\n")
    assert runnable_in(repo, base=base) != before
    (repo / "out.sh").write_text("a program, whoever made it\n")
    (repo / ".manyhands.toml").write_text('[setup]\nrun = ["./out.sh"]\n')
    assert "out.sh" in {p.path for p in runnable_in(repo, base=base)}
