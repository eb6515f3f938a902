"""How far apart a session's branch and its base are: what would come in, what would go out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.station.landing.merge import uncommitted
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

MOST_NAMED = 50


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    into: str
    """The local branch that the session's base stands for."""
    head: str = ""
    target: str = ""
    uncommitted: int = 0
    incoming: tuple[str, ...] = ()
    """First lines of what the base has and the session has not, the newest first."""
    outgoing: int = 0


@in_thread
def load_apart(at: Worktree) -> Apart:
    repo, into = at.repository, at.base_name
    if refs.branch_tip(repo, into) is None:
        into = into.partition("/")[2] or into
    tip, base = refs.branch_tip(repo, at.branch), refs.resolve(repo, at.base_name)
    target = refs.branch_tip(repo, into)
    return Apart(
        into=into,
        head=tip or "",
        target=target or "",
        uncommitted=len(uncommitted(at.root, untracked=True)) if at.root.is_dir() else 0,
        incoming=_subjects(repo, tip, base) if tip and base else (),
        outgoing=_count(repo, known, tip) if tip and (known := target or base) else 0,
    )


def _subjects(repo: Path, known: str, of: str) -> tuple[str, ...]:
    said = Git(repo).run("log", f"-{MOST_NAMED}", "--no-merges", "--format=%s", f"{known}..{of}")
    return tuple(said.text.splitlines())


def _count(repo: Path, known: str, of: str) -> int:
    return int(Git(repo).run("rev-list", "--count", "--no-merges", of, f"^{known}").text)
