"""The hub learns how the worktree differs: soon, truly, and without noise."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands.git.diff.diff import diff_worktree
from manyhands.keeper.watch.inotify import Inotify
from manyhands.keeper.watch.watcher import HAS_INOTIFY, Watcher
from manyhands.model import clock
from manyhands.model.events import AnyEvent, DiffChanged, NoteMade
from manyhands.model.ids import Oid
from tests.keeper.worktree import git, make_worktree

PATIENCE = 120.0


class Heard:
    """Everything a watcher told, and a way to wait for more."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self._news = asyncio.Event()

    def tell(self, event: AnyEvent) -> None:
        self.events.append(event)
        self._news.set()

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not true():
                self._news.clear()
                await self._news.wait()

    @property
    def state(self) -> dict[str, tuple[str, int, int]]:
        """What a reader believes after all events."""
        files: dict[str, tuple[str, int, int]] = {}
        for event in self.events:
            if isinstance(event, DiffChanged):
                files[event.path] = (event.status, event.added, event.removed)
        return {path: entry for path, entry in files.items() if entry[0] != "unchanged"}

    @property
    def totals(self) -> tuple[int, int, int]:
        last = [event for event in self.events if isinstance(event, DiffChanged)][-1]
        return last.total_added, last.total_removed, last.total_files


@asynccontextmanager
async def watching(
    worktree: Path, base: Oid, memory: Path, *, inotify: bool = HAS_INOTIFY
) -> AsyncIterator[tuple[Watcher, Heard]]:
    heard = Heard()
    watcher = Watcher(worktree, base, memory, heard.tell, inotify=inotify)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(watcher.run())
        watcher.want("test", True)
        async with asyncio.timeout(PATIENCE):
            await watcher._watching.wait()
            assert watcher._sightings is not None
            await watcher._sightings.caught_up.wait()
        yield watcher, heard
        running.cancel()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # A busy machine is no failure: what is waited for only briefly is waited for here.
    for name in ("FLUSH_SECONDS", "HEAR_SECONDS", "LAST_SECONDS"):
        monkeypatch.setattr(f"manyhands.keeper.watch.watcher.{name}", PATIENCE)
    return tmp_path


each_way = pytest.mark.parametrize("inotify", sorted({HAS_INOTIFY, False}))


@each_way
async def test_a_write_is_told_with_its_totals(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=inotify) as (_, heard):
        (worktree / "a.txt").write_text("one\nTWO\nthree\n")
        await heard.until(lambda: heard.state == {"a.txt": ("modified", 2, 1)})
        (worktree / "new.txt").write_text("1\n2\n3\n")
        await heard.until(lambda: heard.state.get("new.txt") == ("added", 3, 0))
        assert heard.totals == (5, 1, 2)
        (worktree / "a.txt").write_text("one\ntwo\n")
        (worktree / "new.txt").unlink()
        await heard.until(lambda: heard.state == {})
        assert heard.totals == (0, 0, 0)


async def test_what_changed_before_anyone_watched_is_told_once(place: Path) -> None:
    worktree, base = make_worktree(place)
    (worktree / "src/b.py").unlink()
    (worktree / "fresh").write_text("x")
    async with watching(worktree, base, place) as (_, heard):
        assert heard.state == {"src/b.py": ("deleted", 0, 1), "fresh": ("added", 1, 0)}
    async with watching(worktree, base, place) as (_, heard):
        assert heard.events == []
    (worktree / "fresh").unlink()
    async with watching(worktree, base, place) as (_, heard):
        assert [e.path for e in heard.events if isinstance(e, DiffChanged)] == ["fresh"]


@each_way
async def test_ignored_files_and_the_git_directory_are_no_news(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=inotify) as (_, heard):
        (worktree / "ignored").mkdir()
        (worktree / "ignored/x").write_text("x")
        (worktree / "noise.log").write_text("x")
        git(worktree, "commit", "-q", "--allow-empty", "-m", "nothing")
        (worktree / "end").write_text("x\n")
        await heard.until(lambda: "end" in heard.state)
        assert heard.state == {"end": ("added", 1, 0)}


async def test_a_big_ignored_directory_is_not_watched_and_new_neighbours_are(place: Path) -> None:
    worktree, base = make_worktree(place)
    for n in range(60):
        (worktree / f"ignored/{n}").mkdir(parents=True)
    async with watching(worktree, base, place) as (watcher, heard):
        sightings = watcher._sightings
        assert sightings is not None
        assert sightings._sight._left_out == {"ignored"}
        if isinstance(notices := sightings._sight.notices, Inotify):
            assert sorted(notices._places.values()) == ["", "src/"]
        (worktree / "src/b.py").write_text("print(2)\n")
        await heard.until(lambda: heard.state == {"src/b.py": ("modified", 1, 1)})
        (worktree / "pkg/deep").mkdir(parents=True)
        (worktree / "pkg/deep/one").write_text("1\n")
        await heard.until(lambda: "pkg/deep/one" in heard.state)
        (worktree / "pkg/deep/two").write_text("1\n")
        await heard.until(lambda: "pkg/deep/two" in heard.state)


@each_way
async def test_a_directory_moved_away_takes_its_files_along(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place, {f"lib/{n}.txt": "x\n" for n in range(5)})
    async with watching(worktree, base, place, inotify=inotify) as (_, heard):
        (worktree / "lib").rename(worktree / "moved")
        expected = {f"lib/{n}.txt": ("deleted", 0, 1) for n in range(5)}
        expected |= {f"moved/{n}.txt": ("added", 1, 0) for n in range(5)}
        await heard.until(lambda: heard.state == expected)
        (worktree / "moved").rename(worktree / "again")
        await heard.until(lambda: "moved/0.txt" not in heard.state and "again/4.txt" in heard.state)
        shutil.rmtree(worktree / "again")
        await heard.until(lambda: not any(p.startswith("again") for p in heard.state))


async def test_thousands_of_files_at_once_cost_one_scan(place: Path) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place) as (_, heard):
        (worktree / "many").mkdir()
        for n in range(3000):
            (worktree / f"many/{n}").write_text("x\n")
        await heard.until(lambda: bool(heard.events) and heard.totals[2] == 3000)
        assert any(isinstance(e, NoteMade) and "more files" in e.text for e in heard.events)
        (worktree / "a.txt").write_text("")
        await heard.until(lambda: "a.txt" in heard.state)
        assert heard.totals == (3000, 2, 3001)


async def test_changed_ignore_rules_are_news(place: Path) -> None:
    worktree, base = make_worktree(place)
    (worktree / "x.log").write_text("x\n")
    async with watching(worktree, base, place) as (_, heard):
        assert heard.state == {}
        (worktree / ".gitignore").write_text("")
        await heard.until(lambda: "x.log" in heard.state)


@each_way
async def test_names_of_every_kind_are_told(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=inotify) as (_, heard):
        for name in ("ünïcode 😀", "line\nbreak", "-dash", "sp ace"):
            (worktree / name).write_text("x\n")
        await heard.until(lambda: len(heard.state) == 4)
        (worktree / os.fsdecode(b"bad\xff\xfe")).write_text("x\n")
        await heard.until(lambda: "bad\\xff\\xfe" in heard.state)
        (worktree / "after").write_text("x\n")
        await heard.until(lambda: "after" in heard.state)
        assert heard.totals[2] == 6


@each_way
async def test_a_name_that_is_no_text_is_told_even_if_nobody_wants_more(
    place: Path, inotify: bool
) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=inotify) as (watcher, heard):
        (worktree / os.fsdecode(b"bad\xff")).write_text("x\n")
        (worktree / "beside").write_text("x\n")
        watcher.want("test", False)
        await heard.until(lambda: set(heard.state) == {"bad\\xff", "beside"})


async def test_where_changes_are_polled_for_a_flush_tells_the_last_ones(place: Path) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=False) as (watcher, heard):
        (worktree / os.fsdecode(b"bad\xff")).write_text("x\n")
        await heard.until(lambda: any(isinstance(event, NoteMade) for event in heard.events))
        await heard.until(lambda: "bad\\xff" in heard.state)
        (worktree / "last").write_text("x\n")
        watcher.want("test", False)
        await heard.until(lambda: "last" in heard.state)


async def test_a_scan_that_fails_asserts_nothing(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    worktree, base = make_worktree(place)
    (worktree / "a.txt").write_text("changed\n")
    async with watching(worktree, base, place) as (_, heard):
        worktree.rename(place / "elsewhere")
        (place / "elsewhere" / ".gitignore").write_text("")
        async with asyncio.timeout(PATIENCE):
            while "a scan failed" not in caplog.text:  # noqa: ASYNC110 - only the log tells
                await asyncio.sleep(0.01)
        assert heard.state == {"a.txt": ("modified", 1, 2)}


async def test_nobody_wants_it_nothing_is_watched(place: Path) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place) as (watcher, heard):
        (worktree / "a.txt").write_text("changed\n")
        watcher.want("test", False)
        await heard.until(lambda: "a.txt" in heard.state)
        watcher.want("other", True)
        (worktree / "b.txt").write_text("x\n")
        await heard.until(lambda: "b.txt" in heard.state)


@each_way
async def test_a_flush_tells_what_was_just_written(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place, inotify=inotify) as (watcher, heard):
        for n in range(5):
            (worktree / f"f{n}").write_text("x\n")
            await watcher.flush()
            assert f"f{n}" in heard.state


async def test_writes_are_told_within_moments(place: Path) -> None:
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place) as (_, heard):
        waits = []
        for n in range(30):
            started = clock.monotonic()
            (worktree / "a.txt").write_text("x\n" * (n + 3))
            await heard.until(lambda: heard.state.get("a.txt", ("", 0, 0))[1] == n + 3)  # noqa: B023
            waits.append(clock.monotonic() - started)
        assert min(waits) < 0.5  # the usual wait is for the benchmarks


EXHAUSTED = """
import asyncio, sys
from pathlib import Path
open("/proc/sys/user/max_inotify_" + sys.argv[4], "w").write(sys.argv[5])
from manyhands.keeper.watch.inotify import Inotify
from manyhands.keeper.watch.watcher import HAS_INOTIFY, Watcher
from manyhands.model.events import DiffChanged, NoteMade

async def main():
    worktree, news = Path(sys.argv[1]), asyncio.Event()
    told = []
    def tell(event):
        told.append(event)
        news.set()
    watcher = Watcher(worktree, sys.argv[2], Path(sys.argv[3]), tell)
    async def until(true):
        while not true():
            news.clear()
            await asyncio.wait_for(news.wait(), 60)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(watcher.run())
        watcher.want("test", True)
        (worktree / "first").write_text("x\\n")
        await until(lambda: any(getattr(e, "path", "") == "first" for e in told))
        for n in range(8):
            (worktree / f"new{n}").mkdir()
            (worktree / f"new{n}/f").write_text("x\\n")
        await until(lambda: any(isinstance(e, NoteMade) for e in told))
        for n in range(8):
            (worktree / f"new{n}/late").write_text("x\\n")
        names = {f"new{n}/late" for n in range(8)}
        await until(lambda: names <= {getattr(e, "path", "") for e in told})
        running.cancel()
    print([e.text for e in told if isinstance(e, NoteMade)])

asyncio.run(main())
"""


@pytest.mark.parametrize("limit", [("watches", "4"), ("instances", "0")])
@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_without_watches_left_it_says_so_and_polls(place: Path, limit: tuple[str, str]) -> None:
    worktree, base = make_worktree(place)
    argv = ["unshare", "--user", "--map-root-user", sys.executable, "-c", EXHAUSTED]
    done = subprocess.run(
        [*argv, str(worktree), base, str(place), *limit],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if "unshare" in done.stderr:
        pytest.skip(f"no user namespaces here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "no file watches left" in done.stdout


async def test_the_end_of_a_turn_counts_all_files_though_a_scan_is_not_due_yet(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.keeper.watch.sightings.SCAN_PAUSE", 3600.0)
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place) as (watcher, heard):
        for n in range(1300):
            (worktree / f"{n}.txt").write_text("x\n")
        await watcher.flush()
        assert heard.totals == (1300, 0, 1300)
        assert len([e for e in heard.events if isinstance(e, DiffChanged)]) == 1000


async def test_a_worktree_that_is_gone_does_not_keep_a_turn_from_its_end(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.keeper.watch.watcher.FLUSH_SECONDS", 3600.0)
    worktree, base = make_worktree(place)
    async with watching(worktree, base, place) as (watcher, _):
        (worktree / "a.txt").write_text("changed\n")
        shutil.rmtree(worktree)
        async with asyncio.timeout(PATIENCE):
            await watcher.flush()


async def test_what_changes_without_end_does_not_keep_a_turn_from_its_end(place: Path) -> None:
    worktree, base = make_worktree(place)
    (worktree / "src/b.py").rename(worktree / "moved.py")
    async with watching(worktree, base, place) as (watcher, heard), asyncio.TaskGroup() as tasks:

        async def build() -> None:
            for n in itertools.count():
                (worktree / "log.txt").write_text(f"{n}\n")
                await asyncio.sleep(0)

        building = tasks.create_task(build())
        await heard.until(lambda: "log.txt" in heard.state)
        (worktree / "last.txt").write_text("x\n")
        async with asyncio.timeout(PATIENCE / 2):
            await watcher.flush()
        assert "last.txt" in heard.state
        building.cancel()


@each_way
async def test_a_moved_file_counts_as_one_as_in_the_diff(place: Path, inotify: bool) -> None:
    worktree, base = make_worktree(place)
    old, new = worktree / "src/b.py", worktree / "elsewhere.py"
    old.write_text("".join(f"line {n}\n" for n in range(20)))
    git(worktree, "commit", "-qam", "longer")
    base = Oid(git(worktree, "rev-parse", "HEAD"))

    def as_in_the_diff() -> tuple[int, int, int]:
        diff = diff_worktree(worktree, base)
        return diff.added, diff.removed, len(diff.files)

    async with watching(worktree, base, place, inotify=inotify) as (watcher, heard):
        old.rename(new)
        await watcher.flush()
        assert heard.totals == as_in_the_diff() == (0, 0, 1)
        told = [e for e in heard.events if isinstance(e, DiffChanged) and e.old_path]
        assert [(e.path, e.old_path) for e in told] == [("elsewhere.py", "src/b.py")]
        new.write_text(new.read_text() + "more\n")
        await watcher.flush()
        assert heard.totals == as_in_the_diff() == (1, 0, 1)
    async with watching(worktree, base, place, inotify=inotify) as (watcher, heard):
        (worktree / "a.txt").write_text("other\n")
        await watcher.flush()
        assert heard.totals == as_in_the_diff()
        old.write_text("quite another\n")
        await watcher.flush()
        assert heard.totals == as_in_the_diff()
        old.unlink()
        new.unlink()
        await watcher.flush()
        assert heard.totals == as_in_the_diff()
