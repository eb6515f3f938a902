"""Deaths and returns of real Claude Code: kill -9, resume by id, and what it may see of us."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.agents.claude.cli import bundled_program
from manyhands.agents.permission.answers import late_answer
from manyhands.errors import AgentFailed
from manyhands.model.attention.attention import Resolution
from manyhands.model.events import (
    AgentExited,
    AgentMessage,
    AgentStarted,
    AttentionResolved,
    ToolCalled,
    ToolFinished,
    TurnFinished,
)
from manyhands.process.identity import alive, descendants, identify, session_processes
from manyhands.process.stop import end_processes, wait_gone
from tests.support.agent_driver import Bench, always, bash, script, write


async def test_a_killed_agent_is_told_once_and_its_question_is_abandoned(bench: Bench) -> None:
    async with bench.agent("ask") as driver:
        await driver.agent.send(script(write("a.txt"), {"text": "."}))
        await driver.until(lambda: driver.asked)
        os.kill(driver.all(AgentStarted)[0].pid, signal.SIGKILL)
        await driver.until(lambda: driver.all(AgentExited))
        (ended,) = driver.all(AgentExited)
        assert (ended.expected, ended.returncode) == (False, -signal.SIGKILL)
        assert driver.abandoned == driver.asked
        with pytest.raises(AgentFailed):
            await driver.agent.send("are you there?")
    assert driver.all(AttentionResolved) == []
    assert driver.all(TurnFinished) == []
    assert len(driver.all(AgentExited)) == 1
    assert not (bench.worktree / "a.txt").exists()


async def test_an_agent_killed_in_a_command_is_resumed_with_its_history(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        await driver.turn(script({"text": "the secret word is xyzzy"}))
        await driver.agent.send(script(bash("touch started; tail -f /dev/null")))
        await driver.until(lambda: driver.all(ToolCalled))
        started = driver.all(AgentStarted)[0]
        cli = identify(started.pid)
        assert cli is not None
        os.kill(started.pid, signal.SIGKILL)
        await driver.until(lambda: driver.all(AgentExited))
    assert end_processes(session_processes(bench.session)) == []
    async with bench.agent("auto", resume=started.agent_session) as driver:
        remembered = {"text": "it was $WORD", "subst": {"$WORD": r"secret word is (\w+)"}}
        await driver.turn(script(remembered))
        assert driver.all(AgentMessage)[-1].text == "it was xyzzy"
        again = driver.all(AgentStarted)[0]
        assert again.resumed
        assert again.agent_session == started.agent_session


async def test_a_late_allowance_lets_the_successor_make_the_same_call(bench: Bench) -> None:
    async with bench.agent("ask") as driver:
        await driver.turn(script({"text": "hello"}))
        await driver.agent.send(script(write("a.txt"), {"text": "."}))
        await driver.until(lambda: driver.asked)
        started = driver.all(AgentStarted)[0]
        os.kill(started.pid, signal.SIGKILL)
        await driver.until(lambda: driver.all(AgentExited))
    late = late_answer(driver.asked[0], Resolution(("allow",)))
    assert late.grant is not None
    bench.permits.grants.append(late.grant)
    async with bench.agent("ask", resume=started.agent_session) as driver:
        await driver.turn(script(write("a.txt"), {"text": "done"}, words=late.text))
        assert driver.asked == []
    assert (bench.worktree / "a.txt").exists()


async def test_a_missing_conversation_is_said_and_never_begun_afresh(bench: Bench) -> None:
    missing = "11111111-2222-4333-8444-555555555555"
    with pytest.raises(ExceptionGroup) as caught:
        async with bench.agent(resume=missing):
            pass
    (error,) = caught.value.exceptions
    assert isinstance(error, AgentFailed)
    assert missing in error.message
    assert all(wait_gone(process, 60) for process in session_processes(bench.session))


async def test_a_program_that_cannot_start_is_an_error_with_its_words(bench: Bench) -> None:
    broken = bench.home / "bin" / "claude"
    broken.parent.mkdir()
    broken.write_text(
        "#!/bin/sh\n[ $1 = --version ] && echo 9.0.0 && exit\necho no luck >&2; exit 4"
    )
    broken.chmod(0o755)
    bench.env["PATH"] = f"{broken.parent}:{os.environ['PATH']}"
    with pytest.raises(ExceptionGroup) as caught:
        async with bench.agent():
            pass
    assert "no luck" in str(caught.value.exceptions[0])


async def test_a_stop_ends_the_command_that_was_running(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        await driver.agent.send(script(bash("touch started; tail -f /dev/null")))
        await driver.until(lambda: driver.all(ToolCalled))
        pid = driver.all(AgentStarted)[0].pid
        cli = identify(pid)
        assert cli is not None
        below = descendants(cli)
    assert not alive(cli)
    assert [process for process in below if not wait_gone(process, 60)] == []
    (ended,) = driver.all(AgentExited)
    assert ended.expected


async def test_nothing_of_our_environment_reaches_any_descendant(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_TOKEN", "do not pass this on")
    monkeypatch.setenv("CLAUDE_CODE_CANARY", "nor this")
    async with bench.agent("auto") as driver:
        await driver.agent.send(script(bash("touch up; tail -f /dev/null"), {"text": "."}))
        await driver.until(lambda: driver.all(ToolCalled))
        cli = identify(driver.all(AgentStarted)[0].pid)
        assert cli is not None
        seen = [cli, *descendants(cli), *session_processes(bench.session)]
        names = {name for process in seen for name in variables(process.pid)}
        assert "MANYHANDS_SESSION" in names
        assert not {name for name in names if "CANARY" in name}
        allowed = {*bench.spec().env, "PWD", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_AGENT_SDK_VERSION"}
        allowed |= {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "LC_CTYPE", ""}
        allowed |= {"CLAUDE_CODE_ENABLE_TODO_TOOLS"}
        assert variables(cli.pid) <= allowed


def variables(pid: int) -> set[str]:
    """The names in a process's environment; none if it has ended meanwhile."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_text()
    except OSError:
        return set()
    return {variable.split("=", 1)[0] for variable in environ.split("\0")}


async def test_login_settings_memory_skills_and_servers_of_the_home_are_honoured(
    bench: Bench,
) -> None:
    config = bench.home / ".claude"
    (config / "skills" / "greet").mkdir(parents=True)
    skill = "---\nname: greet\ndescription: GREETSKILL says hello\n---\nSay hello.\n"
    (config / "skills" / "greet" / "SKILL.md").write_text(skill)
    (config / "CLAUDE.md").write_text("HOMEMEMORY: always be brief\n")
    (config / "settings.json").write_text(json.dumps({"env": {"FROM_SETTINGS": "yes"}}))
    server = bench.home / "server.py"
    server.write_text(MCP_SERVER)
    mine = {"command": sys.executable, "args": [str(server)]}
    (bench.home / ".claude.json").write_text(json.dumps({"mcpServers": {"mine": mine}}))
    (bench.home / "bin").mkdir()
    program = bundled_program()
    assert program is not None
    (bench.home / "bin" / "claude").symlink_to(program.command[0])
    bench.env["PATH"] = f"{bench.home / 'bin'}:{os.environ['PATH']}"
    async with bench.agent("auto", always("allow")) as driver:
        found = {"$A": "(HOMEMEMORY)", "$B": "(GREETSKILL)"}
        tool = {"tool": "mcp__mine__ping", "input": {}}
        say = {"text": "$A $B", "subst": found}
        await driver.turn(script(bash("echo $FROM_SETTINGS"), tool, say))
        cli = driver.all(AgentStarted)[0].pid
        argv = Path(f"/proc/{cli}/cmdline").read_text().split("\0")
        assert argv[0] == str(bench.home / "bin" / "claude")
    assert [r.output.strip() for r in driver.all(ToolFinished)] == ["yes", "pong"]
    assert driver.all(AgentMessage)[-1].text == "HOMEMEMORY GREETSKILL"
    assert bench.git("status", "--porcelain") == ""


def test_an_agent_dies_with_its_parent_and_writes_nothing_more(bench: Bench) -> None:
    code = f"""
import asyncio
from pathlib import Path
from tests.support.agent_driver import Bench, always, bash, script, write
from manyhands.model.events import AgentStarted
async def main():
    places = (Path({str(bench.home)!r}), Path({str(bench.worktree)!r}), {bench.url!r})
    bench = Bench(*places, session={bench.session!r})
    async with bench.agent("edits") as driver:
        steps = (bash("touch asked"), write("alone.txt"), {{"text": "."}})
        await driver.agent.send(script(*steps))
        await driver.until(lambda: driver.asked)
        print(driver.all(AgentStarted)[0].pid, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
    root = Path(__file__).parents[3]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        cli = identify(int(parent.stdout.readline()))
        assert cli is not None
        parent.kill()
        parent.wait(60)
        assert wait_gone(cli, 60)
    # What it was running for itself just then ends by itself.
    assert all(wait_gone(process, 60) for process in session_processes(bench.session))
    assert not (bench.worktree / "alone.txt").exists()


MCP_SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method = request["method"]
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        info = {"name": "mine", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        tool = {"name": "ping", "description": "ping", "inputSchema": {"type": "object"}}
        result = {"tools": [tool]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "pong"}]}
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
