"""kill -9 while sessions are being made: every one is finished, by our own record alone."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.support.driver import RunningHub, eventually, pool_is_full, spare_places


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    with RunningHub(tmp_path) as running:
        repo = running.make_repo()
        for number in range(300):
            (repo / f"file-{number}.txt").write_text(f"{number}\n" * 50)
        running.git("add", "-A", cwd=repo)
        running.git("commit", "-q", "-m", "Many files", cwd=repo)
        yield running


def create(hub: RunningHub, number: int) -> str:
    made: str = hub.new("", name=f"task {number}", start=False, detach=True)["id"]
    return made


def wait_made(hub: RunningHub, made: list[str]) -> None:
    assert {session["status"] for session in hub.wait_idle(*made)} == {"idle"}


def kill_with_gits(hub: RunningHub) -> None:
    """The hub and the git commands that it is running right now."""
    children = psutil.Process(hub.pid).children(recursive=True)
    hub.kill()
    for child in children:
        with suppress(psutil.Error):
            if "git" in child.name():
                child.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("victims", ["the hub", "the hub and its git"])
def test_a_creation_that_was_cut_off_is_finished_at_the_next_start(
    hub: RunningHub, victims: str
) -> None:
    chance = random.Random(7)
    config = (hub.repo / ".git/config").read_bytes()
    made: list[str] = []
    for round_ in range(6):
        made += [create(hub, 10 * round_ + n) for n in range(4)]
        if chance.random() < 0.5:
            wait_made(hub, made[-1:])
        if victims == "the hub":
            hub.kill()
        else:
            kill_with_gits(hub)
        hub.start()
    wait_made(hub, made)
    check_nothing_half_done(hub, made)
    assert (hub.repo / ".git/config").read_bytes() == config


def test_forty_sessions_at_once_are_forty_sessions(hub: RunningHub) -> None:
    config = (hub.repo / ".git/config").read_bytes()
    made = [create(hub, number % 20) for number in range(40)]
    wait_made(hub, made)
    check_nothing_half_done(hub, made)
    assert (hub.repo / ".git/config").read_bytes() == config


def check_nothing_half_done(hub: RunningHub, made: list[str]) -> None:
    """As many branches and worktrees as sessions, each whole."""
    sessions = [hub.show(id) for id in made]
    eventually(lambda: pool_is_full(hub))
    heads = hub.git("for-each-ref", "--format=%(refname:short)", "refs/heads/mh", cwd=hub.repo)
    assert sorted(heads.split()) == sorted(s["branch"] for s in sessions)
    listed = hub.git("worktree", "list", "--porcelain", cwd=hub.repo)
    places = [line.split(" ", 1)[1] for line in listed.splitlines() if line.startswith("worktree ")]
    assert sorted(places[1:]) == sorted([*spare_places(hub), *(s["worktree"] for s in sessions)])
    for session in sessions:
        worktree = Path(session["worktree"])
        assert hub.git("status", "--porcelain", cwd=worktree) == ""
        assert hub.git("rev-parse", "HEAD", cwd=worktree).strip() == session["base_commit"]
    assert "initializing" not in listed
    hub.git("fsck", "--strict", "--no-dangling", cwd=hub.repo)
