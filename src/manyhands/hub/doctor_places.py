"""The doctor's look at directories: worktrees, locks and leftovers, against log and git."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from manyhands.config import Home
from manyhands.errors import ManyhandsError
from manyhands.git import restore, worktrees
from manyhands.git.worktrees import Worktree
from manyhands.hub.finding import FIX, Finding, Oddity, odd
from manyhands.hub.places import is_moving
from manyhands.model.session import Session
from manyhands.model.state import Repo

OURS = "manyhands "


def look_at_repo(repo: Repo, sessions: list[Session]) -> Iterator[Finding | Oddity]:
    """`sessions` are the repository's living ones."""
    try:
        known = {str(w.path.resolve()): w for w in worktrees.list_worktrees(Path(repo.path))}
    except (ManyhandsError, OSError) as error:
        yield odd("repo", f"{repo.path}: {error}", "put the repository back at its path")
        return
    found = [*_sessions(repo, sessions, known), *_locks(repo, sessions)]
    yield from found or [
        Finding("worktrees", True, f"{repo.path}: {len(sessions)} sessions as recorded")
    ]
    yield from _others(repo, sessions, known)


def _sessions(
    repo: Repo, sessions: list[Session], known: dict[str, Worktree]
) -> Iterator[Finding | Oddity]:
    for s in sessions:
        path = Path(s.worktree)
        if not s.ready:
            continue
        if path.is_symlink():
            yield odd("worktree", f"{s.slug}: {path} is a link now", "put the directory back")
        elif not path.is_dir():
            yield odd("worktree", f"{s.slug}: {path} is missing", _way_back(s))
        elif str(path.resolve()) not in known:
            fix = f"`git -C {repo.path} worktree repair {path}`"
            yield odd("worktree", f"{s.slug}: git no longer knows {path}", fix)


def _way_back(s: Session) -> str:
    archive = f"`manyhands archive {s.slug}` (its branch {s.branch} is still there)"
    if not s.checkpoints:
        return archive
    last = s.checkpoints[-1].id
    return f"`manyhands rewind {s.slug} {last}` brings back the last checkpoint; or {archive}"


def _locks(repo: Repo, sessions: list[Session]) -> Iterator[Finding | Oddity]:
    for s in sessions:
        admin = worktrees.admin_dir(Path(repo.path), Path(s.worktree))
        lock = admin / "index.lock" if admin else None
        if lock is None or not lock.is_file() or is_moving(s) or s.in_turn:
            continue
        if lock.read_bytes() == restore.OURS:
            detail = f"{s.slug}: {lock} was left by a rewind of ours that was killed"
            yield Oddity(odd("lock", detail, f"{FIX} removes it"), lock.unlink)
        else:
            detail = f"{s.slug}: {lock} is held, by a git that runs or was killed; it is not ours"
            yield odd("lock", detail, "if no git runs there, remove the file")


def _others(repo: Repo, sessions: list[Session], known: dict[str, Worktree]) -> Iterator[Finding]:
    """Worktrees that are nobody's session; whoever made them, they are left alone."""
    mine = {str(Path(s.worktree).resolve()) for s in sessions}
    spares = {str(Path(spare.worktree).resolve()) for spare in repo.spares}
    main = str(Path(repo.path).resolve())
    for path, found in known.items():
        if path in mine | spares | {main} or found.bare or (found.locked or "").startswith(OURS):
            continue
        if found.locked == "initializing":
            fix = f"if nothing is making it: `git -C {repo.path} worktree remove -f -f {path}`"
            yield odd("worktree", f"{path} is half made, and not by us", fix)
        elif found.prunable:
            fix = f"if it will not come back: `git -C {repo.path} worktree prune`"
            yield odd("worktree", f"git knows {path}, which is gone", fix)
        else:
            detail = f"{path} is a worktree but no session"
            yield Finding("foreign", True, detail, f"`manyhands adopt {path}` makes it one")


def look_for_orphans(
    home: Home, sessions: Iterable[Session], repos: Iterable[Repo]
) -> Iterator[Finding]:
    """Directories in our own places that nothing on record explains. They are never removed."""
    known = {s.worktree for s in sessions}
    known |= {spare.worktree for repo in repos for spare in repo.spares}
    real = {os.path.realpath(path) for path in known}
    for place in sorted(home.worktrees.glob("*/*")):
        if place.is_dir() and os.path.realpath(place) not in real:
            fix = f"look into it; `manyhands adopt {place}` makes it a session"
            yield odd("orphan", f"{place} belongs to no session", fix)
    ids = {s.id for s in sessions if s.trash or s.step in ("archive", "restore")}
    for place in sorted(home.trash.iterdir()) if home.trash.is_dir() else []:
        if place.is_dir() and place.name not in ids:
            yield odd("orphan", f"{place} is in the trash for no session", "look into it")
