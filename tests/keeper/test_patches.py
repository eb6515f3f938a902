"""Whoever looks is shown every change whole, and has then what the diff would say."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands.git.diff.diff import diff_worktree, sections
from manyhands.keeper.watch.drawing import MOST_PATCH, MOST_UNSEEN, Patches
from manyhands.keeper.watch.watcher import Watcher
from manyhands.model import wire
from manyhands.model.events import AnyEvent, DiffChanged
from manyhands.model.ids import Oid, SessionId
from manyhands.model.live import Patched
from manyhands.model.wire import KeeperSpec
from manyhands.model.workspace.diff import FileDiff
from tests.keeper.conftest import Keepers
from tests.keeper.worktree import git, make_worktree

PATIENCE = 120.0
Shown = dict[str, tuple[FileDiff, str]]
FILES = {f"d{n % 3}/f{n}.txt": f"line {n}\n" * 30 for n in range(9)} | {"run.sh": "#!/bin/sh\n"}


class Reader:
    """Someone who loads the diff once and lays every frame on it."""

    def __init__(self, worktree: Path, base: Oid) -> None:
        self.worktree, self.base = worktree, base
        self.patches = Patches()
        self.patches.want(True)
        self.shown = self.loaded()
        self.last = 0
        self.events: list[AnyEvent] = []
        self.told = asyncio.Event()

    def loaded(self) -> Shown:
        return {
            f.path: (f, patch) for f, patch in sections(diff_worktree(self.worktree, self.base))
        }

    def tell(self, event: AnyEvent) -> None:
        for frame in self.patches.unseen():
            assert frame.number == self.last + 1
            self.last = frame.number
            self.lay(frame)
        self.events.append(event)
        self.told.set()
        if isinstance(event, DiffChanged) and self.patches.wanted:
            assert self.is_as_told(event), event

    def lay(self, frame: Patched) -> None:
        if frame.file.status == "unchanged":
            self.shown.pop(frame.file.path, None)
        else:
            assert frame.cut == (frame.patch == "")
            self.shown[frame.file.path] = (frame.file, frame.patch)

    def is_as_told(self, event: DiffChanged) -> bool:
        """A frame is there before the event that names its content, or is newer than that."""
        moved = event.path in {file.old_path for file, _ in self.shown.values()}
        return event.status in ("unchanged", "deleted") or moved or event.path in self.shown

    async def until_up_to_date(self) -> None:
        expected = {p: (f, "" if len(t) > MOST_PATCH else t) for p, (f, t) in self.loaded().items()}
        try:
            async with asyncio.timeout(PATIENCE):
                while self.shown != expected:
                    self.told.clear()
                    await self.told.wait()
        except TimeoutError:
            assert self.shown == expected

    @asynccontextmanager
    async def looking(self, memory: Path) -> AsyncIterator[None]:
        watcher = Watcher(self.worktree, self.base, memory, self.tell, self.patches)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(watcher.run())
            watcher.want("test", True)
            async with asyncio.timeout(PATIENCE):
                await watcher._watching.wait()
                assert watcher._sightings is not None
                await watcher._sightings.caught_up.wait()
            yield
            running.cancel()


def edit(tree: Path, chance: random.Random) -> None:
    """Something that people and agents do to a file."""
    files = sorted(p for p in tree.rglob("*") if p.is_file() and ".git" not in p.parts)
    file = chance.choice(files)
    what = chance.choice(["write", "append", "delete", "move", "mode", "link", "binary", "new"])
    match what:
        case "write":
            file.unlink()
            file.write_text("".join(f"{chance.random()}\n" for _ in range(9)))
        case "append" if not file.is_symlink():
            with file.open("ab") as out:
                out.write(f"{chance.random()}\r\n".encode())
        case "delete":
            file.unlink()
        case "move":
            to = tree / f"d{chance.randrange(3)}" / f"moved {chance.randrange(9)}"
            to.parent.mkdir(exist_ok=True)
            file.rename(to)
        case "mode" if not file.is_symlink():
            file.chmod(0o755 if chance.random() < 0.5 else 0o644)
        case "link":
            file.unlink()
            file.symlink_to("a.txt")
        case "binary":
            file.unlink()
            file.write_bytes(chance.randbytes(400) + b"\0")
        case "new":
            place = tree / chance.choice(["new.txt", "noise.log", "ä", "pkg/yarn.lock", "d0/n"])
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"{chance.random()}\n" * chance.choice([1, 50]))


@pytest.mark.parametrize("seed", range(4))
async def test_after_any_edits_a_reader_has_what_the_diff_says(tmp_path: Path, seed: int) -> None:
    worktree, base = make_worktree(tmp_path, FILES)
    (worktree / "end.txt").touch()
    reader, chance = Reader(worktree, base), random.Random(seed)
    async with reader.looking(tmp_path):
        for number in range(12):
            for _ in range(chance.randrange(1, 5)):
                edit(worktree, chance)
            if number % 4 == 3:
                git(worktree, "add", "-A")
                git(worktree, "commit", "-q", "--allow-empty", "-m", "some")
            (worktree / "end.txt").unlink(missing_ok=True)
            (worktree / "end.txt").write_text(f"{number}\n")
            await reader.until_up_to_date()


@pytest.fixture
async def reader(tmp_path: Path) -> Reader:
    return Reader(*make_worktree(tmp_path, FILES))


async def test_a_rename_is_shown_as_one_and_comes_apart_again(
    tmp_path: Path, reader: Reader
) -> None:
    moved = reader.worktree / "moved"
    async with reader.looking(tmp_path):
        (reader.worktree / "d0/f0.txt").rename(moved)
        await reader.until_up_to_date()
        assert set(reader.shown) == {"moved"}
        assert reader.shown["moved"][0].old_path == "d0/f0.txt"
        moved.write_text("something else\n" * 40)
        await reader.until_up_to_date()
    assert {p: f.status for p, (f, _) in reader.shown.items()} == {
        "moved": "added",
        "d0/f0.txt": "deleted",
    }


async def test_too_large_a_patch_is_left_to_be_asked_for(tmp_path: Path, reader: Reader) -> None:
    async with reader.looking(tmp_path):
        (reader.worktree / "large").write_text("0123456789\n" * 30_000)
        (reader.worktree / "huge").write_text("0123456789\n" * 120_000)
        await reader.until_up_to_date()
    assert reader.shown["large"][1] == ""
    assert reader.shown["large"][0].added == 30_000
    assert "Binary files" in reader.shown["huge"][1]
    assert reader.shown["huge"][0].omitted


async def test_what_nobody_looks_at_is_not_drawn(tmp_path: Path, reader: Reader) -> None:
    reader.patches.want(False)
    async with reader.looking(tmp_path):
        (reader.worktree / "a.txt").write_text("other\n")
        async with asyncio.timeout(PATIENCE):
            await reader.told.wait()
    assert (reader.shown, reader.last) == ({}, 0)


def frame(path: str, patch: str) -> Patched:
    file = FileDiff(path=path, status="modified")
    return Patched(session=SessionId("s"), base=Oid("b"), file=file, patch=patch)


def test_of_each_file_the_newest_waits_and_too_much_leaves_a_gap() -> None:
    patches = Patches()
    patches.want(True)
    patches.lay([frame("a", "1"), frame("b", "1"), frame("a", "2")])
    assert [(f.number, f.file.path, f.patch) for f in patches.unseen()] == [
        (1, "b", "1"),
        (2, "a", "2"),
    ]
    patches.lay([frame(str(n), "x" * (MOST_UNSEEN // 10)) for n in range(11)])
    assert patches.unseen() == []
    patches.lay([frame("a", "3")])
    assert [f.number for f in patches.unseen()] == [4]


def put(place: Path, text: str) -> None:
    """All at once: a file that is emptied and then written may be seen in between."""
    whole = place.parent.with_name("whole")
    whole.write_text(text)
    whole.replace(place)


async def test_a_keeper_sends_a_patch_before_its_event_while_someone_looks(
    keepers: Keepers, spec: KeeperSpec
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    assert await hub.do(wire.Look(on=True)) == ""
    (Path(spec.worktree) / "probe").touch()
    await hub.until_type("diff_changed")
    hub.live.clear()
    place = Path(spec.worktree) / "a.txt"
    put(place, "first\n")
    await hub.until_type("diff_changed", 2)
    (shown,) = [f for f in hub.live if isinstance(f, Patched)]
    assert shown.session == spec.session
    assert shown.file.path == "a.txt"
    assert "-one\n" in shown.patch
    assert await hub.do(wire.Look(on=False)) == ""
    hub.live.clear()
    assert await hub.do(wire.Look(on=True)) == ""
    put(place, "second\n")
    await hub.until_type("diff_changed", 3)
    assert [f.number for f in hub.live if isinstance(f, Patched)] == [shown.number + 1]
