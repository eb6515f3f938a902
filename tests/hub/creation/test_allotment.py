"""How many spares there are to be, from what is on record alone."""

from __future__ import annotations

from msgspec.structs import replace

from manyhands.config import Workspaces
from manyhands.hub.creation.allotment import GB, allotted
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import Repo, Spare, State


def state(*repos: Repo, at_work: tuple[str, ...] = (), past: tuple[str, ...] = ()) -> State:
    found = State(repos={repo.path: repo for repo in repos})
    for number, path in enumerate((*at_work, *past)):
        id = SessionId(f"s{number}")
        s = Session(id=id, repo=path)
        found.sessions[id] = replace(s, life=replace(s.life, archived=path in past))
    return found


def repo(path: str, *, size: float = 0.0, spares: int = 0, trusted: bool = True) -> Repo:
    size_bytes = int(size * GB)
    there = tuple(
        Spare(id=f"{path}{n}", worktree="", commit=Oid(""), token=1, ready=True, bytes=size_bytes)
        for n in range(spares)
    )
    return Repo(path=path, trusted=trusted, spares=there, spare_bytes=size_bytes)


def of(found: State, **limits: float) -> dict[str, int]:
    return dict(allotted(found, Workspaces(**limits)))  # type: ignore[arg-type]


def test_a_repository_has_one_from_trust_on_and_all_of_them_once_people_work_in_it() -> None:
    found = state(repo("new"), repo("busy"), repo("unknown", trusted=False), at_work=("busy",))
    assert of(found, pool=3) == {"new": 1, "busy": 3, "unknown": 0}
    assert set(of(found, pool=0).values()) == {0}


def test_what_nobody_works_in_any_more_keeps_what_it_has() -> None:
    found = state(repo("left"), repo("kept", spares=1), past=("left", "kept"))
    assert of(found, pool=2) == {"left": 0, "kept": 1}


def test_where_the_disk_is_bounded_those_at_work_come_first_and_then_the_newest() -> None:
    sizes = [repo("busy", size=2), repo("old", size=2), repo("new", size=2)]
    found = state(*sizes, at_work=("busy",))
    assert of(found, pool=1, pool_gb=4) == {"busy": 1, "old": 0, "new": 1}
    assert of(found, pool=1, pool_gb=2) == {"busy": 1, "old": 0, "new": 0}
    assert of(found, pool=3, pool_gb=5) == {"busy": 2, "old": 0, "new": 0}
    assert of(found, pool=1, pool_gb=0) == {"busy": 0, "old": 0, "new": 0}


def test_one_that_proved_too_large_is_not_made_again() -> None:
    assert of(state(repo("large")), pool_gb=1) == {"large": 1}
    assert of(state(repo("large", size=2, spares=1)), pool_gb=1) == {"large": 0}
    assert of(state(repo("large", size=2)), pool_gb=1) == {"large": 0}
