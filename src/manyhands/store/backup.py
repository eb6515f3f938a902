"""Copies of the store in its home: made by SQLite while it is in use, looked over, and few."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from manyhands.errors import StoreFailed
from manyhands.model.clock import Instant
from manyhands.store.connection import explained, open_reader
from manyhands.store.copy import copy_database, remove_database, remove_sidecars
from manyhands.store.health import require_whole

MOST_KEPT = 3
MOST_BYTES = 2 * 1024**3
"""Of all together; the newest stays, whatever its size."""
LEAST_FREE = 500 * 1024**2
_PATTERN = "store-*.db"


def backups(directory: Path) -> list[Path]:
    """The newest first; their names tell their time."""
    return sorted(directory.glob(_PATTERN), reverse=True)


def backup_time(backup: Path) -> Instant:
    """Such as ``2026-01-31T08-15-30Z``; sorts as text."""
    return backup.stem.removeprefix("store-")


def stamp(at: Instant) -> str:
    """A moment as part of a file's name."""
    return f"{at[:19].replace(':', '-')}Z"


def make_backup(store: Path, directory: Path, at: Instant) -> Path:
    """A new copy; older ones go only once it is whole. Blocks."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    free, size = shutil.disk_usage(directory).free, store.stat().st_size
    if free < size + LEAST_FREE:
        raise StoreFailed(
            f"no backup of {store}: {directory} has {free >> 20} MB left",
            hint="free some space",
        )
    target = directory / f"store-{stamp(at)}.db"
    unfinished = directory / ".unfinished"
    remove_database(unfinished)
    try:
        copy_database(store, unfinished)
        with explained(str(unfinished)), closing(open_reader(unfinished)) as db:
            require_whole(db, unfinished)
        remove_sidecars(unfinished)
        unfinished.replace(target)
    except BaseException:
        remove_database(unfinished)
        raise
    _thin_out(directory)
    return target


def _thin_out(directory: Path) -> None:
    total = 0
    for number, backup in enumerate(backups(directory)):
        total += backup.stat().st_size
        if number and (number >= MOST_KEPT or total > MOST_BYTES):
            remove_database(backup)
