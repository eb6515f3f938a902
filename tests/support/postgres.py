"""A real PostgreSQL server of the tests' own, on a temporary directory and as another user."""

from __future__ import annotations

import ctypes
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import find_postgres
import pytest

from manyhands.process import launcher
from tests.support.reserved import ReservedPort

SECONDS = 60.0
LIBC = ctypes.CDLL(None)
READY = b"database system is ready to accept connections"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "max_connections": "50",
    "log_statement": "none",
    "lc_messages": "C",
}


def die_with_the_tests() -> None:
    """A test run that is killed leaves no server behind, where the kernel can see to it."""
    if sys.platform == "linux":
        LIBC.prctl(launcher.PR_SET_PDEATHSIG, signal.SIGQUIT)


def another_user() -> dict[str, Any]:
    """How a child becomes somebody else: the server refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise AssertionError("there is no user as which a server could run")


@dataclass
class Postgres:
    """`password` holds every character that an address must escape."""

    programs: Path
    place: Path
    reserved: ReservedPort
    password: str
    process: subprocess.Popen[bytes] | None = None
    drain: threading.Thread | None = None
    """Reads on what the server says, so that its pipe never fills."""

    @classmethod
    def make(cls, programs: str) -> Postgres:
        place = Path(tempfile.mkdtemp(prefix="mh-pg-", dir="/tmp"))
        word = f"p@ss/{secrets.token_hex(4)}:%#'\\"
        server = cls(Path(programs), place, ReservedPort(), word)
        (place / "password").write_text(server.password)
        who = another_user()
        if who:
            for path in (place, place / "password"):
                os.chown(path, who["user"], who["group"])
        words: list[str | Path] = [
            "-D",
            place / "data",
            "-U",
            "owner",
            "--pwfile",
            place / "password",
        ]
        auth = ["--auth-host=scram-sha-256", "--auth-local=trust", "--encoding=UTF8", "--no-sync"]
        server.run("initdb", *words, *auth, "--locale=C", **who)
        return server

    @property
    def port(self) -> int:
        return self.reserved.number

    def run(self, program: str, *words: str | Path, **how: Any) -> str:
        done = subprocess.run(
            [self.programs / program, *words],
            cwd=self.place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            capture_output=True,
            timeout=SECONDS,
            check=False,
            **how,
        )
        assert done.returncode == 0, (program, words, done.stderr.decode())
        output: bytes = done.stdout
        return output.decode()

    def start(self) -> None:
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        where = ["-D", str(self.place / "data"), "-k", str(self.place), "-p", str(self.port)]
        self.process = subprocess.Popen(
            [self.programs / "postgres", *where, *options],
            cwd=self.place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=die_with_the_tests,  # noqa: PLW1509 - one system call
            **another_user(),
        )
        assert self.process.stderr is not None
        said = []
        for line in self.process.stderr:
            said.append(line)
            if READY in line:
                self.drain = threading.Thread(target=self.process.stderr.read, daemon=True)
                self.drain.start()
                return
        raise AssertionError(f"the server did not start: {b''.join(said).decode()}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(SECONDS)
            assert self.drain is not None
            assert self.process.stderr is not None
            self.drain.join(SECONDS)
            self.process.stderr.close()
            self.process = None

    def close(self) -> None:
        self.stop()
        self.reserved.close()
        shutil.rmtree(self.place, ignore_errors=True)

    def url(self, database: str, *, user: str = "owner", password: str | None = None) -> str:
        word = quote(self.password if password is None else password, safe="")
        name = quote(database, safe="")
        return f"postgresql://{user}:{word}@127.0.0.1:{self.port}/{name}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        words = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.place)]
        where = ["-p", str(self.port), "-U", "owner", "-d", database]
        return self.run("psql", *words, *where, "-c", statement).strip()

    def databases(self) -> set[str]:
        return set(self.sql("SELECT datname FROM pg_database").splitlines())

    def connect(self, database: str) -> subprocess.Popen[bytes]:
        """A client that stays connected until its input is closed."""
        words = ["-X", "-A", "-t", "-q", "-h", str(self.place), "-p", str(self.port)]
        child = subprocess.Popen(
            [self.programs / "psql", *words, "-U", "owner", "-d", database],
            env={"PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"SELECT 'connected';\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"connected\n"
        return child


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A machine without PostgreSQL fails the test and says so."""
    found = os.environ.get("MANYHANDS_POSTGRES") or find_postgres.SERVER.installed()
    if found is None:
        pytest.fail("no PostgreSQL server is installed; `make test` brings one", pytrace=False)
    os.environ["PATH"] = os.pathsep.join([found, os.environ["PATH"]])
    server = Postgres.make(found)
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def app(postgres: Postgres) -> Iterator[str]:
    """A source with some data, called as awkwardly as a database can be."""
    name = 'The "App"; DROP DATABASE postgres'
    quoted = '"' + name.replace('"', '""') + '"'
    postgres.sql(f"CREATE DATABASE {quoted}")
    postgres.sql("CREATE TABLE people(name text)", name)
    postgres.sql("INSERT INTO people VALUES ('Ada'), ('Grace')", name)
    yield name
    for left in postgres.databases() - {"postgres", "template0", "template1"}:
        quoted = '"' + left.replace('"', '""') + '"'
        # A hub may be dropping it as well.
        postgres.sql(f"DROP DATABASE IF EXISTS {quoted} WITH (FORCE)")
