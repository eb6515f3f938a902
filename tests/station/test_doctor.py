"""What the doctor of a machine says to do about a repository works when it is done."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.contract.hub import Finding
from manyhands.git.worktrees import add_worktree
from manyhands.model.clock import seconds_since
from manyhands.model.ids import Oid
from manyhands.station.doctor import Living, Oddity, Records, find_oddities
from tests.support.samples import SESSION, commit_all, git, write


class Odd:
    """A repository with one session's worktree, and what the doctor finds there."""

    def __init__(self, root: Path) -> None:
        self.home = Home(root / "home")
        self.home.make()
        self.repo, self.worktree = root / "the repo", self.home.worktrees / "r" / "one"
        self.repo.mkdir()
        git(self.repo, "init", "-q", "-b", "main")
        write(self.repo, {"a.txt": "a\n"})
        base = commit_all(self.repo)
        named = (self.repo, self.worktree, "mh/one", base)
        add_worktree(*named, session=SESSION, lock_dir=self.home.locks)
        write(self.worktree, {"b.txt": "b\n"})
        self.tip: Oid = commit_all(self.worktree)

    def findings(self) -> list[Finding]:
        living = Living(
            id=SESSION,
            slug="one",
            repo=str(self.repo),
            worktree=str(self.worktree),
            branch="mh/one",
            ready=True,
            at_rest=True,
            unheard={},
            way_back="",
        )
        records = Records(
            living=[living],
            spares={str(self.repo): ()},
            worktrees={str(self.worktree)},
            in_trash=set(),
        )
        found = asyncio.run(find_oddities(self.home, records))
        plain = [item.finding if isinstance(item, Oddity) else item for item in found]
        return [finding for finding in plain if not finding.ok]

    def follow(self, finding: Finding) -> None:
        way = re.search(r"`(.+)`", finding.fix)
        assert way is not None, finding
        subprocess.run(["sh", "-c", way[1]], cwd="/", check=True)


@pytest.fixture
def odd(tmp_path: Path) -> Odd:
    return Odd(tmp_path)


@pytest.mark.parametrize(
    "harm",
    [
        ("branch", "-m", "another"),
        ("update-ref", "-d", "refs/heads/mh/one"),
        ("checkout", "-q", "--detach"),
    ],
)
def test_a_branch_that_is_gone_under_its_session(odd: Odd, harm: tuple[str, ...]) -> None:
    git(odd.worktree, *harm)
    if harm[0] == "checkout":
        git(odd.repo, "branch", "-D", "mh/one")
    (found,) = odd.findings()
    assert found.check == "branch"
    odd.follow(found)
    assert odd.findings() == []
    assert git(odd.repo, "rev-parse", "mh/one") == odd.tip
    assert git(odd.worktree, "branch", "--show-current") == "mh/one"


def test_a_lock_that_a_killed_git_left(odd: Odd) -> None:
    lock = odd.repo / ".git" / "packed-refs.lock"
    lock.touch()
    assert odd.findings() == []  # a git that runs holds it for a moment
    old = lock.stat().st_mtime - 3600
    os.utime(lock, (old, old))
    assert seconds_since(old) > 60
    (found,) = odd.findings()
    assert found.check == "lock"
    odd.follow(found)
    assert odd.findings() == []
