"""While many agents work, a new session is known by what its keeper tells of it."""

from __future__ import annotations

from pathlib import Path

from manyhands.hub.radar_sides import News, RepoSides
from manyhands.model.clock import now
from manyhands.model.events import DiffChanged
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session import Session
from tests.radar.sides import add_side, conflicts, git, make_repository, write

PAIR = ("a", "b")


def sessions_of(place: Path) -> tuple[RepoSides, list[Session]]:
    repo = make_repository(place, {"f.txt": "one\n"})
    base = Oid(git(repo, "rev-parse", "main"))
    sessions = [
        Session(
            id=SessionId(name),
            repo=str(repo),
            worktree=str(add_side(repo, name)),
            base="main",
            base_commit=base,
            ready=True,
        )
        for name in PAIR
    ]
    for s in sessions:
        write(Path(s.worktree) / "f.txt", f"{s.id}\n")
    return RepoSides(repo, place / "board"), sessions


def told(s: Session) -> News:
    oid = git(Path(s.worktree), "hash-object", "f.txt")
    event = DiffChanged(
        session=s.id,
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
    sides.look(sessions, {s.id: told(s) for s in sessions}, crowded=True)
    assert conflicts(sides.found[PAIR]) == ["f.txt"]
    assert not any(sides.board.sides[name].is_known for name in PAIR)


def test_what_nobody_told_is_seen_once_it_is_calm(tmp_path: Path) -> None:
    sides, sessions = sessions_of(tmp_path)
    sides.look(sessions, {}, crowded=True)
    assert sides.found[PAIR] == ()
    assert sides.look(sessions, {}) == {PAIR}
    assert conflicts(sides.found[PAIR]) == ["f.txt"]
