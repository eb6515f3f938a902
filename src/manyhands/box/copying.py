"""The user's caches in a box, copied on write: what is there is found, and what is written stays.

An overlay for each, mounted in a user namespace around the box. Two boxes at once must not write to
one layer, so every use of a session's box has layers of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from manyhands.config import child_environment
from manyhands.process.pipeline import load_output

SECONDS = 5.0
_MOUNT = """\
while [ "$1" != -- ]; do
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3,userxattr" "$4" || exit 126
shift 4; done; shift; exec "$@\""""
_PLAIN = re.compile(r"[^,:\\]+")
"""What the mount's options can say."""


def around(layers: Sequence[tuple[str, str]]) -> list[str]:
    """Words before bubblewrap's own, which mount each layer over what it is a copy of."""
    if not layers:
        return []
    mounts = [word for lower, layer in layers for word in (lower, *_parts(layer))]
    return [_program("unshare"), "-Urm", "/bin/sh", "-c", _MOUNT, "sh", *mounts, "--"]


def inside(layers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Options of bubblewrap's: who we are in the namespace around it, we are not in its own."""
    if layers:
        yield from ("--uid", str(os.getuid()), "--gid", str(os.getgid()))


def views(layers: Sequence[tuple[str, str]]) -> Iterator[str]:
    for lower, layer in layers:
        yield from ("--bind", _parts(layer)[2], lower)


def make_layers(layers: Sequence[tuple[str, str]]) -> None:
    for _, layer in layers:
        for part in _parts(layer):
            Path(part).mkdir(mode=0o700, parents=True, exist_ok=True)


def layers_for(paths: Sequence[str], below: Path) -> tuple[tuple[str, str], ...]:
    """Where each of these is copied to; none where the machine cannot."""
    plain = [path for path in map(os.path.realpath, paths) if _PLAIN.fullmatch(path)]
    if not plain or not _PLAIN.fullmatch(str(below)) or not can_copy(str(_existing(below))):
        return ()
    return tuple((path, str(below / path.strip("/").replace("/", "-"))) for path in plain)


def _parts(layer: str) -> tuple[str, str, str]:
    return f"{layer}/upper", f"{layer}/work", f"{layer}/seen"


def _existing(place: Path) -> Path:
    return next(p for p in (place, *place.parents) if p.is_dir())


def _program(name: str) -> str:
    return shutil.which(name) or name


@cache
def can_copy(where: str) -> bool:
    """Tried, on that very file system."""
    with tempfile.TemporaryDirectory(prefix=".manyhands-", dir=where) as place:
        layer = ((f"{place}/lower", f"{place}/layer"),)
        Path(place, "lower").mkdir()
        make_layers(layer)
        argv = [*around(layer), "true"]
        return load_output(argv, env=child_environment(), timeout=SECONDS) is not None
