"""Repositories where they lie: found by a path inside them, and what they could make us run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.git import refs
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.runnable import runnable_at, runnable_beside, runnable_hooks, runnable_in


class FoundRepo(msgspec.Struct, frozen=True):
    main: str
    """The main checkout, for which every linked worktree stands."""
    toplevel: str
    """The working tree around the path."""


@in_thread
def find_repo(path: str) -> FoundRepo | None:
    found = refs.find_repository(Path(path))
    if found is None:
        return None
    main = found.common_dir.parent if found.common_dir.name == ".git" else found.toplevel
    return FoundRepo(str(main), str(found.toplevel))


@in_thread
def load_default_base(repo: str) -> str:
    """Where new work starts; empty where there is no commit yet."""
    where = Path(repo)
    return refs.default_base(where) if refs.has_commits(where) else ""


@in_thread
def is_main_checkout(path: str) -> bool:
    return (Path(path) / ".git").is_dir()


Pieces = tuple[Runnable, ...]


@in_thread
def load_in_checkout(repo: str, base: str) -> Pieces:
    """What the main checkout and its base hold now."""
    where = Path(repo)
    found = {p.digest: p for p in (*runnable_in(where), *runnable_hooks(where))}
    commit = refs.resolve(where, base) if base else None
    if commit is not None:
        found |= {p.digest: p for p in runnable_at(where, commit)}
    return tuple(sorted(found.values(), key=lambda p: (p.path, p.digest)))


@in_thread
def load_in_worktree(at: Worktree) -> Pieces:
    """What the worktree, as it is now, could run."""
    brought = runnable_in(at.root, at.base)
    return (*brought, *runnable_beside(at.repository), *runnable_hooks(at.repository))


@in_thread
def load_at_start(at: Worktree, commit: Oid, *, is_there: bool) -> Pieces:
    """What a session that starts at the commit brings, or one whose files are there already."""
    brought = runnable_in(at.root, at.base) if is_there else ()
    return (*(brought or runnable_at(at.repository, commit)), *runnable_hooks(at.repository))


@in_thread
def load_at_commit(at: Worktree, commit: Oid) -> Pieces:
    """What a checkout of the commit would bring along."""
    return runnable_at(at.repository, commit)
