"""Which directories to watch: all but `.git` and big ignored ones, in as few pieces as can be.

A subtree that holds nothing to leave out is watched as a whole. A directory above something
left out is watched by itself, and a new directory right inside it calls for a new plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.model.ids import Oid

PAYS_FROM = 50
"""Directories inside an ignored one from which on leaving it out is worth a split."""


@dataclass(frozen=True)
class WatchPlan:
    whole: tuple[Path, ...]
    """Watched with everything below."""
    flat: tuple[Path, ...]
    """Watched without what is below."""


def make_plan(root: Path, left_out: Iterable[str]) -> WatchPlan:
    """`left_out`: directories relative to the root, none inside another."""
    skipped = {root / name for name in left_out}
    flat = {parent for path in skipped for parent in path.parents if parent.is_relative_to(root)}
    whole = [] if flat else [root]
    for directory in sorted(flat):
        whole += [d for d in _directories(directory) if d not in flat and d not in skipped]
    return WatchPlan(tuple(whole), tuple(sorted(flat)))


def _directories(directory: Path) -> list[Path]:
    try:
        with os.scandir(directory) as entries:
            return sorted(Path(e.path) for e in entries if e.is_dir(follow_symlinks=False))
    except OSError:
        return []


def load_left_out(worktree: Path) -> list[str]:
    """What is not worth watching: `.git`, and ignored directories full of others."""
    asked = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    ignored = [os.fsdecode(r) for r in Git(worktree).run("ls-files", *asked).records]
    big = [name.rstrip("/") for name in ignored if name.endswith("/")]
    left_out = [name for name in big if _is_big(worktree / name)]
    return [*left_out, *([".git"] if (worktree / ".git").is_dir() else [])]


def _is_big(directory: Path) -> bool:
    count = 0
    for _, names, _ in os.walk(directory):
        count += len(names)
        if count >= PAYS_FROM:
            return True
    return False


def unreadable_directories(root: Path) -> list[str]:
    """Directories that cannot be watched because we may not read them."""
    below = (Path(place, name) for place, names, _ in os.walk(root) for name in names)
    closed = (path for path in below if not os.access(path, os.R_OK | os.X_OK))
    return [str(path.relative_to(root)) for path in closed]


def load_base_directories(worktree: Path, base: Oid) -> frozenset[str]:
    """Every directory of the base commit: one of them gone means many files gone."""
    listing = Git(worktree).run("ls-tree", "-r", "-d", "-z", "--name-only", base)
    return frozenset(os.fsdecode(r) for r in listing.records)
