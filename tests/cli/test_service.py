"""`manyhands service`, as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.driver import Json, RunningHub, eventually
from tests.support.shared_hub import shared

__all__ = ["shared"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]
CONFIG = """[services.talker]
command = "echo said $PORT; exec sleep 600"
"""


@pytest.fixture
def run(shared: RunningHub) -> Run:
    def manyhands(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "manyhands", *words],
            env=shared.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return manyhands


@pytest.fixture
def session(shared: RunningHub) -> str:
    repo = shared.change_repo()
    (repo / ".manyhands.toml").write_text(CONFIG)
    shared.git("add", "-A", cwd=repo)
    shared.git("commit", "-q", "-m", "Services", cwd=repo)
    shared.post("/api/repos/trust", {"path": str(repo)})
    return str(shared.new("", name="served", start=False)["id"])


def test_a_service_is_listed_started_heard_and_stopped(run: Run, session: str) -> None:
    def listed() -> Json:
        done = run("service", "ls", session, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)[0]

    before = listed()
    fields = ("session", "name", "state", "port", "pid", "exit_code")
    assert [before[f] for f in fields] == [session, "talker", "stopped", None, None, None]
    assert "talker" in run("service", "ls").stdout
    assert run("service", "start", session, "talker").returncode == 0
    eventually(lambda: listed()["state"] == "healthy")
    assert "said 4" in run("service", "logs", session).stdout
    found = json.loads(run("service", "logs", session, "talker", "--find", "SAID", "--json").stdout)
    assert found["text"].startswith("said 4")
    stopped = json.loads(run("service", "stop", session, "--json").stdout)
    assert (stopped[0]["state"], stopped[0]["pid"]) == ("stopped", None)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("start", "{}", "nope"), 5, "has no service 'nope'"),
        (("logs", "{}", "x y"), 5, "has no service"),
        (("start", "nobody"), 5, "no session is called"),
        (("logs", "{}", "--follow", "--find", "x"), 2, "--find"),
    ],
)
def test_what_is_not_there_is_said(
    run: Run, session: str, words: tuple[str, ...], code: int, said: str
) -> None:
    done = run("service", *(word.format(session) for word in words))
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
