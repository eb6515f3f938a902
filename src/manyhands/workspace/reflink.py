"""Copies that share their blocks with the original where the file system can, and none with
its later changes anywhere."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import tempfile
from pathlib import Path

FICLONE = 0x40049409


def clone(source: Path, target: Path) -> bool:
    """Share `source`'s blocks with the new file `target`; False, and no file, if that cannot be."""
    if sys.platform == "darwin":
        return ctypes.CDLL(None).clonefile(os.fsencode(source), os.fsencode(target), 0) == 0
    if sys.platform != "linux":
        return False
    import fcntl

    with source.open("rb") as old, target.open("xb") as new:
        try:
            fcntl.ioctl(new.fileno(), FICLONE, old.fileno())
        except OSError:
            target.unlink()
            return False
    return True


def copy_file(source: Path, target: Path) -> None:
    """A whole copy, mode and times included, that appears at once under its name; never over
    something that is there."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".mh-copy-")
    os.close(descriptor)
    part = Path(name)
    part.unlink()
    try:
        if not clone(source, part):
            shutil.copyfile(source, part, follow_symlinks=False)
        shutil.copystat(source, part, follow_symlinks=False)
        os.link(part, target)
    finally:
        part.unlink(missing_ok=True)


def can_clone(directory: Path) -> bool:
    """Whether the file system of `directory` shares blocks between copies."""
    with tempfile.TemporaryDirectory(dir=directory, prefix=".mh-probe-") as probe:
        source = Path(probe) / "a"
        source.write_bytes(b"x" * 4096)
        return clone(source, Path(probe) / "b")
