"""Changes to a worktree as agents make them, for Hypothesis to draw from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.support.sides import commit_all, numbered

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
    except (
        FileNotFoundError,
        NotADirectoryError,
        FileExistsError,
        IsADirectoryError,
        UnicodeError,
    ):
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


def _line(tree: Path, name: str, which: list[int], word: str) -> None:
    """These lines alone, whatever the others are."""
    lines = (tree / name).read_text().splitlines()
    for number in which:
        lines[number - 1 : number] = [f"{word} {number}"]
    (tree / name).write_text("".join(f"{line}\n" for line in lines))


_ACTS: dict[str, Any] = {
    "edit": _edit,
    "line": _line,
    "move": _move,
    "remove": lambda tree, name: (tree / name).unlink(),
    "mode": lambda tree, name: (tree / name).chmod(0o755),
    "link": _link,
    "binary": _binary,
    "folder": _folder,
    "commit": commit_all,
}
