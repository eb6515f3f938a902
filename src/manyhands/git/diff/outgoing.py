"""What a push would send that the remote does not have: words, lines, files and their sizes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.diff.diff import shown
from manyhands.git.private_index import GITLINK
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

PATCH_LIMIT = 64 << 20
MESSAGES_LIMIT = 8 << 20
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_PATCH = (
    *("log", "--format=", "-p", "-U0", "--no-color", "--no-renames", "--diff-merges=remerge"),
    # Whatever an attribute or a zero byte says of a file, it is sent, so it is read.
    *("--text", "--src-prefix=a/", "--dst-prefix=b/"),
)
_NAMES = (
    *("log", "--format=", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-merges=remerge"),
)
_ABSENT = b"000000"


@dataclass(frozen=True)
class Added:
    """Lines that were added one after another, from `line` on."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class NewFile:
    path: str
    oid: str
    bytes: int


@dataclass(frozen=True)
class CommitMessage:
    commit: Oid
    text: str


@dataclass(frozen=True)
class Outgoing:
    commits: int
    messages: tuple[CommitMessage, ...]
    added: tuple[Added, ...]
    files: tuple[NewFile, ...]
    cut: bool
    """Whether it was too much to look at all of it."""


def load_outgoing(worktree: Path, remote: str, tip: Oid) -> Outgoing:
    """Every commit counts, not only the last state: what was added and removed again is sent."""
    git = Git(worktree).having({"core.quotePath": "false"})
    span = (tip, "--not", f"--remotes={remote}")
    commits = int(git.run("rev-list", "--count", *span).line)
    said = git.run("log", "-z", "--format=%H%n%an <%ae>%n%B", *span, limit=MESSAGES_LIMIT)
    patch = git.run(*_PATCH, *span, limit=PATCH_LIMIT)
    return Outgoing(
        commits,
        tuple(map(_message, said.records)),
        tuple(_added(patch.stdout)),
        tuple(_files(git, span)),
        patch.cut or said.cut,
    )


def _message(record: bytes) -> CommitMessage:
    commit, _, text = record.decode("utf-8", "replace").partition("\n")
    return CommitMessage(Oid(commit), text)


def _added(patch: bytes) -> Iterator[Added]:
    path, line, old, new = "", 0, 0, 0
    run: list[bytes] = []
    for raw in patch.split(b"\n"):
        if new and raw.startswith(b"+"):
            run.append(raw[1:])
            line, new = line + 1, new - 1
            continue
        if run:
            yield _run(path, line, run)
            run = []
        if old or new:
            old -= raw.startswith(b"-")
        elif raw.startswith(b"+++ "):
            path = shown(raw[4:].strip(b'"\t').removeprefix(b"b/"))
        elif hunk := _HUNK.match(raw):
            old, new = int(hunk[1] or 1), int(hunk[3] or 1)
            line = int(hunk[2])
    if run:
        yield _run(path, line, run)


def _run(path: str, after: int, lines: list[bytes]) -> Added:
    return Added(path, after - len(lines), b"\n".join(lines).decode("utf-8", "replace"))


def _files(git: Git, span: tuple[str, ...]) -> Iterator[NewFile]:
    """By the names that commits give them: one content may go by several, or be there already."""
    said = git.run(*_NAMES, *span).records
    named: dict[tuple[bytes, bytes], None] = {}
    for about, path in zip(said[0::2], said[1::2], strict=True):
        mode, oid = about.lstrip(b"\n:").split(b" ")[1:4:2]
        if mode not in (_ABSENT, GITLINK):
            named[path, oid] = None
    if not named:
        return
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    asked = git.run("cat-file", form, stdin=b"".join(oid + b"\n" for _, oid in named))
    for (path, oid), row in zip(named, asked.stdout.splitlines(), strict=True):
        yield NewFile(shown(path), os.fsdecode(oid), int(row.rpartition(b" ")[2]))
