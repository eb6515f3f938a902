"""Branches of the data that nobody has on record: found where they are, dropped when asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manyhands.errors import ManyhandsError, NotFound, NotPossible
from manyhands.hub.db import DatabaseView
from manyhands.model.ids import SessionId
from manyhands.workspace.databases.names import Claim, home_prefix, mark_for, session_of
from manyhands.workspace.databases.record import load_record
from manyhands.workspace.databases.source import Source, Workplace, open_source, resolved
from manyhands.workspace.repo_config import DatabaseTable, load_repo_config

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub


class Leak(NamedTuple):
    """A branch with this home's name and mark, which no session has."""

    name: str
    table: DatabaseTable
    source: Source
    bytes: int


class Silent(NamedTuple):
    """A source that could not be asked."""

    place: str
    reason: str


async def find_leaks(hub: Hub) -> list[Leak | Silent]:
    return await asyncio.to_thread(lambda: list(_find(hub)))


async def drop_leak(hub: Hub, name: str) -> DatabaseView:
    """Drop a branch by its own name; only one that is ours and that no session has."""
    home = hub.home.root
    session = session_of(name, home)
    if not session:
        raise NotPossible(f"{name} is not called like a branch of this home")
    if name in _on_record(hub):
        raise NotPossible(f"{name} belongs to a session", hint="drop it by the session's name")
    for found in await find_leaks(hub):
        if isinstance(found, Leak) and found.name == name:
            claim = Claim(name, mark_for(home, session))
            await asyncio.to_thread(found.source.drop, claim)
            return DatabaseView(
                session=SessionId(session),
                slug="",
                kind=found.table.kind,
                name=name,
                place=found.source.place,
                ready=False,
            )
    raise NotFound(f"no leaked database is called {name}", hint="see: manyhands doctor")


def _on_record(hub: Hub) -> set[str]:
    sessions = hub.state.all_sessions().values()
    return {s.database.name for s in sessions if s.database and not s.gone}


def _find(hub: Hub) -> Iterator[Leak | Silent]:
    home, known = hub.home.root, _on_record(hub)
    for table, repo in _tables(hub).items():
        at = Workplace(hub.home, "", Path(repo), Path(repo), hub.last_settings.neon)
        try:
            source = open_source(table, at)
            found = source.branches(home_prefix(home))
        except (ManyhandsError, OSError) as error:
            yield Silent(table.project or repo, str(error))
            continue
        for branch in found:
            mark = mark_for(home, session_of(branch.name, home))
            # Unmarked, it was cut off in its making and its record is gone: the name says whose.
            if branch.name not in known and branch.mark in ("", mark):
                yield Leak(branch.name, table, source, branch.bytes)


def _tables(hub: Hub) -> dict[DatabaseTable, str]:
    """Every server that could hold a branch of ours, each once, with a repository that names it."""
    tables: dict[DatabaseTable, str] = {}
    for repo in hub.state.repos.values():
        if repo.trusted:
            try:
                table = load_repo_config(Path(repo.path)).database
                if table is not None and table.kind != "sqlite":
                    tables.setdefault(resolved(table, Path(repo.path)), repo.path)
            except ManyhandsError:
                continue  # what is wrong with it is another check's business
    for s in hub.state.all_sessions().values():
        record = load_record(hub.home, s.id)
        if record is not None and record.table.kind != "sqlite":
            tables.setdefault(record.table, s.repo)
    return tables
