"""Receipts, acknowledgements and tokens: small tables that make commands and items count once."""

from __future__ import annotations

from typing import Literal

import apsw
import msgspec

from manyhands.model.clock import Instant, now
from manyhands.model.ids import CommandId, SessionId

TokenKind = Literal["human", "agent", "read-only"]


class Token(msgspec.Struct, frozen=True):
    """What a bearer may do; only the token's hash is ever stored."""

    hash: str
    kind: TokenKind
    session: SessionId
    at: Instant


def receipt(db: apsw.Connection, id: CommandId) -> bytes | None:
    """The JSON result of a command that was carried out before."""
    found = db.execute("SELECT result FROM receipts WHERE id = ?", (id,)).get
    return None if found is None else bytes(found)


def set_receipt(db: apsw.Connection, id: CommandId, result: bytes) -> None:
    db.execute("INSERT INTO receipts VALUES (?, ?, ?)", (id, now(), result))


def acked(db: apsw.Connection, session: SessionId, epoch: int) -> int:
    """The number of the last item that was taken from this keeper, 0 for none."""
    query = "SELECT upto FROM acks WHERE session = ? AND epoch = ?"
    return int(db.execute(query, (session, epoch)).get or 0)


def set_acked(db: apsw.Connection, session: SessionId, epoch: int, upto: int) -> None:
    db.execute("INSERT OR REPLACE INTO acks VALUES (?, ?, ?)", (session, epoch, upto))


class Acks:
    """What was taken from each keeper: asked of the file once, written with every commit."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known: dict[tuple[SessionId, int], int] = {}
        self._unstored: set[tuple[SessionId, int]] = set()

    def upto(self, session: SessionId, epoch: int) -> int:
        key = session, epoch
        if key not in self._known:
            self._known[key] = acked(self._db, session, epoch)
        return self._known[key]

    def set(self, session: SessionId, epoch: int, upto: int) -> None:
        self._known[session, epoch] = upto
        self._unstored.add((session, epoch))

    def store(self) -> None:
        rows = [(*key, self._known[key]) for key in self._unstored]
        self._db.executemany("INSERT OR REPLACE INTO acks VALUES (?, ?, ?)", rows)
        self._unstored.clear()

    def forget(self) -> None:
        """The file knows better: a commit failed, or another connection wrote."""
        self._known.clear()
        self._unstored.clear()


def token(db: apsw.Connection, hash: str) -> Token | None:
    found = db.execute("SELECT hash, kind, session, at FROM tokens WHERE hash = ?", (hash,)).get
    return None if found is None else Token(*found)


def add_token(db: apsw.Connection, token: Token) -> None:
    row = (token.hash, token.kind, token.session, token.at)
    db.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", row)


def drop_old_tokens(db: apsw.Connection, kind: TokenKind, most: int) -> None:
    """All but the newest ones of their kind."""
    query = """
        DELETE FROM tokens WHERE kind = ?1 AND hash NOT IN
        (SELECT hash FROM tokens WHERE kind = ?1 ORDER BY at DESC, hash DESC LIMIT ?2)
    """
    db.execute(query, (kind, most))


def revoke_tokens(
    db: apsw.Connection, *, hash: str | None, kind: TokenKind | None, session: SessionId | None
) -> list[str]:
    """Deletes the tokens that fit everything given; their hashes."""
    query = """
        DELETE FROM tokens
        WHERE hash = ifnull(?, hash) AND kind = ifnull(?, kind) AND session = ifnull(?, session)
        RETURNING hash
    """
    return [str(gone) for (gone,) in db.execute(query, (hash, kind, session))]
