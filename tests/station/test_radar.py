"""While its keeper is about to look, a new session is known by what that tells of it."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from watchfiles import awatch

from manyhands.git.command_log import command_log
from manyhands.model.clock import now
from manyhands.model.events import DiffChanged
from manyhands.model.ids import Oid, SessionId
from manyhands.station.radar import News, RepoSides, watch_branches
from manyhands.station.worktree import Worktree
from tests.support.sides import add_side, conflicts, git, make_repository, write

PAIR = ("a", "b")


def sessions_of(place: Path) -> tuple[RepoSides, list[Worktree]]:
    repo = make_repository(place, {"f.txt": "one\n"})
    base = Oid(git(repo, "rev-parse", "main"))
    sessions = [
        Worktree(
            session=SessionId(name),
            repo=str(repo),
            path=str(add_side(repo, name)),
            base=base,
            kept="",
            base_name="main",
        )
        for name in PAIR
    ]
    for s in sessions:
        write(s.root / "f.txt", f"{s.session}\n")
    return RepoSides(repo, place / "board"), sessions


def told(s: Worktree) -> News:
    oid = git(s.root, "hash-object", "f.txt")
    event = DiffChanged(
        session=s.session,
        at=now(),
        path="f.txt",
        status="modified",
        mode="100644",
        oid=oid,
        total_files=1,
    )
    return News({"f.txt": event}, scan=True)


def test_what_keepers_tell_is_forecast_without_a_whole_look(tmp_path: Path) -> None:
    sides, sessions = sessions_of(tmp_path)
    sides.forecast(
        sessions, {s.session: told(s) for s in sessions}, frozenset(map(SessionId, PAIR))
    )
    assert conflicts(sides.found[PAIR]) == ["f.txt"]
    assert not any(sides.board.sides[name].is_known for name in PAIR)


def test_what_nobody_told_is_seen_once_no_keeper_is_awaited(tmp_path: Path) -> None:
    sides, sessions = sessions_of(tmp_path)
    sides.forecast(sessions, {}, frozenset(map(SessionId, PAIR)))
    assert sides.found[PAIR] == ()
    assert [met.names for met in sides.forecast(sessions, {})] == [PAIR]
    assert conflicts(sides.found[PAIR]) == ["f.txt"]


def test_a_session_that_its_keeper_has_looked_at_is_not_looked_at_again(tmp_path: Path) -> None:
    sides, sessions = sessions_of(tmp_path)
    news = {s.session: told(s) for s in sessions}
    for one in news.values():
        one.scan, one.looked = False, True
    command_log.recent.clear()
    sides.forecast(sessions, news)
    assert conflicts(sides.found[PAIR]) == ["f.txt"]
    assert all(sides.board.sides[name].is_known for name in PAIR)
    assert not [trace for trace in command_log.recent if trace.argv[0] == "add"]


def test_a_base_that_moved_costs_few_processes_however_many_stand_on_it(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {f"{n}.txt": "one\n" for n in range(6)})
    base = Oid(git(repo, "rev-parse", "main"))
    sessions = [
        Worktree(
            session=SessionId(f"s{n}"),
            repo=str(repo),
            path=str(add_side(repo, f"s{n}")),
            base=base,
            kept="",
            base_name="main",
        )
        for n in range(6)
    ]
    for number, s in enumerate(sessions):
        write(s.root / f"{number}.txt", f"{s.session}\n")
        write(s.root / "0.txt", f"{s.session}\n")
    sides = RepoSides(repo, tmp_path / "board")
    assert len(sides.forecast(sessions, {})) == 15
    for number in range(6):
        write(repo / f"{number}.txt", "main's\n")
    git(repo, "commit", "-qam", "moved")
    command_log.recent.clear()
    assert len(sides.forecast(sessions, {})) == 6
    tried = [trace.argv[0] for trace in command_log.recent]
    assert tried == ["merge-tree"] * 2
    assert all(conflicts(found) for found in sides.found.values())


@pytest.mark.parametrize("watches_left", [True, False])
async def test_a_branch_that_moves_is_noticed_with_and_without_file_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watches_left: bool
) -> None:
    def watch(place: Path, **how: Any) -> AsyncIterator[Any]:
        if not watches_left and not how.get("force_polling"):
            raise OSError(errno.EMFILE, "Too many open files")
        return awatch(place, **how)

    monkeypatch.setattr("manyhands.station.radar.awatch", watch)
    monkeypatch.setattr("manyhands.station.radar.POLL_MS", 50)
    repo = make_repository(tmp_path, {"f.txt": "one\n"})
    over = asyncio.Event()

    async def move() -> None:
        """Again and again: when the watch has begun, nobody is told."""
        while not over.is_set():
            await asyncio.to_thread(git, repo, "commit", "-q", "--allow-empty", "-m", "more")

    async with asyncio.TaskGroup() as tasks, aclosing(watch_branches(str(repo))) as noticed:
        tasks.create_task(move())
        for _ in range(1 if watches_left else 2):
            await anext(noticed)
        over.set()
