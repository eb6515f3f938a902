"""Object directories that borrow from others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def object_directories(common: Path) -> list[Path]:
    """The repository's own, and all that it borrows from, each once."""
    found: list[Path] = []
    pending = [common / "objects"]
    while pending:
        place = pending.pop(0).resolve()
        if place in found or not place.is_dir():
            continue
        found.append(place)
        with suppress(FileNotFoundError):
            lines = (place / "info/alternates").read_bytes().splitlines()
            pending += [place / _unquoted(line) for line in lines if line and line[:1] != b"#"]
    return found


def _unquoted(line: bytes) -> str:
    if not line.startswith(b'"'):
        return os.fsdecode(line)
    inner = line[1:].removesuffix(b'"')
    return os.fsdecode(inner.decode("unicode_escape").encode("latin-1"))


def _alternate(place: Path) -> bytes:
    raw = os.fsencode(place)
    if b"\n" in raw or raw.startswith((b'"', b"#")):
        raw = b'"%b"' % raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return raw + b"\n"


def write_alternates(objects: Path, places: Iterable[Path]) -> None:
    (objects / "info/alternates").write_bytes(b"".join(map(_alternate, places)))
