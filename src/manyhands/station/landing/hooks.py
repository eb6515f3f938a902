"""What of a worktree's own a landing would run: its hooks, and filters that its config names."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from manyhands.git import refs
from manyhands.git.outside import hooks
from manyhands.git.settings import load_settings
from manyhands.model.repo.runnable import Runnable
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

COMMIT = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite")
PUSH = ("pre-push",)
PRE_COMMIT = ".pre-commit-config.yaml"
LARGEST = 1024 * 1024
_MANAGERS = re.compile(
    r"\.(husky|githooks|git-hooks|lefthook|git/hooks)/.*|"
    r"\.?(lefthook|pre-commit|huskyrc|overcommit)"
)
"""Files of programs that stand in for hooks, by how their paths begin."""
_FILTER = re.compile(r"filter\..+\.(clean|smudge|process)", re.DOTALL)
_LFS = re.compile(r"git[- ]lfs (clean -- %f|smudge -- %f|filter-process)")
"""As `git lfs install --local` writes it: the same program as in the user's own config."""


def is_of_hooks(path: str) -> bool:
    """Whether something that could run would do so at a commit or a push."""
    return bool(_MANAGERS.match(path))


@in_thread
def load_hooks(at: Worktree, names: Sequence[str]) -> tuple[Runnable, ...]:
    """What runs where one of these hooks is there; nothing where none is. What the user's own
    config names is the user's choice."""
    where = _where(at)
    if not any(hooks.find_hook(where, name) for name in names):
        return ()
    found = [_piece(PRE_COMMIT, where / PRE_COMMIT)] if (where / PRE_COMMIT).is_file() else []
    if not hooks.are_users_own(where):
        found += _in_directory(where, hooks.hooks_directory(where))
    return tuple(found)


@in_thread
def load_filters(at: Worktree) -> tuple[Runnable, ...]:
    """Programs through which its own config lets contents pass."""
    return tuple(
        _known(f".git/config {key}", os.fsencode(value))
        for key, value in load_settings(_where(at)).of_repository
        if value and _FILTER.fullmatch(key) and not _LFS.fullmatch(value)
    )


def _where(at: Worktree) -> Path:
    return at.root if at.root.is_dir() else at.repository


def _in_directory(worktree: Path, directory: Path) -> Iterator[Runnable]:
    shared = refs.common_dir(worktree) / "hooks"
    for file in sorted(directory.iterdir()):
        if file.suffix == ".sample" or not file.is_file():
            continue
        if directory.resolve() == shared.resolve():
            name = f".git/hooks/{file.name}"
        elif file.is_relative_to(worktree):
            name = str(file.relative_to(worktree))
        else:
            name = str(file)
        yield _piece(name, file)


def _piece(name: str, file: Path) -> Runnable:
    with file.open("rb") as opened:
        return _known(name, opened.read(LARGEST))


def _known(name: str, data: bytes) -> Runnable:
    digest = hashlib.sha256(os.fsencode(name) + b"\0" + data).hexdigest()
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    return Runnable(shown, digest, data.decode("utf-8", "replace"))
