"""Who is at the door: the human's token, one-time links, tickets, and scoped tokens.

Links and tickets live in memory and are good once; tokens are stored by hash. The command
line's own token is a file that only the user can read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.errors import NotTrusted
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.store import Store, TokenKind

LINK_SECONDS = 24 * 3600.0
TICKET_SECONDS = 30.0


class Principal(msgspec.Struct, frozen=True):
    """Who asks; an agent is bound to its session."""

    kind: TokenKind
    session: SessionId = SessionId("")
    hash: str = ""


class TokenKeeper:
    def __init__(self, home: Home, store: Store) -> None:
        self._path = home.token
        self._store = store
        self._links: dict[str, float] = {}
        self._tickets: dict[str, tuple[float, Principal]] = {}
        self._watchers: set[Callable[[set[str]], None]] = set()
        self._own = load_or_make_token(home.token)

    def principal(self, token: str) -> Principal | None:
        if hmac.compare_digest(token.encode(), self._own.encode()):
            return Principal("human", hash=hashed(token))
        found = self._store.token(hashed(token))
        return Principal(found.kind, found.session, found.hash) if found else None

    def link(self) -> str:
        """A code that can be exchanged once for a human token."""
        code = secrets.token_urlsafe(24)
        self._links = {c: t for c, t in self._links.items() if t > monotonic()}
        self._links[code] = monotonic() + LINK_SECONDS
        return code

    async def exchange(self, code: str) -> str:
        until = self._links.pop(code, 0.0)
        if until < monotonic():
            raise NotTrusted(
                "this link was used already or is too old", hint="`manyhands up` prints a new one"
            )
        return await self.mint("human")

    async def mint(self, kind: TokenKind, session: SessionId = SessionId("")) -> str:
        token = secrets.token_urlsafe(32)
        await self._store.add_token(hashed(token), kind, session)
        return token

    def ticket(self, principal: Principal) -> str:
        """Opens one WebSocket within half a minute; a browser can set no header there."""
        ticket = secrets.token_urlsafe(24)
        self._tickets = {t: v for t, v in self._tickets.items() if v[0] > monotonic()}
        self._tickets[ticket] = (monotonic() + TICKET_SECONDS, principal)
        return ticket

    def redeem(self, ticket: str) -> Principal | None:
        until, principal = self._tickets.pop(ticket, (0.0, None))
        return principal if until > monotonic() else None

    async def rotate(self) -> None:
        """Every human token is void from now on; whoever holds one open is told."""
        gone = set(await self._store.revoke_tokens(kind="human")) | {hashed(self._own)}
        self._path.unlink(missing_ok=True)
        self._own = load_or_make_token(self._path)
        self._links.clear()
        self._tickets.clear()
        for watcher in list(self._watchers):
            watcher(gone)

    def on_revoked(self, watcher: Callable[[set[str]], None]) -> Callable[[], None]:
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def load_or_make_token(path: Path) -> str:
    try:
        token = path.read_text("ascii").strip()
        if token:
            return token
    except FileNotFoundError:
        pass
    token = secrets.token_urlsafe(32)
    part = path.with_suffix(".new")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token + "\n")
    part.replace(path)
    return token
