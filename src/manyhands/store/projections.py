"""Sessions and repositories as stored documents: the fold's result, so that a start is quick."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import apsw
import msgspec

from manyhands.model.ids import JobId
from manyhands.model.jobs.job import Job
from manyhands.model.session.session import Session
from manyhands.model.state import MOST_ENDED, Repo, State
from manyhands.store import log
from manyhands.store.connection import transaction

logger = logging.getLogger(__name__)
_session = msgspec.json.Decoder(Session)
_repo = msgspec.json.Decoder(Repo)
_job = msgspec.json.Decoder(Job)
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
    rows = db.execute(
        "SELECT doc FROM jobs WHERE open OR rowid > (SELECT max(rowid) FROM jobs) - ?",
        (MOST_ENDED,),
    )
    jobs = (_job.decode(doc) for (doc,) in rows)
    state = State()
    state.take(
        State({s.id: s for s in sessions}, {r.path: r for r in repos}, {j.id: j for j in jobs})
    )
    return state


def rebuild(db: apsw.Connection) -> State:
    """Fold the whole log and store what comes out."""
    with transaction(db):
        state = State()
        for _, event in log.tail(db, after=0):
            state.apply(event)
        db.execute("DELETE FROM sessions; DELETE FROM repos; DELETE FROM jobs")
        save(db, state)
    return state


def save(db: apsw.Connection, changed: State) -> None:
    """Write the documents of everything in this layer."""
    _save(db, "sessions", ((s.id, s) for s in changed.sessions.values()))
    _save(db, "repos", ((r.path, r) for r in changed.repos.values()))
    jobs = [(job.id, job.is_open, _encoder.encode(job)) for job in changed.jobs.values()]
    if jobs:
        db.executemany(
            "INSERT INTO jobs VALUES (?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET open = excluded.open, doc = excluded.doc",
            jobs,
        )


def one_job(db: apsw.Connection, id: JobId) -> Job | None:
    found = db.execute("SELECT doc FROM jobs WHERE id = ?", (id,)).get
    return None if found is None else _job.decode(found)


def all_jobs(db: apsw.Connection) -> list[Job]:
    """Every job there ever was, the oldest first."""
    return [_job.decode(doc) for (doc,) in db.execute("SELECT doc FROM jobs ORDER BY rowid")]


def _save(db: apsw.Connection, table: str, docs: Iterable[tuple[str, Session | Repo]]) -> None:
    rows = [(name, _encoder.encode(doc)) for name, doc in docs]
    if rows:
        db.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", rows)
