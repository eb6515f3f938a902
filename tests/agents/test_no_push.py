"""An agent finds nothing to push with, unless the user passes it on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from manyhands.agents.catalogue import agent_spec
from manyhands.config import AgentConfig, Environment, Home, Settings

WAYS = ("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GIT_ASKPASS", "GH_TOKEN", "GITHUB_TOKEN")
HELPERS = """\
[credential]
    helper = "!f() { echo username=me; echo password=canary; }; f"
[credential "https://github.com"]
    helper = "!f() { echo username=me; echo password=canary; }; f"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name in WAYS:
        monkeypatch.setenv(name, "canary")
    user = tmp_path / "user"
    user.mkdir()
    (user / ".gitconfig").write_text(HELPERS)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return Home(tmp_path / "home")


@pytest.fixture
def worktree(tmp_path: Path, home: Home) -> Path:
    tree = tmp_path / "tree"
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    return tree


def environment(home: Home, worktree: Path, *passed: str) -> dict[str, str]:
    settings = Settings(
        agents={"fast": AgentConfig(kind="claude", env={"ANTHROPIC_API_KEY": "k"})},
        environment=Environment(passed=passed),
    )
    spec = agent_spec(
        "fast", settings, home, session="s1", worktree=str(worktree), repo=str(worktree)
    )
    return spec.env


def filled(worktree: Path, env: dict[str, str], host: str) -> str:
    """What git itself would authenticate with."""
    asked = f"protocol=https\nhost={host}\n\n"
    argv = ["git", "credential", "fill"]
    done = subprocess.run(
        argv, cwd=worktree, env=env, input=asked, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.parametrize("host", ["github.com", "git.example.com"])
def test_no_helper_of_the_user_answers_an_agents_git(home: Home, worktree: Path, host: str) -> None:
    env = environment(home, worktree)
    plain = {"PATH": env["PATH"], "HOME": env["HOME"]}
    assert "password=canary" in filled(worktree, plain, host)
    assert "canary" not in filled(worktree, env, host)


def test_no_agent_socket_and_no_token_reach_it(home: Home, worktree: Path) -> None:
    env = environment(home, worktree)
    assert "canary" not in env.values()
    assert "PubkeyAuthentication=no" in env["GIT_SSH_COMMAND"]
    assert env["GH_CONFIG_DIR"].startswith(str(home.sessions))


def test_what_the_user_passes_on_it_gets(home: Home, worktree: Path) -> None:
    env = environment(home, worktree, "SSH_AUTH_SOCK", "GH_TOKEN")
    assert (env["SSH_AUTH_SOCK"], env["GH_TOKEN"]) == ("canary", "canary")
    assert "GIT_SSH_COMMAND" not in env
