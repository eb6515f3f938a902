"""Postgres: a database per session beside the source, copied by the server, else by a dump.

The server copies a template only while nobody else is connected to it; where somebody is, or
the role may not use it as a template, the data is dumped and restored. The comment on a database
is its mark, and is written last.
"""

from __future__ import annotations

import hashlib

from manyhands.errors import DatabaseFailed, NotPossible
from manyhands.git.locks import file_lock
from manyhands.workspace.databases.names import Claim
from manyhands.workspace.databases.psql import (
    NotConnected,
    Server,
    identifier,
    literal,
    parse_address,
)
from manyhands.workspace.databases.source import FoundBranch, MadeBranch, SourceContext
from manyhands.workspace.repo_config import DatabaseTable

IN_USE = "55006"
NOT_ALLOWED = "42501"
EXISTS = "42P04"
ABSENT = "3D000"
ATTEMPTS = 5
SYNTAX = "42601"
_PROVIDERS = {
    "i": " LOCALE_PROVIDER icu ICU_LOCALE {}",
    "b": " LOCALE_PROVIDER builtin BUILTIN_LOCALE {}",
}
# By way of JSON, because which of these columns there are depends on the server's version.
_LIKE = """
    SELECT pg_catalog.pg_encoding_to_char(encoding), datcollate, datctype,
      coalesce(to_jsonb(d) ->> 'datlocprovider', 'c'),
      coalesce(to_jsonb(d) ->> 'daticulocale', to_jsonb(d) ->> 'datlocale', '')
    FROM pg_catalog.pg_database d WHERE datname = """


class PostgresSource:
    def __init__(self, table: DatabaseTable, at: SourceContext) -> None:
        if not table.url:
            raise NotPossible(
                f"no database is named: {table.key} is not in the checkout's .env",
                hint="set it there, or [database] url in .manyhands.toml",
            )
        self._address = parse_address(table.url)
        self._template = table.template or self._address.database
        self._server = Server(self._address)
        self._fronts = ["postgres", "template1", self._address.database]
        key = hashlib.sha256(f"{self._address.place}/{self._template}".encode()).hexdigest()[:24]
        self._lock = at.home.locks / f"database-{key}.lock"

    @property
    def place(self) -> str:
        return self._address.place

    def branch(self, claim: Claim, *, anew: bool = False) -> MadeBranch:
        self._require_apart(claim)
        # One copy of a source at a time: our own connection to it would hinder the next.
        with file_lock(self._lock):
            for _ in range(ATTEMPTS):
                mark = self._mark(claim)
                if mark and not anew:
                    return MadeBranch(self._address.of(claim.name), "kept")
                if mark is not None:
                    self._drop(claim.name)
                    anew = False
                try:
                    return MadeBranch(self._address.of(claim.name), self._copy(claim))
                except DatabaseFailed as error:
                    # One that was cut off may still be made by the server: look again.
                    if error.state != EXISTS:
                        raise
        raise DatabaseFailed(f"{claim.name} at {self.place} comes and goes; it was left alone")

    def drop(self, claim: Claim) -> bool:
        self._require_apart(claim)
        with file_lock(self._lock):
            if self._mark(claim) is None:
                return False
            self._drop(claim.name)
            return True

    def branches(self, prefix: str) -> list[FoundBranch]:
        sql = (
            "SELECT datname, coalesce(pg_catalog.shobj_description(oid, 'pg_database'), ''), "
            "CASE WHEN pg_catalog.has_database_privilege(oid, 'CONNECT') "
            "THEN pg_catalog.pg_database_size(oid) ELSE 0 END FROM pg_catalog.pg_database "
            f"WHERE pg_catalog.left(datname, {len(prefix)}) = {literal(prefix)} ORDER BY datname"
        )
        return [FoundBranch(name, mark, int(size)) for name, mark, size in self._rows(sql)]

    def _require_apart(self, claim: Claim) -> None:
        if claim.name in (self._address.database, self._template):
            raise NotPossible(f"{claim.name} is the source itself, so it is left alone")

    def _mark(self, claim: Claim) -> str | None:
        """Our mark, empty on a branch that was cut off; None where there is no such database."""
        found = next((f for f in self.branches(claim.name) if f.name == claim.name), None)
        if found is None:
            return None
        claim.require_ours(found.mark)
        return found.mark

    def _drop(self, name: str) -> None:
        try:
            self._rows(f"DROP DATABASE IF EXISTS {identifier(name)} WITH (FORCE)")
        except DatabaseFailed as error:
            if error.state != SYNTAX:
                raise
            # A server before version 13 cannot send clients away by itself.
            away = "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
            drop = f"DROP DATABASE IF EXISTS {identifier(name)}"
            self._rows(f"{away} WHERE datname = {literal(name)}", drop)

    def _copy(self, claim: Claim) -> str:
        name = identifier(claim.name)
        mark = f"COMMENT ON DATABASE {name} IS {literal(claim.mark)}"
        if not self._in_use():
            template = identifier(self._template)
            try:
                self._rows(f"CREATE DATABASE {name} TEMPLATE {template}", mark)
            except DatabaseFailed as error:
                if error.state not in (IN_USE, NOT_ALLOWED):
                    raise
            else:
                return "template"
        self._create_empty(claim.name)
        try:
            self._server.copy(self._template, claim.name, *self._dump_options())
            self._rows(mark)
        except DatabaseFailed:
            self._drop(claim.name)
            raise
        return "dump"

    def _in_use(self) -> bool:
        """Asked first, because the server waits five seconds before it says so itself."""
        sql = (
            "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = "
            f"{literal(self._template)} AND pid <> pg_catalog.pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        return self._rows(sql) != [["0"]]

    def _create_empty(self, name: str) -> None:
        like = self._rows(_LIKE + literal(self._template))
        if not like:
            raise DatabaseFailed(
                f"there is no database {self._template} at {self.place}", state=ABSENT
            )
        encoding, collate, ctype, provider, locale = like[0]
        by = _PROVIDERS.get(provider, "").format(literal(locale))
        try:
            self._rows(
                f"CREATE DATABASE {identifier(name)} TEMPLATE template0 "
                f"ENCODING {literal(encoding)} LC_COLLATE {literal(collate)} "
                f"LC_CTYPE {literal(ctype)}{by}"
            )
        except DatabaseFailed as error:
            if error.state == NOT_ALLOWED:
                error.hint = "give its role the right: ALTER ROLE … CREATEDB"
            raise

    def _dump_options(self) -> tuple[str, ...]:
        """Owners and rights come over only where the role may set them."""
        sql = "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user"
        return () if self._rows(sql) == [["t"]] else ("--no-owner", "--no-privileges")

    def _rows(self, *statements: str) -> list[list[str]]:
        """Not from the source, where another will do: our connection would hinder its copy."""
        while len(self._fronts) > 1:
            try:
                return self._server.rows(self._fronts[0], *statements)
            except NotConnected:
                del self._fronts[0]
        return self._server.rows(self._fronts[0], *statements)
