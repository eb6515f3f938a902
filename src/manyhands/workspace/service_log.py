"""Where a service's output is kept: in pieces, each named by the offset at which it begins.

An offset counts the bytes that the service said since its session was made, so it stays true while
old pieces are thrown away and over the lives of keepers.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = "services"
"""In the session's own directory: one folder per service."""
PIECE = 512 * 1024
MOST_PIECES = 4


def log_folder(own: Path, name: str) -> Path:
    return own / FOLDER / name


def piece_name(offset: int) -> str:
    return f"{offset:015d}.log"


def load_pieces(folder: Path) -> list[tuple[int, Path]]:
    """Oldest first, each with its offset."""
    found = [(int(p.stem), p) for p in folder.glob("*.log") if p.stem.isdecimal()]
    return sorted(found)


def load_end(folder: Path) -> int:
    """The offset at which the next byte will be."""
    pieces = load_pieces(folder)
    return pieces[-1][0] + pieces[-1][1].stat().st_size if pieces else 0


def load_from(folder: Path, offset: int, limit: int) -> tuple[int, bytes]:
    """At most so many bytes from there on, or from the oldest that is kept; where they begin."""
    found = bytearray()
    begin = -1
    for start, path in load_pieces(folder):
        try:
            with path.open("rb") as file:
                skipped = max(0, offset - start)
                file.seek(skipped)
                data = file.read(limit - len(found))
        except FileNotFoundError:
            continue  # thrown away meanwhile
        if data:
            begin = start + skipped if begin < 0 else begin
            found += data
        if len(found) >= limit:
            break
    return (offset if begin < 0 else begin), bytes(found)
