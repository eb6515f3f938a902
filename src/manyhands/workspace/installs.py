"""Pristine installs, kept for the next worktree with the same lock, where copies share blocks.

Only trees that may lie anywhere are kept (`node_modules`; a virtual environment names its own
path), and only on file systems that clone: a hard link would let one session's edit reach
another. uv and pnpm have stores of their own, which they share by themselves.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from manyhands.workspace.reflink import can_clone, clone_tree
from manyhands.workspace.setup_plan import SetupCommand

MOVABLE = {"npm", "yarn", "bun"}
MOST_KEPT = 3


def keep_install(root: Path, command: SetupCommand, store: Path) -> bool:
    """Put a clone of a fresh install away; False where the file system cannot clone."""
    place = store / command.installer / command.key
    store.mkdir(parents=True, exist_ok=True)
    if command.installer not in MOVABLE or place.exists() or not can_clone(store):
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    clone_tree(root / command.product, place)
    _drop_oldest(place.parent)
    return True


def take_install(root: Path, command: SetupCommand, store: Path) -> bool:
    """Give `root` a clone of a kept install; False where there is none, or it cannot be cloned."""
    place, target = store / command.installer / command.key, root / command.product
    if command.installer not in MOVABLE or not place.is_dir() or target.exists():
        return False
    if not can_clone(root):
        return False
    clone_tree(place, target)
    return True


def _drop_oldest(place: Path) -> None:
    kept = sorted(place.iterdir(), key=lambda p: p.stat().st_mtime_ns, reverse=True)
    for old in kept[MOST_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
