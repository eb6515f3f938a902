"""What children get to know: an allow-list, secrets asked for by reference, their own token."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.support.driver import RunningHub, bash, eventually, hold, of_type, script
from tests.support.guarded import after_turn
from tests.support.terminal_hub import BASH, add_config, agent_table

DECOYS = {
    name: f"decoy-{number}-{os.urandom(6).hex()}"
    for number, name in enumerate(
        [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "OPENAI_API_KEY",
            "DATABASE_URL",
            "NPM_TOKEN",
            "SOME_PASSWORD",
            "GIT_ASKPASS",
            "MY_REFERENCED_KEY",
        ]
    )
}
REFERENCED = DECOYS["MY_REFERENCED_KEY"]


class Watched(RunningHub):
    """A hub whose user has secrets in the environment."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **DECOYS}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Watched]:
    running = Watched(tmp_path / "hub", linger=1.0)
    env = {"PS1": "ready> ", "INNER_KEY": "env:MY_REFERENCED_KEY"}
    keyed = agent_table("keyed", ["bash", "--norc", "-i"], env=env, more="token = true")
    lost = agent_table("lost", ["bash"], env={"INNER_KEY": "env:NO_SUCH_NAME"})
    add_config(running, BASH + keyed + lost)
    with running:
        running.start_model()
        running.make_repo()
        yield running


def descendants(hub: RunningHub) -> list[psutil.Process]:
    """Below the hub, and below its keepers, which lead lives of their own."""
    below = psutil.Process(hub.pid).children(recursive=True)
    others = [
        p for p in hub.processes() if p.pid != hub.pid and "manyhands.rehearsal" not in words([p])
    ]
    return list({p.pid: p for p in [*below, *others]}.values())


def words(processes: list[psutil.Process]) -> str:
    """The command lines of those that still run."""
    said = []
    for process in processes:
        with suppress(psutil.Error):
            said += process.cmdline()
    return " ".join(said)


def environ(process: psutil.Process) -> str:
    try:
        return Path(f"/proc/{process.pid}/environ").read_text(errors="replace")
    except OSError:
        return ""


def test_no_descendant_of_the_hub_knows_a_secret_of_its_user(hub: Watched, tmp_path: Path) -> None:
    (hub.repo / ".manyhands.toml").write_text('[setup]\nrun = ["env > setup.ignored"]\n')
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-qm", "Setup", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    go_on = tmp_path / "go-on"
    claude = hub.new(script(bash("env > env.ignored"), hold(str(go_on)), {"text": "ok"}))
    shell = hub.new("env > env.ignored; sleep 500", agent="bash", mode="ask")
    written = [Path(s["worktree"], "env.ignored") for s in (claude, shell)]
    eventually(lambda: all(path.exists() and path.read_text() for path in written))
    parts = ("claude", "bash", "sleep", "manyhands.keeper")
    eventually(lambda: all(part in words(descendants(hub)) for part in parts))
    found = descendants(hub)
    assert len(found) >= 6
    told = [environ(process) for process in found]
    told += [path.read_text() for path in written]
    told += [Path(s["worktree"], "setup.ignored").read_text() for s in (claude, shell)]
    for secret in (*DECOYS.values(), hub.token):
        assert not any(secret in text for text in told)
    go_on.touch()
    hub.act(shell["id"], "stop")


def test_a_secret_by_reference_reaches_its_agent_and_nothing_else(hub: Watched) -> None:
    session = hub.new('test "$INNER_KEY" && echo "it is: $INNER_KEY"', agent="keyed", mode="ask")
    hub.wait_idle(session["id"])
    said = "\n".join(m["text"] for m in of_type(hub.events(session["id"]), "agent_message"))
    assert "it is: [redacted]" in said
    agent = psutil.Process(hub.show(session["id"])["agent_pid"])
    assert f"INNER_KEY={REFERENCED}" in environ(agent)
    after_turn(hub, session["id"], 1)  # its keeper lives on, and writes no more from here
    hub.terminate()
    assert_nowhere(hub, REFERENCED)


def assert_nowhere(hub: RunningHub, secret: str) -> None:
    """Neither in a file of the home nor in the database."""
    for path in hub.home.root.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
    with sqlite3.connect(hub.home.store) as store:
        for (body,) in store.execute("SELECT body FROM events"):
            assert secret not in str(body)


def test_a_missing_reference_is_told_in_one_sentence(hub: Watched) -> None:
    refused = command_line(hub, "new", "x", "--agent", "lost", "--repo", str(hub.repo))
    assert refused.returncode == 1
    assert "NO_SUCH_NAME" in refused.stderr
    assert "manyhands up" in refused.stderr


def command_line(hub: RunningHub, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "manyhands", *words]
    return subprocess.run(argv, env=hub.environment, capture_output=True, text=True, check=False)


def test_a_keyring_holds_what_config_only_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real keyring backend, chosen by the user's own keyring configuration."""
    (tmp_path / "in_a_file.py").write_text(
        "from keyring.backend import KeyringBackend\n"
        "class Keyring(KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, name):\n"
        "        return {('manyhands', 'model-key'): 'kept-in-the-ring'}.get((service, name))\n"
        "    def set_password(self, service, name, value): ...\n"
        "    def delete_password(self, service, name): ...\n"
    )
    program = (
        "from manyhands.agents.references import resolved\n"
        "from manyhands.errors import AgentFailed\n"
        "print(resolved('keyring:model-key', 'here'))\n"
        "try: resolved('keyring:other', 'here')\n"
        "except AgentFailed as error: print(error.message, '|', error.hint)\n"
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PYTHON_KEYRING_BACKEND": "in_a_file.Keyring",
    }
    said = subprocess.check_output([sys.executable, "-c", program], env=env, text=True)
    first, second = said.splitlines()
    assert first == "kept-in-the-ring"
    assert "which the keyring does not hold | `keyring set manyhands other`" in second


# The agent's own token


def ask(hub: RunningHub, token: str, method: str, path: str, body: Mapping[str, object]) -> int:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if method == "GET" else json.dumps(body).encode()
    return hub.request(method, path, data, headers).status


def test_the_agents_token_reads_its_session_and_dies_with_it(hub: Watched) -> None:
    quiet = hub.new("true", agent="bash", mode="ask")["id"]
    session = hub.new(r"printf '\a'", agent="keyed", mode="ask")["id"]
    item = hub.wait_attention(session)["id"]
    variables = environ(psutil.Process(hub.show(session)["agent_pid"])).split("\0")
    own = dict(v.split("=", 1) for v in variables if "=" in v)
    token, mine = own["MANYHANDS_TOKEN"], f"/api/sessions/{session}"
    assert own["MANYHANDS_URL"] == hub.url
    assert ask(hub, token, "GET", mine, {}) == 200
    assert ask(hub, token, "GET", f"{mine}/events", {}) == 200
    settle = {"options": ["seen"], "item": item}
    for method, path, body in [
        ("GET", f"/api/sessions/{quiet}", {}),
        ("GET", "/api/sessions", {}),
        ("GET", "/api/attention", {}),
        ("POST", f"{mine}/answer", settle),
        ("POST", f"{mine}/say", {"text": "x"}),
        ("POST", f"{mine}/mode", {"mode": "auto"}),
        ("POST", f"{mine}/archive", {}),
        ("POST", f"/api/attention/{item}/snooze", {"minutes": 5}),
        ("POST", "/api/link", {}),
        ("POST", "/api/ticket", {}),
        ("POST", "/api/rotate", {}),
        ("POST", "/api/notify/test", {}),
        ("POST", "/api/repos/trust", {"path": str(hub.repo)}),
    ]:
        assert ask(hub, token, method, path, body) == 403, path
    hub.wait_idle(quiet)
    agent = psutil.Process(hub.show(quiet)["agent_pid"])
    assert "MANYHANDS_TOKEN" not in environ(agent)
    hub.say(session, 'echo "mine: $MANYHANDS_TOKEN"')
    hub.wait_idle(session)
    said = "\n".join(m["text"] for m in of_type(hub.events(session), "agent_message"))
    assert "mine: [redacted]" in said
    hub.act(session, "archive")
    assert ask(hub, token, "GET", mine, {}) == 401
