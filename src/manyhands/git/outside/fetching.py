"""Remotes: where they lead, and what they have, asked in bounded time and touching nothing else.

What is fetched comes from an address, not from a name: what the name stands for may have changed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from manyhands.git import refs
from manyhands.git.outside.apart import apart
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.model.repo.remotes import RemoteAddress

_QUIETLY = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
_REMOTE = re.compile(r'^\s*\[remote\s+"((?:[^"\\]|\\.)+)"\]', re.MULTILINE)


def remote_names(repo: Path) -> tuple[str, ...]:
    """The remotes that the repository's own config names; cheap, since it is asked every time."""
    try:
        text = (repo / ".git" / "config").read_text("utf-8", "surrogateescape")
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


def fetch_default_branch(repo: Path, remote: str, url: str, seconds: float) -> str | None:
    """The remote's default branch as the remote itself names it."""
    with apart(repo, {remote: (url,)}) as git:
        said = git.run("ls-remote", "--symref", "--", remote, "HEAD", timeout=seconds)
    for line in said.stdout.splitlines():
        target, _, name = os.fsdecode(line).partition("\t")
        if name == "HEAD" and target.startswith("ref: refs/heads/"):
            return target.removeprefix("ref: refs/heads/")
    return None


def fetch_branch(repo: Path, remote: str, url: str, branch: str, seconds: float) -> None:
    """Bring `<remote>/<branch>` up to date; FETCH_HEAD, tags and config stay as they are."""
    with apart(repo, {remote: (url,)}) as git:
        take_branch(git, repo, remote, branch, seconds)


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
