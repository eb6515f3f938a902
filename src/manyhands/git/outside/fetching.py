"""Remotes: where they lead, and what they have, asked in bounded time and touching nothing else.

What is fetched comes from an address, not from a name: what the name stands for may have changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from manyhands.errors import GitFailed
from manyhands.git import refs
from manyhands.git.outside.apart import apart
from manyhands.git.outside.credentials import with_token
from manyhands.git.repository import load_git_dirs
from manyhands.git.runner import Git
from manyhands.model.clock import monotonic
from manyhands.model.ids import Oid
from manyhands.model.repo.remotes import RemoteAddress

_QUIETLY = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
SHORTEST = 0.1
T = TypeVar("T")
UNASKED = {"SSH_ASKPASS_REQUIRE": "never", "GIT_ASKPASS": "false", "GCM_INTERACTIVE": "never"}
_REMOTE = re.compile(r'^\s*\[remote\s+"((?:[^"\\]|\\.)+)"\]', re.MULTILINE)


def remote_names(repo: Path) -> tuple[str, ...]:
    """The remotes that the repository's own config names; cheap, since it is asked every time."""
    try:
        text = (load_git_dirs(repo)[1] / "config").read_text("utf-8", "surrogateescape")
    except OSError:
        return tuple(Git(repo).run("remote", check=False).line.splitlines())
    return tuple(dict.fromkeys(_REMOTE.findall(text)))


def main_remote(repo: Path) -> str | None:
    """`origin`, or the only one there is."""
    names = remote_names(repo)
    if "origin" in names:
        return "origin"
    return names[0] if len(names) == 1 else None


def load_address(repo: Path, remote: str) -> RemoteAddress | None:
    """Where git, run there, would fetch from and push to; None where there is no such remote."""
    asked = ("remote", "get-url", "--all")
    fetch, push = (
        Git(repo).run(*asked, *more, "--end-of-options", remote, check=False).line.splitlines()
        for more in ((), ("--push",))
    )
    return RemoteAddress(fetch[0], tuple(push)) if fetch and push else None


def load_addresses(repo: Path) -> dict[str, RemoteAddress]:
    """Of all remotes."""
    named = Git(repo).run("remote", check=False).line.splitlines()
    found = ((name, load_address(repo, name)) for name in named)
    return {name: address for name, address in found if address is not None}


class Fetching(NamedTuple):
    """How a remote is asked."""

    url: str
    seconds: float
    token: str = ""
    """A forge's, for this address; tried before what the user's own git knows."""
    alone: bool = False
    """No window opens for a password: nobody waits for it."""

    def asked(self, repo: Path, remote: str, ask: Callable[[Git, float], T]) -> T:
        """What comes of asking, apart from the repository."""
        deadline = monotonic() + self.seconds
        with apart(repo, {remote: (self.url,)}) as plain:
            git = plain.having(None, **UNASKED) if self.alone else plain
            if self.token:
                with suppress(GitFailed), with_token(git, self.token, (self.url,)) as trusted:
                    return ask(trusted, self.seconds)
            return ask(git, max(SHORTEST, deadline - monotonic()))


def fetch_default_branch(repo: Path, remote: str, how: Fetching) -> str | None:
    """The remote's default branch as the remote itself names it."""
    argv = ("ls-remote", "--symref", "--", remote, "HEAD")
    said = how.asked(repo, remote, lambda git, seconds: git.run(*argv, timeout=seconds))
    for line in said.stdout.splitlines():
        target, _, name = os.fsdecode(line).partition("\t")
        if name == "HEAD" and target.startswith("ref: refs/heads/"):
            return target.removeprefix("ref: refs/heads/")
    return None


def fetch_branch(repo: Path, remote: str, branch: str, how: Fetching) -> None:
    """Bring `<remote>/<branch>` up to date; FETCH_HEAD, tags and config stay as they are."""
    take = lambda git, seconds: take_branch(git, repo, remote, branch, seconds)  # noqa: E731
    how.asked(repo, remote, take)


def take_branch(git: Git, repo: Path, remote: str, branch: str, seconds: float) -> None:
    """The same by a git that is apart from the repository already."""
    ref = f"refs/remotes/{remote}/{branch}"
    argv = ("fetch", *_QUIETLY, "--no-write-fetch-head", "--end-of-options", remote)
    git.run(*argv, f"+refs/heads/{branch}:{ref}", timeout=seconds)
    follow(git, repo, ref, "fetch")


def follow(git: Git, repo: Path, ref: str, reason: str) -> None:
    """Let the repository know of a remote's branch what was learnt apart from it."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
    learnt = git.run(*asked, check=False).line
    known = refs.resolve(repo, ref)
    if learnt and learnt != known:
        refs.set_ref(repo, ref, Oid(learnt), known, reason=reason)
