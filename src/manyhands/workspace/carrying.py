"""Files that git does not carry: ignored and untracked ones that a worktree needs as well.

Every ignored ``.env*`` comes along, unless a `.worktreeinclude` names what does; `[worktree] copy`
adds to either, and takes away by ``!``. Both are in the syntax of .gitignore and by git's own
reading of it. The source is only read. A file that is there already stays as it is.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from manyhands.git.contents import folders
from manyhands.git.runner import Git
from manyhands.model.events import CopiedFile
from manyhands.workspace.reflink import copy_file

INCLUDE_FILE = ".worktreeinclude"
HEAVY = {"node_modules", ".venv", "venv", "target", "__pycache__", ".git"}
"""Made by a setup, never by hand: inside them only a pattern that names them finds anything."""
MOST_FILES = 10_000
USUAL = ".env*"


class Carried(msgspec.Struct, frozen=True):
    files: tuple[CopiedFile, ...] = ()
    left_out: tuple[str, ...] = ()


def carry_over(
    source: Path, worktree: Path, patterns: Sequence[str], *, limit_bytes: int
) -> Carried:
    """Copy what the patterns name from the checkout `source` into `worktree`."""
    files: list[CopiedFile] = []
    left_out: list[str] = []
    total = 0
    for name in find_carried(source, patterns):
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        size, reason = _admission(source / name, worktree, name, limit_bytes - total)
        if not reason and len(files) >= MOST_FILES:
            reason = f"more than {MOST_FILES} files"
        if reason:
            left_out.append(f"{shown}: {reason}")
            continue
        _copy(source / name, worktree / name)
        total += size
        files.append(CopiedFile(shown, size))
    return Carried(tuple(files), tuple(left_out))


def find_carried(source: Path, patterns: Sequence[str]) -> list[str]:
    """Relative names of what would come along, the smallest paths first."""
    included = _included(source)
    if included:
        return _named(source, [*included, *patterns])
    usual = _usual(source)
    if not patterns:
        return usual
    if any(pattern.startswith("!") for pattern in patterns):
        kept = set(_matching(source, [USUAL, *patterns]))
        usual = [name for name in usual if name in kept]
    return sorted({*usual, *_named(source, patterns)})


def _usual(source: Path) -> list[str]:
    """Every ignored file that is called so, outside of folders that are ignored as a whole."""
    argv = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    # Of a trusted repository; hardening would cost one more process for each session.
    listed = Git(source, hardened=False).run(*argv).records
    return sorted(
        name
        for name in map(os.fsdecode, listed)
        if not name.endswith("/") and fnmatchcase(Path(name).name, USUAL)
    )


def _named(source: Path, wanted: Sequence[str]) -> list[str]:
    named = {part for pattern in wanted for part in pattern.strip("/").split("/")}
    heavy = HEAVY - named
    return [name for name in _matching(source, wanted) if not heavy & set(Path(name).parts)]


def _included(source: Path) -> list[str]:
    try:
        return (source / INCLUDE_FILE).read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _matching(source: Path, patterns: Sequence[str]) -> Iterator[str]:
    """Untracked files, ignored or not, that the patterns cover; a repository inside is no file."""
    with tempfile.NamedTemporaryFile("w", errors="surrogateescape", suffix=".patterns") as rules:
        rules.write("\n".join(patterns) + "\n")
        rules.flush()
        argv = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={rules.name}")
        listed = Git(source).run(*argv).records
    for name in sorted(map(os.fsdecode, listed)):
        if not name.endswith("/"):
            yield name


def _admission(path: Path, worktree: Path, name: str, left: int) -> tuple[int, str]:
    """The size, and why the file cannot come along, if it cannot."""
    try:
        info = path.lstat()
    except OSError as error:
        return 0, error.strerror or "cannot be read"
    if not (stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode)):
        return 0, "no file"
    if _leads_away(worktree, name):
        return 0, "its directory is a link in the worktree"
    target = worktree / name
    if os.path.lexists(target):
        there = target.lstat()
        same = (there.st_size, there.st_mtime_ns) == (info.st_size, info.st_mtime_ns)
        return info.st_size, "" if same else "the worktree has its own"
    if info.st_size > left:
        return 0, f"{info.st_size} bytes are over the limit of `copy_mb`"
    if not os.access(path, os.R_OK, follow_symlinks=False):
        return 0, "cannot be read"
    return info.st_size, ""


def _leads_away(worktree: Path, name: str) -> bool:
    """Whether a parent of the target is a link, or no directory: it may point anywhere."""
    parents = (worktree / folder for folder in folders(name))
    return any(p.is_symlink() or (p.exists() and not p.is_dir()) for p in parents)


def _copy(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
    else:
        copy_file(source, target)
