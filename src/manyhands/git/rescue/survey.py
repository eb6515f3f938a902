"""What exists only in a worktree and would be lost with it; what cannot be known is unsafe."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.git import refs
from manyhands.git.contents import scan
from manyhands.git.diff.diff import shown
from manyhands.git.private_index import private_index
from manyhands.git.refs import Repository
from manyhands.git.runner import Git
from manyhands.git.snapshot import nested
from manyhands.model.ids import Oid

T = TypeVar("T")

OPERATIONS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
_FIELDS = {"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}
_KINDS = {"u": "unmerged", "?": "untracked", "!": "ignored"}
_CHANGES = ("staged", "unstaged", "unmerged")
_OID = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")


class UnkeptFile(msgspec.Struct, frozen=True):
    path: str
    bytes: int


class Holding(msgspec.Struct, frozen=True):
    """One line of a survey, in words."""

    what: str
    bytes: int = 0


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    untracked: tuple[UnkeptFile, ...] = ()
    ignored: tuple[UnkeptFile, ...] = ()
    staged: tuple[str, ...] = ()
    unstaged: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    unpushed: int = 0
    """Commits of the branch that no remote has."""
    detached: int = 0
    """Commits that only a detached HEAD holds."""
    reflog_only: int = 0
    """Commits that only the reflog remembers, after an amend or a reset."""
    operation: str | None = None
    """What git is in the middle of."""
    submodules: tuple[str, ...] = ()
    """Submodules with commits or changes of their own."""
    embedded: tuple[UnkeptFile, ...] = ()
    refusals: tuple[str, ...] = ()
    """Why it cannot be said what would be lost."""

    @property
    def safe(self) -> bool:
        """Whether nothing would be lost."""
        return self == Survey()

    @property
    def local(self) -> tuple[Holding, ...]:
        """What goes with the worktree's directory, whatever becomes of the branch."""
        return msgspec.structs.replace(self, unpushed=0).holdings

    @property
    def holdings(self) -> tuple[Holding, ...]:
        files = [
            Holding(f"{kind} {work.path}", work.bytes)
            for kind in ("untracked", "ignored", "embedded")
            for work in getattr(self, kind)
        ]
        changes = [Holding(f"{kind} {path}") for kind in _CHANGES for path in getattr(self, kind)]
        commits = [
            Holding(_commits(number, where))
            for number, where in (
                (self.unpushed, "not pushed"),
                (self.detached, "on a detached HEAD only"),
                (self.reflog_only, "in the reflog only"),
            )
            if number
        ]
        inside = [Holding(f"submodule {path} with work of its own") for path in self.submodules]
        unfinished = [Holding(f"a {self.operation} in progress")] if self.operation else []
        return (*files, *changes, *commits, *inside, *unfinished)


def _commits(number: int, where: str) -> str:
    return f"{number} commit{'' if number == 1 else 's'} {where}"


def survey(worktree: Path, base: Oid, branch: str) -> Survey:
    """Everything; a part that fails is named in `refusals`."""
    try:
        found = refs.require_worktree(worktree)
    except ManyhandsError as error:
        return Survey(refusals=(error.message,))
    parts = _Surveying(worktree, found, base, branch)
    changes = parts.part("the files", parts.changes, Survey())
    nothing: tuple[list[str], list[UnkeptFile]] = ([], [])
    inside = parts.part("repositories inside", parts.inside, nothing)
    return msgspec.structs.replace(
        changes,
        unpushed=parts.part("the branch", parts.unpushed, 0),
        detached=parts.part("HEAD", parts.detached, 0),
        reflog_only=parts.part("the reflog", parts.reflog_only, 0),
        operation=operation(found.git_dir),
        submodules=tuple(inside[0]),
        embedded=tuple(inside[1]),
        refusals=tuple(parts.refusals),
    )


def operation(git_dir: Path) -> str | None:
    """What git is in the middle of, by the files it keeps for that."""
    return next((name for file, name in OPERATIONS.items() if (git_dir / file).exists()), None)


def reflog_oids(found: Repository, branch: str) -> set[bytes]:
    """Every commit that the logs of HEAD and the branch name."""
    oids: set[bytes] = set()
    for log in (found.git_dir / "logs/HEAD", found.common_dir / "logs/refs/heads" / branch):
        if log.is_file():
            oids |= set(_OID.findall(log.read_bytes()))
    return {oid for oid in oids if oid.strip(b"0")}


def existing(git: Git, oids: Iterable[bytes]) -> dict[str, str]:
    """Those objects that are there, with their types."""
    asked = b"".join(oid + b"\n" for oid in sorted(oids))
    if not asked:
        return {}
    lines = git.run("cat-file", "--batch-check", stdin=asked).stdout.decode().splitlines()
    parts = [line.split(" ") for line in lines]
    return {p[0]: p[1] for p in parts if len(p) == 3 and p[2].isdigit()}


class _Surveying:
    def __init__(self, worktree: Path, found: Repository, base: Oid, branch: str) -> None:
        self.worktree, self.found, self.base, self.branch = worktree, found, base, branch
        self.git = Git(worktree)
        self.refusals: list[str] = []

    def part(self, what: str, find: Callable[[], T], otherwise: T) -> T:
        try:
            return find()
        except (ManyhandsError, OSError) as error:
            self.refusals.append(f"{what}: {error}")
            return otherwise

    def changes(self) -> Survey:
        argv = ("status", "--porcelain=v2", "-z", "--ignored=matching", "--ignore-submodules=dirty")
        found: defaultdict[str, list[bytes]] = defaultdict(list)
        with private_index(self.worktree) as index:
            records = iter(index.git.run(*argv, "--untracked-files=normal").records)
        for record in records:
            kind = chr(record[0])
            fields = record.split(b" ", _FIELDS[kind])
            if kind == "2":
                next(records)  # the name before
            if kind in _KINDS:
                found[_KINDS[kind]].append(fields[-1])
                continue
            for letter, where in zip(fields[1].decode(), ("staged", "unstaged"), strict=True):
                if letter != ".":
                    found[where].append(fields[-1])
        return Survey(
            untracked=tuple(map(self._work, found["untracked"])),
            ignored=tuple(map(self._work, found["ignored"])),
            staged=tuple(map(shown, found["staged"])),
            unstaged=tuple(map(shown, found["unstaged"])),
            unmerged=tuple(map(shown, found["unmerged"])),
        )

    def _work(self, path: bytes) -> UnkeptFile:
        return UnkeptFile(shown(path), nested.size_of(self.worktree / os.fsdecode(path)))

    def unpushed(self) -> int:
        tips = [oid for oid in (refs.branch_tip(self.worktree, self.branch), self._head()) if oid]
        return self._count(tips, "--remotes")

    def detached(self) -> int:
        head = self._head()
        if head is None or refs.current_branch(self.worktree) is not None:
            return 0
        return self._count([head], "--branches", "--remotes", "--tags")

    def reflog_only(self) -> int:
        types = existing(self.git, reflog_oids(self.found, self.branch))
        commits = [Oid(oid) for oid, kind in types.items() if kind == "commit"]
        return self._count(commits, "HEAD", "--branches", "--remotes", "--tags")

    def _head(self) -> Oid | None:
        return refs.resolve(self.worktree, "HEAD")

    def _count(self, tips: list[Oid], *known: str) -> int:
        if not tips:
            return 0
        asked = "".join(f"{tip}\n" for tip in tips).encode()
        argv = ("rev-list", "--count", "--stdin", "--not", self.base, *known)
        return int(self.git.run(*argv, stdin=asked).line)

    def inside(self) -> tuple[list[str], list[UnkeptFile]]:
        submodules: list[str] = []
        embedded: list[UnkeptFile] = []
        for path in scan(self.worktree).repositories:
            inner = self.worktree / os.fsdecode(path)
            if not nested.is_submodule(self.found, inner):
                embedded.append(self._work(path))
            elif _has_own_work(inner):
                submodules.append(shown(path))
        return submodules, embedded


def _has_own_work(submodule: Path) -> bool:
    git = Git(submodule)
    own = git.run("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes").stdout
    changed = git.run("status", "--porcelain", "-z", "--ignored", "--ignore-submodules=dirty")
    return bool(own or changed.stdout)
