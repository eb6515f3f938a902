"""The way back from a stray edit, copied into a real shell: whatever the files are called."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from manyhands.hub.attention.stray import way_back
from manyhands.model.ids import SessionId
from manyhands.station.stray import Checkout, EndedCall, find_strays
from tests.support.workspace_hub import git

NAMES = [
    "plain.txt",
    "it's.txt",
    'say "hi".txt',
    "two words.txt",
    "$(touch evil).txt",
    "`touch evil`.txt",
    "line\nbreak.txt",
    "-rf",
    "*",
    ":(top)x",
    "; touch evil",
    "# no comment",
    "ünïcödé.txt",
]


def shell(command: str, cwd: Path, answer: str = "") -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "it's a $(touch evil) repo"
    path.mkdir()
    git(path, "init", "-q")
    for name in NAMES:
        (path / name).write_text("kept\n")
    (path / "other.txt").write_text("kept\n")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "First")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_back_that_file_and_nothing_else(root: Path, tmp_path: Path, name: str) -> None:
    (root / name).write_text("strayed\n")
    (root / "other.txt").write_text("a person's work\n")
    look, back = way_back(str(root), None, [name], [])
    assert "+strayed" in shell(look, tmp_path)
    assert "a person's work" not in shell(look, tmp_path)
    shell(back, tmp_path)
    assert (root / name).read_text() == "kept\n"
    assert (root / "other.txt").read_text() == "a person's work\n"
    assert not list(tmp_path.rglob("evil"))


async def test_new_files_are_told_apart_and_asked_about(root: Path, tmp_path: Path) -> None:
    new, changed = "new $(touch evil) 'file'\nhere", "it's.txt"
    (root / new).write_text("strayed\n")
    (root / changed).write_text("strayed\n")
    call = EndedCall(
        session=SessionId("s1"),
        worktree=str(tmp_path),
        files=None,
        command=f"touch {root}",
        since=0.0,
        until=9e9,
        checkouts=[Checkout(str(root))],
    )
    [found] = await find_strays([call])
    assert (sorted(found.paths), found.fresh) == (sorted([new, changed]), [new])
    _, back, drop = way_back(str(root), None, found.paths, found.fresh)
    shell(back, tmp_path)
    assert (root / changed).read_text() == "kept\n"
    shell(drop, tmp_path, "n\n")
    assert (root / new).exists()
    shell(drop, tmp_path, "y\n")
    assert not (root / new).exists()
    assert not list(tmp_path.rglob("evil"))
