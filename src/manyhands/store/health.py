"""Whether a store is what was written: its trees, its write-ahead log, its place, its events."""

from __future__ import annotations

import struct
from contextlib import closing
from pathlib import Path

import apsw

from manyhands.errors import StoreFailed
from manyhands.store.connection import MENDED_BY, mended_name, open_reader, open_writer, set_folding
from manyhands.store.pages import FRAME_HEADER, WAL_HEADER, is_wal_header_whole

QUICK_BYTES = 64 * 1024 * 1024
"""So much is looked at before anybody uses it; a larger one while it is in use. A gigabyte takes
about a second."""
MOST_TOLD = 5


def damaged(path: Path | str, what: str) -> StoreFailed:
    return StoreFailed(f"the store {path}: it is damaged ({what})", hint=MENDED_BY)


def require_whole(db: apsw.Connection, path: Path) -> None:
    """Raises where the trees do not hold together; events that changed their words are beyond
    this."""
    if told := _told(db, "quick_check"):
        raise damaged(path, told)


def require_whole_log(db: apsw.Connection, path: Path) -> None:
    """SQLite reads its write-ahead log up to the first frame that is not whole, without a word, and
    then writes over the rest: raises where a commit lies behind it."""
    read, _ = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    wal = path.with_name(f"{path.name}-wal")
    if not wal.exists() or wal.stat().st_size <= WAL_HEADER:
        return
    step = FRAME_HEADER + int(db.pragma("page_size"))
    with wal.open("rb") as file:
        header = file.read(WAL_HEADER)
        if not is_wal_header_whole(header):
            raise damaged(path, "the beginning of its write-ahead log cannot be read")
        file.seek(WAL_HEADER + max(read, 0) * step)
        behind = 0
        while len(frame := file.read(step)) == step:
            pages, *salt = struct.unpack_from(">3I", frame, 4)
            behind += pages > 0 and salt == list(struct.unpack_from(">2I", header, 16))
    if behind:
        raise damaged(path, f"{behind} commits in its write-ahead log cannot be read")


def require_there(path: Path) -> None:
    """A store that is gone where there was one is not begun anew."""
    if path.exists() and path.stat().st_size > 0:
        return
    left = [path.with_name(f"{path.name}-wal"), mended_name(path)]
    left += [*path.parent.glob("backups/store-*.db"), *path.parent.glob(f"{path.name}.damaged-*")]
    if any(one.exists() and one.stat().st_size > 0 for one in left):
        raise StoreFailed(
            f"the store {path} is gone, and {left[-1].parent} still holds what belongs to it",
            hint="put it back; or `manyhands doctor --fix` makes one of what is left",
        )


def find_damage(path: Path, *, at_rest: bool = False) -> str:
    """The whole check, of every tree, index and event; empty for none. Blocks.

    `at_rest`: nobody uses it, so that its write-ahead log must be whole too.
    """
    with closing(open_writer(path) if at_rest else open_reader(path)) as db:
        set_folding(db, on=False)
        if at_rest:
            db.execute("SELECT count(*) FROM sqlite_schema").get  # noqa: B018 - the log is read
            require_whole_log(db, path)
        if told := _told(db, "integrity_check"):
            return told
        query = "SELECT count(*), min(seq) FROM events WHERE NOT json_valid(CAST(body AS TEXT))"
        [(count, first)] = db.execute(query)
        return f"{count} events cannot be read, the first is number {first}" if count else ""


def _told(db: apsw.Connection, check: str) -> str:
    said = [str(line) for (line,) in db.execute(f"PRAGMA {check}({MOST_TOLD})")]
    return "" if said == ["ok"] else "; ".join(" ".join(line.split()) for line in said)[:500]
