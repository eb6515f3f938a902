"""Who is at the door: the human's token, one-time links, tickets, pages, and scoped tokens.

Links, tickets and questions live in memory and are good once. What a page is given is good for this
run of the hub; into the next one it gets by its own key (`page_keys.py`). Scoped tokens are
stored by hash. The command line's own token is a file that only the user can read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from manyhands.api.page_keys import is_signed, key_name, require_key
from manyhands.config import Home
from manyhands.errors import NotTrusted
from manyhands.model.clock import monotonic
from manyhands.model.ids import SessionId
from manyhands.store import Store, TokenKind

LINK_SECONDS = 24 * 3600.0
TICKET_SECONDS = 30.0
MOST_PAGES = 1000
OWN = "command line"


class Principal(msgspec.Struct, frozen=True):
    """Who asks; an agent is bound to its session."""

    kind: TokenKind
    session: SessionId = SessionId("")
    hash: str = ""
    name: str = ""
    """By which a person can tell the token from others."""


class TokenKeeper:
    def __init__(self, home: Home, store: Store) -> None:
        self._path = home.token
        self._store = store
        self._links: dict[str, float] = {}
        self._tickets: dict[str, tuple[float, Principal]] = {}
        self._questions: dict[str, float] = {}
        self._pages: dict[str, Principal] = {}
        self._watchers: set[Callable[[set[str]], None]] = set()
        self._own = load_or_make_token(home.token)

    def principal(self, token: str) -> Principal | None:
        if hmac.compare_digest(token.encode(), self._own.encode()):
            return Principal("human", hash=hashed(token), name=OWN)
        if page := self._pages.get(hashed(token)):
            return page
        found = self._store.token(hashed(token))
        # Stored for people are only the names of pages' keys, which open nothing by themselves.
        if found is None or found.kind == "human":
            return None
        return Principal(found.kind, found.session, found.hash, found.kind)

    def is_ours(self, token: str) -> bool:
        return token.isascii() and self.principal(token) is not None

    def put_back(self) -> None:
        """Make the command line's token file what it was, whatever became of it."""
        write_token(self._path, self._own)

    def link(self) -> str:
        """A code that can be exchanged once for a human token."""
        code = secrets.token_urlsafe(24)
        self._links = {c: t for c, t in self._links.items() if t > monotonic()}
        self._links[code] = monotonic() + LINK_SECONDS
        return code

    def exchange(self, code: str) -> str:
        until = self._links.pop(code, 0.0)
        if until < monotonic():
            raise NotTrusted(
                "this link was used already or is too old", hint="`manyhands up` prints a new one"
            )
        return self._let_in("page")

    async def remember(self, key: str, host: str) -> None:
        """A page that was let in names the key by which it comes back."""
        name = key_name(require_key(key), host)
        # Each page that is loaded makes one anew, and takes it along when it is closed.
        await self._store.add_token(name, "human", most=MOST_PAGES)

    def question(self) -> str:
        """What a page has to sign, once and soon."""
        nonce = secrets.token_urlsafe(24)
        self._questions = {q: t for q, t in self._questions.items() if t > monotonic()}
        self._questions[nonce] = monotonic() + TICKET_SECONDS
        if len(self._questions) > MOST_PAGES:  # anybody may ask for one
            del self._questions[next(iter(self._questions))]
        return nonce

    def prove(self, key: str, nonce: str, signature: str, host: str) -> str:
        """A token of this run for a page that an earlier run let in at the same address."""
        asked = self._questions.pop(nonce, 0.0) > monotonic()
        known = self._store.token(key_name(key, host))
        if not asked or known is None or known.kind != "human":
            raise _unknown_page()
        if not is_signed(key, signature, nonce, host):
            raise _unknown_page()
        return self._let_in("page")

    def _let_in(self, name: str) -> str:
        token = secrets.token_urlsafe(32)
        self._pages[hashed(token)] = Principal("human", hash=hashed(token), name=name)
        if len(self._pages) > MOST_PAGES:
            del self._pages[next(iter(self._pages))]
        return token

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
        await self._store.revoke_tokens(kind="human")
        gone = {*self._pages, hashed(self._own)}
        self._path.unlink(missing_ok=True)
        self._own = load_or_make_token(self._path)
        self._pages.clear()
        self._questions.clear()
        self._links.clear()
        self._tickets.clear()
        for watcher in list(self._watchers):
            watcher(gone)

    def on_revoked(self, watcher: Callable[[set[str]], None]) -> Callable[[], None]:
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _unknown_page() -> NotTrusted:
    return NotTrusted(
        "no page with this key was let in here", hint="`manyhands up` prints a link for it"
    )


def load_or_make_token(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        if token := path.read_text("ascii").strip():
            return token
    token = secrets.token_urlsafe(32)
    write_token(path, token)
    return token


def write_token(path: Path, token: str) -> None:
    """Whole or not at all, and readable by the user only."""
    part = path.with_suffix(".new")
    part.unlink(missing_ok=True)  # whatever it was, and whoever may read it
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token + "\n")
    part.replace(path)
