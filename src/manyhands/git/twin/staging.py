"""One index follows another, by what is staged on top of a commit: never by its file.

What is listed may come from somebody who lies, so it is read strictly. The index that follows is
changed by git itself and only where it differs: what it knows of files stays.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git.private_index import GITLINK, update_index
from manyhands.git.runner import Git

LISTING_BYTES = 256 << 20
PATIENCE_SECONDS, LOOK_SECONDS = 10.0, 0.02
_GONE = b"000000"
_RAW = re.compile(
    rb":([0-7]{6}) ([0-7]{6}) ([0-9a-f]{64}|[0-9a-f]{40}) ([0-9a-f]{64}|[0-9a-f]{40}) ([ADMTU])"
)
_STAGE = re.compile(rb"([0-7]{6}) ([0-9a-f]{64}|[0-9a-f]{40}) ([123])\t(.+)", re.DOTALL)
_LINK_MODE = b"\x00\x00\xe0\x00"
"""As an index has it."""
_LISTED_LINK = re.compile(rb"[A-Z] 160000 [0-9a-f]+ 0\t(.+)", re.DOTALL)
"""One that is not assumed to be unchanged."""
_MODES = {b"100644", b"100755", b"120000", GITLINK, _GONE}
_DIFF = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
_LINKS = "--ignore-submodules=none"

Entry = tuple[bytes, bytes]
"""Mode and object."""


@dataclass(frozen=True)
class Difference:
    """Where an index is not what a commit has."""

    commit: dict[bytes, Entry] = field(default_factory=dict)
    index: dict[bytes, Entry] = field(default_factory=dict)
    """By path; a mode of zeros where there is nothing."""
    unmerged: dict[bytes, tuple[tuple[bytes, bytes, bytes], ...]] = field(default_factory=dict)
    """Mode, object and stage of each side."""

    @property
    def paths(self) -> set[bytes]:
        return {*self.index, *self.unmerged}

    @property
    def blobs(self) -> set[bytes]:
        """What must be there so that it can be staged."""
        sides = [(mode, oid) for entries in self.unmerged.values() for mode, oid, _ in entries]
        entries = [*self.index.values(), *sides]
        return {oid for mode, oid in entries if mode not in (_GONE, GITLINK)}

    @property
    def digest(self) -> str:
        whole = repr((sorted(self.index.items()), sorted(self.unmerged.items())))
        return hashlib.sha256(whole.encode()).hexdigest()


def load_staged(git: Git, commit: str) -> Difference:
    """What the index has on top of the commit."""
    found = git.run(*_DIFF, _LINKS, commit, "--", limit=LISTING_BYTES)
    if found.cut:
        raise NotPossible("more is staged than can be looked at")
    difference = _parse(found.records)
    if difference.unmerged:
        listed = git.run("ls-files", "-u", "-z", limit=LISTING_BYTES)
        difference.unmerged.update(_parse_unmerged(listed.records))
    return difference


def _parse(records: list[bytes]) -> Difference:
    found = Difference()
    if len(records) % 2:
        raise NotPossible("it is not what git says")
    for about, path in zip(records[0::2], records[1::2], strict=True):
        match = _RAW.fullmatch(about)
        if match is None or match[2] not in _MODES or not _is_plain(path):
            raise NotPossible("a path or mode that git does not allow")
        old, new, old_oid, new_oid, kind = match.groups()
        found.commit.setdefault(path, (old, old_oid))
        if kind == b"U":
            found.unmerged[path] = ()
        else:
            found.index[path] = (new, new_oid)
    for path in found.unmerged:
        found.index.pop(path, None)
    return found


def _parse_unmerged(records: list[bytes]) -> dict[bytes, tuple[tuple[bytes, bytes, bytes], ...]]:
    found: dict[bytes, list[tuple[bytes, bytes, bytes]]] = {}
    for record in records:
        match = _STAGE.fullmatch(record)
        if match is None or match[1] not in _MODES or not _is_plain(match[4]):
            raise NotPossible("it is not what git says")
        found.setdefault(match[4], []).append((match[1], match[2], match[3]))
    return {path: tuple(sides) for path, sides in found.items()}


def _is_plain(path: bytes) -> bool:
    parts = path.lower().split(b"/")
    return not any(part in (b"", b".", b"..", b".git") for part in parts) and b"\0" not in path


def load_skipped(git: Git) -> frozenset[bytes]:
    """Paths that a sparse checkout leaves out."""
    records = git.run("ls-files", "-t", "-z", limit=LISTING_BYTES).records
    return frozenset(record[2:] for record in records if record.startswith(b"S "))


def follow(
    git: Git,
    lock: Path | None,
    commit: str,
    wanted: Difference,
    skipped: frozenset[bytes] = frozenset(),
) -> int:
    """Make the index the commit's with `wanted` on top; how many paths that changed."""
    there = load_staged(git, commit)
    lines, kept = [], []
    for path in sorted(there.paths | wanted.paths):
        change = list(_change(path, there, wanted))
        lines += change
        if change and path not in wanted.unmerged and not change[-1].startswith(b"0 "):
            kept.append(path)
    if not lines:
        return 0
    _await_lock(lock)
    try:
        _write_entries(git, lines, shielded=lock is not None)
        if kept:
            # Only these are compared with their files: all others are known.
            argv = ("add", "--refresh", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
            git.run(*argv, stdin=b"".join(path + b"\0" for path in kept), check=False)
        update_index(git, "--skip-worktree", paths=skipped.intersection(kept))
    except GitFailed as error:
        if "index.lock" not in error.stderr:
            raise
        raise NotPossible(
            "another git holds the index, which follows with the next sync", hint=error.stderr
        ) from error
    return len(lines)


def _write_entries(git: Git, lines: list[bytes], *, shielded: bool) -> None:
    links = [line for line in lines if shielded and line.startswith(GITLINK)]
    others = [line for line in lines if line not in links] if links else lines
    if others:
        git.run("update-index", "-z", "--index-info", stdin=b"".join(others))
    if links:
        assumed = git.having({"core.ignoreStat": "true"})
        assumed.run("update-index", "-z", "--index-info", stdin=b"".join(links))


def shield_links(git: Git, index: Path) -> None:
    """Repositories within the worktree are taken to be unchanged here: to find out, the user's own
    git would run in each, by a config that whoever made it has written."""
    if not index.is_file() or _LINK_MODE not in index.read_bytes():
        return
    listed = git.run("ls-files", "-s", "-v", "-z", limit=LISTING_BYTES).records
    found = (_LISTED_LINK.match(record) for record in listed)
    update_index(git, "--assume-unchanged", paths={m[1] for m in found if m})


def _change(path: bytes, there: Difference, wanted: Difference) -> Iterator[bytes]:
    if path in wanted.unmerged:
        if there.unmerged.get(path) != wanted.unmerged[path]:
            yield _line(_GONE, b"", path)
            for mode, oid, stage in wanted.unmerged[path]:
                yield b"%b %b %b\t%b\0" % (mode, oid, stage, path)
        return
    in_commit = there.commit.get(path) or wanted.commit[path]
    new = wanted.index.get(path, in_commit)
    if path in there.unmerged or there.index.get(path, in_commit) != new:
        if path in there.unmerged:
            yield _line(_GONE, b"", path)
        yield _line(*new, path)


def _line(mode: bytes, oid: bytes, path: bytes) -> bytes:
    if mode == _GONE:
        return b"0 %b\t%b\0" % (b"0" * (len(oid) or 40), path)
    return b"%b %b 0\t%b\0" % (mode, oid, path)


def _await_lock(lock: Path | None) -> None:
    """Nobody tells when it is free; one that stays is git's to complain of."""
    until = time.monotonic() + PATIENCE_SECONDS
    while lock is not None and lock.exists() and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)


def make_blob_tree(git: Git, blobs: Mapping[bytes, None]) -> str:
    """A tree that names them all, so that they can be fetched as one."""
    lines = b"".join(b"100644 blob %b\t%b\0" % (oid, oid) for oid in sorted(blobs))
    made = git.run("mktree", "-z", stdin=lines, limit=100).line
    if not re.fullmatch("[0-9a-f]{40,64}", made):
        raise NotPossible("it is not what git says")
    return made
