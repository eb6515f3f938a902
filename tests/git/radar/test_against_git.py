"""The radar against brute force: what it reports really conflicts, all the rest merges clean."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from manyhands.git.radar.board import Board
from manyhands.git.radar.standing import BaseStanding
from manyhands.model.ids import Oid
from tests.support.edits import FILES, act, sides
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
