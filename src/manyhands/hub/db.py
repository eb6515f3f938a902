"""A session's branch of the data: made by the creation saga, reset, dropped, listed.

A branch is on record before it is made and until it is gone, so what is dropped is always what
the log says was ours. Archiving keeps it; removing the session for good lets it go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import ManyhandsError, NotPossible, NotTrusted
from manyhands.git.locks import file_lock
from manyhands.hub.held import Held
from manyhands.hub.names import require_session
from manyhands.hub.trust import require_trusted_worktree, unapproved
from manyhands.model import events as e
from manyhands.model.clock import monotonic, now
from manyhands.model.ids import SessionId
from manyhands.model.session import Session
from manyhands.workspace.databases.names import Claim, claim_for, home_prefix, mark_for
from manyhands.workspace.databases.pointing import point_at
from manyhands.workspace.databases.record import Record, load_record, set_record
from manyhands.workspace.databases.source import Made, Source, Workplace, open_source, resolved
from manyhands.workspace.repo_config import FILE, DatabaseTable, load_repo_config
from manyhands.workspace.runnable import runnable_in

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class DatabaseView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    slug: str
    kind: e.DatabaseKind
    name: str
    place: str
    ready: bool


def database_view(s: Session) -> DatabaseView | None:
    if s.database is None:
        return None
    known = msgspec.structs.asdict(s.database)
    return DatabaseView(session=s.id, slug=s.slug, **known)


def list_databases(hub: Hub, ref: str = "") -> list[DatabaseView]:
    """The branches on record, of one session or of all."""
    sessions = [require_session(hub.state, ref)] if ref else hub.state.all_sessions().values()
    views = [database_view(s) for s in sessions if not s.gone]
    return sorted((v for v in views if v is not None), key=lambda v: v.slug)


# The creation's step


async def is_wanted(hub: Hub, s: Session) -> bool:
    """The main checkout keeps its own data; an adopted worktree gets a branch when asked for."""
    if s.in_place or s.adopted:
        return False
    return await asyncio.to_thread(_table, hub, s) is not None


async def branch_database(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """Make the session's branch and point its `.env` at it; after any death, simply again."""
    return await _branch(hub, s, anew=False)


# Operations


async def reset(hub: Hub, ref: str) -> DatabaseView:
    """Throw away what the session did to its data: the branch is made anew from the source."""
    s = _require_present(hub, ref)
    if s.in_place:
        raise NotPossible(f"{s.slug} works in the main checkout, on the source itself")
    try:
        await hub.record(*await _branch(hub, s, anew=True))
    except Held as held:
        raise NotTrusted(str(held), hint=f"`manyhands repo trust {s.repo}`") from held
    view = database_view(require_session(hub.state, s.id))
    assert view is not None
    return view


async def drop(hub: Hub, ref: str) -> DatabaseView | None:
    """Drop the branch; the address in the session's `.env` leads nowhere until a reset."""
    s = require_session(hub.state, ref)
    view = database_view(s)
    if view is None:
        return None
    await asyncio.to_thread(_drop, hub, s)
    await hub.record(e.DatabaseDropped(session=s.id, at=now(), name=view.name))
    return msgspec.structs.replace(view, ready=False)


async def let_go(hub: Hub, s: Session) -> list[str]:
    """Drop the branch of a session that is removed for good; what hindered it, if anything did."""
    try:
        await drop(hub, s.id)
    except (ManyhandsError, OSError) as error:
        name = s.database.name if s.database else ""
        return [f"the database {name} is still there: {error}; `manyhands doctor` finds it"]
    return []


def _require_present(hub: Hub, ref: str) -> Session:
    s = require_session(hub.state, ref)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready:
        raise NotPossible(f"{s.slug} is not ready yet", hint=f"`manyhands resume {s.slug}`")
    return s


async def _branch(hub: Hub, s: Session, *, anew: bool) -> Sequence[e.AnyEvent]:
    began = monotonic()
    table = await asyncio.to_thread(_table, hub, s)
    if table is None:
        raise NotPossible(
            f"{s.slug} has no database to branch",
            hint="describe it under [database] in .manyhands.toml, and trust the repository again",
        )
    table = await asyncio.to_thread(resolved, table, Path(s.repo))
    source = await asyncio.to_thread(open_source, table, workplace(hub, s))
    claim = claim_of(hub, s)
    await asyncio.to_thread(set_record, hub.home, s.id, Record(table=table))
    place = await asyncio.to_thread(lambda: source.place)
    await hub.record(
        e.DatabaseClaimed(session=s.id, at=now(), kind=table.kind, name=claim.name, place=place)
    )
    made = await asyncio.to_thread(partial(_make, hub, s, table, source, claim, anew=anew))
    seconds = round(monotonic() - began, 3)
    return (
        e.DatabaseBranched(
            session=s.id, at=now(), name=claim.name, method=made.method, seconds=seconds
        ),
    )


def _make(
    hub: Hub, s: Session, table: DatabaseTable, source: Source, claim: Claim, *, anew: bool
) -> Made:
    with file_lock(_lock(hub, s.id)):
        made = source.branch(claim, anew=anew)
        set_record(hub.home, s.id, Record(table=table, url=made.url))
        point_at(
            Path(s.worktree),
            table.key,
            made.url,
            others=_addresses(hub, s, table),
            prefix=home_prefix(hub.home.root),
        )
    return made


def _addresses(hub: Hub, s: Session, table: DatabaseTable) -> set[str]:
    """What may stand in a copied file and must not: the source, or the branch of another session
    that this one was forked from."""
    family = [o.id for o in hub.state.all_sessions().values() if o.repo == s.repo and o.database]
    records = [load_record(hub.home, id) for id in family if id != s.id]
    return {table.url, *(r.url for r in records if r)} - {""}


def _drop(hub: Hub, s: Session) -> None:
    record = load_record(hub.home, s.id)
    table = record.table if record else _table(hub, s)
    if table is None:
        raise NotPossible(
            f"it is no longer known where the database of {s.slug} is",
            hint="bring [database] back into .manyhands.toml, or drop it by hand",
        )
    with file_lock(_lock(hub, s.id)):
        table = table if record else resolved(table, Path(s.repo))
        open_source(table, workplace(hub, s)).drop(claim_of(hub, s))
        set_record(hub.home, s.id, Record(table=table))


def _table(hub: Hub, s: Session) -> DatabaseTable | None:
    """What the trusted config says now, else what the branch was made from."""
    table = load_repo_config(Path(s.worktree)).database
    if table is not None:
        _require_trusted_config(hub, s)
        return table
    record = load_record(hub.home, s.id)
    return record.table if record else None


def _require_trusted_config(hub: Hub, s: Session) -> None:
    """An agent may have written another one into its worktree; raises `Held` then."""
    config = [piece for piece in runnable_in(Path(s.worktree)) if piece.path == FILE]
    repo = hub.state.repo(s.repo)
    if repo is None or unapproved(repo, config):
        require_trusted_worktree(hub, s)


def claim_of(hub: Hub, s: Session) -> Claim:
    """By the record where there is one: a name that was given once never changes."""
    if s.database is not None:
        return Claim(s.database.name, mark_for(hub.home.root, s.id))
    return claim_for(hub.home.root, s.id, s.slug)


def workplace(hub: Hub, s: Session) -> Workplace:
    return Workplace(hub.home, s.id, Path(s.repo), Path(s.worktree), hub.settings.neon)


def _lock(hub: Hub, session: SessionId) -> Path:
    return hub.home.locks / f"database-of-{session}.lock"
