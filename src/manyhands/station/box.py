"""The box where the repositories lie: what the machine can do, and what a worktree asks for."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from manyhands.box.making import odd_places
from manyhands.box.probe import find_means
from manyhands.config import child_environment
from manyhands.git.tree_edit import load_tree_files
from manyhands.model.box import BoxWish, Means
from manyhands.model.ids import Oid
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.repo_config import FILE, LARGEST, load_repo_config, parse_repo_config
from manyhands.workspace.runnable.files import hashed


@in_thread
def load_means() -> Means:
    """By trying, now."""
    return find_means(fresh=True)


@in_thread
def load_odd_places(passed: tuple[str, ...]) -> list[str]:
    """What agents' `PATH` names and boxes do not have by themselves."""
    return odd_places(child_environment(passed=passed))


@in_thread
def load_box_wish(at: Worktree, approved: Collection[str], known: Collection[str]) -> BoxWish:
    """What the repository asks for: as the worktree has it, if a person approved that, else as the
    commit has it that the session started from. No agent leaves its box by writing there.

    `known` are the files of the repository that were ever approved."""
    if FILE not in known:
        return BoxWish()
    data = b""
    with suppress(FileNotFoundError, NotADirectoryError):
        data = (at.root / FILE).read_bytes()
    if data and _digest(data) in approved:
        return load_repo_config(at.root).box_wish
    started = _at_base(at.repository, at.base)
    is_approved = started and _digest(started) in approved
    return parse_repo_config(started, Path(FILE)).box_wish if is_approved else BoxWish()


def _digest(data: bytes) -> str:
    return hashed(FILE, data).hexdigest()


@lru_cache(maxsize=256)
def _at_base(repo: Path, base: Oid) -> bytes:
    found = load_tree_files(repo, base, [FILE], largest=LARGEST + 1, most=1)
    return found.get(FILE, b"")
