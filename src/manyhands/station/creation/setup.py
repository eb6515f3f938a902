"""Setup and teardown of a worktree: the repository's commands, run where it lies.

Pristine installs are kept for the next worktree with the same lock. Only trees that may lie
anywhere (`node_modules`; a virtual environment names its own path), and only on file systems that
clone: a hard link would let one session's edit reach another. uv and pnpm have stores of their own,
which they share by themselves.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.config import Home
from manyhands.model.box import BoxTerms
from manyhands.process.identity import SETUP_MARK, marked_processes
from manyhands.process.stop import end_processes
from manyhands.station.boxing import session_surroundings
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.commands import Ran, Say, run_commands
from manyhands.workspace.reflink import can_clone, clone_tree
from manyhands.workspace.repo_config import TeardownTable, load_repo_config
from manyhands.workspace.setup_plan import SetupCommand, left_to_do, load_plan, set_installed

MOVABLE = {"npm", "yarn", "bun"}
MOST_KEPT = 3


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What the repository wants set up in a worktree, and what of it is left to do."""

    start: Literal["after", "early"]
    timeout: float | None
    origin: str
    commands: tuple[str, ...]
    missing: tuple[str, ...]
    left: tuple[SetupCommand, ...]


@in_thread
def load_intent(at: Worktree, env: Mapping[str, str]) -> Intent:
    config = load_repo_config(at.root)
    plan = load_plan(at.root, config, path=env.get("PATH"))
    return Intent(
        start=config.setup.start,
        timeout=config.setup.timeout,
        origin=plan.origin,
        commands=tuple(c.text for c in plan.commands),
        missing=plan.missing,
        left=left_to_do(at.root, plan) if plan.commands else (),
    )


async def run_setup(
    home: Home,
    at: Worktree,
    left: tuple[SetupCommand, ...],
    done: Collection[str],
    *,
    env: Mapping[str, str],
    terms: BoxTerms,
    seconds: float,
    say: Say,
) -> Ran:
    """Run what is left, without what was `done` before, and remember every install that
    succeeded."""
    left = await asyncio.to_thread(_prepare, home, at, left)
    texts = [c.text for c in left if c.text not in done]
    marked = {**env, SETUP_MARK: at.session}
    async with session_surroundings(home, at, marked, terms) as within:
        ran = await run_commands(texts, cwd=at.root, within=within, seconds=seconds, say=say)
    finished = {*ran.done, *done}
    await asyncio.to_thread(_remember, home, at, [c for c in left if c.text in finished])
    return ran


def _prepare(home: Home, at: Worktree, left: Iterable[SetupCommand]) -> tuple[SetupCommand, ...]:
    """Take what an earlier worktree installed from the same lock, where that costs nothing."""
    # What a hub that died had begun goes on without it, and would meet what we start now.
    end_processes(marked_processes(f"{SETUP_MARK}={at.session}"))
    missing = []
    for command in left:
        if _take_install(at.root, command, _store(home, at)):
            set_installed(at.root, command)
        else:
            missing.append(command)
    return tuple(missing)


def _remember(home: Home, at: Worktree, done: Iterable[SetupCommand]) -> None:
    for command in done:
        set_installed(at.root, command)
        if command.product:
            _keep_install(at.root, command, _store(home, at))


def _store(home: Home, at: Worktree) -> Path:
    return home.installs / at.repository.name


def _keep_install(root: Path, command: SetupCommand, store: Path) -> None:
    """Put a clone of a fresh install away, where the file system can clone."""
    directory = store / command.installer / command.key
    store.mkdir(parents=True, exist_ok=True)
    if command.installer in MOVABLE and not directory.exists() and can_clone(store):
        directory.parent.mkdir(parents=True, exist_ok=True)
        clone_tree(root / command.product, directory)
        _drop_oldest(directory.parent)


def _take_install(root: Path, command: SetupCommand, store: Path) -> bool:
    """Give `root` a clone of a kept install; False where there is none, or it cannot be cloned."""
    directory, target = store / command.installer / command.key, root / command.product
    is_kept = command.installer in MOVABLE and directory.is_dir()
    if not is_kept or target.exists() or not can_clone(root):
        return False
    clone_tree(directory, target)
    return True


def _drop_oldest(directory: Path) -> None:
    kept = sorted(directory.iterdir(), key=lambda p: p.stat().st_mtime_ns, reverse=True)
    for old in kept[MOST_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


@in_thread
def load_teardown(at: Worktree) -> TeardownTable:
    return load_repo_config(at.root).teardown


async def run_teardown(
    home: Home,
    at: Worktree,
    commands: tuple[str, ...],
    *,
    env: Mapping[str, str],
    terms: BoxTerms,
    seconds: float,
) -> tuple[Ran, str]:
    """What came of it, and what it said."""
    said: list[str] = []

    async def say(command: str, text: str) -> None:
        said.append(text)

    async with session_surroundings(home, at, env, terms) as within:
        ran = await run_commands(commands, cwd=at.root, within=within, seconds=seconds, say=say)
    return ran, "".join(said)
