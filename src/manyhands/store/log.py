"""The log's rows: added in one go, read page by page, folded from end to end."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from functools import cache

import apsw
import msgspec

from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.store.batch import Stored

PAGE_BYTES = 8 * 1024 * 1024
# Few events tell of money, tokens and time. They are written out, since the index that finds them
# without reading the whole log covers only what the query names in the very same words.
IS_USAGE = (
    "type IN ('usage_recorded','turn_started','turn_finished','agent_exited','plan_proposed',"
    "'permission_requested','question_asked','attention_raised','attention_resolved',"
    "'session_archived')"
)
logger = logging.getLogger(__name__)


def last_seq(db: apsw.Connection) -> int:
    return int(db.execute("SELECT max(seq) FROM events").get or 0)


def type_of(event: e.Fact) -> str:
    return event.type if isinstance(event, e.Unknown) else _tag(type(event))


@cache
def _tag(kind: type[e.AnyEvent]) -> str:
    return str(kind.__struct_config__.tag)


def add_rows(db: apsw.Connection, items: Sequence[Stored], events: Sequence[e.Fact]) -> None:
    rows = [
        (item.seq, item.session, item.type, event.at, item.body)
        for item, event in zip(items, events, strict=True)
    ]
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)


def page(
    db: apsw.Connection, after: int, upto: int | None, session: SessionId | None, limit: int
) -> list[tuple[int, bytes]]:
    """Events in wire form; at least one where there is one, then as many as fit in a page."""
    of_session = "" if session is None else "session = ?4 AND"
    query = f"""
        SELECT seq, body FROM events WHERE {of_session} seq > ?1 AND seq <= ifnull(?2, seq)
        ORDER BY seq LIMIT ?3
    """
    given = (after, upto, limit) if session is None else (after, upto, limit, session)
    return _within_a_page(db, query, given)


def last_page(db: apsw.Connection, session: SessionId, limit: int) -> list[tuple[int, bytes]]:
    query = "SELECT seq, body FROM events WHERE session = ? ORDER BY seq DESC LIMIT ?"
    return _within_a_page(db, query, (session, limit))[::-1]


def _within_a_page(
    db: apsw.Connection, query: str, given: tuple[int | str | None, ...]
) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    size = 0
    # A cursor left in the middle would hold its snapshot, and with it the write-ahead log.
    with contextlib.closing(db.execute(query, given)) as rows:
        for seq, body in rows:
            found.append((seq, e.with_seq(seq, body)))
            size += len(body)
            if size >= PAGE_BYTES:
                break
    return found


def one(db: apsw.Connection, session: SessionId, kind: str, *, last: bool) -> bytes | None:
    """The body of a session's first or last event of a type."""
    order = "DESC" if last else "ASC"
    query = f"SELECT body FROM events WHERE session = ? AND type = ? ORDER BY seq {order} LIMIT 1"
    found = db.execute(query, (session, kind)).get
    return None if found is None else bytes(found)


def latest(
    db: apsw.Connection, session: SessionId, kinds: Sequence[str], limit: int
) -> list[e.Fact]:
    """A session's events of these types from the newest back; fewer where they are large, and
    without those that cannot be understood any more."""
    marks = ",".join("?" * len(kinds))
    query = f"""
        SELECT seq, body FROM events WHERE session = ? AND type IN ({marks})
        ORDER BY seq DESC LIMIT ?
    """
    found: list[e.Fact] = []
    for _, body in _within_a_page(db, query, (session, *kinds, limit)):
        with contextlib.suppress(msgspec.DecodeError):
            found.append(e.decode(body))
    return found


def tail(db: apsw.Connection, after: int) -> Iterator[tuple[Stored, e.Fact]]:
    """Rows after a number with their events. One that cannot be understood any more is kept in
    the log and shown, but tells the fold nothing."""
    query = "SELECT seq, session, type, at, body FROM events WHERE seq > ? ORDER BY seq"
    for seq, session, kind, at, body in db.execute(query, (after,)):
        stored = Stored(seq, session, kind, body)
        try:
            event = e.decode(body)
        except msgspec.DecodeError as error:
            logger.warning("event %d (%s) cannot be read: %s", seq, kind, error)
            event = e.Unknown(msgspec.Raw(body), kind, session, at)
        yield stored, event


def usage_facts(db: apsw.Connection) -> list[e.Fact]:
    """Of events that tell of usage, in order; one that cannot be understood counts for nothing."""
    found: list[e.Fact] = []
    for (body,) in db.execute(f"SELECT body FROM events WHERE {IS_USAGE} ORDER BY seq"):
        with contextlib.suppress(msgspec.DecodeError):
            found.append(e.decode(body))
    return found
