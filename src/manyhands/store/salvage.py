"""A new store of all that can be read of a damaged one, and of its backups.

Events are facts that never change, so they are taken wherever they are found: on pages that no
tree reaches any more, in the write-ahead log, in a backup. Sessions, repositories and jobs are
folded from them anew. The damaged file is kept beside the new one.
"""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import apsw
import msgspec

from manyhands.errors import StoreFailed
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.quoting import quoted
from manyhands.model.state import State
from manyhands.store import log
from manyhands.store.backup import stamp
from manyhands.store.connection import mended_name, open_reader, transaction
from manyhands.store.copy import SIDECARS, remove_database, remove_sidecars
from manyhands.store.pages import LEAF_INDEX, LEAF_TABLE, Pages, RawRow
from manyhands.store.schema import open_migrated

Row = tuple[int, str, str, str, bytes]
GAP = 1000
"""So many numbers are passed over: the last ones may have been given to what is lost, and nobody
who knows of that must take something else for it."""
UNREADABLE = (apsw.Error, UnicodeDecodeError)
"""What reading a damaged table ends with; what came before it is kept."""
FAR = 5 * GAP
"""Numbers further than this from all others were not given by us."""


class Salvaged(msgspec.Struct, frozen=True, kw_only=True):
    events: int
    from_backup: int
    """Of these, so many were only there."""
    lost: tuple[tuple[int, int], ...]
    """First and last number of each stretch of events that are nowhere."""
    sessions: dict[str, int]
    """How many each session lost, as far as that is known."""
    aside: str
    """Where the damaged file is now."""

    @property
    def told(self) -> str:
        from_backup = f", {self.from_backup} of them from a backup" if self.from_backup else ""
        kept = f"{self.events} events were kept{from_backup}"
        if not self.lost:
            return f"{kept}; none is lost. The damaged file is {self.aside}"
        stretches = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in self.lost[:20])
        more = f" and {len(self.lost) - 20} more stretches" if len(self.lost) > 20 else ""
        whose = ", ".join(f"{name} {count}" for name, count in sorted(self.sessions.items()))
        whose = f" (of sessions: {whose})" if whose else ""
        return f"{kept}; lost: {stretches}{more}{whose}. The damaged file is {self.aside}"


def salvage(path: Path, backups: Sequence[Path] = ()) -> Salvaged:
    """Put a whole store in the place of `path`; nobody else may have it open. Blocks."""
    made = mended_name(path)
    remove_database(made)
    aside = path.with_name(f"{path.name}.damaged-{stamp(now())}")
    with contextlib.closing(open_migrated(made)) as db:
        db.pragma("synchronous", "off")
        found = _Finds(db)
        found.read(path)
        own = found.count()
        for backup in backups:
            found.fill(backup)
        if not found.count():
            raise StoreFailed(
                f"there is nothing of which {path} could be made",
                hint=f"begin anew: `{quoted('mv', path, aside)}`, then `manyhands up`; "
                "worktrees and branches are still there",
            )
        result = found.settle(own, str(aside))
    _set_in_place(path, made, aside)
    return result


def put_in_place(path: Path) -> None:
    """The one that a hub kept of a store that was gone; what lies beside that goes aside."""
    _set_in_place(path, mended_name(path), path.with_name(f"{path.name}.damaged-{stamp(now())}"))


def _set_in_place(path: Path, made: Path, aside: Path) -> None:
    """A kill in between leaves the new one under its own name, and the old one is not lost."""
    with made.open("rb+") as file:
        os.fsync(file.fileno())
    remove_sidecars(made)
    for ending in ("-wal", "-journal", ""):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    for ending in SIDECARS:
        path.with_name(path.name + ending).unlink(missing_ok=True)
    made.replace(path)


class _Finds:
    """Events as they are found, in the store that is being made."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        db.execute("CREATE TEMP TABLE sure(seq INTEGER PRIMARY KEY, score INTEGER)")
        self._whose: dict[int, str] = {}
        """The sessions of events, as the index knows them."""

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM events").get)

    def read(self, path: Path) -> None:
        pages = Pages(path)
        with transaction(self._db):
            for found in pages.records(LEAF_TABLE):
                self._take(list(_events_on(found.records)), found.proven)
            self._drop_far_ones()
            for found in pages.records(LEAF_INDEX):
                self._take_index(found.records)
            self._copy_tables(path)

    def _take(self, rows: list[Row], proven: bool) -> None:
        """The surest version of each: one that makes sense, that a checksum vouches for, whose
        number follows that of its neighbours on the page; else the newest."""
        seqs = [row[0] for row in rows]
        for n, row in enumerate(rows):
            before, after = seqs[n - 1 : n] == [row[0] - 1], seqs[n + 1 : n + 2] == [row[0] + 1]
            score = before + after + 3 * proven + 6 * _makes_sense(row[4])
            known = self._db.execute("SELECT score FROM sure WHERE seq = ?", (row[0],)).get
            if known is None or score >= known:
                self._db.execute("INSERT OR REPLACE INTO sure VALUES (?, ?)", (row[0], score))
                self._db.execute("INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?)", row)

    def _drop_far_ones(self) -> None:
        last = self._db.execute("SELECT max(seq) FROM sure WHERE score % 3 > 0").get
        highest = (last or self.count()) + FAR
        self._db.execute("DELETE FROM events WHERE seq > ? OR seq < 1", (highest,))

    def _take_index(self, records: Iterable[RawRow]) -> None:
        for record in records:
            match record.values:
                case (str(session), int(seq)):
                    self._whose[seq] = session
                case (str(session), int(epoch), int(upto)):
                    self._db.execute(
                        "INSERT INTO acks VALUES (?, ?, ?) ON CONFLICT DO UPDATE"
                        " SET upto = max(upto, excluded.upto)",
                        (session, epoch, upto),
                    )

    def _copy_tables(self, path: Path) -> None:
        """Tokens only as a whole: one that was revoked must not come back from an old page."""
        with contextlib.suppress(*UNREADABLE), contextlib.closing(open_reader(path)) as old:
            tokens = list(old.execute("SELECT hash, kind, session, at FROM tokens"))
            self._db.executemany("INSERT OR IGNORE INTO tokens VALUES (?, ?, ?, ?)", tokens)
        for order in ("ASC", "DESC"):
            with contextlib.suppress(*UNREADABLE), contextlib.closing(open_reader(path)) as old:
                for row in old.execute(f"SELECT id, at, result FROM receipts ORDER BY id {order}"):
                    self._db.execute("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?)", row)

    def fill(self, backup: Path) -> None:
        """Take from it what is missing, if it is of the same log."""
        with contextlib.suppress(*UNREADABLE), contextlib.closing(open_reader(backup)) as old:
            rows = "SELECT seq, session, type, at, body FROM events"
            if self.count() and not self._is_same_log(old):
                return
            with transaction(self._db):
                for row in old.execute(rows):
                    if _is_event(row):
                        self._db.execute("INSERT OR IGNORE INTO events VALUES (?,?,?,?,?)", row)
                if not self._db.execute("SELECT count(*) FROM acks").get:
                    acks = list(old.execute("SELECT session, epoch, upto FROM acks"))
                    self._db.executemany("INSERT OR IGNORE INTO acks VALUES (?, ?, ?)", acks)

    def _is_same_log(self, old: apsw.Connection) -> bool:
        same = other = 0
        for seq, body in old.execute("SELECT seq, body FROM events ORDER BY seq DESC LIMIT 1000"):
            known = self._db.execute("SELECT body FROM events WHERE seq = ?", (seq,)).get
            same += known is not None and bytes(known) == body
            other += known is not None and bytes(known) != body
        return same >= other

    def settle(self, own: int, aside: str) -> Salvaged:
        """Say in the log what is missing, and leave nothing that waits for what never comes."""
        count = self.count()
        lost = list(self._lost())
        sessions: dict[str, int] = defaultdict(int)
        for first, last in lost:
            for seq in range(first, last + 1):
                if whose := self._whose.get(seq):
                    sessions[whose] += 1
        state = State()
        for _, event in log.tail(self._db, 0):
            state.apply(event)
        highest = max([log.last_seq(self._db), *(last for _, last in lost)])
        with transaction(self._db):
            self._append(highest + GAP, [*_notes(state, sessions), *_ends(state)])
        named = {_name(state, session): n for session, n in sessions.items()}
        return Salvaged(
            events=count, from_backup=count - own, lost=tuple(lost), sessions=named, aside=aside
        )

    def _lost(self) -> Iterator[tuple[int, int]]:
        """Stretches of numbers that were given and are not here."""
        expected = 1
        for (seq,) in self._db.execute("SELECT seq FROM events ORDER BY seq"):
            if seq > expected and seq - expected != GAP:
                yield expected, seq - 1
            expected = seq + 1
        behind = [seq for seq in self._whose if expected <= seq < expected + FAR]
        if behind:
            yield expected, max(behind)

    def _append(self, after: int, facts: Sequence[e.AnyEvent]) -> None:
        at = now()
        for seq, fact in enumerate(facts, after + 1):
            stamped = msgspec.structs.replace(fact, at=at)
            row = (seq, fact.session, log.type_of(fact), at, e.encode(stamped))
            self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)


def _notes(state: State, lost: dict[str, int]) -> Iterator[e.NoteMade]:
    """In every session that lost something, and in at least one."""
    for session, count in sorted(lost.items()):
        text = f"The store was damaged: {count} events of this session are lost"
        yield e.NoteMade(session=SessionId(session), text=text)
    if not lost and state.sessions:
        last = max(state.sessions.values(), key=lambda s: s.updated_at)
        yield e.NoteMade(session=last.id, text="The store was damaged, and made anew")


def _ends(state: State) -> Iterator[e.AnyEvent]:
    """Nothing is left that waits for what never comes."""
    for s in state.sessions.values():
        if not s.created_at:
            # Nobody knows any more where it was; its worktree is offered for adoption.
            yield e.SessionRemoved(session=s.id, lost=("how it began",))
            continue
        for c in s.conversations.values():
            if c.in_turn and s.keeper.state == "none":
                why = "the store was damaged"
                yield e.AgentExited(session=s.id, turn=c.turn, conversation=c.id, reason=why)


def _name(state: State, session: str) -> str:
    s = state.session(SessionId(session))
    return s.slug if s is not None and s.slug else session


def _events_on(records: Iterable[RawRow]) -> Iterator[Row]:
    for record in records:
        match record.values:
            case (None, str(session), str(kind), str(at), bytes(body)):
                row = (record.number, session, kind, at, body)
                if _is_event(row):
                    yield row


def _is_event(row: Sequence[object]) -> bool:
    """Whether the words are those of its own columns."""
    _, session, kind, at, body = row
    try:
        said = msgspec.json.decode(bytes(body))  # type: ignore[call-overload]
        return (said["type"], said.get("session", ""), said["at"]) == (kind, session, at)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return False


def _makes_sense(body: bytes) -> bool:
    try:
        e.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
