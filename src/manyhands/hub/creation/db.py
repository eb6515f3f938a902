"""A session's branch of the data: made by the creation saga, reset, dropped, listed.

A branch is on record before it is made and until it is gone, so what is dropped is always what
the log says was ours. Archiving keeps it; removing the session for good lets it go.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from manyhands.contract.files import DatabaseView
from manyhands.errors import ManyhandsError, NotFound, NotPossible, NotTrusted
from manyhands.hub.core import Hub, require_ready, require_session, worktree_of
from manyhands.hub.core.work import Held
from manyhands.hub.repos.trust import require_trusted_worktree, unapproved
from manyhands.model import events as e
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.station.creation import database as station


def database_view(s: Session) -> DatabaseView | None:
    if s.workspace.database is None:
        return None
    known = msgspec.structs.asdict(s.workspace.database)
    return DatabaseView(session=s.id, slug=s.slug, **known)


def list_databases(hub: Hub, ref: str = "") -> list[DatabaseView]:
    """The branches on record, of one session or of all."""
    sessions = [require_session(hub.state, ref)] if ref else hub.state.all_sessions().values()
    views = [database_view(s) for s in sessions if not s.life.gone]
    return sorted((v for v in views if v is not None), key=lambda v: v.slug)


# The creation's step


async def is_wanted(hub: Hub, s: Session) -> bool:
    """The main checkout keeps its own data; an adopted worktree gets a branch when asked for."""
    return await _described(hub, s) is not None


# Operations


async def reset(hub: Hub, ref: str) -> DatabaseView:
    """Throw away what the session did to its data: the branch is made anew from the source."""
    s = require_session(hub.state, ref)
    require_ready(s, f"`manyhands resume {s.slug}`")
    if s.workspace.in_place:
        raise NotPossible(f"{s.slug} works in the main checkout, on the source itself")
    try:
        await hub.record(*await branch_database(hub, s, anew=True))
    except Held as held:
        raise NotTrusted(str(held), hint=f"`manyhands repo trust {quoted(s.repo)}`") from held
    view = database_view(require_session(hub.state, s.id))
    assert view is not None
    return view


async def drop(hub: Hub, ref: str) -> DatabaseView | None:
    """Drop the branch; the address in the session's `.env` leads nowhere until a reset."""
    s = require_session(hub.state, ref)
    view = database_view(s)
    if view is None:
        return None
    at, neon = worktree_of(hub, s), hub.settings.neon
    if not await station.drop_branch(hub.home, at, None, neon, name=view.name):
        found = await _described(hub, s)
        table = found.table if found else None
        if not await station.drop_branch(hub.home, at, table, neon, name=view.name):
            raise NotPossible(
                f"it is no longer known where the database of {s.slug} is",
                hint="bring [database] back into .manyhands.toml, or drop it by hand",
            )
    await hub.record(e.DatabaseDropped(session=s.id, name=view.name))
    return msgspec.structs.replace(view, ready=False)


async def let_go(hub: Hub, s: Session) -> list[str]:
    """Drop the branch of a session that is removed for good; what hindered it, if anything did."""
    try:
        await drop(hub, s.id)
    except (ManyhandsError, OSError) as error:
        name = s.workspace.database.name if s.workspace.database else ""
        return [f"the database {name} is still there: {error}; `manyhands doctor` finds it"]
    return []


async def branch_database(hub: Hub, s: Session, *, anew: bool = False) -> Sequence[e.AnyEvent]:
    """Make the session's branch and point its `.env` at it; after any death, simply again."""
    began = monotonic()
    home, at, neon = hub.home, worktree_of(hub, s), hub.settings.neon
    found = await _described(hub, s)
    if found is None:
        raise NotPossible(
            f"{s.slug} has no database to branch",
            hint="describe it under [database] in .manyhands.toml, and trust the repository again",
        )
    known = s.workspace.database.name if s.workspace.database else ""
    made = await station.claim_branch(home, at, found.table, neon, name=known, slug=s.slug)
    kind, name = made.table.kind, made.name
    await hub.record(e.DatabaseClaimed(session=s.id, kind=kind, name=name, place=made.place))
    family = [
        o.id
        for o in hub.state.all_sessions().values()
        if o.repo == s.repo and o.workspace.database and o.id != s.id
    ]
    method = await station.make_branch(home, at, made, neon, family=family, anew=anew)
    seconds = round(monotonic() - began, 3)
    return (e.DatabaseBranched(session=s.id, name=name, method=method, seconds=seconds),)


async def _described(hub: Hub, s: Session) -> station.Described | None:
    """What the trusted config says now, else what the branch was made from; raises `Held`."""
    found = await station.load_described(hub.home, worktree_of(hub, s))
    repo = hub.state.repo(s.repo)
    if found is not None and found.is_config and (repo is None or unapproved(repo, found.config)):
        await require_trusted_worktree(hub, s)
    return found


# Branches that nobody has on record


async def find_leaks(hub: Hub) -> list[station.Leak | station.Silent]:
    return await station.find_leaks(hub.home, _asked(hub), hub.last_settings.neon)


async def drop_leak(hub: Hub, name: str) -> DatabaseView:
    """Drop a branch by its own name; only one that is ours and that no session has."""
    asked = _asked(hub)
    if not station.is_ours(hub.home, name):
        raise NotPossible(f"{name} is not called like a branch of this home")
    if name in asked.known:
        raise NotPossible(f"{name} belongs to a session", hint="drop it by the session's name")
    found = await station.drop_leak(hub.home, asked, hub.last_settings.neon, name)
    if found is None:
        raise NotFound(f"no leaked database is called {name}", hint="see: manyhands doctor")
    session = SessionId(found.session)
    return DatabaseView(
        session=session, slug="", kind=found.kind, name=name, place=found.place, ready=False
    )


def _asked(hub: Hub) -> station.Asked:
    sessions = hub.state.all_sessions()
    on_record = {s.workspace.database for s in sessions.values() if not s.life.gone}
    return station.Asked(
        repos=tuple(path for path, repo in hub.state.repos.items() if repo.trusted),
        sessions={s.id: s.repo for s in sessions.values()},
        known=frozenset(branch.name for branch in on_record if branch),
    )
