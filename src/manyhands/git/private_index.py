"""A private index: the whole state of a worktree without touching the agent's own index.

It starts as a copy of the agent's index (with its time, or edits of the same moment would be
taken for unchanged), so that only changed files are read, and works while the agent holds
`index.lock` or has conflicts. Kept between calls it also remembers untracked files.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git import refs
from manyhands.git.contents import holds
from manyhands.git.locks import file_lock
from manyhands.git.refs import Repository
from manyhands.git.repository import file_mark
from manyhands.git.runner import Git

GITLINK = b"160000"
TAKE_IN = ("--add", "--remove", "--replace")
"""How an index learns what a file is now."""

# Config that would make git miss or refuse an edit, whatever the user finds handy for himself.
WATCHFUL = {
    "core.ignoreStat": "false",
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.safecrlf": "false",
    "core.quotePath": "false",
    "advice.addEmbeddedRepo": "false",
}


@dataclass(frozen=True)
class Entry:
    """One line of `ls-files -v -s`."""

    tag: bytes
    mode: bytes
    oid: bytes
    stage: bytes
    path: bytes


@dataclass(frozen=True)
class PrivateIndex:
    git: Git
    found: Repository
    worktree: Path
    file: Path
    seeded: tuple[Entry, ...] | None = None
    """The peculiar ones of what it began with, where it has only just begun."""

    def entries(self) -> Iterator[Entry]:
        return map(_entry, self._records())

    def peculiar(self) -> Iterator[Entry]:
        """Entries that are not just a file to look at: links, and what is marked in some way."""
        plain, link = b"H ", b"H " + GITLINK
        return (_entry(r) for r in self._records() if r[:2] != plain or r.startswith(link))

    def _records(self) -> list[bytes]:
        return self.git.run("ls-files", "-v", "-s", "-z").records

    def links(self) -> list[Entry]:
        """Submodules and embedded repositories that the index knows."""
        entries = self.peculiar() if self.seeded is None else self.seeded
        return [entry for entry in entries if entry.mode == GITLINK]

    def take_in(self, paths: Iterable[bytes] | None) -> None:
        """These files, or the whole worktree."""
        if paths is None:
            self.add_all()
        else:
            self.add(paths)

    def add_all(self) -> list[bytes]:
        """Take in the whole worktree; gives what could not be read."""
        links = self.links()
        # A known submodule would be asked whether it is dirty, by a git that runs the filters
        # of its own config. An unknown one is only asked for its commit.
        self.remove(link.path for link in links)
        added = self.git.run("add", "-A", "--sparse", "--ignore-errors", fails_from=2)
        self._put_back(links)
        if not added.returncode:
            return []
        return self.git.run("ls-files", "-z", "-o", "-m", "--exclude-standard").records

    def add(self, paths: Iterable[bytes]) -> None:
        """Take in these files only, or that they are gone."""
        present = {path: holds(self.worktree, path) for path in paths}
        self.remove(path for path, there in present.items() if not there)
        there = (path for path, there in present.items() if there)
        update_index(self.git, *TAKE_IN, paths=there)

    def remove(self, paths: Iterable[bytes]) -> None:
        update_index(self.git, "--force-remove", paths=paths)

    def clear_flags(self, entries: Iterable[Entry]) -> None:
        """Forget the marks that tell git not to look at a file."""
        entries = tuple(entries)
        assumed = [e.path for e in entries if e.tag.islower()]
        # A sparse checkout leaves out whole folders: those are asked for first.
        there = functools.cache(self._exists)
        skipped = [
            e.path
            for e in entries
            if e.tag in b"Ss" and there(e.path.rpartition(b"/")[0]) and self._exists(e.path)
        ]
        update_index(self.git, "--no-assume-unchanged", paths=assumed)
        update_index(self.git, "--no-skip-worktree", paths=skipped)

    def _put_back(self, links: list[Entry]) -> None:
        """Submodules that are not checked out count as unchanged, not as deleted."""
        if not links:
            return
        present = {entry.path for entry in self.entries()}
        absent = [k for k in links if k.path not in present and self._exists(k.path)]
        lines = [b"%s %s 0\t%s\0" % (link.mode, link.oid, link.path) for link in absent]
        self.git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))

    def _exists(self, path: bytes) -> bool:
        # Asked of every file that a sparse checkout leaves out: pathlib would be the cost.
        return os.path.lexists(b"%b/%b" % (os.fsencode(self.worktree), path))


def update_index(git: Git, *options: str, paths: Iterable[bytes]) -> None:
    listed = b"".join(path + b"\0" for path in paths)
    if listed:
        git.run("update-index", *options, "-z", "--stdin", stdin=listed)


def _entry(record: bytes) -> Entry:
    meta, path = record.split(b"\t", 1)
    tag, mode, oid, stage = meta.split(b" ")
    return Entry(tag, mode, oid, stage, path)


@contextmanager
def private_index(
    worktree: Path, *, kept: Path | None = None, durable: bool = False
) -> Iterator[PrivateIndex]:
    """An index of our own for `worktree`; without `kept` it lives as long as the context."""
    with contextlib.ExitStack() as stack:
        if kept is None:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhands-"))
            yield _open(worktree, Path(scratch, "index"), (), durable)
        else:
            held = stack.enter_context(file_lock(kept.with_name(kept.name + ".guard")))
            yield _open(worktree, kept, (held,), durable)


@contextmanager
def scratch_index(worktree: Path) -> Iterator[PrivateIndex]:
    """A private index whose new objects are thrown away with it: for looking only."""
    with (
        private_index(worktree) as index,
        scratch_objects(index.git, index.found.common_dir) as git,
    ):
        yield replace(index, git=git)


@contextmanager
def scratch_objects(git: Git, common_dir: Path) -> Iterator[Git]:
    """The same git, whose new objects are thrown away."""
    there = alternates([common_dir / "objects"])
    with tempfile.TemporaryDirectory(prefix="manyhands-") as new:
        yield git.having(GIT_OBJECT_DIRECTORY=new, GIT_ALTERNATE_OBJECT_DIRECTORIES=there)


def alternates(places: Iterable[Path]) -> str:
    """Object directories as git wants them listed."""
    return ":".join(map(_listed, map(str, places)))


def _listed(place: str) -> str:
    if ":" not in place and not place.startswith('"'):
        return place
    return '"' + place.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _open(worktree: Path, file: Path, inherit: tuple[int, ...], durable: bool) -> PrivateIndex:
    found = refs.require_worktree(worktree)
    settings = WATCHFUL | (refs.DURABLE if durable else {})
    git = replace(Git(worktree), inherit=inherit).having(settings, GIT_INDEX_FILE=file)
    index = PrivateIndex(git, found, worktree, file)
    return replace(index, seeded=_seed(index, found.git_dir / "index"))


def _seed(index: PrivateIndex, source: Path) -> tuple[Entry, ...] | None:
    """Start over from the agent's index, unless it is the one that we started from."""
    # We hold the guard, so this can only be left from a git that was killed.
    index.file.with_name(index.file.name + ".lock").unlink(missing_ok=True)
    note = index.file.with_name(index.file.name + ".seed")
    mark = mark_of(source)
    if index.file.exists() and note.exists() and note.read_text() == mark:
        return None
    note.unlink(missing_ok=True)
    index.file.unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, index.file)
    try:
        entries = tuple(index.peculiar())
        index.clear_flags(entries)
    except GitFailed:
        # A broken index costs time, not work: without it every file is read.
        index.file.unlink(missing_ok=True)
        entries = ()
    note.write_text(mark)
    return entries


def mark_of(source: Path) -> str:
    return " ".join(map(str, file_mark(source)))
