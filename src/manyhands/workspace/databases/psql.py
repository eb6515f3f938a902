"""PostgreSQL's addresses, and its own programs: what `psql` answers, a dump put into a database.

The password goes by the environment, never by the command line. Errors carry the server's own
code, so nothing here reads its language.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode

from manyhands.config import child_environment
from manyhands.errors import BadInput, DatabaseFailed
from manyhands.process.pipeline import PipelineEnd, run_pipeline

CONNECT_SECONDS = 10
NO_CONNECTION = 2
"""How psql ends when it could not reach the server, or the server would not have it."""
QUERY_SECONDS = 600.0
COPY_SECONDS = 3600.0
_QUIET = ("--no-psqlrc", "--no-password", "--quiet", "-v", "ON_ERROR_STOP=1")
_PLAIN = ("--tuples-only", "--no-align", "-v", "VERBOSITY=verbose")
_FIELD = "\x1f"
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


class NotConnected(DatabaseFailed):
    """No conversation came about, so nothing was done."""


@dataclass(frozen=True)
class Server:
    """One server as one role sees it."""

    address: Address

    def rows(self, database: str, *statements: str) -> list[list[str]]:
        """What the statements give, each done for itself; raises with the server's code."""
        psql = require_program("psql")
        given = [word for sql in statements for word in ("-c", sql)]
        command = [psql, *_QUIET, *_PLAIN, "-F", _FIELD, "-d", self.address.libpq(database), *given]
        [ended] = self._run([command], QUERY_SECONDS)
        self._require(ended, database)
        lines = ended.stdout.decode("utf-8", "replace").splitlines()
        return [line.split(_FIELD) for line in lines if line]

    def copy(self, source: str, target: str, *options: str) -> None:
        """Dump one database into another, empty one; a consistent moment of a busy source."""
        dump = [require_program("pg_dump"), "--no-password", *options]
        restore = [require_program("psql"), *_QUIET, "--single-transaction", "--output=/dev/null"]
        commands = [
            [*dump, "-d", self.address.libpq(source)],
            [*restore, "-d", self.address.libpq(target)],
        ]
        dumped, restored = self._run(commands, COPY_SECONDS)
        # A dump that broke off makes its reader fail as well, or worse, succeed: it speaks first.
        self._require(dumped, source)
        self._require(restored, target)

    def _run(self, commands: Sequence[Sequence[str]], seconds: float) -> list[PipelineEnd]:
        env = {"PGCONNECT_TIMEOUT": str(CONNECT_SECONDS), "PGAPPNAME": "manyhands"}
        if self.address.password:
            env["PGPASSWORD"] = self.address.password
        return run_pipeline(*commands, env=child_environment(env), cwd=Path("/"), timeout=seconds)

    def _require(self, ended: PipelineEnd, database: str) -> None:
        if ended.returncode == 0:
            return
        said = ended.stderr.strip()
        if self.address.password:
            said = said.replace(self.address.password, "***")
        if ended.late:
            said = "it took too long and was stopped"
        state = re.search(r"\b(?:ERROR|FATAL):\s+([0-9A-Z]{5}):", said)
        line = re.search(r"(?:ERROR|FATAL|error):\s+(?:[0-9A-Z]{5}:\s+)?(.*)", said)
        problem = line[1] if line else said.splitlines()[-1] if said else "no reason was given"
        if ended.returncode == NO_CONNECTION and not state:
            raise NotConnected(f"database {database} at {self.address.place}: {problem}")
        raise DatabaseFailed(
            f"database {database} at {self.address.place}: {problem}",
            state=state[1] if state else "",
        )


def require_program(name: str) -> str:
    """The path of one of PostgreSQL's programs, or how to get it."""
    found = shutil.which(name, path=child_environment().get("PATH"))
    if found is None:
        raise DatabaseFailed(
            f"PostgreSQL's program {name} is not installed, and branching a database needs it",
            hint="install the client: `apt install postgresql-client`, `brew install libpq`",
        )
    return found


def identifier(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    # Doubled quotes are all there is only while backslashes mean themselves: E'' says they do not.
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
