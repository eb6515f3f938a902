"""Database addresses (`postgresql://…`): taken apart, and changed without touching the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode

from manyhands.errors import BadInput

SCHEMES = ("postgres", "postgresql", "postgis", "pgsql")
# What libpq understands; frameworks add words of their own, which it would refuse.
LIBPQ = frozenset(
    (
        *("host", "hostaddr", "port", "user", "service", "options", "target_session_attrs"),
        *("sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "gssencmode"),
        "channel_binding",
    )
)
_SHAPE = re.compile(
    r"(?P<scheme>[A-Za-z0-9]+)(?P<driver>\+[A-Za-z0-9_]+)?://"
    r"(?:(?P<user>[^/@]*)@)?(?P<hosts>[^/?#]*)(?:/(?P<database>[^?#]*))?(?:\?(?P<query>[^#]*))?"
)


@dataclass(frozen=True)
class Address:
    """`server` is libpq's address of the same server without database and password."""

    text: str
    database: str
    password: str
    server: str
    place: str
    """Host and port, to be shown."""
    query: str = ""

    def of(self, database: str) -> str:
        """The same address, letter for letter, but for another database."""
        found = _SHAPE.fullmatch(self.text)
        assert found is not None
        start, end = found.span("database")
        if start < 0:
            end = start = found.end("hosts")
            return f"{self.text[:start]}/{quote(database, safe='')}{self.text[end:]}"
        return f"{self.text[:start]}{quote(database, safe='')}{self.text[end:]}"

    def libpq(self, database: str) -> str:
        return f"{self.server}/{quote(database, safe='')}{self.query}"


def parse_address(text: str) -> Address:
    """Raises without repeating the address, which may hold a password."""
    found = _SHAPE.fullmatch(text)
    if found is None or found["scheme"].lower() not in SCHEMES:
        raise BadInput(
            "the database's address is not of the form postgresql://user:password@host/database",
            hint="see [database] url, or the key of the .env that it names",
        )
    user, _, password = (found["user"] or "").partition(":")
    given = dict(parse_qsl(found["query"] or "", keep_blank_values=True))
    database = unquote(found["database"] or "")
    if not database or "dbname" in given:
        raise BadInput(
            "the database's address names no database, or names it as a parameter",
            hint="write it after the host: postgresql://user@host/database",
        )
    kept = {name: value for name, value in given.items() if name in LIBPQ}
    hosts = found["hosts"] or given.get("host", "")
    return Address(
        text=text,
        database=database,
        password=unquote(password) or given.get("password", ""),
        server=f"postgresql://{user + '@' if user else ''}{found['hosts']}",
        place=hosts or "localhost",
        query=f"?{urlencode(kept)}" if kept else "",
    )
