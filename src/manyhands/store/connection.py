"""Opening the SQLite file, and what its errors mean to a person."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from manyhands.errors import StoreFailed

BUSY_MILLISECONDS = 5000
MENDED_BY = "`manyhands doctor --fix` makes a new one of all that can be read"
DAMAGES = (apsw.NotADBError, apsw.CorruptError, apsw.ConstraintError, apsw.SQLError)
"""Our own statements are right: what they meet here is not the file that we wrote."""
_MEANINGS: tuple[tuple[type[apsw.Error], str, str], ...] = (
    (apsw.FullError, "the disk is full", "free some space; nothing that was confirmed is lost"),
    (apsw.ReadOnlyError, "it cannot be written", "mend the permissions or remount the disk"),
    (
        apsw.CantOpenError,
        "it cannot be opened",
        "mend the permissions of the home; or too many files are open: see `manyhands doctor`",
    ),
    (apsw.BusyError, "another program keeps it locked", "stop the other program"),
    (apsw.NotADBError, "it is damaged: it is not an SQLite database", MENDED_BY),
    (apsw.CorruptError, "it is damaged", MENDED_BY),
    (apsw.ConstraintError, "it is damaged", MENDED_BY),
    (apsw.SQLError, "it is damaged", MENDED_BY),
    (apsw.IOError, "the disk does not answer as it should", "look at the system's log"),
)


def store_failed(error: apsw.Error, path: str, *, ours: bool = True) -> StoreFailed:
    for kind, what, hint in _MEANINGS:
        if isinstance(error, kind):
            hint = hint if ours or hint != MENDED_BY else "put a backup in its place"
            return StoreFailed(f"the store {path}: {what} ({error})", hint=hint)
    return StoreFailed(f"the store {path}: {error}")


def is_damage(failed: StoreFailed) -> bool:
    """Whether the file itself is the reason, and stays so."""
    return failed.__cause__ is None or isinstance(failed.__cause__, DAMAGES)


@contextlib.contextmanager
def explained(path: str, *, ours: bool = True) -> Iterator[None]:
    """Turns SQLite's errors into ours; `ours`: it is the store itself."""
    try:
        yield
    except apsw.Error as error:
        raise store_failed(error, path, ours=ours) from error


def open_writer(path: Path) -> apsw.Connection:
    """A read-write connection; a new file is private before anything is in it."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreFailed(
            f"the store {path} cannot be opened: {error.strerror}",
            hint="mend the permissions of the home, or set MANYHANDS_HOME to another place",
        ) from error
    db = apsw.Connection(str(path))
    db.set_busy_timeout(BUSY_MILLISECONDS)
    return db


def mended_name(path: Path) -> Path:
    """Under which a new one is made in the place of a damaged one."""
    return path.with_name(f"{path.name}.mended")


def open_reader(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(BUSY_MILLISECONDS)
    return db


def set_folding(db: apsw.Connection, *, on: bool) -> None:
    """Whether the write-ahead log goes into the file when the last connection is closed."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, not on)


@contextlib.contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """A write transaction: all of it, or nothing when the block or the commit fails."""
    roll_back(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        roll_back(db)
        raise


def roll_back(db: apsw.Connection) -> None:
    """Ends an open transaction; where even that fails, the next one tries again."""
    if db.in_transaction:
        with contextlib.suppress(apsw.Error):
            db.execute("ROLLBACK")
