"""SQLite: the session's copy is whole and its own, and the source's bytes stay as they are."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.errors import BadInput, NotPossible, StoreFailed
from manyhands.store.copy import copy_database
from manyhands.workspace.databases.names import Claim, claim_for
from manyhands.workspace.databases.source import SourceContext
from manyhands.workspace.databases.sqlite import SqliteSource, file_named_by
from manyhands.workspace.repo_config import DatabaseTable
from tests.workspace.databases.conftest import MakePlace, git


def make_database(path: Path, rows: int = 3, mode: str = "wal") -> sqlite3.Connection:
    """An open connection: in WAL mode the rows are still in the log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA journal_mode={mode}")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("CREATE TABLE people(name TEXT)")
    db.executemany("INSERT INTO people VALUES (?)", [(f"p{n}",) for n in range(rows)])
    db.commit()
    return db


def count(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        found: int = db.execute("SELECT count(*) FROM people").fetchone()[0]
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return found
    finally:
        db.close()


def files(path: Path) -> dict[str, bytes]:
    return {
        p.name: p.read_bytes() for p in path.parent.glob(f"{path.name}*") if "shm" not in p.name
    }


def source(at: SourceContext, **table: str) -> SqliteSource:
    return SqliteSource(DatabaseTable(kind="sqlite", **table), at)


def claim(at: SourceContext) -> Claim:
    return claim_for(at.home.root, at.session, "fix")


def test_the_copy_has_what_is_only_in_the_log_and_the_source_is_not_touched(
    make_place: MakePlace,
) -> None:
    at = make_place()
    path = at.repo / "data" / "dev.db"
    db = make_database(path)
    before = files(path)
    assert b"p2" not in before["dev.db"]
    data = source(at, source="data/dev.db")
    made = data.branch(claim(at))
    assert (made.method, data.target) == ("backup", at.worktree / "data" / "dev.db")
    assert count(data.target) == 3
    assert files(path) == before
    db.close()


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_copy_is_consistent_while_somebody_writes(make_place: MakePlace, mode: str) -> None:
    """The writer always adds two rows at once: an odd number would be half a transaction."""
    at = make_place()
    path = at.repo / "dev.db"
    make_database(path, 2000, mode).close()
    writer = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=30)
print("ready", flush=True)
while True:
    db.execute("INSERT INTO people VALUES ('a')")
    db.execute("INSERT INTO people VALUES ('b')")
    db.commit()
"""
    words = [sys.executable, "-c", writer, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as busy:
        assert busy.stdout is not None
        busy.stdout.readline()
        try:
            for _ in range(10):
                copy_database(path, at.worktree / "dev.db")
                assert count(at.worktree / "dev.db") % 2 == 0
        finally:
            busy.kill()


def test_a_migration_in_one_session_is_not_seen_in_another(make_place: MakePlace) -> None:
    one, two = make_place("s1"), make_place("s2")
    make_database(one.repo / "dev.db").close()
    first, second = source(one, source="dev.db"), source(two, source="dev.db")
    first.branch(claim(one))
    second.branch(claim(two))
    db = sqlite3.connect(first.target)
    db.execute("ALTER TABLE people ADD COLUMN born INT")
    db.execute("DELETE FROM people")
    db.commit()
    db.close()
    assert (count(first.target), count(second.target), count(one.repo / "dev.db")) == (0, 3, 3)


def test_branching_again_keeps_and_a_reset_throws_away_what_the_session_did(
    make_place: MakePlace,
) -> None:
    at = make_place()
    make_database(at.repo / "dev.db").close()
    data = source(at, source="dev.db")
    data.branch(claim(at))
    db = sqlite3.connect(data.target)
    db.execute("INSERT INTO people VALUES ('mine')")
    db.commit()
    assert data.branch(claim(at)).method == "kept"
    assert count(data.target) == 4
    data.branch(claim(at), anew=True)
    assert db.execute("SELECT count(*) FROM people").fetchone() == (3,), "who has it open sees it"
    db.close()
    data.target.write_bytes(b"no database at all")
    data.branch(claim(at), anew=True)
    assert count(data.target) == 3


def test_a_drop_is_harmless_twice_and_leaves_the_source(make_place: MakePlace) -> None:
    at = make_place()
    make_database(at.repo / "dev.db").close()
    data = source(at, source="dev.db")
    data.branch(claim(at))
    assert [data.drop(claim(at)), data.drop(claim(at))] == [True, False]
    assert not list(at.worktree.glob("dev.db*"))
    assert count(at.repo / "dev.db") == 3


def test_a_journal_that_a_dead_writer_left_is_played_back_in_a_copy(make_place: MakePlace) -> None:
    at = make_place()
    path = at.repo / "dev.db"
    make_database(path, 500, "delete").close()
    dying = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size=2")
db.execute("BEGIN")
for n in range(5000):
    db.execute("INSERT INTO people VALUES ('" + "x" * 200 + "')")
os._exit(1)
"""
    subprocess.run([sys.executable, "-c", dying, str(path)], check=False, timeout=60)
    before = files(path)
    assert "dev.db-journal" in before
    copy_database(path, at.worktree / "dev.db")
    assert count(at.worktree / "dev.db") == 500
    assert files(path) == before


def test_a_link_in_the_worktree_never_leads_to_the_source(make_place: MakePlace) -> None:
    at = make_place()
    path = at.repo / "data" / "dev.db"
    make_database(path).close()
    before = files(path)
    (at.worktree / "data").symlink_to(at.repo / "data")
    data = source(at, source="data/dev.db")
    assert data.target == at.private / "dev.db"
    data.branch(claim(at))
    data.drop(claim(at))
    assert files(path) == before


def test_a_hard_link_to_the_source_is_refused(make_place: MakePlace) -> None:
    at = make_place()
    make_database(at.repo / "dev.db").close()
    (at.worktree / "dev.db").hardlink_to(at.repo / "dev.db")
    data = source(at, source="dev.db")
    for act in (data.branch, data.drop):
        with pytest.raises(NotPossible, match="source itself"):
            act(claim(at))
    assert count(at.repo / "dev.db") == 3


def test_a_file_that_git_follows_or_that_lies_outside_is_copied_under_the_home(
    make_place: MakePlace, tmp_path: Path
) -> None:
    at = make_place()
    make_database(tmp_path / "outside.db").close()
    url = f"sqlite:///{tmp_path / 'outside.db'}"
    outside = source(at, url=url)
    assert outside.branch(claim(at)).url == f"sqlite:///{at.private / 'outside.db'}"
    make_database(at.worktree / "kept.sqlite", 1).close()
    git(at.worktree, "add", "-f", "kept.sqlite")
    make_database(at.repo / "kept.sqlite").close()
    assert source(at, source="kept.sqlite").target == at.private / "kept.sqlite"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///dev.db", "dev.db"),
        ("sqlite:////srv/dev.db", "/srv/dev.db"),
        ("sqlite+aiosqlite:///data/dev.db?timeout=3", "data/dev.db"),
        ("sqlite:dev.db", "dev.db"),
        ("sqlite3:db/dev.sqlite3", "db/dev.sqlite3"),
        ("file:./dev.db", "./dev.db"),
        ("file:/srv/dev.db", "/srv/dev.db"),
        ("dev.db", "dev.db"),
        ("/srv/dev.db", "/srv/dev.db"),
        ("postgres://h/db", ""),
    ],
)
def test_a_file_is_found_in_every_way_to_write_it(url: str, path: str) -> None:
    assert file_named_by(url) == path


def test_an_address_keeps_its_form(make_place: MakePlace, tmp_path: Path) -> None:
    at = make_place()
    make_database(at.repo / "dev.db").close()
    relative = source(at, url="file:./dev.db").branch(claim(at))
    assert relative.url == "file:./dev.db", "from the worktree it leads to the copy by itself"
    whole = f"sqlite+aiosqlite:///{at.repo / 'dev.db'}?timeout=3"
    told = source(at, url=whole).branch(claim(at))
    assert told.url == f"sqlite+aiosqlite:///{at.worktree / 'dev.db'}?timeout=3"


def test_without_a_source_yet_the_session_still_gets_its_own(make_place: MakePlace) -> None:
    at = make_place()
    data = source(at, url=f"sqlite:///{at.repo / 'later.db'}")
    made = data.branch(claim(at))
    assert made == (f"sqlite:///{at.worktree / 'later.db'}", "empty")
    with pytest.raises(NotPossible, match=r"no database at .*later\.db"):
        data.branch(claim(at), anew=True)


def test_what_is_no_database_is_told_so(make_place: MakePlace) -> None:
    at = make_place()
    (at.repo / "dev.db").write_text("hello " * 1000)
    with pytest.raises(StoreFailed, match="not an SQLite database"):
        source(at, source="dev.db").branch(claim(at))
    assert not list(at.worktree.glob("*dev.db*"))
    with pytest.raises(BadInput, match="no SQLite file is named"):
        source(at)
