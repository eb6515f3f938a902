"""Sources of data for the tests: a Postgres server of their own, and a workplace beside it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import find_postgres
import pytest

from manyhands.config import Home, Neon
from manyhands.workspace.databases.source import Workplace
from tests.databases.server import Postgres

MakePlace = Callable[..., Workplace]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A machine without PostgreSQL fails the test and says so."""
    found = os.environ.get("MANYHANDS_POSTGRES") or find_postgres.find_installed()
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
        postgres.sql(f"DROP DATABASE {quoted} WITH (FORCE)")


@pytest.fixture
def make_place(tmp_path: Path) -> MakePlace:
    """Sessions with a repository and a worktree each, in one home."""
    home = Home(tmp_path / "home")
    home.make()
    repo = tmp_path / "repo"
    if not repo.exists():
        repo.mkdir()
        (repo / ".gitignore").write_text(".env*\n!.env.example\n*.db\n", encoding="utf-8")
        git(repo, "init", "-q")
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", "Start")

    def make(session: str = "s1", neon: Neon | None = None) -> Workplace:
        worktree = home.worktrees / session
        git(repo, "worktree", "add", "-q", "--detach", str(worktree))
        return Workplace(home, session, repo, worktree, neon or Neon())

    return make


def git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, timeout=60)
