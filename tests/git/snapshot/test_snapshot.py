from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.errors import NotPossible
from manyhands.git.diff.diff import diff_trees
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import commit_all, git, state, write


def private_of(worktree: Path) -> Path:
    return worktree.with_name(f"{worktree.name}-private")


UNDO = "refs/manyhands/undo/test"


def index_bytes(worktree: Path) -> bytes:
    return Path(git(worktree, "rev-parse", "--absolute-git-dir"), "index").read_bytes()


def wreck(worktree: Path) -> None:
    """What an agent may do: everything gone, something else in its place."""
    for entry in worktree.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    write(worktree, {"junk/deep/x": "junk", "a.txt/now a folder": "junk"})


def make_nasty(worktree: Path) -> None:
    write(
        worktree,
        {
            ".gitattributes": "*.txt text=auto\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n",
            "crlf.txt": b"a\r\nb\nc\r\n",
            "x.id": "$Id: kept as it is $\n",
            "wide.u16": "grün\n".encode("utf-16"),
            "secret": "only mine",
            "src/b.py": "x = 2\n",
            "run.sh": "#!/bin/sh\n",
            "binary": bytes(range(256)),
            'odd name\n\twith "quotes"': "odd",
        },
    )
    (worktree / "secret").chmod(0o600)
    (worktree / "run.sh").chmod(0o750)
    (worktree / "empty/deeper").mkdir(parents=True)
    (worktree / "shut").mkdir(mode=0o700)
    write(worktree, {"shut/in": "in"})
    os.mkfifo(worktree / "pipe", 0o640)
    (worktree / "link").symlink_to("a.txt")
    (worktree / "dangling").symlink_to("/nowhere/at/all")
    (worktree / os.fsdecode(b"not-utf8-\xe9\xff")).write_text("bytes")
    (worktree / "old.txt").unlink()


def test_a_snapshot_brings_back_every_byte_mode_link_and_pipe(place: Place) -> None:
    tree = place.worktree
    make_nasty(tree)
    git(tree, "add", "run.sh")
    before, index = state(tree), index_bytes(tree)
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    assert (state(tree), index_bytes(tree)) == (before, index)
    wreck(tree)
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == before
    assert index_bytes(tree) == index


def test_the_display_tree_is_what_git_itself_would_commit(place: Place) -> None:
    make_nasty(place.worktree)
    snapshot = load_snapshot(
        place.repo,
        make_snapshot(place.worktree, private=private_of(place.worktree), base=place.base),
    )
    git(place.worktree, "add", "-A")
    assert git(place.worktree, "write-tree") == snapshot.parts["display"]
    assert snapshot.parts["raw"] != snapshot.parts["display"]


def test_a_worktree_whose_git_file_was_deleted_too_comes_back(place: Place) -> None:
    before = state(place.worktree)
    oid = make_snapshot(place.worktree, private=private_of(place.worktree), base=place.base)
    wreck(place.worktree)
    assert not (place.worktree / ".git").exists()
    restore_snapshot(
        place.repo, place.worktree, oid, private=private_of(place.worktree), undo_ref=UNDO
    )
    assert state(place.worktree) == before
    assert git(place.worktree, "status", "--porcelain") == ""


def test_a_restore_can_be_undone(place: Place) -> None:
    oid = make_snapshot(place.worktree, private=private_of(place.worktree), base=place.base)
    make_nasty(place.worktree)
    later = state(place.worktree)
    undo = restore_snapshot(
        place.repo, place.worktree, oid, private=private_of(place.worktree), undo_ref=UNDO
    )
    assert git(place.repo, "rev-parse", UNDO) == undo
    assert state(place.worktree) != later
    restore_snapshot(
        place.repo, place.worktree, undo, private=private_of(place.worktree), undo_ref=UNDO + "2"
    )
    assert state(place.worktree) == later


def test_edits_that_git_was_told_not_to_see_are_kept(place: Place) -> None:
    tree = place.worktree
    git(tree, "update-index", "--assume-unchanged", "a.txt")
    git(tree, "update-index", "--skip-worktree", "src/b.py")
    write(tree, {"a.txt": "edited", "src/b.py": "edited"})
    before, index = state(tree), index_bytes(tree)
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    assert {f.path for f in diff_trees(place.repo, place.base, Oid(f"{oid}:display")).files} == {
        "a.txt",
        "src/b.py",
    }
    write(tree, {"a.txt": "lost?", "src/b.py": "lost?"})
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert (state(tree), index_bytes(tree)) == (before, index)


def test_an_edit_in_the_same_moment_with_the_same_size_is_not_missed(place: Place) -> None:
    kept = place.locks.parent / "kept"
    for content in ("aaa", "bbb", "ccc", "ddd"):
        write(place.worktree, {"a.txt": content})
        oid = make_snapshot(
            place.worktree, private=private_of(place.worktree), base=place.base, kept=kept
        )
        assert git(place.repo, "show", f"{oid}:display/a.txt") == content
        assert git(place.repo, "show", f"{oid}:raw/a.txt") == content


def test_a_kept_index_follows_what_the_agent_stages_and_unstages(place: Place) -> None:
    kept = place.locks.parent / "kept"
    write(place.worktree, {"forced.log": "ignored, but added", "new": "new"})
    first = make_snapshot(
        place.worktree, private=private_of(place.worktree), base=place.base, kept=kept
    )
    git(place.worktree, "add", "-f", "forced.log")
    second = make_snapshot(
        place.worktree, private=private_of(place.worktree), base=place.base, kept=kept
    )
    git(place.worktree, "rm", "-q", "--cached", "forced.log")
    third = make_snapshot(
        place.worktree, private=private_of(place.worktree), base=place.base, kept=kept
    )
    held = [
        "forced.log" in git(place.repo, "ls-tree", "--name-only", f"{oid}:display").split()
        for oid in (first, second, third)
    ]
    assert held == [False, True, False]


def test_snapshots_work_while_the_agent_holds_the_index_lock(place: Place) -> None:
    lock = Path(git(place.worktree, "rev-parse", "--absolute-git-dir"), "index.lock")
    write(place.worktree, {"new": "new"})
    lock.write_bytes(b"")
    oid = make_snapshot(place.worktree, private=private_of(place.worktree), base=place.base)
    assert git(place.repo, "show", f"{oid}:raw/new") == "new"
    with pytest.raises(NotPossible, match="git is at work"):
        restore_snapshot(
            place.repo, place.worktree, oid, private=private_of(place.worktree), undo_ref=UNDO
        )
    assert lock.exists()


def test_conflicts_staged_blobs_and_all_survive_gc(place: Place) -> None:
    tree = place.worktree
    write(tree, {"a.txt": "ours\n"})
    commit_all(tree)
    git(tree, "checkout", "-q", "--detach", place.base)
    write(tree, {"a.txt": "theirs\n"})
    commit_all(tree)
    git(tree, "merge", "mh/one", check=False)
    write(tree, {"staged": "first"})
    git(tree, "add", "staged")
    write(tree, {"staged": "then"})
    unmerged = git(tree, "ls-files", "-u")
    assert unmerged
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    git(place.repo, "update-ref", "refs/manyhands/test", oid)
    before = state(tree)
    git(tree, "reset", "-q", "--hard")
    git(place.repo, "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == before
    assert git(tree, "ls-files", "-u") == unmerged
    assert git(tree, "show", ":staged") == "first"
    git(place.repo, "fsck", "--strict")


def test_embedded_repositories_come_back_with_their_history(place: Place) -> None:
    tree = place.worktree
    inner = tree / "vendor/inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    write(tree, {"vendor/inner/f": "committed"})
    commit = commit_all(inner)
    write(tree, {"vendor/inner/g": "not committed"})
    (tree / "bare-new").mkdir()
    git(tree / "bare-new", "init", "-q")
    before = state(tree)
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    wreck(tree)
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == before
    assert git(inner, "rev-parse", "HEAD") == commit


def test_work_inside_a_submodule_comes_back(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    write(source, {"lib.c": "int x;\n"})
    commit_all(source)
    tree = place.worktree
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "sub")
    write(tree, {"sub/lib.c": "int y;\n", "sub/more.c": "int z;\n"})
    before = state(tree)
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    wreck(tree)
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == before


def test_ignored_files_are_left_alone_unless_the_snapshot_holds_them(place: Place) -> None:
    tree = place.worktree
    write(tree, {".env": "KEY=1", "build/out": "1", "sub/x.log": "1"})
    plain = make_snapshot(tree, private=private_of(tree), base=place.base)
    whole = make_snapshot(tree, private=private_of(tree), base=place.base, ignored=True)
    write(tree, {".env": "KEY=2", "build/more": "2"})
    later = state(tree)
    restore_snapshot(place.repo, tree, plain, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == later
    restore_snapshot(place.repo, tree, whole, private=private_of(tree), undo_ref=UNDO)
    assert (tree / ".env").read_text() == "KEY=1"
    assert not (tree / "build/more").exists()
    assert (tree / "build/out").read_text() == "1"


def test_a_file_that_was_ignored_then_is_not_deleted_now(place: Place) -> None:
    tree = place.worktree
    write(tree, {".env": "KEY=1"})
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    write(tree, {".gitignore": "", "extra": "goes"})
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert (tree / ".env").read_text() == "KEY=1"
    assert not (tree / "extra").exists()


def test_what_is_ignored_now_and_overwritten_is_kept_by_the_undo(place: Place) -> None:
    tree = place.worktree
    write(tree, {"notes": "then"})
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    write(tree, {"notes": "now", ".gitignore": "notes\n"})
    undo = restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert (tree / "notes").read_text() == "then"
    assert "notes" not in git(place.repo, "ls-tree", "-r", "--name-only", undo).split("\n")
    write(tree, {".gitignore": "notes\n"})
    restore_snapshot(place.repo, tree, undo, private=private_of(tree), undo_ref=UNDO + "2")
    assert (tree / "notes").read_text() == "now"


def test_a_link_in_the_place_of_a_folder_is_not_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"b.py": "precious"})
    oid = make_snapshot(place.worktree, private=private_of(place.worktree), base=place.base)
    (place.worktree / "src/b.py").unlink()
    (place.worktree / "src").rmdir()
    (place.worktree / "src").symlink_to(outside)
    restore_snapshot(
        place.repo, place.worktree, oid, private=private_of(place.worktree), undo_ref=UNDO
    )
    assert (outside / "b.py").read_text() == "precious"
    assert (place.worktree / "src/b.py").read_text() == "x = 1\n"


def test_a_folder_with_ignored_files_is_not_replaced_by_a_file(place: Place) -> None:
    tree = place.worktree
    write(tree, {"thing": "a file"})
    oid = make_snapshot(tree, private=private_of(tree), base=place.base)
    (tree / "thing").unlink()
    write(tree, {"thing/x.log": "ignored"})
    with pytest.raises(NotPossible, match="in the way"):
        restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert (tree / "thing/x.log").read_text() == "ignored"


def test_a_directory_that_is_no_worktree_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotPossible, match="not a git worktree"):
        make_snapshot(tmp_path / "plain", private=private_of(tmp_path / "plain"), base=place.base)
    with pytest.raises(NotPossible, match="not a git worktree"):
        make_snapshot(
            place.worktree / "src", private=private_of(place.worktree / "src"), base=place.base
        )


NAMES = st.sampled_from(["a.txt", "src/b.py", "new", "d/e", "d", "x.log", "c.txt", "sp ace"])
CONTENTS = st.sampled_from([b"", b"one\n", b"one\r\ntwo\n", b"\0bin", b"$Id: 1 $\n", b"no end"])
EDITS = st.lists(st.tuples(NAMES, CONTENTS, st.sampled_from([0o644, 0o755, 0o600])), max_size=6)


def apply(tree: Path, edits: list[tuple[str, bytes, int]]) -> None:
    for name, content, mode in edits:
        file = tree / name
        if file.is_dir() or any(p.is_file() for p in file.parents):
            continue
        write(tree, {name: content})
        file.chmod(mode)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=EDITS, second=EDITS, attributes=st.booleans())
def test_any_state_comes_back_from_any_other(
    place: Place,
    first: list[tuple[str, bytes, int]],
    second: list[tuple[str, bytes, int]],
    attributes: bool,
) -> None:
    tree = place.worktree
    git(tree, "clean", "-fdxq")
    git(tree, "checkout", "-q", "--", ".")
    if attributes:
        write(tree, {".gitattributes": "* text=auto ident\n"})
    apply(tree, first)
    before = state(tree)
    oid = make_snapshot(tree, private=private_of(tree), base=place.base, ignored=True)
    git(tree, "clean", "-fdxq")
    apply(tree, second)
    restore_snapshot(place.repo, tree, oid, private=private_of(tree), undo_ref=UNDO)
    assert state(tree) == before
