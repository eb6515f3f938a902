"""A user's own `claude`: found on PATH, with the login, settings and memory of the HOME."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.agents.claude.cli import bundled_program
from tests.support.console import Console
from tests.support.driver import bash, script


@pytest.fixture
def model() -> Iterator[str]:
    """The scripted model, as a stranger's server that the user's settings name."""
    argv = [sys.executable, "-m", "manyhands.rehearsal", "--port", "0"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.kill()


@pytest.fixture
def user(tmp_path: Path, console: Console, model: str) -> Path:
    """A HOME in which somebody has logged in and settled."""
    home = tmp_path / "person"
    config = home / ".claude"
    config.mkdir(parents=True)
    login = {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "dummy", "FROM_SETTINGS": "yes"}
    login["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
    (config / "settings.json").write_text(json.dumps({"env": login}))
    (config / "CLAUDE.md").write_text("HOMEMEMORY: always be brief\n")
    (home / ".gitconfig").write_text("[user]\nname = P\nemail = p@example.invalid\n")
    program = bundled_program()
    assert program is not None
    (home / "bin").mkdir()
    (home / "bin" / "claude").symlink_to(program.command[0])
    console.variables = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    return home


def test_new_runs_the_users_own_claude_with_its_login_and_memory(
    console: Console, repo: Path, user: Path
) -> None:
    console.ok("up", "--no-open")
    console.ok("repo", "trust", str(repo), "--yes")
    [claude] = [a for a in console.json("agents") if a["name"] == "claude"]
    assert (claude["installed"], claude["logged_in"]) == (True, True)
    say = {"text": "$A", "subst": {"$A": "(HOMEMEMORY)"}}
    task = script(bash("echo $FROM_SETTINGS > said.txt"), say)
    made = console.json("new", task, "--repo", str(repo), "--mode", "auto", "--wait")
    assert (made["agent"], made["status"]) == ("claude", "idle")
    assert (Path(made["worktree"]) / "said.txt").read_text() == "yes\n"
    log = [json.loads(line) for line in console.ok("log", made["id"], "--json").out.splitlines()]
    assert [e["text"] for e in log if e["type"] == "agent_message"] == ["HOMEMEMORY"]
    [transcript] = (user / ".claude" / "projects").glob(f"*/{made['agent_session']}.jsonl")
    assert transcript.stat().st_size > 0
