"""The doctor's view of a machine: what is on record against what git, the disk and processes say.

What is ours alone to mend is mended when asked; everything else is only told of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.contract.hub import Finding
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git import worktrees
from manyhands.git.refs import common_dir, load_ref_table
from manyhands.git.reviving import wholeness
from manyhands.git.snapshot import moving, restore
from manyhands.git.snapshot.private import FOLDER
from manyhands.keeper.checkpoint import KEPT
from manyhands.model.clock import seconds_since
from manyhands.model.ids import SessionId
from manyhands.model.quoting import quoted
from manyhands.process.identity import Identity, processes_below
from manyhands.process.stop import end_processes
from manyhands.station.machine import disk_use
from manyhands.station.threads import in_thread
from manyhands.station.twins import make_anew
from manyhands.station.worktree import Worktree
from manyhands.workspace.ports import is_free

DISK_SECONDS = 2.0
FIX = "`manyhands doctor --fix`"
SHARED_LOCKS = ("config.lock", "packed-refs.lock", "HEAD.lock", "index.lock", "shallow.lock")
STALE_SECONDS = 60.0


class Living(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is not archived."""

    id: SessionId
    slug: str
    repo: str
    worktree: str
    branch: str
    ready: bool
    at_rest: bool
    """Whether nobody should be at its files."""
    unheard: dict[str, int]
    """Ports of its own on which it is not known to listen."""
    way_back: str
    """What to do where its worktree is gone, or torn from its repository."""
    in_place: bool = False


class Records(msgspec.Struct, frozen=True, kw_only=True):
    living: list[Living]
    spares: dict[str, tuple[str, ...]]
    """Of every repository."""
    worktrees: set[str]
    """Of every session and spare."""
    in_trash: set[str]
    """Sessions that have something in the trash."""


class Oddity(msgspec.Struct, frozen=True):
    """A finding that can be mended without anybody losing anything."""

    finding: Finding
    lock: str = ""
    """A file of ours that is to go."""
    process: tuple[int, int] = (0, 0)
    """One that is to end, by pid and start."""
    repo: str = ""
    """One whose snapshots hold ignored files that are to go to the sessions' own stores."""
    sessions: str = ""
    twin: Worktree | None = None
    """A session's, whose git directory in the box is to be made anew."""


def odd(check: str, detail: str, fix: str) -> Finding:
    return Finding(check, False, detail, fix)


@in_thread
def find_oddities(home: Home, records: Records) -> list[Finding | Oddity]:
    return list(_odd_things(home, records))


@in_thread
def mend(oddities: list[Oddity]) -> list[Finding]:
    return list(map(_mend, oddities))


def _mend(item: Oddity) -> Finding:
    try:
        if item.lock:
            Path(item.lock).unlink()
        elif item.twin:
            make_anew(item.twin)
        elif item.repo:
            _move_out(Path(item.repo), Path(item.sessions))
        elif end_processes([Identity(*item.process)]):
            raise NotPossible(f"process {item.process[0]} does not end")
    except (ManyhandsError, OSError) as error:
        return odd(item.finding.check, f"{item.finding.detail}; not mended: {error}", "")
    return Finding(item.finding.check, True, f"mended: {item.finding.detail}")


def _move_out(repo: Path, sessions: Path) -> None:
    for ref, oid in moving.find_held(repo).items():
        own = sessions / moving.session_of(ref)
        moving.move_out(repo, ref, oid, own / FOLDER)
        # The next checkpoint is made anew, not from the one that was moved.
        (own / KEPT / "last.json").unlink(missing_ok=True)


def _odd_things(home: Home, records: Records) -> Iterator[Finding | Oddity]:
    for repo, spares in sorted(records.spares.items()):
        yield from _check_repo(repo, spares, [s for s in records.living if s.repo == repo])
        yield from _check_snapshots(home, repo)
    yield from _check_orphans(home, records)
    yield from _check_processes(home, {s.id for s in records.living})
    yield from _check_ports(records.living)
    directories = {"worktrees": home.worktrees, "trash": home.trash, "sessions": home.sessions}
    sizes = [f"{name} {_size(directory)}" for name, directory in directories.items()]
    yield Finding("disk", True, ", ".join(sizes))


def _check_repo(
    repo: str, spares: tuple[str, ...], living: list[Living]
) -> Iterator[Finding | Oddity]:
    try:
        known = {str(w.path.resolve()): w for w in worktrees.list_worktrees(Path(repo))}
    except (ManyhandsError, OSError) as error:
        yield odd("repo", f"{repo}: {error}", _way_to_repo(repo))
        return
    found = [
        *_check_shared_locks(repo),
        *_check_worktrees(repo, living, set(known)),
        *_check_branches(repo, living, known),
        *_check_locks(repo, living),
    ]
    yield from found or [Finding("worktrees", True, f"{repo}: {len(living)} sessions as recorded")]
    recorded = {repo, *spares, *(s.worktree for s in living)}
    ours = {str(Path(path).resolve()) for path in recorded}
    for path, found_there in known.items():
        if path not in ours:
            yield from _foreign(repo, path, found_there)


def _check_snapshots(home: Home, repo: str) -> Iterator[Oddity]:
    """Those of an earlier version have ignored files, such as a `.env`, in the repository."""
    try:
        held = len(moving.find_held(Path(repo)))
    except (ManyhandsError, OSError):
        return  # told of already
    if held:
        detail = (
            f"{repo}: {held} of our refs hold ignored files, which `git push --mirror` would send"
        )
        fix = f"{FIX} moves them out; git drops what is left of them with its next clean-ups"
        yield Oddity(odd("secrets", detail, fix), repo=repo, sessions=str(home.sessions))


def _way_to_repo(repo: str) -> str:
    if not Path(repo).is_dir():
        return f"put it back, or, where it was moved to NEW, lead there: `ln -s NEW {quoted(repo)}`"
    return "mend what git says, or put the repository back as it was"


def _check_worktrees(repo: str, living: list[Living], known: set[str]) -> Iterator[Finding]:
    for s in living:
        path = Path(s.worktree)
        if not s.ready or s.in_place:
            continue
        match wholeness(Path(repo), path):
            case "replaced":
                fix = f"move it away, then `manyhands restore {s.slug}`"
                yield odd("worktree", f"{s.slug}: {path} is something else now", fix)
            case "missing":
                yield odd("worktree", f"{s.slug}: {path} is missing", s.way_back)
            case "unlinked":
                yield odd("worktree", f"{s.slug}: {path} has lost its .git file", s.way_back)
            case "unknown":
                yield odd("worktree", f"{s.slug}: git no longer knows {path}", s.way_back)
            case "whole" if str(path.resolve()) not in known:
                fix = f"`git -C {quoted(repo)} worktree repair {quoted(path)}`"
                yield odd("worktree", f"{s.slug}: git does not list {path}", fix)


def _check_branches(
    repo: str, living: list[Living], known: dict[str, worktrees.ListedWorktree]
) -> Iterator[Finding]:
    """A branch that was renamed or deleted under its session, whose work is on HEAD."""
    heads = load_ref_table(Path(repo)).heads
    for s in living:
        entry = known.get(str(Path(s.worktree).resolve()))
        if entry is None or s.in_place or not s.ready or not s.at_rest or s.branch in heads:
            continue
        named = (Path(repo), Path(s.worktree), s.branch)
        detail, way = worktrees.way_to_branch(*named, entry.branch or "")
        fix = quoted("git", "-C", s.worktree, *way)
        yield odd("branch", f"{s.slug}: its branch {s.branch} is gone; {detail}", f"`{fix}`")


def _check_shared_locks(repo: str) -> Iterator[Finding]:
    """Left by a git that was killed, they keep every other from changing anything."""
    for name in SHARED_LOCKS:
        lock = common_dir(Path(repo)) / name
        if lock.is_file() and seconds_since(lock.stat().st_mtime) > STALE_SECONDS:
            detail = f"{lock} is held, by a git that runs or was killed"
            fix = f"if no git runs there: `{quoted('rm', lock)}`"
            yield odd("lock", detail, fix)


def _check_locks(repo: str, living: list[Living]) -> Iterator[Finding | Oddity]:
    for s in living:
        admin = worktrees.admin_dir(Path(repo), Path(s.worktree))
        lock = admin / "index.lock" if admin else None
        if lock is None or not lock.is_file() or not s.at_rest:
            continue
        if lock.read_bytes() == restore.OURS:
            detail = f"{s.slug}: {lock} was left by a rewind of ours that was killed"
            yield Oddity(odd("lock", detail, f"{FIX} removes it"), lock=str(lock))
        else:
            detail = f"{s.slug}: {lock} is held, by a git that runs or was killed; it is not ours"
            yield odd("lock", detail, "if no git runs there, remove the file")


def _foreign(repo: str, path: str, found: worktrees.ListedWorktree) -> Iterator[Finding]:
    """A worktree that is nobody's session; whoever made it, it is left alone."""
    if found.bare or (found.locked or "").startswith(worktrees.OURS):
        return
    if found.locked == "initializing":
        fix = (
            f"if nothing is making it: `git -C {quoted(repo)} worktree remove -f -f {quoted(path)}`"
        )
        yield odd("worktree", f"{path} is half made, and not by us", fix)
    elif found.prunable:
        fix = f"if it will not come back: `git -C {quoted(repo)} worktree prune`"
        yield odd("worktree", f"git knows {path}, which is gone", fix)
    else:
        fix = f"`manyhands adopt {quoted(path)}` makes it one"
        yield Finding("foreign", True, f"{path} is a worktree but no session", fix)


def _check_orphans(home: Home, records: Records) -> Iterator[Finding]:
    """Directories in our own that nothing on record explains. They are never removed."""
    real = {os.path.realpath(path) for path in records.worktrees}
    for directory in sorted(home.worktrees.glob("*/*")):
        if directory.is_dir() and os.path.realpath(directory) not in real:
            fix = f"look into it; `manyhands adopt {quoted(directory)}` makes it a session"
            yield odd("orphan", f"{directory} belongs to no session", fix)
    for directory in sorted(home.trash.iterdir()) if home.trash.is_dir() else []:
        if directory.is_dir() and directory.name not in records.in_trash:
            yield odd("orphan", f"{directory} is in the trash for no session", "look into it")


def _check_processes(home: Home, ids: set[SessionId]) -> Iterator[Oddity]:
    """Started for a session of this home that is archived, removed or unknown."""
    for found in processes_below(home.worktrees):
        if found.session not in ids:
            pid, started = found.identity.pid, found.identity.started
            detail = f"{found.name} (pid {pid}) is left of session {found.session}"
            yield Oddity(odd("process", detail, f"{FIX} ends it"), process=(pid, started))


def _check_ports(living: list[Living]) -> Iterator[Finding]:
    for s in living:
        for name, port in s.unheard.items():
            if not is_free(port):
                detail = f"port {port} ({name}) of {s.slug} is in use by something else"
                fix = "end what listens there, or archive and restore the session for other ports"
                yield odd("port", detail, fix)


def _size(directory: Path) -> str:
    """In megabytes; for a big tree at least so many, as far as a short count goes."""
    total, is_all = disk_use(directory, DISK_SECONDS)
    return f"{'' if is_all else 'more than '}{total >> 20} MB"
