"""Sessions and repositories as stored documents: the fold's result, so that a start is quick."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import apsw
import msgspec

from manyhands.model.session import Session
from manyhands.model.state import Repo, State
from manyhands.store import log
from manyhands.store.connection import transaction

logger = logging.getLogger(__name__)
_session = msgspec.json.Decoder(Session)
_repo = msgspec.json.Decoder(Repo)
_encoder = msgspec.json.Encoder()


def load_state(db: apsw.Connection) -> State:
    """The state as stored, or folded from the log where the documents are no use."""
    try:
        state = _stored_state(db)
    except msgspec.DecodeError as error:
        logger.warning("stored sessions are folded anew, one cannot be read: %s", error)
        return rebuild(db)
    is_emptied = not state.sessions and not state.repos and log.last_seq(db) > 0
    return rebuild(db) if is_emptied else state


def _stored_state(db: apsw.Connection) -> State:
    sessions = (_session.decode(doc) for (doc,) in db.execute("SELECT doc FROM sessions"))
    repos = (_repo.decode(doc) for (doc,) in db.execute("SELECT doc FROM repos"))
    return State({s.id: s for s in sessions}, {r.path: r for r in repos})


def rebuild(db: apsw.Connection) -> State:
    """Fold the whole log and store what comes out."""
    with transaction(db):
        state = State()
        for _, event in log.tail(db, after=0):
            state.apply(event)
        db.execute("DELETE FROM sessions; DELETE FROM repos")
        save(db, state)
    return state


def save(db: apsw.Connection, changed: State) -> None:
    """Write the documents of everything in this layer."""
    _save(db, "sessions", ((s.id, s) for s in changed.sessions.values()))
    _save(db, "repos", ((r.path, r) for r in changed.repos.values()))


def _save(db: apsw.Connection, table: str, docs: Iterable[tuple[str, Session | Repo]]) -> None:
    rows = [(name, _encoder.encode(doc)) for name, doc in docs]
    if rows:
        db.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", rows)
