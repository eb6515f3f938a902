"""A damaged store: it is said, nothing claims success, and all that can be read comes back."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import apsw
import pytest

from manyhands.errors import StoreFailed
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.store import Store
from manyhands.store.backup import MOST_KEPT, backups, make_backup
from manyhands.store.health import find_damage
from manyhands.store.salvage import salvage
from tests.store.facts import always, created, said

PAGE = 4096
FRAME = PAGE + 24
WAL_HEADER = 32
LEAF = 0x0D
LONGEST_HEAD = 80
"""Of a row, before the words of its event."""
ITEMS = 200
IN_LOG = 30
"""Enough for pages above the leaves and for several frames of each page; what is there is read byte
by byte, so that more of the same only takes longer."""
SESSIONS = [SessionId(f"s{n}") for n in range(8)]
Rows = dict[int, bytes]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a store whose hub was killed: much in the file, some in its log alone."""
    place = tmp_path_factory.mktemp("written")

    async def fill() -> None:
        chance = random.Random(7)
        store = Store.open(place / "open.db")
        await store.write(always(*(created(session) for session in SESSIONS)))
        for number in range(ITEMS):
            text = f"{number} " + "x" * chance.choice([10, 100, 700, 9000])
            await store.write_items(
                chance.choice(SESSIONS), 1000 + number, 1, [said(text, chance.choice(SESSIONS))]
            )
            if number == ITEMS - IN_LOG:
                db = apsw.Connection(str(place / "open.db"))
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                db.close()
        for ending in ("", "-wal"):
            shutil.copyfile(place / f"open.db{ending}", place / f"store.db{ending}")
        await store.close()

    asyncio.run(fill())
    return place / "store.db"


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    for ending in ("", "-wal"):
        shutil.copyfile(f"{written}{ending}", tmp_path / f"store.db{ending}")
    return tmp_path / "store.db"


def rows(path: Path) -> Rows:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {seq: bytes(body) for seq, body in db.execute("SELECT seq, body FROM events")}
    finally:
        db.close()


def flip(path: Path, offsets: list[int]) -> None:
    content = bytearray(path.read_bytes())
    for offset in offsets:
        content[offset] ^= 0x5A
    path.write_bytes(content)


def wal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@cache
def places(written: Path) -> tuple[Rows, list[tuple[int, bool, int]]]:
    """All events, and where their words lie as a whole: number, in the log or not, offset."""
    copy = written.with_name("copy.db")
    for ending in ("", "-wal"):
        shutil.copyfile(f"{written}{ending}", f"{copy}{ending}")
    all_rows = rows(copy)
    found = []
    for in_log, file in ((False, written), (True, wal_of(written))):
        content = file.read_bytes()
        for seq, body in all_rows.items():
            at = content.find(body)
            if at >= 0 and is_cell(content, at, in_log=in_log):
                found.append((seq, in_log, at))
    return all_rows, found


def is_cell(content: bytes, at: int, *, in_log: bool) -> bool:
    """Whether the page's own list leads there: what was moved away leaves its bytes behind."""
    unit, head = (FRAME, WAL_HEADER) if in_log else (PAGE, 0)
    start = head + (at - head) // unit * unit + (unit - PAGE)
    page = content[start : start + PAGE]
    count = int.from_bytes(page[3:5], "big")
    cells = (int.from_bytes(page[8 + 2 * n : 10 + 2 * n], "big") for n in range(count))
    return page[0] == LEAF and any(0 < at - start - cell < LONGEST_HEAD for cell in cells)


def untouched(written: Path, path: Path) -> Rows:
    """Events that lie, by the bytes themselves, on a page or in a frame that nobody touched."""
    before = written.read_bytes(), wal_of(written).read_bytes()
    after = path.read_bytes(), wal_of(path).read_bytes()
    all_rows, found = places(written)
    kept: Rows = {}
    for seq, in_log, at in found:
        unit, head = (FRAME, WAL_HEADER) if in_log else (PAGE, 0)
        start = head + (at - head) // unit * unit
        # A frame is known by the sum in the one before.
        since, end = start - FRAME if in_log else start, start + unit
        if since < head or before[in_log][since:end] != after[in_log][since:end]:
            continue
        # What lies behind the log's end is of an earlier one, and begins with nothing before it.
        log = before[1]
        if not in_log or log[since + 8 : since + 16] == log[start + 8 : start + 16]:
            kept[seq] = all_rows[seq]
    return kept


def anywhere(chance: random.Random, path: Path) -> None:
    flip(path, [chance.randrange(path.stat().st_size) for _ in range(chance.choice([1, 30, 1500]))])


def in_the_header(chance: random.Random, path: Path) -> None:
    flip(path, [chance.randrange(PAGE) for _ in range(chance.choice([1, 50]))])


def in_the_first_bytes(chance: random.Random, path: Path) -> None:
    flip(path, list(range(100)))


def above_the_leaves(chance: random.Random, path: Path) -> None:
    content = path.read_bytes()
    inner = [n for n in range(PAGE, len(content), PAGE) if content[n] in (2, 5)]
    assert inner
    flip(path, [start + chance.randrange(200) for start in inner for _ in range(20)])


def in_the_log(chance: random.Random, path: Path) -> None:
    size = wal_of(path).stat().st_size
    flip(wal_of(path), [chance.randrange(size) for _ in range(chance.choice([1, 5, 300]))])


def at_the_logs_beginning(chance: random.Random, path: Path) -> None:
    flip(wal_of(path), [chance.randrange(WAL_HEADER)])


def everywhere(chance: random.Random, path: Path) -> None:
    anywhere(chance, path)
    in_the_log(chance, path)


WAYS: list[Callable[[random.Random, Path], None]] = [
    anywhere,
    in_the_header,
    in_the_first_bytes,
    above_the_leaves,
    in_the_log,
    at_the_logs_beginning,
    everywhere,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("seed", range(2))
async def test_whatever_is_damaged_is_said_and_what_lies_on_whole_pages_comes_back(
    written: Path, path: Path, way: Callable[[random.Random, Path], None], seed: int
) -> None:
    await survive(written, path, way, random.Random(f"{way.__name__} {seed}"))


@pytest.mark.torture
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_three_more_damages_of_each_kind_are_said_and_survived(
    written: Path, tmp_path: Path, way: Callable[[random.Random, Path], None]
) -> None:
    for seed in range(3):
        place = tmp_path / str(seed)
        place.mkdir()
        for ending in ("", "-wal"):
            shutil.copyfile(f"{written}{ending}", place / f"store.db{ending}")
        await survive(written, place / "store.db", way, random.Random(f"long {seed}"))
        shutil.rmtree(place)


async def survive(
    written: Path, path: Path, way: Callable[[random.Random, Path], None], chance: random.Random
) -> None:
    all_rows, _ = places(written)
    way(chance, path)
    readable = untouched(written, path)
    assert readable
    if not await is_said(path):
        # A letter that became another one is beyond every check; no event is gone.
        assert rows(path).keys() == all_rows.keys()
        return
    result = salvage(path)
    kept = rows(path)
    assert {seq: body for seq, body in kept.items() if seq in readable} == readable
    gone = {seq for first, last in result.lost for seq in range(first, last + 1)}
    # Of the very last ones nothing may be left that tells of them.
    last = max(kept.keys() & all_rows.keys())
    assert {seq for seq in all_rows.keys() - kept.keys() if seq < last} <= gone
    assert find_damage(path) == ""
    assert Path(result.aside).exists()
    store = Store.open(path)
    await store.write(always(said("on")))
    assert store.last_seq > max(all_rows) or max(all_rows) not in kept
    assert not any(s.works for s in store.state.sessions.values())
    await store.close()


async def is_said(path: Path) -> bool:
    """Whether opening it fails, or looking it over, which changes nothing of the file."""
    before = path.read_bytes(), wal_of(path).read_bytes()
    hint = ""
    try:
        store = Store.open(path)
    except StoreFailed as failed:
        hint = failed.hint
    if hint:
        assert "doctor --fix" in hint
        assert before == (path.read_bytes(), wal_of(path).read_bytes())
        return True
    await store.check(thoroughly=True)
    said = store.trouble is not None
    if said:
        with pytest.raises(StoreFailed, match="damaged"):
            await store.write(always(created()))
    # As a kill would leave it: closing would fold what is there into the file.
    shutil.copyfile(path, path.with_name("kept.db"))
    shutil.copyfile(wal_of(path), path.with_name("kept.db-wal"))
    await store.close()
    for ending in ("", "-wal"):
        path.with_name(f"kept.db{ending}").replace(f"{path}{ending}")
    return said


async def test_damage_that_is_met_while_running_is_said_to_everybody_from_then_on(
    path: Path,
) -> None:
    store = Store.open(path)
    told: list[object] = []
    store.on_trouble = lambda: told.append(store.trouble)
    with path.open("rb+") as file:
        for start in range(PAGE, path.stat().st_size, PAGE):
            file.seek(start)
            file.write(b"\xff" * PAGE)
    with pytest.raises(StoreFailed, match="damaged"):
        await store.events(0)
    for _ in range(2):
        with pytest.raises(StoreFailed, match="damaged") as refused:
            await store.write(always(said("lost")))
        assert "doctor --fix" in refused.value.hint
    assert len(told) == 1
    assert store.damage is store.trouble is told[0]
    await store.close()


async def test_a_store_that_is_taken_away_is_said_and_goes_on_once_it_is_back(path: Path) -> None:
    store = Store.open(path)
    await store.write(always(said("before")))
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(StoreFailed, match="moved or removed"):
        await store.write(always(said("lost")))
    assert "moved" in store.trouble.message if store.trouble else False
    path.with_name("elsewhere").rename(path)
    await store.write(always(said("after")))
    assert not store.trouble
    await store.close()
    bodies = b"".join(rows(path).values())
    assert b'"before"' in bodies
    assert b'"after"' in bodies
    assert b'"lost"' not in bodies


async def test_a_store_that_is_gone_is_not_begun_anew_where_a_backup_is_left(path: Path) -> None:
    make_backup(path, path.parent / "backups", "2026-01-31T08:15:30.125Z")
    path.unlink()
    wal_of(path).unlink()
    with pytest.raises(StoreFailed, match="is gone") as refused:
        Store.open(path)
    assert "doctor --fix" in refused.value.hint
    salvage(path, backups(path.parent / "backups"))
    store = Store.open(path)
    assert set(SESSIONS) <= set(store.state.sessions)
    await store.close()


async def test_what_the_file_lost_comes_from_the_last_backup(path: Path) -> None:
    all_rows = rows(path)
    make_backup(path, path.parent / "backups", "2026-01-31T08:15:30.125Z")
    store = Store.open(path)
    await store.write(always(said("since the backup")))
    await store.close()
    in_the_first_bytes(random.Random(0), path)
    flip(path, list(range(10 * PAGE, 40 * PAGE)))
    result = salvage(path, backups(path.parent / "backups"))
    assert (result.lost, result.from_backup > 0) == ((), True)
    kept = rows(path)
    assert all_rows.items() <= kept.items()
    assert any(b"since the backup" in body for body in kept.values())


async def test_backups_are_few_and_whole_and_a_damaged_store_pushes_none_out(path: Path) -> None:
    directory = path.parent / "backups"
    for day in range(1, 9):
        make_backup(path, directory, f"2026-01-0{day}T08:15:30.125Z")
    kept = backups(directory)
    assert len(kept) == MOST_KEPT
    assert kept[0].name == "store-2026-01-08T08-15-30Z.db"
    assert all(find_damage(backup) == "" for backup in kept)
    store = Store.open(path)
    flip(path, [n for n in range(PAGE, path.stat().st_size) if n % PAGE < 8])
    await store.check()
    with pytest.raises(StoreFailed, match="damaged"):
        await store.make_backup(directory)
    await store.close()
    assert backups(directory) == kept


async def test_a_session_that_was_at_work_is_not_at_work_for_ever(path: Path) -> None:
    store = Store.open(path)
    ready, began = e.SessionReady(session=SESSIONS[0]), e.TurnStarted(session=SESSIONS[0], turn=1)
    await store.write(always(ready, began))
    assert store.state.sessions[SESSIONS[0]].status == "working"
    await store.close()
    in_the_first_bytes(random.Random(0), path)
    salvage(path)
    store = Store.open(path)
    assert not store.state.sessions[SESSIONS[0]].works
    await store.close()


def test_letters_that_are_none_any_more_keep_nothing_from_being_mended(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO receipts VALUES ('a', '', '1'), ('m', '', CAST(x'31ce31' AS TEXT))")
    db.execute("INSERT INTO receipts VALUES ('z', '', '2')")
    before = {seq: bytes(body) for seq, body in db.execute("SELECT seq, body FROM events")}
    db.close()
    assert salvage(path).events == len(before)
    made = apsw.Connection(str(path))
    assert sorted(made.execute("SELECT id FROM receipts")) == [("a",), ("z",)]
    made.close()
