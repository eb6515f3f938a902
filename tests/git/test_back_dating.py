"""Files of a fresh checkout that git knows without reading them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from manyhands.git.back_dating import date_back

SAME = "aaaa\n"


def git(cwd: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(params=["2", "3", "4"])
def fresh(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A checkout of one second, with an index of each version."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    (repo / "link").symlink_to("a")
    (repo / ("long" * 60)).mkdir()
    names = ["a", "dir ü\n", "x" * 200, *(f"deep{n}" for n in range(30))]
    for name in (*names, f"{'long' * 60}/{'name' * 50}"):
        (repo / name).write_text(SAME)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "First")
    for file in repo.iterdir():
        if file.name != ".git" and not file.is_dir():
            file.unlink()
    git(repo, "update-index", "--index-version", request.param)
    if request.param == "3":  # only what needs it is written so
        (repo / "later").write_text(SAME)
        git(repo, "add", "--intent-to-add", "later")
    git(repo, "checkout-index", "-a", "-u", "-f")
    return repo


def index_of(repo: Path) -> Path:
    return repo / ".git" / "index"


def test_nothing_is_changed_and_each_file_is_older_than_the_index(fresh: Path) -> None:
    before = git(fresh, "ls-files", "-s", "-v")
    status = git(fresh, "status", "--porcelain")
    date_back(fresh, index_of(fresh))
    assert git(fresh, "ls-files", "-s", "-v") == before
    git(fresh, "fsck", "--strict")
    second = int(index_of(fresh).stat().st_mtime)
    assert all(int(f.lstat().st_mtime) < second for f in fresh.glob("deep*"))
    assert git(fresh, "diff-files", "--name-only") == git(fresh, "diff", "--name-only")
    assert git(fresh, "status", "--porcelain") == status


def test_an_edit_of_the_same_size_in_that_very_second_shows(fresh: Path) -> None:
    date_back(fresh, index_of(fresh))
    (fresh / "deep1").write_text("bbbb\n")
    assert "deep1" in git(fresh, "status", "--porcelain")


def test_a_file_that_somebody_has_changed_meanwhile_is_left_alone(fresh: Path) -> None:
    (fresh / "deep2").write_text("bbbb\n")
    was = (fresh / "deep2").stat().st_mtime_ns
    date_back(fresh, index_of(fresh))
    assert (fresh / "deep2").stat().st_mtime_ns == was
    assert "deep2" in git(fresh, "status", "--porcelain")


def test_what_is_no_index_stays_as_it_is(tmp_path: Path) -> None:
    odd = tmp_path / "index"
    odd.write_bytes(b"DIRC" + bytes([0, 0, 0, 9, 0, 0, 0, 1]) + os.urandom(40))
    was = odd.read_bytes()
    date_back(tmp_path, odd)
    assert odd.read_bytes() == was
