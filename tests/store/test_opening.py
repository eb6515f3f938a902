"""Opening: a private file, migrated with a backup, or refused in one clear sentence."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import apsw
import pytest

from manyhands.errors import StoreFailed
from manyhands.model import events as e
from manyhands.store import Batch, Store
from manyhands.store.schema import STEPS, open_migrated
from tests.store.facts import AT, ONE, TWO, always, created, plan, said, said_from, texts

NEXT_STEP = "ALTER TABLE tokens ADD COLUMN note TEXT NOT NULL DEFAULT ''; DELETE FROM sessions"


async def fill(path: Path) -> None:
    store = Store.open(path)
    await store.write(always(e.RepoAdded(path="/repo", default_base="main", at=AT)))
    await store.write(always(created(ONE), plan(ONE), created(TWO), said("x", TWO)))
    await store.close()


def change(path: Path, sql: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(sql)
    db.close()


async def test_everything_on_disk_is_private(path: Path) -> None:
    store = Store.open(path)
    await store.write(always(created()))
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    await store.close()
    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}


async def test_a_file_that_became_readable_is_private_again(path: Path) -> None:
    await fill(path)
    path.chmod(0o644)
    await Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_the_state_is_there_again_after_a_restart(path: Path) -> None:
    store = Store.open(path)
    await store.write(always(e.RepoAdded(path="/repo", default_base="main", at=AT)))
    await store.write(always(created(ONE), plan(ONE), created(TWO)))
    await store.close()
    reopened = Store.open(path)
    assert reopened.state == store.state
    assert reopened.last_seq == 4
    await reopened.close()


async def test_an_older_file_is_migrated_and_kept_as_a_backup(path: Path) -> None:
    await fill(path)
    db = open_migrated(path, (*STEPS, NEXT_STEP))
    assert db.pragma("user_version") == len(STEPS) + 1
    assert db.execute("SELECT count(note) FROM tokens").get == 0
    assert db.execute("SELECT count(*) FROM events").get == 5
    db.close()
    backup = path.with_name(f"store.db.bak-v{len(STEPS)}")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    old = Store.open(backup)
    assert sorted(old.state.sessions) == [ONE, TWO]
    await old.close()


async def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    await fill(path)
    with pytest.raises(apsw.SQLError):
        open_migrated(path, (*STEPS, f"{NEXT_STEP}; no such statement"))
    store = Store.open(path)
    assert sorted(store.state.sessions) == [ONE, TWO]
    await store.close()


async def test_a_file_of_a_newer_version_is_refused_untouched(path: Path) -> None:
    await fill(path)
    open_migrated(path, (*STEPS, NEXT_STEP)).close()
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="made by a newer Manyhands"):
        Store.open(path)
    assert path.read_bytes() == before


async def test_a_database_of_somebody_else_is_refused_untouched(path: Path) -> None:
    change(path, "CREATE TABLE precious(x)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="no store of Manyhands"):
        Store.open(path)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (before, 0o644)


async def test_a_file_that_is_no_database_is_refused_untouched(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to look at " * 100)
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="not an SQLite database"):
        Store.open(path)
    assert path.read_bytes() == before


async def test_a_damaged_file_is_one_clear_error(path: Path) -> None:
    await fill(path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreFailed, match="damaged"):
        Store.open(path)


async def test_a_path_that_cannot_be_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreFailed, match="cannot be opened"):
        Store.open(tmp_path / "file" / "store.db")
    with pytest.raises(StoreFailed, match="cannot be opened"):
        Store.open(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE sessions SET doc = 'x' WHERE id = 'one'",
        """UPDATE sessions SET doc = '{"id":"one","life":"many"}' WHERE id = 'one'""",
        "UPDATE repos SET doc = '[]'",
        "DELETE FROM sessions; DELETE FROM repos",
    ],
)
async def test_documents_that_are_no_use_are_folded_from_the_log(path: Path, damage: str) -> None:
    await fill(path)
    store = Store.open(path)
    expected = store.state
    await store.close()
    change(path, damage)
    mended = Store.open(path)
    assert mended.state == expected
    await mended.close()
    again = Store.open(path)
    assert again.state == expected
    await again.close()


async def test_a_document_of_an_older_version_gets_defaults_and_drops_strangers(path: Path) -> None:
    await fill(path)
    old = '{"id":"one","title":"Old","stranger":[1]}'
    change(path, f"UPDATE sessions SET doc = '{old}' WHERE id = 'one'")
    store = Store.open(path)
    assert (store.state.sessions[ONE].title, store.state.sessions[ONE].mode) == ("Old", "ask")
    await store.close()


async def test_an_event_that_cannot_be_read_any_more_stops_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(path)
    broken = '{"type":"agent_message","session":"two","at":"x","text":7}'
    change(path, f"UPDATE events SET body = CAST('{broken}' AS BLOB) WHERE seq = 5")
    change(path, "DELETE FROM sessions; DELETE FROM repos")
    store = Store.open(path)
    assert "event 5 (agent_message) cannot be read" in caplog.text
    assert store.state.sessions[TWO].title == "A task"
    assert (await store.events(4))[0][1] == b'{"seq":5,' + broken.encode()[1:]
    await store.close()


async def test_two_stores_on_one_file_neither_collide_nor_disagree(path: Path) -> None:
    one, other = Store.open(path), Store.open(path)
    heard: list[Batch] = []
    one.subscribe(heard.append)
    for number in range(10):
        await asyncio.gather(
            one.write(always(said(f"one {number}"))), other.write(always(said(f"other {number}")))
        )
    await one.write(always())
    await other.write(always(*said_from(1, 3)))
    await one.write(always())
    assert one.last_seq == other.last_seq == 23
    assert one.state == other.state
    assert one.state.sessions[ONE].main.steps == 23
    assert [item.seq for batch in heard for item in batch.items] == list(range(1, 24))
    assert len(texts(await one.events(0))) == 23
    await one.close()
    await other.close()


async def test_a_store_that_another_program_locks_says_so(path: Path) -> None:
    await fill(path)
    db = apsw.Connection(str(path))
    store = Store.open(path)
    db.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="another program keeps it locked"):
        await store.write(always(said("x")))
    db.execute("ROLLBACK")
    db.close()
    await store.write(always(said("x")))
    await store.close()
