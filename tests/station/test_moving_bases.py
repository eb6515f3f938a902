"""The radar against brute force over histories in which bases move: it says who is in whose way."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from manyhands.model.ids import Oid, SessionId
from manyhands.station.radar import BASE, News, RepoSides
from manyhands.station.worktree import Worktree
from tests.support.brute_force import Told, who_conflicts
from tests.support.edits import FILES, act, steps
from tests.support.samples import copy_place
from tests.support.sides import clone_of, commit_all, conflicts, git, make_repository, numbered

NAMES = ("a", "b", "c", "d")
names = st.sampled_from(NAMES)
lines = st.lists(st.integers(1, 14), min_size=1, max_size=2)
changes = st.one_of(
    st.tuples(st.just("line"), st.sampled_from(FILES[:3]), lines, st.sampled_from("AB")),
    steps,
)
deeds = st.one_of(
    st.tuples(st.just("begin"), names, st.sampled_from(["main", "main", "dev", *NAMES])),
    st.tuples(st.just("change"), names, changes),
    st.tuples(st.just("change"), names, changes),
    st.tuples(st.just("land"), names, st.sampled_from(["merge", "squash", "rebase"])),
    st.tuples(st.just("move"), changes, st.booleans()),
    st.tuples(st.just("update"), names, st.booleans()),
    st.tuples(st.just("take"), names, names),
)
histories = st.lists(deeds, min_size=4, max_size=14)


class World:
    """A repository whose main is checked out, and sessions that began at whatever was there."""

    def __init__(self, place: Path) -> None:
        self.repo = place / "repo"
        self.place = place
        self.starts: dict[str, str] = {}
        self.bases: dict[str, str] = {}

    def do(self, deed: tuple[Any, ...]) -> None:
        kind, *what = deed
        if kind in ("change", "land", "update", "take"):
            self._begin(what[0], "main")
        getattr(self, f"_{kind}")(*what)

    def _begin(self, name: str, base: str) -> None:
        if name in self.starts or base == name:
            return
        if base in NAMES:
            self._begin(base, "main")
        at = git(self.repo, "rev-parse", base)
        git(
            self.repo, "worktree", "add", "-q", "--no-track", "-b", name, str(self.place / name), at
        )
        self.starts[name], self.bases[name] = at, base

    def _change(self, name: str, change: tuple[Any, ...]) -> None:
        act(self.place / name, change)

    def _move(self, change: tuple[Any, ...], anew: bool) -> None:
        """By somebody: a commit more, or the last one made anew."""
        act(self.repo, change)
        git(self.repo, "add", "-A")
        rewrite = ["--amend"] if anew else []
        git(self.repo, "commit", "-q", "--allow-empty", "-m", "moved", *rewrite)

    def _land(self, name: str, method: str) -> None:
        tip = self._committed(name)
        if method == "rebase":
            git(self.repo, "cherry-pick", f"{self.starts[name]}..{tip}", check=False)
            if self._is_half_done():
                git(self.repo, "cherry-pick", "--abort", check=False)
            return
        way = ["--squash"] if method == "squash" else ["--no-edit"]
        git(self.repo, "merge", "-q", *way, tip, check=False)
        if self._is_half_done():
            git(self.repo, "reset", "-q", "--hard", "HEAD")
        else:
            git(self.repo, "commit", "-qm", "squashed", check=False)

    def _is_half_done(self) -> bool:
        left = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "sequencer")
        unmerged = git(self.repo, "ls-files", "--unmerged")
        return bool(unmerged) or any((self.repo / ".git" / name).exists() for name in left)

    def _update(self, name: str, is_ours: bool) -> None:
        """The base, brought in by the session's agent; or by us, who take note of it and leave
        conflicts there."""
        self._merge_in(name, self.bases[name])
        if is_ours:
            self.starts[name] = git(self.repo, "rev-parse", self.bases[name])
        else:
            git(self.place / name, "merge", "--abort", check=False)

    def _take(self, name: str, other: str) -> None:
        """What another session has committed."""
        if other in self.starts and other != name:
            self._merge_in(name, other)
            git(self.place / name, "merge", "--abort", check=False)

    def _merge_in(self, name: str, other: str) -> None:
        self._committed(name)
        git(self.place / name, "merge", "-q", "--no-edit", other, check=False)

    def _committed(self, name: str) -> str:
        return commit_all(self.place / name)

    @property
    def sessions(self) -> list[Worktree]:
        return [
            Worktree(
                session=SessionId(name),
                repo=str(self.repo),
                path=str(self.place / name),
                base=Oid(start),
                kept="",
                base_name=self.bases[name],
            )
            for name, start in self.starts.items()
        ]

    def told(self) -> list[Told]:
        """Commits everything."""
        bases = {name: git(self.repo, "rev-parse", base) for name, base in self.bases.items()}
        return [
            Told(name, self._committed(name), start, bases[name])
            for name, start in self.starts.items()
        ]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("model")
    repo = make_repository(place, {name: f"{name}\n{numbered(14)}" for name in FILES})
    git(repo, "branch", "dev")
    git(repo, "commit", "-q", "--allow-empty", "-m", "more")
    return place


def line(name: str, number: int, word: str) -> tuple[Any, ...]:
    return ("change", name, ("line", "top.txt", [number], word))


@settings(
    max_examples=int(os.environ.get("RADAR_EXAMPLES", "8")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(history=histories)
@example([line("a", 3, "A"), line("b", 3, "B"), ("land", "a", "merge"), ("begin", "c", "main")])
@example([line("a", 3, "A"), line("b", 3, "B"), ("land", "a", "squash"), line("c", 3, "C")])
@example([line("a", 3, "A"), ("begin", "b", "a"), line("b", 9, "B"), ("land", "a", "rebase")])
def test_the_radar_names_those_in_conflict_and_nobody_else(model: Path, history: list[Any]) -> None:
    place = Path(tempfile.mkdtemp(prefix="mh-radar-"))
    try:
        copy_place(model, place)
        world = World(place)
        sides = RepoSides(world.repo, place / "board")
        for number, deed in enumerate(history):
            world.do(deed)
            if number == len(history) // 2:
                # What it knows from here on must not mislead it.
                sides.forecast(world.sessions, {})
        reported = found_by(sides, world)
        told = world.told()
        assert reported == who_conflicts(clone_of(world.repo), told)
    finally:
        shutil.rmtree(place)


def found_by(sides: RepoSides, world: World) -> set[tuple[str, str]]:
    sides.forecast(world.sessions, {s.session: News(scan=True) for s in world.sessions})
    return {
        (one, "base" if other.startswith(BASE) else other)
        for (one, other), clashes in sides.found.items()
        if conflicts(clashes)
    }
