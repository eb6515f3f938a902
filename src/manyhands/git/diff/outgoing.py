"""What a push would send that the remote does not have: lines, files and their sizes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.diff.diff import shown
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

PATCH_LIMIT = 64 << 20
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_PATCH = (
    *("log", "--format=", "-p", "-U0", "--no-color", "--no-renames", "--diff-merges=remerge"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


@dataclass(frozen=True)
class AddedLine:
    path: str
    line: int
    text: str


@dataclass(frozen=True)
class NewFile:
    path: str
    oid: str
    bytes: int


@dataclass(frozen=True)
class Outgoing:
    commits: int
    added: tuple[AddedLine, ...]
    files: tuple[NewFile, ...]
    cut: bool
    """Whether it was too much to look at all of it."""


def load_outgoing(worktree: Path, remote: str, tip: Oid) -> Outgoing:
    """Every commit counts, not only the last state: what was added and removed again is sent."""
    git = Git(worktree).having({"core.quotePath": "false"})
    span = (tip, "--not", f"--remotes={remote}")
    commits = int(git.run("rev-list", "--count", *span).line)
    patch = git.run(*_PATCH, *span, limit=PATCH_LIMIT)
    return Outgoing(commits, tuple(_added(patch.stdout)), tuple(_files(git, span)), patch.cut)


def _added(patch: bytes) -> Iterator[AddedLine]:
    path, line, old, new = "", 0, 0, 0
    for raw in patch.split(b"\n"):
        if old or new:
            if raw.startswith(b"+"):
                yield AddedLine(path, line, raw[1:].decode("utf-8", "replace"))
                line, new = line + 1, new - 1
            elif raw.startswith(b"-"):
                old -= 1
        elif raw.startswith(b"+++ "):
            path = shown(raw[4:].strip(b'"\t').removeprefix(b"b/"))
        elif hunk := _HUNK.match(raw):
            old, new = int(hunk[1] or 1), int(hunk[3] or 1)
            line = int(hunk[2])


def _files(git: Git, span: tuple[str, ...]) -> Iterator[NewFile]:
    listed = git.run("rev-list", "--objects", *span).stdout.splitlines()
    named = dict(line.split(b" ", 1) for line in listed if b" " in line)
    if not named:
        return
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    asked = git.run("cat-file", form, stdin=b"".join(oid + b"\n" for oid in named))
    for row in asked.stdout.splitlines():
        oid, kind, size = row.split(b" ")
        if kind == b"blob":
            yield NewFile(shown(named[oid]), os.fsdecode(oid), int(size))
