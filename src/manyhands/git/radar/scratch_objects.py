"""An object store of our own beside a repository's: it reads both and writes only to itself.

What is tried out (trees, trial commits, trial merges) leaves nothing behind in the repository.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pygit2

from manyhands.git import refs
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

_WHO = pygit2.Signature("Manyhands", "manyhands@localhost", 0, 0)


class ScratchObjects:
    """Not for several threads at once."""

    def __init__(self, repo: Path, place: Path) -> None:
        self.repo = repo
        self._place = place
        self.made = 0
        """Objects that were put into it so far, by us alone."""
        pygit2.init_repository(str(place), bare=True)
        listed = place / "objects" / "info" / "alternates"
        listed.parent.mkdir(parents=True, exist_ok=True)
        listed.write_bytes(os.fsencode(refs.common_dir(repo) / "objects") + b"\n")
        self.objects = open_repository(place)

    @functools.cached_property
    def git(self) -> Git:
        """Git in the repository, with its attributes and settings, writing here."""
        return self.within(Git(self.repo))

    def within(self, git: Git) -> Git:
        return git.having(GIT_OBJECT_DIRECTORY=self._place / "objects")

    def tree_of(self, commit: Oid) -> Oid:
        return Oid(str(self.objects[commit].peel(pygit2.Tree).id))

    def commit(self, tree: Oid, parents: Sequence[Oid]) -> Oid:
        """A trial commit, the same for the same tree and parents."""
        self.made += 1
        made = self.objects.create_commit(None, _WHO, _WHO, "trial", tree, list(parents))
        return Oid(str(made))

    def blob(self, content: bytes) -> Oid:
        self.made += 1
        return Oid(str(self.objects.create_blob(content)))

    def content(self, oid: Oid) -> bytes:
        return bytes(self.objects[oid].peel(pygit2.Blob).data)

    def close(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)
