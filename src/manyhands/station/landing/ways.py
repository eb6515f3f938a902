"""How far apart a session's branch and its base are: what would come in, what would go out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.station.landing.merge import uncommitted
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

MOST_NAMED = 50


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    head: str = ""
    uncommitted: int = 0
    incoming: tuple[str, ...] = ()
    """First lines of what the base has and the session has not, the newest first."""
    outgoing: int = 0


@in_thread
def load_apart(at: Worktree, base: Oid, ends: tuple[Oid, ...]) -> Apart:
    """`base` is what would come in, `ends` all that has landed work: here, and at the remote."""
    repo, tip = at.repository, refs.branch_tip(at.repository, at.branch)
    return Apart(
        head=tip or "",
        uncommitted=len(uncommitted(at.root, untracked=True)) if at.root.is_dir() else 0,
        incoming=_subjects(repo, tip, base) if tip and base else (),
        outgoing=_count(repo, tip, ends) if tip else 0,
    )


def _subjects(repo: Path, known: Oid, of: Oid) -> tuple[str, ...]:
    said = Git(repo).run("log", f"-{MOST_NAMED}", "--no-merges", "--format=%s", f"{known}..{of}")
    return tuple(said.text.splitlines())


def _count(repo: Path, tip: Oid, ends: tuple[Oid, ...]) -> int:
    known = [f"^{end}" for end in ends if end]
    return int(Git(repo).run("rev-list", "--count", "--no-merges", tip, *known).text)
