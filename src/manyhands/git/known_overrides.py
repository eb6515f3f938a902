"""What hardening found in a repository's own config, for as long as its files are the same ones.

Hardened git first asks which settings the repository brings; between two commands they hardly
ever change. The files are known by inode, size and both times, of which one cannot be set back.
Where the config includes other files nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from manyhands.git.git_dirs import load_git_dirs
from manyhands.git.hardening import Setting, repository_overrides
from manyhands.model import clock

Mark = tuple[int, int, int, int]
ELSEWHERE = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_CONFIG")
MOST = 500
TICK_SECONDS = 1.0

_known: dict[tuple[Path, Mark, Mark], list[Setting]] = {}


def load_overrides(cwd: Path, variables: Iterable[str], ask: Callable[[], bytes]) -> list[Setting]:
    """`ask` is git's own listing, with scopes and names."""
    key = None if any(name.startswith(ELSEWHERE) for name in variables) else _key(cwd)
    if key is not None and key in _known:
        return _known[key]
    listing = ask()
    found = repository_overrides(listing)
    # Looked at again: a file that was changed meanwhile is not what was listed.
    if key is not None and b"include" not in listing.lower() and _key(cwd) == key and _rests(key):
        if len(_known) >= MOST:
            _known.clear()
        _known[key] = found
    return found


def _rests(key: tuple[Path, Mark, Mark]) -> bool:
    """Two changes within one tick of the file system's clock look like one."""
    return clock.seconds_since(max(key[1][3], key[2][3]) / 1e9) > TICK_SECONDS


def _key(cwd: Path) -> tuple[Path, Mark, Mark] | None:
    """None where `cwd` is not the top of a checkout, whose files could not be told at a glance."""
    try:
        own, common = load_git_dirs(cwd)
        return own, _mark(common / "config"), _mark(own / "config.worktree")
    except OSError:
        return None


def _mark(path: Path) -> Mark:
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0, 0, 0)
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
