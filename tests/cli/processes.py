"""What still runs, as the kernel tells it."""

from __future__ import annotations

from pathlib import Path


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_naming(words: str) -> list[str]:
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and is_alive(int(place.name)):
            try:
                told = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
            except OSError:
                continue
            if words.encode() in told:
                found.append(f"{place.name} {told[-200:]!r}")
    return found
