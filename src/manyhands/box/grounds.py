"""What a session's programs own in their box, and other things are mounted into: home and scratch.

Whoever mounts something below a directory that they own would follow a link that they left there,
out of the box. So each directory on the way is real and a mount of its own: nothing inside can move
or remove one, in any box of the session, and what was put in its place before is set aside.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.box.nesting import by_depth
from manyhands.model.box import Box

ALWAYS = (
    *(".cache", ".config", ".config/git", ".local", ".local/share", ".local/state", ".cargo"),
    *(".gradle", ".m2", ".npm", ".nuget", "go"),
)
"""Below a home: the same for all boxes of a session, whichever agent they are for."""
SCRATCHES = ("/tmp", "/var/tmp")
ASIDE = ".moved-aside"


@dataclass(frozen=True)
class Ground:
    kept: str
    """Where it lies."""
    seen: str
    """Where it is seen in the box."""
    ways: tuple[str, ...]
    """Directories in it that lead to what is mounted there, outer ones first."""


def grounds(box: Box, mounts: Iterable[str]) -> list[Ground]:
    """`mounts` are the real paths of all that the box has."""
    listed = [mount for mount in mounts if mount]
    found = [_ground(box.scratch, place, listed, ()) for place in SCRATCHES]
    if box.home:
        found.append(_ground(box.private_home, os.path.realpath(box.home), listed, ALWAYS))
    return found


def _ground(kept: str, seen: str, mounts: list[str], always: Iterable[str]) -> Ground:
    ways = dict.fromkeys(always)
    for mount in mounts:
        way = mount[len(seen) + 1 :] if mount.startswith(f"{seen}/") else ""
        while way := os.path.dirname(way):
            ways[way] = None
    return Ground(kept, seen, tuple(by_depth(ways)))


def views(ground: Ground) -> Iterator[str]:
    """Options of bubblewrap's: the ground itself, and each way in it."""
    yield from ("--bind", ground.kept, ground.seen)
    for way in ground.ways:
        yield from ("--bind", f"{ground.kept}/{way}", f"{ground.seen}/{way}")


def pave(ground: Ground) -> None:
    """Every way in it is a real directory; no link is followed."""
    Path(ground.kept).mkdir(mode=0o700, parents=True, exist_ok=True)
    for way in ground.ways:
        above, name = os.path.split(way)
        with _opened(ground.kept, above) as opened:
            _pave(opened, name)


def _pave(above: int, name: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=above)
        return
    if stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
        return
    os.rename(name, name + ASIDE, src_dir_fd=above, dst_dir_fd=above)
    os.mkdir(name, 0o700, dir_fd=above)


@contextmanager
def _opened(root: str, way: str) -> Iterator[int]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(root, flags)
    try:
        for part in filter(None, way.split("/")):
            inner = os.open(part, flags, dir_fd=opened)
            os.close(opened)
            opened = inner
        yield opened
    finally:
        os.close(opened)


def lies_in(ground: Ground, path: str) -> bool:
    """Whether something is at `path` in the box already, by what lies in the ground."""
    inside = path.removeprefix(f"{ground.seen}/")
    return inside != path and os.path.lexists(f"{ground.kept}/{inside}")
