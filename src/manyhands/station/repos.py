"""Repositories where they lie: found by a path inside them, and what they could make us run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.git import formats, refs
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.runnable import runnable_at, runnable_beside, runnable_git, runnable_in


class FoundRepo(msgspec.Struct, frozen=True):
    main: str
    """The main checkout, for which every linked worktree stands; a bare repository itself."""
    toplevel: str
    """The working tree around the path."""


@in_thread
def find_repo(path: str) -> FoundRepo | None:
    found = refs.find_repository(Path(path))
    if found is None:
        return None
    return FoundRepo(str(_main_of(found)), str(found.toplevel))


def _main_of(found: refs.Repository) -> Path:
    """The main checkout; the repository itself where that is bare."""
    if found.common_dir.name == ".git":
        return found.common_dir.parent
    around = refs.find_repository(found.common_dir)
    return found.common_dir if around and around.bare else found.toplevel


find_hindrance = in_thread(lambda path: formats.find_hindrance(Path(path)))


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
    """What the main checkout and its base hold now, and what decides their installs."""
    where = Path(repo)
    commit = refs.resolve(where, base) if base else None
    here = (*runnable_in(where, installing=True), *runnable_git(where))
    there = _at(where, commit, installing=True) if commit else ()
    found = {p.digest: p for p in (*here, *there)}
    return tuple(sorted(found.values(), key=lambda p: (p.path, p.digest)))


@in_thread
def load_in_worktree(at: Worktree, *, installing: bool = False) -> Pieces:
    """What the worktree, as it is now, could run."""
    brought = runnable_in(at.root, at.base, installing=installing)
    return (*brought, *runnable_beside(at.repository), *runnable_git(at.root))


@in_thread
def load_at_start(at: Worktree, commit: Oid, *, is_there: bool) -> Pieces:
    """What a session that starts at the commit brings, or one whose files are there already, in
    which nothing will be installed."""
    if is_there and at.root.is_dir():
        return (*runnable_in(at.root, at.base), *runnable_git(at.root))
    return _at(at.repository, commit, installing=not is_there)


@in_thread
def load_at_commit(at: Worktree, commit: Oid) -> Pieces:
    """What a checkout of the commit would bring along, git's hooks and settings included."""
    return _at(at.repository, commit, installing=False)


def _at(repo: Path, commit: Oid, *, installing: bool) -> Pieces:
    return (*runnable_at(repo, commit, installing=installing), *runnable_git(repo, commit))
