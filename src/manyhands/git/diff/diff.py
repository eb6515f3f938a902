"""Whole-tree diffs: a worktree with everything uncommitted and untracked, or two trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from manyhands.git.hardening import Argument
from manyhands.git.private_index import scratch_index
from manyhands.git.runner import Git
from manyhands.model.events import FileStatus
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import Diff, FileDiff

FILE_LIMIT = 1 << 20
"""A file over this many bytes is listed and counted, its patch left out."""
PATCH_LIMIT = 16 << 20

_STATUS: dict[str, FileStatus] = {
    "A": "added",
    "C": "added",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "typechange",
}
_ABSENT = "000000"


def shown(raw: bytes) -> str:
    """A name as text that is always valid: what is no UTF-8 becomes ``\\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


def diff_worktree(
    worktree: Path,
    base: Oid,
    *,
    patch: bool = True,
    renames: bool = True,
    paths: list[bytes] | None = None,
    file_limit: int = FILE_LIMIT,
    patch_limit: int = PATCH_LIMIT,
) -> Diff:
    """The worktree as it is now against `base`; ignored files apart, everything counts."""
    with scratch_index(worktree) as index:
        index.take_in(paths)
        limits = (file_limit, patch_limit) if patch else None
        what: list[Argument] = [*options(renames), base, "--", *(paths or [])]
        return compare(index.git, ["diff-index", "--cached", *what], limits)


def scan_worktree(worktree: Path, base: Oid) -> tuple[list[FileDiff], list[FileDiff]]:
    """The whole diff path by path; and as people see it, with moved files as one, where there may
    be any. What is there is taken in once for both."""
    with scratch_index(worktree) as index:
        index.take_in(None)
        plain = _by_path(index.git, base)
        if not may_hold_moves(plain):
            return plain, []
        what: list[Argument] = [*options(), base, "--"]
        return plain, compare(index.git, ["diff-index", "--cached", *what], None).files


def _by_path(git: Git, base: Oid) -> list[FileDiff]:
    what: list[Argument] = [*options(renames=False), base, "--"]
    return compare(git, ["diff-index", "--cached", *what], None).files


def may_hold_moves(files: Iterable[FileDiff]) -> bool:
    return {"added", "deleted"} <= {file.status for file in files}


def diff_trees(
    repo: Path,
    old: Oid,
    new: Oid,
    *,
    patch: bool = True,
    renames: bool = True,
) -> Diff:
    """One commit or tree against another."""
    command = ["diff-tree", "-r", *options(renames), old, new, "--"]
    return compare(Git(repo), command, (FILE_LIMIT, PATCH_LIMIT) if patch else None)


def options(renames: bool = True, ignore_space: bool = False) -> list[str]:
    space = ["-w"] if ignore_space else []
    return [*space, "--full-index", "--find-renames" if renames else "--no-renames", "-l2000"]


def compare(git: Git, command: Sequence[Argument], limits: tuple[int, int] | None) -> Diff:
    """What a plumbing command finds; `limits` of one file and of all, None for no patch."""
    name, *rest = command
    listing = git.run(name, "--raw", "--numstat", "-z", *rest).records
    files = _files(listing)
    if limits is None or not files:
        return Diff(files=files)
    file_limit, patch_limit = limits
    bounded = git.having({"core.bigFileThreshold": str(file_limit), "core.quotePath": "false"})
    result = bounded.run(name, "-p", *rest, limit=patch_limit)
    sections = _sections(result.stdout, result.cut)
    files = _mark_omitted(files, sections)
    return Diff(files=files, patch=b"".join(sections).decode("utf-8", "replace"))


def sections(diff: Diff) -> Iterator[tuple[FileDiff, str]]:
    """Every file with its part of the patch, empty where that was left out."""
    for file, mine in _by_file(diff.files, _sections(diff.patch.encode(), False)):
        yield file, b"".join(mine).decode()


def _files(records: list[bytes]) -> list[FileDiff]:
    """Read raw records, then the numstat records of the same files in the same order."""
    pending = iter(records)
    changes: list[tuple[list[str], list[bytes]]] = []
    counts: dict[bytes, bytes] = {}
    for record in pending:
        if record.startswith(b":"):
            meta = record[1:].decode().split(" ")
            names = [next(pending) for _ in range(2 if meta[4][0] in "RC" else 1)]
            changes.append((meta, names))
        elif record.endswith(b"\t"):  # a rename's names follow
            next(pending)
            counts[next(pending)] = record
        else:
            counts[record.split(b"\t", 2)[2]] = record
    # Where spaces are ignored, a file in which nothing else changed has no count.
    return [_file(meta, names, counts[names[-1]]) for meta, names in changes if names[-1] in counts]


def _file(meta: list[str], names: list[bytes], count: bytes) -> FileDiff:
    added, removed, _ = count.split(b"\t", 2)
    binary = added == b"-"
    return FileDiff(
        path=shown(names[-1]),
        old_path=shown(names[0]) if len(names) > 1 else None,
        status=_STATUS[meta[4][0]],
        added=0 if binary else int(added),
        removed=0 if binary else int(removed),
        binary=binary,
        old_mode=None if meta[0] == _ABSENT else meta[0],
        new_mode=None if meta[1] == _ABSENT else meta[1],
        old_blob=_blob(meta[0], meta[2]),
        new_blob=_blob(meta[1], meta[3]),
    )


def _blob(mode: str, oid: str) -> Oid:
    return Oid("" if mode == _ABSENT else oid)


def _sections(patch: bytes, cut: bool) -> list[bytes]:
    """The patch file by file; of a cut patch only what is whole."""
    head = b"diff --git "
    parts = patch.split(b"\n" + head)
    sections = [parts[0], *(head + part for part in parts[1:])]
    whole = sections[:-1] if cut else sections
    return [s + b"\n" for s in whole[:-1]] + [s if not cut else s + b"\n" for s in whole[-1:]]


def _by_file(
    files: list[FileDiff], sections: list[bytes]
) -> Iterator[tuple[FileDiff, list[bytes]]]:
    pending = iter(sections)
    for file in files:
        # A file that became a link, say, is shown as one deletion and one addition.
        yield file, [next(pending, b"") for _ in range(2 if file.status == "typechange" else 1)]


def _mark_omitted(files: list[FileDiff], sections: list[bytes]) -> list[FileDiff]:
    marked = []
    for file, mine in _by_file(files, sections):
        left_out = not all(mine) or (not file.binary and any(_is_binary(s) for s in mine))
        marked.append(msgspec.structs.replace(file, omitted=left_out) if left_out else file)
    return marked


def _is_binary(section: bytes) -> bool:
    return b"\nBinary files " in section.partition(b"\n@@ ")[0]
