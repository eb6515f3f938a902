"""An agent finds nothing to push with, unless the user passes it on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from manyhands.agents.catalogue import agent_spec
from manyhands.agents.environment import NO_KEYS
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
    assert env["GH_CONFIG_DIR"].startswith(str(home.sessions))
    assert env["GLAB_CONFIG_DIR"].startswith(str(home.sessions))


def test_what_the_user_passes_on_it_gets(home: Home, worktree: Path) -> None:
    env = environment(home, worktree, "SSH_AUTH_SOCK", "GH_TOKEN")
    assert (env["SSH_AUTH_SOCK"], env["GH_TOKEN"]) == ("canary", "canary")
    assert "GIT_SSH_COMMAND" not in env


SSH = """\
#!/bin/sh
case "$*" in *PubkeyAuthentication=no*) echo 'Permission denied (publickey).' >&2; exit 255;; esac
echo "$*" >> "$HOME/asked"
for asked; do :; done
exec sh -c "$asked"
"""


@pytest.fixture
def remote(tmp_path: Path, worktree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository at the other end of an ssh that wants a key; its name is made to mislead."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    bare = tmp_path / "git-upload-pack 'x"
    for words in (
        ("init", "-q", "--bare", str(bare)),
        ("-C", str(worktree), "remote", "add", "origin", f"me@forge.example:{bare}"),
        ("-C", str(worktree), *IDENTITY, "commit", "-q", "--allow-empty", "-m", "One"),
        ("-C", str(worktree), "push", "-q", str(bare), "HEAD:refs/heads/main"),
    ):
        subprocess.run(["git", *words], check=True)
    return bare


IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")


def git(worktree: Path, env: dict[str, str], *words: str) -> tuple[int, str]:
    argv = ["git", *words]
    done = subprocess.run(argv, cwd=worktree, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.usefixtures("remote")
@pytest.mark.parametrize("command", ["", "ssh -i work.key"])
def test_by_ssh_an_agent_may_fetch_and_not_push(home: Home, worktree: Path, command: str) -> None:
    if command:
        git(worktree, dict(os.environ), "config", "core.sshCommand", command)
    env = environment(home, worktree)
    assert git(worktree, env, "fetch", "origin")[0] == 0
    assert ("-i work.key" in (Path(env["HOME"]) / "asked").read_text()) is bool(command)
    code, said = git(worktree, env, "push", "origin", "HEAD:refs/heads/mine")
    assert (code, "Permission denied" in said) == (128, True), said


@pytest.mark.usefixtures("remote")
def test_by_ssh_an_agent_may_push_where_the_user_passes_the_socket_on(
    home: Home, worktree: Path
) -> None:
    env = environment(home, worktree, "SSH_AUTH_SOCK")
    code, said = git(worktree, env, "push", "origin", "HEAD:refs/heads/mine")
    assert code == 0, said


def test_an_unknown_ssh_gets_no_key_at_all(home: Home, worktree: Path) -> None:
    git(worktree, dict(os.environ), "config", "core.sshCommand", "plink -batch")
    assert environment(home, worktree)["GIT_SSH_COMMAND"] == NO_KEYS


def test_git_in_a_worktree_that_lost_its_own_finds_no_repository_around_it(
    home: Home, worktree: Path
) -> None:
    inside = worktree / "homes" / "tree"
    inside.mkdir(parents=True)
    env = environment(home, inside)
    above = {**env, "GIT_CEILING_DIRECTORIES": ""}
    assert toplevel(inside, above) == str(worktree)
    (inside / "deeper").mkdir()
    assert (toplevel(inside, env), toplevel(inside / "deeper", env)) == ("", "")
    assert toplevel(worktree, environment(home, worktree)) == str(worktree)


def toplevel(place: Path, env: dict[str, str]) -> str:
    argv = ["git", "rev-parse", "--show-toplevel"]
    done = subprocess.run(argv, cwd=place, env=env, capture_output=True, text=True, check=False)
    return done.stdout.strip()
