"""A session's branch of the data, made and dropped where its worktree lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from manyhands.config import Home, Neon
from manyhands.errors import ManyhandsError
from manyhands.git.locks import file_lock
from manyhands.model.events import DatabaseKind
from manyhands.model.ids import SessionId
from manyhands.model.repo.runnable import Runnable
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.databases.dotenv import point_at
from manyhands.workspace.databases.names import (
    Claim,
    Record,
    claim_for,
    home_prefix,
    load_record,
    mark_for,
    session_of,
    set_record,
)
from manyhands.workspace.databases.neon import NeonSource
from manyhands.workspace.databases.postgres import PostgresSource
from manyhands.workspace.databases.source import Source, SourceContext, resolved
from manyhands.workspace.databases.sqlite import SqliteSource
from manyhands.workspace.repo_config import FILE, DatabaseTable, load_repo_config
from manyhands.workspace.runnable import runnable_in

SOURCES: dict[DatabaseKind, Callable[[DatabaseTable, SourceContext], Source]] = {
    "sqlite": SqliteSource,
    "postgres": PostgresSource,
    "neon": NeonSource,
}


class Described(msgspec.Struct, frozen=True):
    """What says where the data comes from: the worktree's config, else what was made from it."""

    table: DatabaseTable
    config: tuple[Runnable, ...] = ()
    """What must be approved before the table may be followed."""
    is_config: bool = False


class Claimed(msgspec.Struct, frozen=True):
    """A branch's name, and the source that it is to be made from."""

    table: DatabaseTable
    name: str
    place: str


@in_thread
def load_described(home: Home, at: Worktree) -> Described | None:
    table = load_repo_config(at.root).database
    if table is not None:
        # An agent may have written another one into its worktree.
        config = tuple(p for p in runnable_in(at.root) if p.path == FILE)
        return Described(table, config, is_config=True)
    record = load_record(home, at.session)
    return Described(record.table) if record else None


@in_thread
def claim_branch(
    home: Home, at: Worktree, table: DatabaseTable, neon: Neon, *, name: str, slug: str
) -> Claimed:
    """Put on record what the branch is made from. `name` is what it was given before, if it was:
    a name that was given once never changes."""
    table = resolved(table, at.repository)
    source = _open_source(home, at, table, neon)
    set_record(home, at.session, Record(table=table))
    name = name or claim_for(home.root, at.session, slug).name
    return Claimed(table, name, source.place)


@in_thread
def make_branch(
    home: Home,
    at: Worktree,
    claimed: Claimed,
    neon: Neon,
    *,
    family: Sequence[SessionId],
    anew: bool,
) -> str:
    """Make it and point the worktree's `.env` at it; how the data came over. `family` are the
    other sessions of the repository that have one."""
    table = claimed.table
    source = _open_source(home, at, table, neon)
    with file_lock(_lock(home, at.session)):
        made = source.branch(_given(home, at.session, claimed.name), anew=anew)
        set_record(home, at.session, Record(table=table, url=made.url))
        # What may stand in a copied file and must not: the source, or the branch of another
        # session that this one was forked from.
        records = [load_record(home, id) for id in family]
        others = {table.url, *(r.url for r in records if r)} - {""}
        prefix = home_prefix(home.root)
        point_at(at.root, table.key, made.url, others=others, prefix=prefix)
    return made.method


@in_thread
def drop_branch(
    home: Home, at: Worktree, table: DatabaseTable | None, neon: Neon, *, name: str
) -> bool:
    """By the record, else by `table`; false where neither says where it is."""
    record = load_record(home, at.session)
    table = record.table if record else table and resolved(table, at.repository)
    if table is None:
        return False
    with file_lock(_lock(home, at.session)):
        _open_source(home, at, table, neon).drop(_given(home, at.session, name))
        set_record(home, at.session, Record(table=table))
    return True


def _given(home: Home, session: str, name: str) -> Claim:
    return Claim(name, mark_for(home.root, session))


def _open_source(home: Home, at: Worktree, table: DatabaseTable, neon: Neon) -> Source:
    """What a resolved table describes; nothing is asked of it yet."""
    return SOURCES[table.kind](table, SourceContext(home, at.session, at.repository, at.root, neon))


def _lock(home: Home, session: SessionId) -> Path:
    return home.locks / f"database-of-{session}.lock"


class Leak(msgspec.Struct, frozen=True):
    """A branch with this home's name and mark, which no session has."""

    name: str
    session: str
    kind: DatabaseKind
    place: str


class Silent(msgspec.Struct, frozen=True):
    """A source that could not be asked."""

    place: str
    reason: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Where branches of ours may lie, and which of them are on record."""

    repos: tuple[str, ...]
    """Those that are trusted."""
    sessions: Mapping[SessionId, str]
    """Each with its repository."""
    known: frozenset[str]


@in_thread
def find_leaks(home: Home, asked: Asked, neon: Neon) -> list[Leak | Silent]:
    return [found for found, _ in _leaks(home, asked, neon)]


@in_thread
def drop_leak(home: Home, asked: Asked, neon: Neon, name: str) -> Leak | None:
    """Drop a branch by its own name, if it is such a leak."""
    # All are asked first, so that a source that is silent is met before anything is dropped.
    for found, source in list(_leaks(home, asked, neon)):
        if isinstance(found, Leak) and found.name == name and source is not None:
            source.drop(_given(home, found.session, name))
            return found
    return None


def _leaks(home: Home, asked: Asked, neon: Neon) -> Iterator[tuple[Leak | Silent, Source | None]]:
    for table, repo in _tables(home, asked).items():
        at = SourceContext(home, "", Path(repo), Path(repo), neon)
        try:
            source = SOURCES[table.kind](table, at)
            branches = source.branches(home_prefix(home.root))
        except (ManyhandsError, OSError) as error:
            yield Silent(table.project or repo, str(error)), None
            continue
        for branch in branches:
            session = session_of(branch.name, home.root)
            # Unmarked, it was cut off in its making and its record is gone: the name says whose.
            ours = branch.mark in ("", mark_for(home.root, session))
            if branch.name not in asked.known and ours:
                yield Leak(branch.name, session, table.kind, source.place), source


def _tables(home: Home, asked: Asked) -> dict[DatabaseTable, str]:
    """Every server that could hold a branch of ours, each once, with a repository that names it."""
    tables: dict[DatabaseTable, str] = {}
    for repo in asked.repos:
        try:
            table = load_repo_config(Path(repo)).database
            if table is not None and table.kind != "sqlite":
                tables.setdefault(resolved(table, Path(repo)), repo)
        except ManyhandsError:
            continue  # what is wrong with it is another check's business
    for session, repo in asked.sessions.items():
        record = load_record(home, session)
        if record is not None and record.table.kind != "sqlite":
            tables.setdefault(record.table, repo)
    return tables


def is_ours(home: Home, name: str) -> bool:
    """Whether it is called like a branch of this home."""
    return bool(session_of(name, home.root))
