"""A disk that fails on demand, as SQLite sees it: a VFS over the real one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import apsw

REAL = apsw.vfs_names()[0]
Call = Literal["write", "sync"]


@dataclass
class Disk:
    """`failing` names the calls that fail now and how; `spare` lets that many succeed first."""

    failing: dict[Call, type[apsw.Error]] = field(default_factory=dict)
    spare: int = 0

    def meet(self, call: Call) -> None:
        error = self.failing.get(call)
        if error is None:
            return
        if self.spare > 0:
            self.spare -= 1
        else:
            raise error(f"injected {call}")

    def mend(self) -> None:
        self.failing.clear()
        self.spare = 0


class FaultyFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: Disk) -> None:
        super().__init__(REAL, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.meet("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.meet("sync")
        super().xSync(flags)


class FaultyVFS(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__("faulty", REAL, makedefault=True)

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> FaultyFile:
        return FaultyFile(name, flags, self._disk)


@contextlib.contextmanager
def faulty_disk() -> Iterator[Disk]:
    """Everything opened meanwhile lies on the returned disk."""
    disk = Disk()
    vfs = FaultyVFS(disk)
    try:
        yield disk
    finally:
        vfs.unregister()
