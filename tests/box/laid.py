"""A rig laid out once, and put back for each attempt to exactly what it was then: only what an
attempt left or changed is made anew."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyhands.git.recovery import remove_files
from manyhands.model.box import BoxMeans, Network
from tests.box.rig import Rig, open_rig


@dataclass(frozen=True)
class Laid:
    """The rig, and what everything in it was like before the first attempt."""

    rig: Rig
    model: Path

    @contextmanager
    def opened(self) -> Iterator[Rig]:
        with at_home(self.rig):
            shutil.rmtree(self.rig.hub.run, ignore_errors=True)
            put_back(self.rig.root, self.model)
            self.rig.hub.make()
            with open_rig(self.rig):
                yield self.rig
        # Without namespaces what outlives its attempt is nobody's, and would meet the next one.
        for process in self.rig.running():
            process.kill()


@contextmanager
def lay_out(by: BoxMeans, network: Network) -> Iterator[Laid]:
    """In a place of a short name, as sockets lie in it."""
    place = Path(tempfile.mkdtemp(prefix="mh-"))
    laid = Laid(Rig(place / "r", by, network), place / "model")
    try:
        laid.rig.root.mkdir()
        with at_home(laid.rig):
            laid.rig.lay_out()
        shutil.copytree(laid.rig.root, laid.model, symlinks=True)
        yield laid
    finally:
        shutil.rmtree(laid.rig.hub.run, ignore_errors=True)
        remove_files(place)


@contextmanager
def at_home(rig: Rig) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(rig.host))
        patch.delenv("XDG_RUNTIME_DIR", raising=False)
        yield


def put_back(place: Path, model: Path) -> None:
    """Kind, mode and content, of everything; and nothing else is there."""
    if not os.path.lexists(model) or kind(place) != kind(model):
        clear(place)
    if not os.path.lexists(model):
        return
    if kind(model) == stat.S_IFDIR:
        place.mkdir(exist_ok=True)
        place.chmod(0o700)
        for name in {entry.name for entry in (*place.iterdir(), *model.iterdir())}:
            put_back(place / name, model / name)
        place.chmod(stat.S_IMODE(model.lstat().st_mode))
    elif looks(place) != looks(model):
        clear(place)
        shutil.copy2(model, place, follow_symlinks=False)


def clear(place: Path) -> None:
    if kind(place) == stat.S_IFDIR:
        remove_files(place)
    else:
        place.unlink(missing_ok=True)


def kind(place: Path) -> int:
    """Zero where nothing is."""
    return stat.S_IFMT(place.lstat().st_mode) if os.path.lexists(place) else 0


def looks(place: Path) -> tuple[int, int, bytes] | None:
    if not os.path.lexists(place):
        return None
    about = place.lstat()
    content = os.fsencode(place.readlink()) if place.is_symlink() else place.read_bytes()
    return about.st_mode, about.st_uid, content
