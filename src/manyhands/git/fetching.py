"""Asking a remote for its newest commits, in bounded time and without touching anything else."""

from __future__ import annotations

import os
import re
from pathlib import Path

from manyhands.git.runner import Git

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


def fetch_default_branch(repo: Path, remote: str, seconds: float) -> str | None:
    """The remote's default branch as the remote itself names it."""
    said = _git(repo).run("ls-remote", "--symref", "--", remote, "HEAD", timeout=seconds)
    for line in said.stdout.splitlines():
        target, _, name = os.fsdecode(line).partition("\t")
        if name == "HEAD" and target.startswith("ref: refs/heads/"):
            return target.removeprefix("ref: refs/heads/")
    return None


def fetch_branch(
    repo: Path, remote: str, branch: str, seconds: float, *, git: Git | None = None
) -> None:
    """Bring `<remote>/<branch>` up to date; FETCH_HEAD, tags and config stay as they are."""
    ref = f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}"
    argv = ("fetch", *_QUIETLY, "--no-write-fetch-head", "--end-of-options", remote, ref)
    (git or _git(repo)).run(*argv, timeout=seconds)


def _git(repo: Path) -> Git:
    # Nobody is there to be asked for a password: whoever needs one fails at once.
    return Git(repo, hardened=False).having(GIT_ASKPASS="true", SSH_ASKPASS_REQUIRE="never")
