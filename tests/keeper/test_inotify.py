"""What Linux tells of a directory, and nothing that was not changed."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.keeper.watch.inotify import Inotify
from manyhands.keeper.watch.notices import EVERYTHING

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src/deep").mkdir(parents=True)
    (root / "src/a").write_text("a")
    return root


@pytest.fixture
def notices(root: Path) -> Iterator[Inotify]:
    (root / "ignored/much").mkdir(parents=True)
    (root / ".git").mkdir()
    notices = Inotify(root, {"ignored"})
    yield notices
    notices.close()


async def test_each_kind_of_change_is_told_by_its_path(root: Path, notices: Inotify) -> None:
    (root / "src/deep/new").write_text("x")
    assert await notices.rest() == {"src/deep/new"}
    (root / "src/a").chmod(0o755)
    assert await notices.rest() == {"src/a"}
    (root / "src/a").rename(root / "b")
    assert await notices.rest() == {"src/a", "b"}
    (root / "b").unlink()
    (root / os.fsdecode(b"bad\xff")).touch()
    assert await notices.rest() == {"b", "bad\udcff"}
    assert await notices.rest() == set()


async def test_reading_is_no_news(root: Path, notices: Inotify) -> None:
    (root / "src/a").read_text()
    list(root.rglob("*"))
    assert await notices.rest() == set()


async def test_what_comes_is_awaited(root: Path, notices: Inotify) -> None:
    waiting = asyncio.ensure_future(notices.next())
    await asyncio.sleep(0)
    (root / "src/a").write_text("other")
    assert await waiting == {"src/a"}


async def test_git_and_what_is_left_out_are_not_told_of(root: Path, notices: Inotify) -> None:
    (root / ".git/index").touch()
    (root / "ignored/much/file").touch()
    (root / "src/.git").mkdir()
    (root / "src/.git/HEAD").touch()
    shutil.rmtree(root / "ignored")
    (root / "ignored/much").mkdir(parents=True)
    await notices.rest()
    (root / "ignored/file").touch()
    (root / "end").touch()
    assert await notices.rest() == {"end"}


async def test_what_came_into_a_directory_before_it_was_watched_is_told(
    root: Path, notices: Inotify
) -> None:
    (root / "one/two").mkdir(parents=True)
    (root / "one/two/file").touch()
    assert await notices.rest() == {"one", "one/two", "one/two/file"}
    (root / "one/two/later").touch()
    assert "one/two/later" in await notices.rest()


async def test_a_moved_directory_is_watched_under_its_new_name(
    root: Path, notices: Inotify
) -> None:
    (root / "src").rename(root / "lib")
    assert await notices.rest() == {"src", "lib", "lib/a", "lib/deep"}
    (root / "lib/deep/new").touch()
    assert await notices.rest() == {"lib/deep/new"}
    (root / "lib").rename(root.parent / "elsewhere")
    assert await notices.rest() == {"lib"}
    (root.parent / "elsewhere/deep/more").touch()
    assert await notices.rest() == set()


async def test_a_removed_directory_can_come_back(root: Path, notices: Inotify) -> None:
    shutil.rmtree(root / "src")
    assert "src" in await notices.rest()
    (root / "src").mkdir()
    await notices.rest()
    (root / "src/a").touch()
    assert await notices.rest() == {"src/a"}


async def test_a_link_to_a_directory_is_not_followed(root: Path, notices: Inotify) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    assert await notices.rest() == {"link"}
    (outside / "file").touch()
    assert await notices.rest() == set()


async def test_more_at_once_than_the_system_keeps_stands_for_everything(
    root: Path, notices: Inotify
) -> None:
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (root / "x").open("wb", buffering=0) as x, (root / "y").open("wb", buffering=0) as y:
        for _ in range(kept):
            x.write(b"x")
            y.write(b"y")
    (root / "unheard").mkdir()
    assert EVERYTHING in await notices.rest()
    (root / "unheard/file").touch()
    assert await notices.rest() == {"unheard/file"}


def test_what_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        Inotify(tmp_path / "nothing", ())
