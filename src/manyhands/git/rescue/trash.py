"""Moving a worktree out of the way and back, with nothing deleted in between; or its end.

Steps, each harmless to repeat after a kill: write the record, lock, detach HEAD (so that the
branch is free), rename the directory. Back: rename, put HEAD on its branch, lock in the
session's name, drop the record.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from manyhands.errors import NotFound, NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.recovery import remove_files
from manyhands.git.replacing import replace_file
from manyhands.git.runner import Git
from manyhands.model.ids import Oid, SessionId


class TrashRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to put it back, kept beside the directory in the trash."""

    session: SessionId
    repo: str
    worktree: str
    admin: str
    branch: str | None
    """The branch that HEAD was on; None when it was detached already."""
    head: Oid | None


def record_file(trash_path: Path) -> Path:
    return trash_path.with_name(trash_path.name + ".json")


def load_record(trash_path: Path) -> TrashRecord | None:
    try:
        data = record_file(trash_path).read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.json.decode(data, type=TrashRecord)


def to_trash(repo: Path, worktree: Path, trash_path: Path, *, session: SessionId) -> TrashRecord:
    """Move the worktree away; its work has been kept by `rescue.keep` before."""
    earlier = load_record(trash_path)
    if earlier is not None and trash_path.is_dir() and not os.path.lexists(worktree):
        return earlier
    _require_movable(worktree, trash_path)
    record = _record(repo, worktree, session, earlier)
    replace_file(record_file(trash_path), msgspec.json.encode(record), 0o600)
    flush(trash_path.parent)
    worktrees.set_lock(repo, worktree, f"{worktrees.lock_reason(session)}, archived")
    if record.head is not None:
        _set_detached(worktree, record.head)
    worktree.rename(trash_path)
    flush(trash_path.parent)
    flush(worktree.parent)
    return record


def _require_movable(worktree: Path, trash_path: Path) -> None:
    found = refs.require_worktree(worktree)
    if found.git_dir == found.common_dir:
        raise NotPossible(f"{worktree} is the repository itself, not a session's worktree")
    if os.path.lexists(trash_path):
        raise NotPossible(f"{trash_path} is in the way")
    trash_path.parent.mkdir(parents=True, exist_ok=True)
    if worktree.stat().st_dev != trash_path.parent.stat().st_dev:
        raise NotPossible(
            f"{worktree} lies on another file system than {trash_path.parent}",
            hint="move one of them, so that nothing needs to be copied and deleted",
        )


def _record(
    repo: Path, worktree: Path, session: SessionId, earlier: TrashRecord | None
) -> TrashRecord:
    branch, head = refs.current_branch(worktree), refs.resolve(worktree, "HEAD")
    if branch is None and earlier is not None and earlier.head == head:
        branch = earlier.branch  # detached by ourselves before a kill
    admin = refs.require_worktree(worktree).git_dir
    return TrashRecord(
        session=session,
        repo=str(repo),
        worktree=str(worktree),
        admin=str(admin),
        branch=branch,
        head=head,
    )


def _set_detached(worktree: Path, head: Oid) -> None:
    if refs.current_branch(worktree) is not None:
        reason = ("-m", "manyhands: archived")
        Git(worktree).run("update-ref", "--no-deref", *reason, "HEAD", head, head)


def is_whole(worktree: Path, trash_path: Path) -> bool:
    """Whether `from_trash` has all that it needs, or has done it already."""
    record = load_record(trash_path)
    if record is None:
        return not os.path.lexists(trash_path) and os.path.lexists(worktree)
    there = os.path.lexists(trash_path) or os.path.lexists(worktree)
    return there and (Path(record.admin) / "HEAD").is_file()


def finish(repo: Path, worktree: Path, trash_path: Path, session: SessionId) -> str:
    """What `from_trash` does once the files are back; a sentence where HEAD stays detached."""
    record = load_record(trash_path)
    note = _set_attached(repo, worktree, record) if record else ""
    worktrees.set_lock(repo, worktree, worktrees.lock_reason(session))
    record_file(trash_path).unlink(missing_ok=True)
    return note


def from_trash(repo: Path, worktree: Path, trash_path: Path, *, session: SessionId) -> str:
    """Put the worktree back at its old path, and HEAD on its branch if that has not moved.

    Gives a sentence for the user where HEAD had to stay detached, else nothing.
    """
    record = load_record(trash_path)
    if record is None:
        _require_back(worktree, trash_path)
        return ""
    admin = Path(record.admin)
    if not (admin / "HEAD").is_file():
        raise NotPossible(
            f"git's own part of the worktree, {admin}, is gone",
            hint=f"the files are in {trash_path}, the commits under refs/manyhands/rescue",
        )
    move_back(trash_path, worktree)
    set_git_dir_link(admin, worktree)
    return finish(repo, worktree, trash_path, session)


def _require_back(worktree: Path, trash_path: Path) -> None:
    """Without a record all is done already, or nothing can be."""
    if os.path.lexists(trash_path) or not os.path.lexists(worktree):
        raise NotFound(f"{trash_path} has no record of where it came from")
    refs.require_worktree(worktree)


def move_back(trash_path: Path, worktree: Path) -> None:
    if not os.path.lexists(trash_path):
        return  # moved by a call that was killed
    if trash_path.is_symlink():
        raise NotPossible(f"{trash_path} is a symbolic link, not the worktree that was put there")
    if os.path.lexists(worktree):
        raise NotPossible(f"{worktree} is in the way", hint="move it, then restore again")
    worktree.parent.mkdir(parents=True, exist_ok=True)
    trash_path.rename(worktree)
    flush(worktree.parent)


def set_git_dir_link(admin: Path, worktree: Path) -> None:
    """Git corrects its record when it runs in a moved worktree; correct it back."""
    link = os.fsencode(worktree.resolve() / ".git") + b"\n"
    if (admin / "gitdir").read_bytes() != link:
        (admin / "gitdir").write_bytes(link)


def _set_attached(repo: Path, worktree: Path, record: TrashRecord) -> str:
    """Put HEAD on its branch again; gives the reason where that would be wrong."""
    branch, head = record.branch, record.head
    if branch is None or head is None or refs.current_branch(worktree) == branch:
        return ""
    if refs.resolve(worktree, "HEAD") != head:
        return "HEAD was moved in the trash and stays detached"
    if any(other.branch == branch for other in worktrees.list_worktrees(repo)):
        return f"the branch {branch} is in use elsewhere, so HEAD stays detached at {head[:12]}"
    tip = refs.branch_tip(repo, branch)
    if tip is None:
        refs.set_ref(repo, f"refs/heads/{branch}", head, None, reason="manyhands: restored")
    elif tip != head:
        return f"the branch {branch} has moved, so HEAD stays detached at {head[:12]}"
    Git(worktree).run("symbolic-ref", "-m", "manyhands: restored", "HEAD", f"refs/heads/{branch}")
    return ""


def purge(
    repo: Path, worktree: Path, trash_path: Path, *, session: SessionId, rescue: bool
) -> None:
    """Remove what `to_trash` put away, and private refs; `rescue` says whether its rescue ref goes
    too. Harmless to repeat."""
    record = load_record(trash_path)
    if trash_path.is_symlink():
        raise NotPossible(f"{trash_path} is a symbolic link, not the worktree that was put there")
    if record is not None and record.session != session:
        raise NotPossible(f"{trash_path} belongs to session {record.session}")
    if trash_path.is_dir():
        remove_files(trash_path)
        flush(trash_path.parent)
    if record is not None:
        _forget_worktree(repo, worktree, Path(record.admin))
        record_file(trash_path).unlink(missing_ok=True)
    for kind in ("checkpoints", "undo", "viewed", *(["rescue", "twins"] if rescue else [])):
        for name, oid in refs.private_refs(repo, f"{kind}/{session}").items():
            refs.delete_ref(repo, name, oid)


def delete_branch(repo: Path, branch: str, seen: Oid) -> None:
    """Delete the branch if it is where it was seen and nobody has it checked out."""
    for other in worktrees.list_worktrees(repo):
        if other.branch == branch:
            raise NotPossible(f"the branch {branch} is in use at {other.path} and was left alone")
    refs.delete_ref(repo, f"refs/heads/{branch}", seen)


def _forget_worktree(repo: Path, worktree: Path, admin: Path) -> None:
    """Only the entry that the record names, and only while its directory is gone."""
    if not (admin / "gitdir").is_file() or os.path.lexists(worktree):
        return
    set_git_dir_link(admin, worktree)
    # Twice, because it is locked in the session's name.
    Git(repo).run("worktree", "remove", "--force", "--force", "--end-of-options", worktree)


def flush(folder: Path) -> None:
    """A rename lasts once its folder is on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
