from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import pytest

from manyhands.errors import GitFailed
from manyhands.git.command_log import command_log
from manyhands.git.runner import Git
from tests.support.samples import git, write


def test_a_failure_tells_everything_needed_to_repeat_it(repo: Path) -> None:
    with pytest.raises(GitFailed) as caught:
        Git(repo).run("rev-parse", "--verify", "nothing")
    assert caught.value.argv == ("rev-parse", "--verify", "nothing")
    assert caught.value.returncode == 128
    assert caught.value.cwd == str(repo)
    assert "Needed a single revision" in caught.value.stderr


def test_a_missing_directory_is_a_failure_not_a_crash(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="No such file"):
        Git(tmp_path / "gone").run("status")


def test_the_callers_git_variables_do_not_reach_git(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere"))
    assert Git(repo).run("rev-parse", "--show-toplevel").line == str(repo)


def test_commands_are_logged_with_their_time(repo: Path) -> None:
    Git(repo).run("rev-parse", "HEAD")
    assert command_log.recent[-1].argv == ("rev-parse", "HEAD")
    assert command_log.recent[-1].returncode == 0
    assert command_log.recent[-1].seconds > 0


@pytest.mark.parametrize("told", [True, False], ids=["by a descriptor", "by a thread"])
def test_a_command_that_hangs_is_killed_with_its_children(
    repo: Path, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not told:  # as before Linux 5.3, and elsewhere
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    os.mkfifo(repo / "alive")
    reading = os.open(repo / "alive", os.O_RDONLY | os.O_NONBLOCK)
    hook = "#!/bin/sh\nexec 3> alive\n: > begun\nsleep 1000\n"
    write(repo, {".git/hooks/pre-commit": hook})
    (repo / ".git/hooks/pre-commit").chmod(0o755)
    trusted = Git(repo, hardened=False, hooks=True)
    # How long it takes until the hook runs is the machine's.
    for seconds in (3, 60):
        if not (repo / "begun").exists():
            with pytest.raises(GitFailed, match="no end after"):
                trusted.run("commit", "--allow-empty", "-m", "x", timeout=seconds)
    assert (repo / "begun").exists()
    # The pipe ends when the last of the hook's processes has.
    with os.fdopen(reading, "rb") as pipe:
        assert select.select([pipe], [], [], 60)[0]
        assert pipe.read() == b""


def test_what_a_hook_leaves_running_does_not_hold_us_up(repo: Path) -> None:
    write(repo, {".git/hooks/post-commit": "#!/bin/sh\nsleep 300 &\necho $! > pid\n"})
    (repo / ".git/hooks/post-commit").chmod(0o755)
    Git(repo, hardened=False, hooks=True).run("commit", "--allow-empty", "-m", "x")
    os.kill(int((repo / "pid").read_text()), signal.SIGKILL)


def test_output_over_the_limit_is_cut_and_said_so(repo: Path) -> None:
    write(repo, {"big": "line\n" * 200_000})
    git(repo, "add", "big")
    result = Git(repo).run("diff", "--cached", limit=1000)
    assert (len(result.stdout), result.cut) == (1000, True)
    assert not Git(repo).run("rev-parse", "HEAD", limit=1000).cut


def test_the_users_hooks_run_only_when_asked_for(repo: Path) -> None:
    write(repo, {".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n"})
    (repo / ".git/hooks/pre-commit").chmod(0o755)
    commit = ("commit", "-q", "--allow-empty", "-m", "x")
    assert not Git(repo, hardened=False, hooks=True).ok(*commit)
    assert Git(repo, hardened=False).ok(*commit)


def test_a_prefix_runs_git_and_hooks_with_nothing_but_our_words(repo: Path) -> None:
    boxed = Git(repo).boxed(("env", "-i", f"PATH={os.environ['PATH']}", "INSIDE=yes"))
    assert boxed.run("config", "core.hooksPath").line == "/dev/null"
    with pytest.raises(GitFailed) as failed:
        boxed.run("rev-parse", "--verify", "nothing")
    assert failed.value.argv == ("rev-parse", "--verify", "nothing")
    hook = repo / "hook"
    hook.write_text('echo "$INSIDE $MINE $1"\n')
    hook.chmod(0o755)
    assert boxed.having(None, MINE="too").run_hook(hook, "word").stderr == b"yes too word\n"
