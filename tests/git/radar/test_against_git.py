"""The radar against brute force: what it reports really conflicts, all the rest merges clean."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.git.radar.board import Board
from manyhands.git.radar.standing import BaseStanding
from manyhands.model.ids import Oid
from tests.support.samples import copy_place
from tests.support.sides import (
    add_side,
    clone_of,
    commit_all,
    conflicts,
    git,
    make_repository,
    numbered,
    open_board,
    really_merges,
)

FILES = ("top.txt", "lib/a.py", "lib/b.py", "lib/deep/c.py", "app/d.py", "app/e.bin", "run.sh")
SPARE = ("new.txt", "lib/new.py", "app/f.py", "library/a.py", "lib/deep", "other/x.py", "app")
EVERY = (*FILES, *SPARE)

lines = st.lists(st.integers(1, 14), min_size=1, max_size=2)
edits = st.tuples(st.just("edit"), st.sampled_from(EVERY), lines, st.sampled_from("AB"))
moves = st.tuples(st.just("move"), st.sampled_from(FILES), st.sampled_from(EVERY))
removals = st.tuples(st.just("remove"), st.sampled_from(FILES))
modes = st.tuples(st.just("mode"), st.sampled_from(FILES))
links = st.tuples(st.just("link"), st.sampled_from(EVERY), st.sampled_from("AB"))
binaries = st.tuples(st.just("binary"), st.sampled_from(EVERY), st.sampled_from("AB"))
folders = st.tuples(st.just("folder"), st.sampled_from(["lib", "app", "lib/deep"]))
commits = st.tuples(st.just("commit"))
steps = st.one_of(edits, edits, moves, removals, modes, links, binaries, folders, commits)
sides = st.lists(steps, max_size=5)


def act(tree: Path, step: tuple[Any, ...]) -> None:
    """One change as an agent might make it; what is impossible here is left undone."""
    kind, *what = step
    try:
        _ACTS[kind](tree, *what)
    except (FileNotFoundError, NotADirectoryError, FileExistsError, IsADirectoryError):
        return


def _edit(tree: Path, name: str, which: list[int], word: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(numbered(14, which, f"{word} {name.rpartition('/')[2]}"))


def _move(tree: Path, name: str, to: str) -> None:
    if not (tree / name).is_file() or os.path.lexists(tree / to):
        return
    (tree / to).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).rename(tree / to)


def _link(tree: Path, name: str, word: str) -> None:
    (tree / name).unlink(missing_ok=True)
    (tree / name).symlink_to(word)


def _binary(tree: Path, name: str, word: str) -> None:
    (tree / name).write_bytes(b"\0\1" + word.encode() * 40)


def _folder(tree: Path, name: str) -> None:
    to = tree / f"{name}s"
    if (tree / name).is_dir() and not to.exists():
        (tree / name).rename(to)


_ACTS: dict[str, Any] = {
    "edit": _edit,
    "move": _move,
    "remove": lambda tree, name: (tree / name).unlink(),
    "mode": lambda tree, name: (tree / name).chmod(0o755),
    "link": _link,
    "binary": _binary,
    "folder": _folder,
    "commit": commit_all,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as all find it, with a worktree for each side."""
    place = tmp_path_factory.mktemp("model")
    files = {name: numbered(14, [], f"{name} line") for name in FILES}
    repo = make_repository(place, {n: t.replace("line", n, 1) for n, t in files.items()})
    for name in ("a", "b"):
        add_side(repo, name)
    return place


@settings(
    max_examples=int(os.environ.get("RADAR_EXAMPLES", "25")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(one=sides, other=sides, base=sides)
def test_every_reported_pair_conflicts_and_every_other_one_merges(
    model: Path, one: list[Any], other: list[Any], base: list[Any]
) -> None:
    place = Path(tempfile.mkdtemp(prefix="mh-radar-"))
    try:
        copy_place(model, place)
        _compare(place, {"a": one, "b": other}, base)
    finally:
        shutil.rmtree(place)


def _compare(place: Path, doings: dict[str, list[Any]], base: list[Any]) -> None:
    repo = place / "repo"
    trees = {name: place / name for name in doings}
    for name, done in doings.items():
        for step in done:
            act(trees[name], step)
    for step in base:
        act(repo, step)
    tip = Oid(commit_all(repo))
    board = open_board(repo, trees)
    board.sides["main"] = BaseStanding(base=tip, head=tip)
    pairs = [("a", "b"), ("a", "main"), ("b", "main")]
    reported = {pair: bool(conflicts(found)) for pair, found in board.forecast(pairs).items()}
    _judge(repo, trees, board, reported)


def _judge(
    repo: Path, trees: dict[str, Path], board: Board, reported: dict[tuple[str, str], bool]
) -> None:
    tips = {name: commit_all(tree) for name, tree in trees.items()}
    tips["main"] = git(repo, "rev-parse", "main")
    clone = clone_of(repo)
    truth = {pair: not really_merges(clone, *(tips[n] for n in pair)) for pair in reported}
    assert reported == truth
