"""Who is in whose way, found out by plain git: land everybody in checkouts, and look."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from tests.support.sides import git

FILE_MODES = ("100644", "100755")


@dataclass(frozen=True)
class Told:
    """One session, as it would be if everything were committed now."""

    name: str
    tip: str
    start: str
    """Where it began, or was updated to."""
    base: str
    """Where its base is now."""


def who_conflicts(clone: Path, sessions: list[Told]) -> set[tuple[str, str]]:
    """Pairs of sessions; those in conflict with their base are paired with "base"."""
    return {(s.name, "base") for s in sessions if _conflicts_with_base(clone, s)} | {
        (one.name, other.name)
        for one, other in combinations(sessions, 2)
        if _conflict(clone, one, other)
    }


def _conflicts_with_base(clone: Path, s: Told) -> bool:
    return not _has_changed_nothing(clone, s, s.base) and not _land(clone, s, s.base)


def _conflict(clone: Path, one: Told, other: Told) -> bool:
    ground = _ground(clone, one.base, other.base)
    first, second = (_landed(clone, s, ground) for s in (one, other))
    _check_out(clone, first)
    return not _merge(clone, second)


def _ground(clone: Path, one: str, other: str) -> str:
    """Both bases merged; one settles it for the other where they conflict."""
    first, second = sorted((one, other))
    _check_out(clone, first)
    if not _merge(clone, second):
        _settle(clone, "ours")
    return git(clone, "rev-parse", "HEAD")


def _landed(clone: Path, s: Told, ground: str) -> str:
    """The ground with the session's own change; where they conflict, the session has its way."""
    if _has_changed_nothing(clone, s, ground):
        return ground
    _land(clone, s, ground)
    _settle(clone, "theirs")
    return git(clone, "rev-parse", "HEAD")


def _land(clone: Path, s: Told, ground: str) -> bool:
    """Whether it is clean. What the session has of a base that was rewritten stays behind."""
    fork = _fork(clone, s, ground)
    _check_out(clone, ground)
    if not fork or _is_part(clone, fork, ground):
        return _merge(clone, s.tip)
    own = git(clone, "commit-tree", f"{s.tip}^{{tree}}", "-p", fork, "-m", "own")
    git(clone, "cherry-pick", "--allow-empty", "--keep-redundant-commits", own, check=False)
    return not git(clone, "ls-files", "--unmerged")


def _has_changed_nothing(clone: Path, s: Told, ground: str) -> bool:
    fork = _fork(clone, s, ground)
    return bool(fork) and not git(clone, "diff", "--name-only", fork, s.tip)


def _fork(clone: Path, s: Told, ground: str) -> str:
    """Empty where there are several."""
    common = git(clone, "merge-base", "--all", s.tip, ground, check=False).split()
    if not _is_part(clone, s.start, ground) and _is_part(clone, s.start, s.tip):
        only = common[0] if len(common) == 1 else ""
        return s.start if not only or _is_part(clone, only, s.start) else only
    return common[0] if len(common) == 1 else ""


def _is_part(clone: Path, commit: str, tip: str) -> bool:
    return git(clone, "merge-base", commit, tip, check=False) == commit


def _check_out(clone: Path, commit: str) -> None:
    git(clone, "reset", "-q", "--hard")
    git(clone, "clean", "-qfdx")
    git(clone, "checkout", "-q", "--detach", commit)


def _merge(clone: Path, other: str) -> bool:
    """Whether it is clean."""
    git(clone, "merge", "-q", "--no-edit", other, check=False)
    return not git(clone, "ls-files", "--unmerged") and _is_part(clone, other, "HEAD")


def _settle(clone: Path, way: str) -> None:
    """What is left in conflict, path by path, as this side would have it."""
    if not git(clone, "ls-files", "--unmerged"):
        return
    wanted = 2 if way == "ours" else 3
    for path, stages in _unmerged(clone):
        git(clone, "update-index", "--force-remove", path)
        if wanted not in stages:
            continue
        mode, oid = stages[wanted]
        if len(stages) == 3 and all(mode in FILE_MODES for mode, _ in stages.values()):
            base, other = stages[1], stages[5 - wanted]
            mode = other[0] if mode == base[0] else mode
            oid = _merged_file(clone, way, stages) or oid
        git(clone, "update-index", "--add", "--replace", "--cacheinfo", f"{mode},{oid},{path}")
    git(clone, "commit", "-q", "--no-edit", "--allow-empty", "--no-verify")


def _merged_file(clone: Path, way: str, stages: dict[int, tuple[str, str]]) -> str:
    """Empty where it is no text."""
    files = {number: clone / git(clone, "unpack-file", oid) for number, (_, oid) in stages.items()}
    argv = ["git", "merge-file", "-q", f"--{way}", *(str(files[number]) for number in (2, 1, 3))]
    done = subprocess.run(argv, cwd=clone, capture_output=True, check=False)
    return (
        git(clone, "hash-object", "-w", "--no-filters", str(files[2]))
        if not done.returncode
        else ""
    )


def _unmerged(clone: Path) -> Iterator[tuple[str, dict[int, tuple[str, str]]]]:
    found: dict[str, dict[int, tuple[str, str]]] = {}
    for entry in git(clone, "ls-files", "--unmerged", "-z").split("\0"):
        if entry:
            meta, path = entry.split("\t", 1)
            mode, oid, stage = meta.split(" ")
            found.setdefault(path, {})[int(stage)] = (mode, oid)
    yield from found.items()
