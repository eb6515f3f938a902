"""kill -9 while sessions are made, committed, merged and put away at the same time: what was begun
is finished or was never done, nothing is half there, and everything can be asked for again. The hub
is killed, and the keepers are, whose agents then go on with their work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path

import psutil
import pytest

from tests.support.driver import SECONDS, Json, Refused, RunningHub, eventually, of_type
from tests.support.told_agent import configured, said, tell

AT_ONCE = 2
STEPS = {
    "create": ("worktree", "copy", "ports"),
    "commit": ("git", "index"),
    "merge": ("checkpoint", "prepare", "check", "move"),
    "archive": ("keeper", "teardown", "checkpoint", "move"),
}
EVERY_POINT = tuple(
    f"{when}:{kind}.{step}"
    for kind, steps in STEPS.items()
    for step in steps
    for when in ("before", "done", "after")
)
SOME_POINTS = (
    *("done:create.worktree", "done:commit.git"),
    *("before:merge.move", "done:merge.move", "after:archive.checkpoint", "done:archive.move"),
)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path / "hub", linger=600)
    more = "[workspaces]\npool = 0\n[radar]\nenabled = false\n" + configured("told")
    hub.configure(hub.home.config.read_text() + more)
    with hub as running:
        running.make_repo()
        yield running


class Round:
    """The same four things done to sessions of their own, each several times at once. `message` is
    what their agents are told; without one they have none."""

    def __init__(self, hub: RunningHub, name: str, message: str = "") -> None:
        self.hub, self.name, self._message = hub, name, message
        self.made = {kind: [self._session(kind, n) for n in range(AT_ONCE)] for kind in STEPS}
        del self.made["create"]

    def _session(self, kind: str, number: int) -> Json:
        name = f"{self.name} {kind} {number}"
        if kind == "create":
            return {}
        made = self._new(name)
        self.hub.wait_idle(made["id"])
        place = Path(made["worktree"])
        (place / f"{made['slug']}.txt").write_text(name)
        (place / "x.ignored").write_text(name)
        if kind == "merge":
            self.hub.git("add", "-A", cwd=place)
            self.hub.git("commit", "-q", "-m", name, cwd=place)
        return made

    def _new(self, name: str) -> Json:
        start = bool(self._message)
        return self.hub.new(self._message, agent="told", name=name, start=start)

    def wishes(self) -> Iterator[Callable[[], Json]]:
        for number in range(AT_ONCE):
            yield partial(self._new, f"{self.name} create {number}")
        for kind, sessions in self.made.items():
            for s in sessions:
                more = {"message": s["title"]} if kind == "commit" else {}
                yield partial(self.hub.act, s["id"], kind, **more)

    def ask_for_all(self) -> list[threading.Thread]:
        def ask(wish: Callable[[], Json]) -> None:
            with suppress(OSError, HTTPException, Refused):
                wish()

        threads = [threading.Thread(target=ask, args=(wish,)) for wish in self.wishes()]
        for thread in threads:
            thread.start()
        return threads

    @property
    def created(self) -> list[Json]:
        return [s for s in self.hub.here() if s["title"].startswith(f"{self.name} create")]

    def check(self) -> None:
        """All of it is true, done or not done; what was not done is done when asked again."""
        hub = self.hub
        eventually(lambda: not hub.get("/api/jobs"))
        eventually(lambda: {s["status"] for s in self.created} <= {"idle"})
        created = self.created
        assert len({s["title"] for s in created}) == len(created) <= AT_ONCE
        for kind, sessions in self.made.items():
            for s in sessions:
                getattr(self, f"_check_{kind}")(s, of_type(hub.events(s["id"]), DONE[kind]))
        check_repo(hub)

    def _check_commit(self, s: Json, done: list[Json]) -> None:
        place = Path(s["worktree"])
        made = self.hub.git("log", "--format=%s", f"main..{s['branch']}", cwd=place).split("\n")
        assert made.count(s["title"]) == len(done) <= 1
        if not done:
            self.hub.act(s["id"], "commit", message=s["title"])
        assert self.hub.git("show", f"{s['branch']}:{s['slug']}.txt", cwd=place) == s["title"]
        assert self.hub.git("status", "--porcelain", cwd=place) == ""

    def _check_merge(self, s: Json, done: list[Json]) -> None:
        assert len(done) <= 1
        merged = self.hub.act(s["id"], "merge")
        assert merged.get("already", False) is bool(done)
        words = ("log", "--first-parent", "-m", "--format=%H", "main", "--", f"{s['slug']}.txt")
        assert len(self.hub.git(*words, cwd=self.hub.repo).split()) == 1

    def _check_archive(self, s: Json, done: list[Json]) -> None:
        place = Path(s["worktree"])
        assert len(done) <= 1
        assert place.exists() is not bool(done)
        if done:
            self.hub.act(s["id"], "restore")
        for name in (f"{s['slug']}.txt", "x.ignored"):
            assert (place / name).read_text() == s["title"]
        self.hub.act(s["id"], "archive")


DONE = {"commit": "commit_made", "merge": "session_merged", "archive": "session_archived"}


def check_repo(hub: RunningHub) -> None:
    """As many worktrees as living sessions, no branch of nobody's, the user's checkout clean."""
    sessions = hub.get("/api/sessions", all=True)
    heads = hub.git("for-each-ref", "--format=%(refname:short)", "refs/heads/mh", cwd=hub.repo)
    assert set(heads.split()) <= {s["branch"] for s in sessions}
    listed = hub.git("worktree", "list", "--porcelain", cwd=hub.repo).splitlines()
    places = [line.split(" ", 1)[1] for line in listed if line.startswith("worktree ")]
    living = [s for s in sessions if s["status"] != "archived"]
    assert {s["status"] for s in living} <= {"idle"}
    assert {s["worktree"] for s in living} <= set(places)
    assert set(places[1:]) <= {s["worktree"] for s in sessions}
    there = {str(place) for place in hub.home.worktrees.glob("*/*")}
    assert there == {s["worktree"] for s in living}
    assert hub.git("status", "--porcelain", cwd=hub.repo) == ""
    hub.git("fsck", "--strict", "--no-dangling", cwd=hub.repo)


def die_at(hub: RunningHub, point: str, round_: Round) -> None:
    hub.fate.write_text(point)
    threads = round_.ask_for_all()
    assert hub.process is not None
    hub.process.wait(timeout=SECONDS)
    for thread in threads:
        thread.join(SECONDS)
    hub.process.communicate()
    hub.process = None
    hub.fate.unlink()
    hub.start()


def survive(hub: RunningHub, points: tuple[str, ...]) -> None:
    for number, point in enumerate(points):
        round_ = Round(hub, f"r{number}")
        die_at(hub, point, round_)
        round_.check()


@pytest.mark.brief
def test_a_hub_killed_amid_all_of_it_leaves_nothing_half_done(hub: RunningHub) -> None:
    survive(hub, SOME_POINTS)


@pytest.mark.torture
@pytest.mark.timeout(1200)
def test_a_hub_killed_all_over_it_leaves_nothing_half_done(hub: RunningHub) -> None:
    survive(hub, EVERY_POINT[::5])


def kill_keepers(hub: RunningHub, over: threading.Event, killed: list[int]) -> None:
    """All that are to be found, over and over."""
    while not over.is_set():
        for lock in hub.home.keeper_lock("x").parent.glob("*.lock"):
            with suppress(AssertionError, OSError, psutil.NoSuchProcess, ValueError):
                keeper = hub.keeper(lock.stem)
                keeper.kill()
                killed.append(keeper.pid)
        over.wait(0.3)


def test_keepers_killed_amid_all_of_it_leave_nothing_half_done(hub: RunningHub) -> None:
    round_ = Round(hub, "k", tell(said("I have done it.")))
    over, killed = threading.Event(), list[int]()
    killer = threading.Thread(target=kill_keepers, args=(hub, over, killed))
    killer.start()
    for thread in round_.ask_for_all():
        thread.join(SECONDS)
    over.set()
    killer.join(SECONDS)
    assert len(killed) >= 3 * AT_ONCE
    eventually(lambda: {s["status"] for s in round_.created} <= {"idle", "failed"})
    for s in round_.created:
        if s["status"] == "failed":  # killed before it was born: the way out is said, and works
            assert f"manyhands resume {s['slug']}" in s["hint"]
            hub.act(s["id"], "resume")
    round_.check()
    assert len(round_.created) == AT_ONCE
    for s in round_.created:
        messages = of_type(hub.events(s["id"]), "agent_message")
        assert "I have done it." in [e["text"] for e in messages]
