"""What is written while `git gc --prune=now` runs beside it is whole once it has a name."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.collector import Collector, is_whole, made_whole
from manyhands.git.rescue.keeping import keep as rescue
from manyhands.git.runner import Git
from manyhands.git.shared.keeping import Keep, keep
from manyhands.git.shared.state import load_shared
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import SnapshotOptions, keep_snapshot
from manyhands.git.tree_edit import make_commit, make_tree
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, git, write

REF = "refs/manyhands/tried"
PARTS: list[Callable[[str], str]] = [
    lambda made: made,
    lambda made: f"{made}^{{tree}}",
    lambda made: f"{made}:file",
]


def take(repo: Path, name: str) -> None:
    oid = git(repo, "rev-parse", name)
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()


def written(repo: Path) -> Oid:
    runner = Git(repo)
    blob = Oid(runner.run("hash-object", "-w", "--stdin", stdin=b"content\n").line)
    made = make_commit(runner, make_tree(runner, [("blob", blob, "file")]), [], "made")
    refs.put_ref(repo, REF, made)
    return made


@pytest.mark.parametrize("part", PARTS)
def test_what_a_collector_took_is_written_again(repo: Path, part: Callable[[str], str]) -> None:
    calls = []

    def make(anew: bool) -> Oid:
        calls.append(anew)
        if anew:
            return written(repo)
        git(repo, "gc", "-q", "--prune=now")
        made = written(repo)
        take(repo, part(made))  # as by one that had looked before that
        assert not is_whole(repo, made)
        return made

    made = made_whole(repo, make)
    assert calls == [False, True]
    assert is_whole(repo, made)
    git(repo, "fsck", "--strict", "--no-dangling")


def test_where_no_collector_comes_by_it_is_made_once_and_not_looked_through(repo: Path) -> None:
    def make(anew: bool) -> Oid:
        assert not anew
        made = written(repo)
        take(repo, f"{made}:file")
        return made

    assert not is_whole(repo, made_whole(repo, make))


def test_a_note_that_a_killed_collector_left_holds_nobody_up(repo: Path) -> None:
    (repo / ".git/gc.pid").write_text(f"{2**31 - 1} {socket.gethostname()}")
    collector = Collector(repo)
    assert not collector.came_by()
    assert collector.spared(written(repo))


def test_a_failure_that_no_collector_explains_is_told_at_once(repo: Path) -> None:
    def make(anew: bool) -> Oid:
        assert not anew
        raise NotPossible("no")

    with pytest.raises(NotPossible, match="no"):
        made_whole(repo, make)


@contextmanager
def collected(repo: Path) -> Iterator[None]:
    """Over and over, meanwhile."""
    enough = threading.Event()

    def collect() -> None:
        while not enough.is_set():
            git(repo, "gc", "-q", "--prune=now", check=False)  # or another runs already

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        yield
    finally:
        enough.set()
        collector.join()


def test_states_of_every_kind_are_whole_beside_a_collector_that_never_rests(
    place: Place, tmp_path: Path
) -> None:
    """Checkpoints, rescues and what worktrees share."""
    kept, private = tmp_path / "kept", tmp_path / "private"
    kept.mkdir()
    shared = Keep(place.repo, "home", tmp_path / "shared")
    made, state = Oid(""), None
    with collected(place.repo):
        for n in range(6):
            write(place.worktree, {f"new/{m}.txt": f"{n} {m}\n" for m in range(20)})
            changed = [f"new/{m}.txt".encode() for m in range(20)] if n % 3 else None
            ref = f"refs/manyhands/checkpoints/one/{n}"
            options = SnapshotOptions(base=place.base, kept=kept, private=private)
            made = keep_snapshot(place.worktree, ref, changed, **options)
            git(place.repo, "branch", f"b{n}")
            state = keep(shared, load_shared(place.repo, shared.under), "2026-01-01", state)
        rescue(place.worktree, SESSION, private=private)
    git(place.repo, "fsck", "--strict", "--no-dangling")
    git(place.repo, "gc", "-q", "--prune=now")
    write(place.worktree, {"new/1.txt": "other\n"})
    restore_snapshot(place.repo, place.worktree, made, undo_ref=REF, private=private)
    assert (place.worktree / "new/1.txt").read_text() == "5 1\n"
