"""Asking a remote: shared by all who ask, by a fetch that is not older than they, and bounded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.hub.house import open_hub
from manyhands.hub.repos.fetches import Fetches
from manyhands.hub.repos.repos import trust_repo
from tests.support.driver import GITCONFIG, eventually
from tests.support.sides import commit_all, git, make_repository, write

ORIGIN = "origin/main"
END = """#!/bin/sh
echo x >> '{place}/asked'
read word < '{place}/gate'
exec git upload-pack "$@"
"""


class Gate:
    """A remote that answers each call only when the test lets it."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = place
        first = make_repository(place / "first", {"a.txt": "a\n"})
        self.bare, self.repo = place / "bare.git", place / "repo"
        git(place, "clone", "-q", "--bare", str(first), str(self.bare))
        git(place, "clone", "-q", str(self.bare), str(self.repo))
        end = place / "upload-pack"
        end.write_text(END.format(place=place))
        end.chmod(0o755)
        os.mkfifo(place / "gate")
        user = place / "user"
        user.mkdir()
        (user / ".gitconfig").write_text(f'{GITCONFIG}[remote "origin"]\n  uploadpack = {end}\n')
        monkeypatch.setenv("HOME", str(user))

    @asynccontextmanager
    async def fetches(self) -> AsyncIterator[Fetches]:
        async with open_hub(Home(self.place / "home")) as hub:
            await trust_repo(hub, str(self.repo))
            yield hub.part(Fetches)

    async def asked(self, times: int) -> None:
        """Until the remote has been asked so often."""
        log = self.place / "asked"
        is_so = lambda: log.exists() and log.read_text().count("x") >= times  # noqa: E731
        await asyncio.to_thread(eventually, is_so)

    async def let(self) -> None:
        """The call that waits, or the next one, go on."""
        await asyncio.to_thread((self.place / "gate").write_text, "go\n")

    def push(self) -> str:
        first = self.place / "first" / "repo"
        write(first / "b.txt", "b\n")
        made = commit_all(first)
        git(first, "push", "-q", str(self.bare), "main")
        return made


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(tmp_path, monkeypatch)


async def test_who_asks_while_one_runs_shares_the_next(gate: Gate) -> None:
    async with gate.fetches() as fetches, asyncio.TaskGroup() as tasks:
        repo = str(gate.repo)
        quiet = tasks.create_task(fetches.fetch(repo, ORIGIN, 60, alone=True))
        await gate.asked(1)
        joined = tasks.create_task(fetches.fetch(repo, ORIGIN, 60))
        anew = [tasks.create_task(fetches.fetch_anew(repo, ORIGIN, 60)) for _ in range(5)]
        await gate.let()
        await gate.asked(2)
        assert quiet.done()
        assert not any(task.done() for task in anew)
        newest = await asyncio.to_thread(gate.push)
        await gate.let()
        found = await asyncio.gather(quiet, joined, *anew)
        assert [one.error for one in found] == [""] * 7
        assert git(gate.repo, "rev-parse", ORIGIN) == newest
        assert (gate.place / "asked").read_text() == "x\n" * 2


async def test_one_that_takes_long_keeps_nobody_longer_than_was_said(gate: Gate) -> None:
    async with gate.fetches() as fetches, asyncio.TaskGroup() as tasks:
        repo = str(gate.repo)
        quiet = tasks.create_task(fetches.fetch(repo, ORIGIN, 600, alone=True))
        await gate.asked(1)
        for ask in (fetches.fetch, fetches.fetch_anew):
            assert "no end after 0.1 seconds" in (await ask(repo, ORIGIN, 0.1)).error
        other = await fetches.fetch(repo, "origin/side", 0.1)
        assert "asked for something else" in other.error
        assert not quiet.done()
        await gate.let()
        assert (await quiet).error == ""
        assert fetches.last(repo, ORIGIN).known_at
