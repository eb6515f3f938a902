"""What a snapshot holds that must not lie in the user's repository, which is pushed and cloned.

Ignored files and packed repositories are kept as git objects in a directory of ours, one for each
session and with its end gone. A snapshot's manifest names them; git itself knows nothing of it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.locks import file_lock
from manyhands.git.private_index import alternates
from manyhands.git.refs import Repository
from manyhands.git.replacing import replace_file
from manyhands.git.runner import Git
from manyhands.git.snapshot import nested
from manyhands.git.snapshot.raw import RawStore
from manyhands.model.ids import Oid

FOLDER = "private"
"""The directory, in the session's own."""


class PrivateStore:
    def __init__(self, place: Path) -> None:
        self.place = place
        self.objects = place / "objects"

    def tree(self, git: Git, found: Repository, paths: Iterable[bytes]) -> Oid:
        """The tree of exactly these files, flushed to the disk."""
        self._make()
        with file_lock(self.place / "guard"):
            return self._store(git, found).tree("index", paths)

    def pack(self, git: Git, found: Repository, path: Path) -> Oid:
        """A directory with everything in it as one blob."""
        self._make()
        return nested.pack(self._store(git, found).git, path)

    def seen_by(self, git: Git, *others: PrivateStore) -> Git:
        """The same git, which finds what is kept here too, and in the others."""
        there = [store.objects for store in (self, *others) if store.objects.is_dir()]
        if not there:
            return git
        return git.having(GIT_ALTERNATE_OBJECT_DIRECTORIES=alternates(there))

    def take_in(self, git: Git, found: Repository, objects: Iterable[str]) -> None:
        """Copy these trees and blobs, with all they hold, from where `git` finds them."""
        wanted = [oid for oid in objects if oid]
        if not wanted:
            return
        self._make()
        asked = "".join(f"{oid}\n" for oid in wanted).encode()
        listed = git.run("rev-list", "--objects", "--no-object-names", "--stdin", stdin=asked)
        packed = git.run("pack-objects", "--stdout", "-q", stdin=listed.stdout).stdout
        own = self._store(git, found).git
        own.having(refs.DURABLE).run("index-pack", "--stdin", stdin=packed)

    def current(self, snapshot: Oid) -> Oid:
        """The snapshot itself, or the one that took its place when its ignored files were moved."""
        try:
            return Oid((self.place / "moved" / snapshot).read_text("ascii"))
        except OSError:
            return snapshot

    def set_current(self, snapshot: Oid, now: Oid) -> None:
        (self.place / "moved").mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self.place / "moved" / snapshot, now.encode(), 0o600)

    def _store(self, git: Git, found: Repository) -> RawStore:
        return RawStore(git.having(refs.DURABLE), found, self.place, self.objects)

    def _make(self) -> None:
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.objects.mkdir(mode=0o700, exist_ok=True)
        self.place.chmod(0o700)


def require_private(place: Path | None) -> PrivateStore:
    if place is None:
        raise NotPossible("what git ignores needs a place outside the repository to be kept in")
    return PrivateStore(place)


def private_of_submodule(private: Path, path: str) -> Path:
    return private / "modules" / hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
