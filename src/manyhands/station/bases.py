"""Bases where a repository lies: as they are known here, as remotes have them, and their moves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from manyhands.errors import GitFailed, ManyhandsError, NotPossible
from manyhands.git import bases as reading
from manyhands.git.outside.fetching import (
    SHORTEST,
    Fetching,
    fetch_branch,
    fetch_default_branch,
    main_remote,
    remote_names,
)
from manyhands.git.repository import Mark
from manyhands.model.clock import monotonic
from manyhands.model.repo.bases import BaseNow
from manyhands.station.remotes import Leads
from manyhands.station.threads import in_thread

_NO_SUCH_BRANCH = re.compile(r"couldn't find remote ref (?:refs/heads/)?(\S+)")


class Remotes(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    main: str | None

    def has(self, base: str) -> bool:
        """Whether a base is a remote's branch, so that asking the remote could move it."""
        return any(base.startswith(f"{name}/") for name in self.names)


@in_thread
def load_remotes(repo: str) -> Remotes:
    return Remotes(remote_names(Path(repo)), main_remote(Path(repo)))


class Fetched(msgspec.Struct, frozen=True):
    base: str = ""
    """The remote's branch that was asked for, or found to be its default."""
    error: str = ""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """How a remote is asked, and whether it may be."""

    leads: Leads
    seconds: float
    tokens: dict[str, str] = {}
    """By the remotes that they are for."""
    alone: bool = False
    """Nobody is there who could be asked for a password."""


@in_thread
def fetch_base(repo: str, base: str, how: Asking) -> Fetched:
    """Bring `base` up to date, or the remote's default branch where it is empty."""
    where, began = Path(repo), monotonic()
    remote, branch = _target(where, base)
    if not remote:
        return Fetched(base)
    if remote not in how.leads.addresses:
        return Fetched(base, how.leads.barred.get(remote, f"{remote} has no address"))
    url, token = how.leads.addresses[remote], how.tokens.get(remote, "")
    asking = Fetching(url, how.seconds, token, how.alone)
    try:
        branch = branch or fetch_default_branch(where, remote, asking) or ""
        if not branch:
            return Fetched(base)
        left = max(SHORTEST, how.seconds - (monotonic() - began))
        fetch_branch(where, remote, branch, asking._replace(seconds=left))
    except GitFailed as error:
        return Fetched(base, _said(error, base))
    except NotPossible:
        return Fetched(base)  # somebody else has fetched it meanwhile
    return Fetched(f"{remote}/{branch}")


def _said(error: GitFailed, base: str) -> str:
    if gone := _NO_SUCH_BRANCH.search(error.stderr):
        return f"{base.partition('/')[0] or 'it'} has no branch {gone[1]} any more"
    lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
    return (lines or [error.message])[0]


def _target(repo: Path, base: str) -> tuple[str, str]:
    """The remote, and its branch, which is empty for its default one."""
    for name in sorted(remote_names(repo), key=len, reverse=True):
        if base.startswith(f"{name}/"):
            return name, base.removeprefix(f"{name}/")
    remote = main_remote(repo)
    if remote is None or base:
        return "", ""
    return remote, ""


@in_thread
def load_base_now(repo: str, name: str) -> BaseNow:
    return reading.load_base_now(Path(repo), name)


Names = tuple[str, str]
"""A repository, and a base in it."""


@dataclass(frozen=True)
class _Look:
    marks: tuple[Mark, ...]
    bases: dict[str, BaseNow]


class BaseWatch:
    """Bases that are asked about often, read again only where a file says that one may have moved.
    Not for several threads at once."""

    def __init__(self) -> None:
        self._looks: dict[str, _Look] = {}

    @in_thread
    def look(self, wanted: Mapping[str, frozenset[str]]) -> dict[Names, BaseNow]:
        """All of these, by their repositories. One that cannot be read now keeps what was known."""
        self._looks = {repo: look for repo, look in self._looks.items() if repo in wanted}
        for repo, names in wanted.items():
            try:
                self.load(repo, names)
            except (ManyhandsError, OSError):
                continue  # it is not there, which others tell of
        return {
            (repo, name): base
            for repo, look in self._looks.items()
            for name, base in look.bases.items()
        }

    def load(self, repo: str, names: frozenset[str]) -> dict[str, BaseNow]:
        """Those of one repository."""
        where, known = Path(repo), self._looks.get(repo)
        if known is not None and known.bases.keys() == names:
            is_same = known.marks == reading.ref_marks(where, known.bases.values())
            if is_same:
                return known.bases
        bases = reading.load_bases_now(where, names)
        # What moves between the two looks is read again next time.
        marks = reading.ref_marks(where, bases.values())
        again = reading.load_bases_now(where, names)
        self._looks[repo] = _Look(marks if again == bases else (), bases)
        return bases
