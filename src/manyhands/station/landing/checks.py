"""A repository's checks, run on exactly one commit, in a private worktree."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.errors import GitFailed, NotPossible
from manyhands.git import recovery, refs, spares
from manyhands.git.tree_edit import load_tree_files
from manyhands.model.box import BoxTerms
from manyhands.model.ids import Oid
from manyhands.station.boxing import bench_surroundings, clear_bench
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

Report = Callable[[str], Awaitable[None]]
"""Told of each command before it runs."""


@in_thread
def load_tree(at: Worktree, commit: Oid) -> Oid:
    return refs.tree_of(at.repository, commit)


@in_thread
def load_tree_at(repo: str, commit: Oid) -> Oid | None:
    """None where the commit is not here."""
    found = refs.resolve(Path(repo), commit)
    return refs.tree_of(Path(repo), found) if found else None


@in_thread
def load_checks(at: Worktree, commit: Oid) -> ChecksTable:
    """What the commit's own config wants checked."""
    found = load_tree_files(at.repository, commit, [FILE], largest=LARGEST + 1, most=1)
    config = parse_repo_config(found[FILE], Path(FILE)) if FILE in found else RepoConfig()
    return config.checks


class Bench(msgspec.Struct, frozen=True):
    """A private worktree in which checks run; one that is `warm` stays, with what they built."""

    repo: str
    path: str
    mark: str
    """Under which git knows it as ours."""
    warm: bool = False


def own_bench(home: Home, at: Worktree) -> Bench:
    """A session's own."""
    return Bench(at.repo, str(home.checks / at.session), f"check {at.session}")


def warm_bench(home: Home, repo: str, number: int) -> Bench:
    """One of those that a repository's train has in turns."""
    name = f"train-{hashlib.sha256(repo.encode()).hexdigest()[:12]}-{number}"
    return Bench(repo, str(home.checks / name), f"check {name}", warm=True)


class CheckTask(msgspec.Struct, frozen=True, kw_only=True):
    commit: Oid
    commands: tuple[str, ...]
    variables: Mapping[str, str]
    """The session's own."""
    passed: tuple[str, ...]
    """Names of what of our environment they may see."""
    seconds: float
    box: BoxTerms = BoxTerms()


async def run_checks(
    home: Home, at: Worktree, bench: Bench, run: CheckTask, say: Say, begin: Report
) -> Ran:
    try:
        env = await asyncio.to_thread(_check_out, home, at, bench, run)
        async with bench_surroundings(home, Path(bench.path), env, run.box) as within:
            return await run_commands(
                run.commands,
                cwd=Path(bench.path),
                within=within,
                seconds=run.seconds,
                say=say,
                begin=begin,
            )
    finally:
        if not bench.warm:
            await clear_away(home, bench)


def _check_out(home: Home, at: Worktree, bench: Bench, run: CheckTask) -> dict[str, str]:
    place, commit = Path(bench.path), run.commit
    data = database_variables(home, at.session)
    own = {**run.variables, **data, "MANYHANDS_WORKTREE": str(place)}
    # What is checked is the agent's code, and so is what a checkout of it may run.
    env = closed_environment(home, at.session, place, at.repository, own, run.passed)
    if bench.warm and (place / ".git").is_file():
        with contextlib.suppress(GitFailed, NotPossible, OSError):
            spares.reset_spare(place, commit, lock_dir=home.locks, env=env)
            return env
    _clear_away(home, bench)
    spares.add_spare(at.repository, place, commit, spare=bench.mark, lock_dir=home.locks, env=env)
    return env


def _clear_away(home: Home, bench: Bench) -> None:
    """It holds nothing but a commit and what the checks made of it."""
    place = Path(bench.path)
    if place.is_dir() and not place.is_symlink():
        recovery.remove_files(place)
    if Path(bench.repo).is_dir():
        clear_bench(home, Path(bench.repo), place)
        recovery.forget(Path(bench.repo), place, spares.spare_reason(bench.mark))


clear_away = in_thread(_clear_away)


@in_thread
def warm_benches(home: Home, repo: str) -> list[Bench]:
    """Those that are there."""
    first = warm_bench(home, repo, 0)
    name = Path(first.path).name.removesuffix("-0")
    found = home.checks.glob(f"{name}-*")
    return [warm_bench(home, repo, int(place.name.rpartition("-")[2])) for place in found]
