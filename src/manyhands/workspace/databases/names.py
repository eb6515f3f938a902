"""What a branch is called and how it is known to be ours: by its name and the mark it carries.

The name holds the home's key and the session's id, so no title can make two sessions meet, and
two homes on one server leave each other's branches alone. The mark is put on a branch when
it is whole: one without a mark was cut off, one with another mark is somebody else's.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.errors import NotPossible
from manyhands.git.replacing import replace_file
from manyhands.workspace.repo_config import DatabaseTable

LONGEST = 63
"""What Postgres keeps of a name, in bytes."""


@dataclass(frozen=True)
class Claim:
    """A name that a session has on record, and the mark that goes with it."""

    name: str
    mark: str

    def require_ours(self, mark: str | None) -> None:
        """Raises where what carries the name is marked, and not by us."""
        if mark and mark != self.mark:
            raise NotPossible(
                f"{self.name} was not made for this session (it is marked {mark[:80]!r})",
                hint="it was left as it is; rename or remove it by hand",
            )


def home_prefix(home: Path) -> str:
    """How the names of all branches of one home begin."""
    return f"mh_{hashlib.sha256(os.fsencode(home)).hexdigest()[:8]}_"


def claim_for(home: Path, session: str, slug: str) -> Claim:
    words = re.sub(r"[^a-z0-9]+", "_", slug.lower()).strip("_")
    name = f"{home_prefix(home)}{session}_{words}"[:LONGEST].rstrip("_")
    return Claim(name, mark_for(home, session))


def mark_for(home: Path, session: str) -> str:
    return f"manyhands {home_prefix(home)}{session}"


def session_of(name: str, home: Path) -> str:
    """The session that a branch of this home was made for; empty where the name is not ours."""
    prefix = home_prefix(home)
    found = re.fullmatch(rf"{re.escape(prefix)}([0-9a-z]+)(_[a-z0-9_]*)?", name)
    return found[1] if found else ""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a session's branch in the home, private: the log has no room for a password,
    and a branch must be droppable even after the repository's `.env` and config have changed.
    `table.url` is the source's address as it was; `url` is the branch's, once it is whole."""

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
    replace_file(path, msgspec.json.encode(record), 0o600)


def database_variables(home: Home, session: str) -> dict[str, str]:
    """What the session's programs must see to find its branch; nothing where it has none."""
    record = load_record(home, session)
    return {record.table.key: record.url} if record and record.url else {}
