"""A home whose hub is down: whether its store is whole, and a new one where it is not."""

from __future__ import annotations

import asyncio
from pathlib import Path

from filelock import FileLock, Timeout

from manyhands.config import Home
from manyhands.contract.hub import Finding
from manyhands.errors import ManyhandsError
from manyhands.keeper.spool import read_spool, spool_path
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.store import Store
from manyhands.store.backup import backups
from manyhands.store.connection import explained, mended_name
from manyhands.store.health import find_damage, require_there
from manyhands.store.salvage import put_in_place, salvage

PAGE = 1000


def check_at_rest(home: Home, *, fix: bool) -> Finding:
    """Blocks, and keeps hubs away meanwhile."""
    lock = FileLock(home.locks / "hub.lock", mode=0o600)
    try:
        with lock.acquire(timeout=0):
            return _check(home, fix=fix)
    except Timeout:
        return Finding("store", False, "a hub uses it and does not answer", "`manyhands down`")


def _check(home: Home, *, fix: bool) -> Finding:
    problem, hint = _problem(home)
    if not problem:
        return Finding(
            "store", True, f"{home.store} is whole" if home.store.exists() else "none yet"
        )
    if not fix:
        return Finding("store", False, problem, hint)
    made = mended_name(home.store)
    if not home.store.exists() and made.exists() and not find_damage(made):
        put_in_place(home.store)
        return Finding("store", True, f"mended ({problem}): the hub still had all of it")
    result = salvage(home.store, [*backups(home.backups), *_of_upgrades(home)])
    asyncio.run(_join_spools(home))
    return Finding("store", True, f"mended ({problem}): {result.told}")


def _of_upgrades(home: Home) -> list[Path]:
    return sorted(home.store.parent.glob(f"{home.store.name}.bak-v*"), reverse=True)


def _problem(home: Home) -> tuple[str, str]:
    """What is wrong with it and what to do; empty where nothing is."""
    try:
        require_there(home.store)
        if not home.store.exists():
            return "", ""
        with explained(str(home.store)):
            told = find_damage(home.store, at_rest=True)
    except ManyhandsError as error:
        return error.message, error.hint
    hint = "`manyhands doctor --fix` makes a new one of all that can be read"
    return (f"{home.store} is damaged: {told}", hint) if told else ("", "")


async def _join_spools(home: Home) -> None:
    """Keepers that live on go on from where the log ends: what it holds is not taken twice, and
    what it does not hold is not waited for."""
    store = Store.open(home.store)
    try:
        for s in list(store.state.sessions.values()):
            path = spool_path(home.sessions / s.id, s.keeper.epoch)
            if s.keeper.state != "none" and path.exists():
                await _join(store, s.id, s.keeper.epoch, read_spool(path))
    finally:
        await store.close()


async def _join(
    store: Store, session: SessionId, epoch: int, spooled: list[tuple[int, bytes]]
) -> None:
    known = await _known(store, session)
    taken = [number for number, body in spooled if _plain(body) in known]
    before = spooled[0][0] - 1 if spooled else 0
    acked = await store.acked(session, epoch)
    upto = max([acked, before, *taken])
    if upto > acked:
        await store.set_acked(session, epoch, upto)


async def _known(store: Store, session: SessionId) -> set[bytes]:
    found: set[bytes] = set()
    after = 0
    while page := await store.events(after, session=session, limit=PAGE):
        after = page[-1][0]
        found |= {b"{" + body.partition(b",")[2] for _, body in page}
    return found


def _plain(body: bytes) -> bytes:
    return e.encode(e.decode(body))
