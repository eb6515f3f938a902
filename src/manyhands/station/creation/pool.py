"""Spare worktrees: filled, kept up to date and taken back, at low priority."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from manyhands.config import Home, Settings
from manyhands.errors import ManyhandsError, NotPossible, NotTrusted
from manyhands.git.refs import load_ref_table
from manyhands.git.runner import end_background
from manyhands.git.spares import add_spare, refresh_spare, remove_spare
from manyhands.model.box import BoxTerms
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.model.state import Spare
from manyhands.model.surroundings import Surroundings
from manyhands.station.boxing import bench_surroundings, clear_bench
from manyhands.station.creation.installs import Installs, kept_of, want
from manyhands.station.environment import closed_environment
from manyhands.station.machine import disk_use
from manyhands.station.threads import in_thread
from manyhands.workspace.commands import run_commands
from manyhands.workspace.install_key import after_taking
from manyhands.workspace.repo_config import load_repo_config
from manyhands.workspace.runnable import runnable_at, runnable_git, runnable_in
from manyhands.workspace.setup_plan import (
    SetupCommand,
    SetupPlan,
    left_to_do,
    load_plan,
    set_installed,
)

log = logging.getLogger(__name__)
_AT_LOWEST_PRIORITY = "renice -n 19 -p $$ >/dev/null 2>&1\n"
LONGEST_TAIL = 500
OWNER = "spares"
"""No session's: who asks for a place of gh's own gets one that all spares share."""
LEFT_FREE = 2 << 30
"""Bytes of the disk that no spare is worth."""
TOO_MUCH = "too much to look at"
"""In the place of a hash that anybody could approve."""


class PoolBase(msgspec.Struct, frozen=True):
    commit: Oid
    brought: Sequence[Runnable]
    """What a checkout of it could run."""


class Filled(msgspec.Struct, frozen=True):
    notes: list[str]
    installed: str
    bytes: int
    unapproved: tuple[str, ...] = ()
    """Hashes of what an install would have run."""


@in_thread
def load_base(repo: str) -> PoolBase | None:
    """Where new work starts, if it names a commit."""
    where = Path(repo)
    table = load_ref_table(where)
    commit = table.commit(table.default_base)
    if commit is None:
        return None
    return PoolBase(commit, (*runnable_at(where, commit), *runnable_git(where, commit)))


@in_thread
def has_room(home: Home, size: int) -> bool:
    """Whether a spare of that size leaves the disk room enough."""
    return shutil.disk_usage(home.worktrees).free - size > LEFT_FREE


async def fill_spare(
    home: Home,
    repo: str,
    spare: Spare,
    settings: Settings,
    *,
    is_new: bool,
    approved: Collection[str],
    terms: BoxTerms,
    installs: Installs,
) -> Filled:
    """Check the spare's commit out and install what its lock files ask for, as far as a person has
    approved all that decides what an install runs."""
    place = Path(spare.worktree)
    passed = settings.environment.passed
    env = await asyncio.to_thread(closed_environment, home, OWNER, place, Path(repo), {}, passed)
    notes = await asyncio.to_thread(_check_out, home, Path(repo), spare, env, is_new)
    missing = await asyncio.to_thread(_unapproved, place, spare.commit, approved)
    if missing:
        names = ", ".join(list(missing)[:3]) + (" …" if len(missing) > 3 else "")
        notes = [*notes, f"without dependencies: nobody has approved {names}"]
    installed = ""
    if not missing:
        async with bench_surroundings(home, place, env, terms) as within:
            installed = await _install(place, Path(repo), within, settings, installs)
    used = sum(
        [(await asyncio.to_thread(disk_use, p))[0] for p in (place, kept_of(home, Path(repo)))]
    )
    return Filled(notes, installed, used, tuple(missing.values()))


def _unapproved(place: Path, commit: Oid, approved: Collection[str]) -> dict[str, str]:
    """What the spare, as it lies there, could run and nobody has looked at: names and hashes."""
    known = set(approved)
    try:
        brought = (*runnable_in(place, commit, installing=True), *runnable_git(place))
    except NotTrusted as error:
        return {f"what it brings ({error})": TOO_MUCH}
    return {piece.path: piece.digest for piece in brought if piece.digest not in known}


def _check_out(
    home: Home, repo: Path, spare: Spare, env: Mapping[str, str], is_new: bool
) -> list[str]:
    place = Path(spare.worktree)
    if is_new:
        return add_spare(repo, place, spare.commit, spare=spare.id, lock_dir=home.locks, env=env)
    return refresh_spare(place, spare.commit, lock_dir=home.locks, env=env)


async def _install(
    place: Path, repo: Path, within: Surroundings, settings: Settings, installs: Installs
) -> str:
    """What was installed, as lock hashes; a session that takes the spare finds its setup done.

    Commands that make no dependencies are the session's own business.
    """
    try:
        plan, left = await asyncio.to_thread(_plan, place, within.env.get("PATH"))
        for command in left:
            await _provide(place, repo, command, within, settings, installs)
    except ManyhandsError as error:
        # It is still worth having: the session's own setup says why.
        log.info("nothing was installed in the spare %s: %s", place, error)
        return ""
    return "+".join(f"{c.installer}:{c.key[:16]}" for c in plan.commands)


async def _provide(
    place: Path,
    repo: Path,
    command: SetupCommand,
    within: Surroundings,
    settings: Settings,
    installs: Installs,
) -> None:
    seconds = settings.workspaces.setup_seconds
    made = await installs.provide(
        await want(place, repo, command, within, is_spare=True),
        make=lambda: _run(place, command.text, within, seconds),
        is_made=lambda done: done,
        tell=_tell_nobody,
        seconds=seconds,
    )
    if made is None and (then := await asyncio.to_thread(after_taking, place, command)):
        await _run(place, then, within, seconds)
    await asyncio.to_thread(set_installed, place, command)


async def _tell_nobody(words: str) -> None:
    """Nobody looks at a spare."""


def _plan(spare: Path, path: str | None) -> tuple[SetupPlan, tuple[SetupCommand, ...]]:
    plan = load_plan(spare, load_repo_config(spare), path=path).installs
    return plan, left_to_do(spare, plan)


async def _run(spare: Path, command: str, within: Surroundings, seconds: float) -> bool:
    said = ""

    async def say(_: str, text: str) -> None:
        nonlocal said
        said = (said + text)[-LONGEST_TAIL:]

    text = _AT_LOWEST_PRIORITY + command
    ran = await run_commands([text], cwd=spare, within=within, seconds=seconds, say=say)
    if ran.error:
        raise NotPossible(f"{command}: {ran.error}: {said}")
    return True


@in_thread
def drop_spare(home: Home, repo: str, spare: Spare) -> None:
    """Only what is known to be a spare at one of its commits."""
    where = Path(repo)
    commits = [commit for commit in (spare.commit, spare.before) if commit]
    remove_spare(where, Path(spare.worktree), *commits, spare=spare.id, lock_dir=home.locks)
    clear_bench(home, where, Path(spare.worktree))


def stop_filling() -> None:
    """A spare that is being filled is left as it is."""
    end_background()
