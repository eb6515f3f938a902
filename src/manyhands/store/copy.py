"""Copies of SQLite databases, ours and others', by SQLite's own backup: whole, with what is in the
write-ahead log, and consistent while somebody writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import apsw

from manyhands.model.clock import monotonic
from manyhands.store.connection import BUSY_MILLISECONDS, explained

PATIENCE = 30.0
"""Seconds that the source's writers are waited for."""
SIDECARS = ("-wal", "-shm", "-journal")


def copy_database(source: Path, target: Path) -> None:
    """Make `target` a copy of `source`; the source is only read.

    A database that is there already takes the copy as one transaction, so that a program which
    has it open sees the change and nothing is half done.
    """
    with explained(str(source), ours=False):
        if target.exists() and _copy_into(source, target):
            return
        _copy_anew(source, target)


def remove_database(path: Path) -> bool:
    """Remove a database and what SQLite keeps beside it; False if there was none."""
    found = path.exists()
    for ending in ("", *SIDECARS):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    return found


def remove_sidecars(path: Path) -> None:
    """What a reader leaves beside a file in this mode, where nobody has it open."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _copy_into(source: Path, target: Path) -> bool:
    """False where what is there cannot take the copy: it is damaged, or of another page size."""
    flags = apsw.SQLITE_OPEN_READWRITE
    try:
        with contextlib.closing(apsw.Connection(str(target), flags=flags)) as db:
            db.set_busy_timeout(BUSY_MILLISECONDS)
            _back_up(source, db)
    except (apsw.CantOpenError, apsw.NotADBError, apsw.CorruptError, apsw.ReadOnlyError):
        return False
    return True


def _copy_anew(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = source.stat().st_mode & 0o777
    unfinished = target.with_name(f".{target.name}.part")
    remove_database(unfinished)
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
    try:
        # Closing moves what is in its log into the file, which alone is then the whole copy.
        with contextlib.closing(apsw.Connection(str(unfinished))) as db:
            _back_up(source, db)
    except BaseException:
        remove_database(unfinished)
        raise
    remove_database(target)
    unfinished.replace(target)


def _back_up(source: Path, into: apsw.Connection) -> None:
    if _is_at_rest(source) and _copy_at_rest(source, into):
        return
    try:
        _read_into(apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY), into)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        # A writer died and left a journal that must be played back, which only a writer may do:
        # it is played back in a copy.
        with tempfile.TemporaryDirectory() as place:
            _read_into(apsw.Connection(str(_copied_files(source, Path(place)))), into)


def _read_into(db: apsw.Connection, into: apsw.Connection) -> None:
    began = monotonic()

    def wait(_: int) -> bool:
        # SQLite's own waiting grows to a tenth of a second and misses a busy writer's short gaps.
        time.sleep(0.001)
        return monotonic() - began < PATIENCE

    with contextlib.closing(db):
        db.set_busy_handler(wait)
        # Here the wait for the lock happens; the copy itself would not wait.
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sqlite_schema").get  # noqa: B018
        with into.backup("main", db, "main") as backup:
            while not backup.done:
                backup.step()


def _is_at_rest(source: Path) -> bool:
    """Whether it would have a log beside it, and has none: nobody has it open."""
    with source.open("rb") as file:
        in_wal_mode = file.read(20)[18:20] == b"\2\2"
    return in_wal_mode and not source.with_name(f"{source.name}-wal").exists()


def _copy_at_rest(source: Path, into: apsw.Connection) -> bool:
    """Even a reader would leave an empty log beside the source; false where somebody came."""
    before = source.stat()
    address = f"file:{quote(os.fspath(source))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        _read_into(apsw.Connection(address, flags=flags), into)
    except apsw.CorruptError:
        return False
    after = source.stat()
    same = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    return same and _is_at_rest(source)


def _copied_files(source: Path, place: Path) -> Path:
    for ending in ("", "-journal", "-wal"):
        beside = source.with_name(source.name + ending)
        if beside.exists():
            shutil.copyfile(beside, place / beside.name)
    return place / source.name
