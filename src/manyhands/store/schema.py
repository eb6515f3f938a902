"""The tables, step by step: a file of any earlier version is brought up to this one.

The version is `PRAGMA user_version`. Before an existing file is changed it is copied to
``<file>.bak-v<version>``; all steps then happen in one transaction. A file of a later version
is refused untouched. A step that changes what the fold makes of old events empties the
projections; they are then folded anew from the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw

from manyhands.errors import StoreFailed
from manyhands.store.connection import open_writer, set_folding, transaction
from manyhands.store.copy import copy_database
from manyhands.store.health import QUICK_BYTES, require_whole, require_whole_log
from manyhands.store.log import IS_USAGE

APPLICATION_ID = 0x4D48_5354
# In the index of events the row number, which is seq, follows the session by itself.
STEPS: tuple[str, ...] = (
    """
    CREATE TABLE events(
        seq INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        type TEXT NOT NULL,
        at TEXT NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX events_of_session ON events(session);
    CREATE TABLE sessions(id TEXT PRIMARY KEY, doc BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE repos(path TEXT PRIMARY KEY, doc BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE receipts(id TEXT PRIMARY KEY, at TEXT NOT NULL, result BLOB NOT NULL)
        WITHOUT ROWID;
    CREATE TABLE acks(
        session TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        upto INTEGER NOT NULL,
        PRIMARY KEY(session, epoch)
    ) WITHOUT ROWID;
    CREATE TABLE tokens(
        hash TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        session TEXT NOT NULL,
        at TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    # Few events tell of usage; without their own index every question reads the whole log.
    f"CREATE INDEX events_of_usage ON events(seq) WHERE {IS_USAGE};",
    "CREATE TABLE jobs(id TEXT PRIMARY KEY, open INTEGER NOT NULL, doc BLOB NOT NULL);",
    # A session is made of parts: an older document would be read as one with nothing in them.
    "DELETE FROM sessions; DELETE FROM repos;",
)


def open_migrated(path: Path, steps: Sequence[str] = STEPS) -> apsw.Connection:
    """The read-write connection to a file of this version."""
    db = open_writer(path)
    # Whoever is refused leaves the log as it is: at the end SQLite would fold it into the file.
    set_folding(db, on=False)
    try:
        version = require_known_version(db, path, len(steps))
        require_whole_log(db, path)
        if path.stat().st_size <= QUICK_BYTES:
            require_whole(db, path)
        path.chmod(0o600)
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "full")
        if version < len(steps):
            if version > 0:
                copy_database(path, path.with_name(f"{path.name}.bak-v{version}"))
            migrate(db, steps)
        set_folding(db, on=True)
    except BaseException:
        db.close()
        raise
    return db


def require_known_version(db: apsw.Connection, path: Path, newest: int) -> int:
    version = int(db.pragma("user_version"))
    is_empty = db.execute("SELECT count(*) FROM sqlite_schema").get == 0
    if not is_empty and db.pragma("application_id") != APPLICATION_ID:
        raise StoreFailed(
            f"{path} is an SQLite database, but no store of Manyhands",
            hint="move it away, or set MANYHANDS_HOME to another place",
        )
    if version > newest:
        raise StoreFailed(
            f"the store {path} was made by a newer Manyhands (version {version} of the file, "
            f"this one knows {newest})",
            hint="install that version again; the file was not touched",
        )
    return version


def migrate(db: apsw.Connection, steps: Sequence[str]) -> None:
    with transaction(db):
        # Read again: another process may have been here while this one waited for the lock.
        for step in steps[int(db.pragma("user_version")) :]:
            db.execute(step)
        db.pragma("application_id", APPLICATION_ID)
        db.pragma("user_version", len(steps))
