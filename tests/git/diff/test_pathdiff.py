from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.errors import BadInput
from manyhands.git.diff.diff import diff_worktree
from manyhands.git.diff.pathdiff import PathDiffer
from manyhands.model.workspace.diff import FileDiff
from tests.git.conftest import Place
from tests.support.samples import commit_all, git, write

ATTRIBUTES = "*.txt text=auto\n*.lf text eol=lf\n*.raw -text\n*.id ident\n*.b binary\n*.t diff\n"
BASE_FILES: dict[str, str | bytes] = {
    ".gitattributes": ATTRIBUTES,
    "crlf.txt": b"a\r\nb\r\n",
    "x.lf": "a\nb\n",
    "x.raw": b"a\r\nb\r\n",
    "x.id": "$Id$\nbody\n",
    "x.b": "text, but called binary\n",
    "x.t": b"\0binary, but called text\n",
    "deep/er/f": "f\n",
    "run": "#!/bin/sh\n",
    "gone": "gone\n",
    "link": "not a link yet\n",
}


@pytest.fixture
def tried(place: Place) -> Place:
    git(place.worktree, "config", "core.autocrlf", "false")
    for name, content in BASE_FILES.items():
        write(place.worktree, {name: content})
    # As they are: line endings that git would change are in the base too.
    (place.worktree / ".gitattributes").rename(place.worktree / "later")
    git(place.worktree, "add", "-A")
    (place.worktree / "later").rename(place.worktree / ".gitattributes")
    git(place.worktree, "rm", "-q", "--cached", "later")
    git(place.worktree, "add", ".gitattributes")
    git(place.worktree, "commit", "-q", "-m", "base")
    base = type(place.base)(git(place.worktree, "rev-parse", "HEAD"))
    return Place(place.repo, place.worktree, base, place.locks)


def by_git(place: Place) -> dict[str, FileDiff]:
    diff = diff_worktree(place.worktree, place.base, renames=False)
    return {file.path: file for file in diff.files}


def require_agreement(place: Place, paths: list[str]) -> None:
    differ = PathDiffer(place.worktree, place.base)
    whole = by_git(place)
    for path in paths:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        assert differ.change(path) == whole.get(shown), path
        # A folder's name would stand for everything in it.
        if path == "deep" or differ.is_ignored(path):
            continue
        name = os.fsencode(path)
        alone = diff_worktree(place.worktree, place.base, renames=False, paths=[name])
        assert differ.draw(path) == (whole.get(shown), alone.patch), path


NAMES = st.sampled_from(
    [*BASE_FILES, "a.txt", "new", "new.txt", "new.lf", "x.log", "deep", "deep/n", "sp ace", "é"]
)
LINES = st.lists(
    st.sampled_from(
        [b"a\n", b"b\n", b"a\r\n", b"b\r\n", b"$Id: 1 $\n", b"\0", b"\r", b"end", b"f\n"]
    ),
    max_size=6,
)
ACTIONS: st.SearchStrategy[tuple[str, str, list[bytes]]] = st.one_of(
    st.tuples(st.just("write"), NAMES, LINES),
    st.tuples(st.just("delete"), NAMES, st.just([])),
    st.tuples(st.just("program"), NAMES, st.just([])),
    st.tuples(st.just("link"), NAMES, st.just([])),
)


def act(tree: Path, action: str, name: str, lines: list[bytes]) -> None:
    file = tree / name
    if any(p.is_file() or p.is_symlink() for p in file.parents if p != tree):
        return
    if name == ".gitattributes":
        return
    if action in ("write", "delete", "link") and os.path.lexists(file):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()
    if action == "write":
        write(tree, {name: b"".join(lines)})
    elif action == "link":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to("a.txt")
    elif action == "program" and file.is_file() and not file.is_symlink():
        file.chmod(0o755)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(actions=st.lists(ACTIONS, max_size=8))
def test_one_path_says_what_the_whole_diff_says(
    tried: Place, actions: list[tuple[str, str, list[bytes]]]
) -> None:
    git(tried.worktree, "reset", "-q", "--hard", tried.base)
    git(tried.worktree, "clean", "-fdxq")
    for action in actions:
        act(tried.worktree, *action)
    require_agreement(tried, sorted({name for _, name, _ in actions} | {"a.txt", "x.raw"}))


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_autocrlf_is_followed(place: Place, autocrlf: str) -> None:
    git(place.repo, "config", "core.autocrlf", autocrlf)
    write(place.worktree, {"a.txt": b"one\r\ntwo\r\nthree\r\n", "new": b"x\r\n", "mix": b"\rx\r\n"})
    require_agreement(place, ["a.txt", "new", "mix"])


def test_odd_names_and_encodings_agree(place: Place) -> None:
    odd = os.fsdecode(b"n\xe9")
    write(
        place.worktree,
        {odd: "x\n", 'tab\tq"uote': "x\n", ".gitattributes": "*.w working-tree-encoding=UTF-16\n"},
    )
    write(place.worktree, {"wide.w": "hällo\n".encode("utf-16")})
    differ, whole = PathDiffer(place.worktree, place.base), by_git(place)
    assert [differ.change(n) for n in (odd, "wide.w")] == [whole["n\\xe9"], whole["wide.w"]]
    assert "+hällo" in differ.draw("wide.w")[1]


def test_huge_files_are_left_to_git(place: Place) -> None:
    write(place.worktree, {"huge": "0123456789\n" * 500_000})
    change = PathDiffer(place.worktree, place.base).change("huge")
    assert change is not None
    assert change.added == 500_000


def test_a_path_behind_a_link_or_in_an_inner_repository_is_nothing(
    place: Place, tmp_path: Path
) -> None:
    write(tmp_path, {"outside/secret": "s"})
    (place.worktree / "out").symlink_to(tmp_path / "outside")
    (place.worktree / "inner").mkdir()
    git(place.worktree / "inner", "init", "-q")
    write(place.worktree, {"inner/f": "f"})
    commit_all(place.worktree / "inner")
    differ = PathDiffer(place.worktree, place.base)
    assert differ.change("out/secret") is None
    assert differ.change("inner/f") is None
    assert differ.change("out") == by_git(place)["out"]
    assert differ.change("inner") == by_git(place)["inner"]


def test_ignored_files_are_nothing_until_someone_tracks_them(place: Place) -> None:
    write(place.worktree, {"x.log": "log\n", "build/out": "o"})
    differ = PathDiffer(place.worktree, place.base)
    assert differ.change("x.log") is None
    assert differ.is_ignored("build/out")
    git(place.worktree, "add", "-f", "x.log")
    assert differ.change("x.log") == by_git(place)["x.log"]


def test_rules_that_change_are_followed(place: Place) -> None:
    differ = PathDiffer(place.worktree, place.base)
    write(place.worktree, {"note": "n\n"})
    assert not differ.is_ignored("note")
    write(place.worktree, {".gitignore": "note\n"})
    assert differ.is_ignored("note")


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../b", ".git/config", "a\0b", "a//b"]
)
def test_a_path_that_leaves_the_worktree_is_refused(place: Place, path: str) -> None:
    with pytest.raises(BadInput, match="not a path inside"):
        PathDiffer(place.worktree, place.base).change(path)
