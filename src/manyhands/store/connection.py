"""Opening the SQLite file, and what its errors mean to a person."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from manyhands.errors import StoreFailed

BUSY_MILLISECONDS = 5000
_MEANINGS: tuple[tuple[type[apsw.Error], str, str], ...] = (
    (apsw.FullError, "the disk is full", "free some space; nothing that was confirmed is lost"),
    (apsw.ReadOnlyError, "it cannot be written", "mend the permissions or remount the disk"),
    (apsw.CantOpenError, "it cannot be opened", "mend the permissions of the home"),
    (apsw.BusyError, "another program keeps it locked", "stop the other program"),
    (apsw.NotADBError, "it is not an SQLite database", "put a backup in its place"),
    (apsw.CorruptError, "it is damaged", "put a backup in its place"),
    (apsw.IOError, "the disk does not answer as it should", "look at the system's log"),
)


def store_failed(error: apsw.Error, path: str) -> StoreFailed:
    for kind, what, hint in _MEANINGS:
        if isinstance(error, kind):
            return StoreFailed(f"the store {path}: {what} ({error})", hint=hint)
    return StoreFailed(f"the store {path}: {error}")


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turns SQLite's errors into ours."""
    try:
        yield
    except apsw.Error as error:
        raise store_failed(error, path) from error


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


def open_reader(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(BUSY_MILLISECONDS)
    return db


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
