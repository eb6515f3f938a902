"""The repository's checks, run on exactly the tree that is to be merged, in a private worktree."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.config import child_environment
from manyhands.errors import NotPossible, NotTrusted
from manyhands.git import recovery, spares
from manyhands.git.landing import Landing, tree_of
from manyhands.git.tree_files import load_tree_files
from manyhands.hub.trust import trust_item
from manyhands.model import events as e
from manyhands.model import radar_events as r
from manyhands.model.clock import now
from manyhands.model.ids import Oid
from manyhands.model.session import Session
from manyhands.workspace.commands import Ran, run_commands
from manyhands.workspace.environment import session_environment
from manyhands.workspace.repo_config import (
    FILE,
    LARGEST,
    ChecksTable,
    RepoConfig,
    parse_repo_config,
)
from manyhands.workspace.runnable import runnable_at

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LONGEST_TAIL = 2000


def checks_of(repo: Path, commit: Oid) -> ChecksTable:
    """What the commit's own config wants checked."""
    found = load_tree_files(repo, commit, [FILE], largest=LARGEST + 1, most=1)
    config = parse_repo_config(found[FILE], Path(FILE)) if FILE in found else RepoConfig()
    return config.checks


async def check_tip(hub: Hub, s: Session, tip: Oid) -> None:
    """Run the checks on what a branch is at; it is pushed only if they pass."""
    tree = await asyncio.to_thread(tree_of, Path(s.repo), tip)
    await check_landing(hub, s, "", Landing(tip, tree), undone="pushed")


async def check_landing(
    hub: Hub, s: Session, merge: str, made: Landing, *, undone: str = "merged"
) -> tuple[str, ...]:
    """Run the checks; the commands. Raises where one fails, hangs, or is not trusted."""
    wanted = await asyncio.to_thread(checks_of, Path(s.repo), made.commit)
    if not wanted.run:
        return ()
    await _require_trusted(hub, s, made.commit)
    await hub.record(
        r.ChecksStarted(session=s.id, at=now(), merge=merge, commands=wanted.run, tree=made.tree)
    )
    ran, tail = await _run(hub, s, made.commit, wanted)
    await hub.record(
        r.ChecksFinished(
            session=s.id,
            at=now(),
            merge=merge,
            tree=made.tree,
            passed=not ran.failed,
            failed=ran.failed,
            error=ran.error,
            seconds=round(ran.seconds, 3),
        )
    )
    if ran.failed:
        last = tail.strip().splitlines()[-1:] or [""]
        said = f": {last[0][:200]}" if last[0] else ""
        raise NotPossible(
            f"the check `{ran.failed}` failed ({ran.error}){said}; nothing was {undone}",
            hint=f"`manyhands log {s.slug}` has its whole output",
        )
    return wanted.run


async def _require_trusted(hub: Hub, s: Session, commit: Oid) -> None:
    pieces = await asyncio.to_thread(runnable_at, Path(s.repo), commit)
    item = await asyncio.to_thread(trust_item, hub, s, pieces)
    if item is None:
        return
    if not any(open.kind == "trust" for open in s.attention):
        await hub.record(e.AttentionRaised(session=s.id, at=now(), turn=s.turn, item=item))
    raise NotTrusted(
        f"the checks of {s.slug} are not run: {item.summary}",
        hint=f"look at it and answer: `manyhands answer {s.slug} --option trust`; then again",
    )


async def _run(hub: Hub, s: Session, commit: Oid, wanted: ChecksTable) -> tuple[Ran, str]:
    place = _place(hub, s)
    said = [""]

    async def say(command: str, text: str) -> None:
        said[0] = (said[0] + text)[-LONGEST_TAIL:]
        told = r.ChecksReported(session=s.id, at=now(), command=command, text=text)
        await hub.record(told)

    await asyncio.to_thread(clear_away, hub, s)
    try:
        locks = hub.home.locks
        await asyncio.to_thread(
            lambda: spares.add_spare(Path(s.repo), place, commit, spare=_mark(s), lock_dir=locks)
        )
        passed = hub.last_settings.environment.passed
        named = session_environment(s, hub.home) | {"MANYHANDS_WORKTREE": str(place)}
        ran = await run_commands(
            wanted.run,
            cwd=place,
            env=child_environment(named, passed=passed),
            seconds=wanted.timeout or hub.last_settings.landing.checks_seconds,
            say=say,
        )
    finally:
        await asyncio.to_thread(clear_away, hub, s)
    return ran, said[0]


def _place(hub: Hub, s: Session) -> Path:
    return hub.home.checks / s.id


def _mark(s: Session) -> str:
    return f"check {s.id}"


def clear_away(hub: Hub, s: Session) -> None:
    """The private worktree holds nothing but the commit and what the checks made of it."""
    place = _place(hub, s)
    if place.is_dir() and not place.is_symlink():
        recovery.remove_files(place)
    recovery.forget(Path(s.repo), place, spares.spare_reason(_mark(s)))
