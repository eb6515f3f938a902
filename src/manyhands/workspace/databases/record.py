"""What is kept of a session's branch in the home, private: its address and what it was made from.

The log has no place for a password, and a branch must be droppable even after the repository's
`.env` and config have changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.workspace.repo_config import DatabaseTable


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """`table.url` is the source's address as it was; `url` is the branch's, once it is whole."""

    table: DatabaseTable
    url: str = ""


def _path(home: Home, session: str) -> Path:
    return home.sessions / session / "database.json"


def load_record(home: Home, session: str) -> Record | None:
    try:
        return msgspec.json.decode(_path(home, session).read_bytes(), type=Record)
    except (OSError, msgspec.DecodeError):
        return None


def set_record(home: Home, session: str, record: Record) -> None:
    path = _path(home, session)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(record))
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def database_variables(home: Home, session: str) -> dict[str, str]:
    """What the session's programs must see to find its branch; nothing where it has none."""
    record = load_record(home, session)
    return {record.table.key: record.url} if record and record.url else {}
