"""A repository's checks, run on exactly one commit, in a private worktree."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from manyhands.config import Home
from manyhands.git import recovery, refs, spares
from manyhands.git.tree_edit import load_tree_files
from manyhands.model.ids import Oid
from manyhands.station.environment import closed_environment
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.commands import Ran, Say, run_commands
from manyhands.workspace.databases.names import database_variables
from manyhands.workspace.repo_config import (
    FILE,
    LARGEST,
    ChecksTable,
    RepoConfig,
    parse_repo_config,
)


@in_thread
def load_tree(at: Worktree, commit: Oid) -> Oid:
    return refs.tree_of(at.repository, commit)


@in_thread
def load_checks(at: Worktree, commit: Oid) -> ChecksTable:
    """What the commit's own config wants checked."""
    found = load_tree_files(at.repository, commit, [FILE], largest=LARGEST + 1, most=1)
    config = parse_repo_config(found[FILE], Path(FILE)) if FILE in found else RepoConfig()
    return config.checks


async def run_checks(
    home: Home,
    at: Worktree,
    commit: Oid,
    commands: tuple[str, ...],
    *,
    variables: Mapping[str, str],
    passed: tuple[str, ...],
    seconds: float,
    say: Say,
) -> Ran:
    place = _place(home, at)
    await clear_away(home, at)
    try:
        env = await asyncio.to_thread(_check_out, home, at, commit, variables, passed)
        return await run_commands(commands, cwd=place, env=env, seconds=seconds, say=say)
    finally:
        await clear_away(home, at)


def _check_out(
    home: Home, at: Worktree, commit: Oid, variables: Mapping[str, str], passed: tuple[str, ...]
) -> dict[str, str]:
    place, mark = _place(home, at), _mark(at)
    own = {**variables, **database_variables(home, at.session), "MANYHANDS_WORKTREE": str(place)}
    # What is checked is the agent's code, and so is what a checkout of it may run.
    env = closed_environment(home, at.session, place, at.repository, own, passed)
    spares.add_spare(at.repository, place, commit, spare=mark, lock_dir=home.locks, env=env)
    return env


@in_thread
def clear_away(home: Home, at: Worktree) -> None:
    """The private worktree holds nothing but the commit and what the checks made of it."""
    place = _place(home, at)
    if place.is_dir() and not place.is_symlink():
        recovery.remove_files(place)
    recovery.forget(at.repository, place, spares.spare_reason(_mark(at)))


def _place(home: Home, at: Worktree) -> Path:
    return home.checks / at.session


def _mark(at: Worktree) -> str:
    return f"check {at.session}"
