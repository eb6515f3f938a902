"""Processes that the session's agents started and that no longer carry its mark.

The keeper adopts orphans, so they are below it as long as it lives. For the case that it is
killed they are noted, by identity, in the session's own directory.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from manyhands.config import KEEPER_MARK, variable
from manyhands.process.identity import Identity, alive, session_processes, unmarked_descendants

FILE = "left-over"
MOST = 1000


def strays() -> list[Identity]:
    """Everything below this keeper that it did not start for itself."""
    return unmarked_descendants(f"{KEEPER_MARK}=1") if variable(KEEPER_MARK) else []


def note_strays(place: Path) -> None:
    found = [(one.pid, one.started) for one in strays()[:MOST]]
    part = place / f"{FILE}.part"
    part.write_bytes(msgspec.json.encode(found))
    part.replace(place / FILE)


def load_left_over(place: Path, session: str) -> list[Identity]:
    """What still runs of the session: by its mark, or by what its last keeper noted."""
    try:
        noted = msgspec.json.decode((place / FILE).read_bytes(), type=list[tuple[int, int]])
    except (OSError, msgspec.DecodeError):
        noted = []
    known = [one for one in (Identity(*entry) for entry in noted) if alive(one)]
    return list(dict.fromkeys([*session_processes(session), *known]))
