from __future__ import annotations

import os
from pathlib import Path

import msgspec

from manyhands.git.diff.diff import diff_trees, diff_worktree
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import FileDiff
from tests.git.conftest import Place
from tests.support.samples import commit_all, git, write


def changed(place: Place) -> dict[str, FileDiff]:
    return {file.path: file for file in diff_worktree(place.worktree, place.base).files}


def test_committed_staged_unstaged_and_untracked_work_all_count(place: Place) -> None:
    tree = place.worktree
    write(tree, {"committed": "1\n"})
    commit_all(tree)
    write(tree, {"staged": "1\n2\n"})
    git(tree, "add", "staged")
    write(tree, {"a.txt": "one\nthree\n", "untracked/deep": "1\n", "x.log": "ignored"})
    diff = diff_worktree(tree, place.base)
    counts = {f.path: (f.status, f.added, f.removed) for f in diff.files}
    assert counts == {
        "a.txt": ("modified", 0, 1),
        "committed": ("added", 1, 0),
        "staged": ("added", 2, 0),
        "untracked/deep": ("added", 1, 0),
    }
    assert (diff.added, diff.removed) == (4, 1)
    assert "x.log" not in diff.patch


def test_a_diff_leaves_no_trace(place: Place) -> None:
    write(place.worktree, {"new": "new\n"})
    index = Path(git(place.worktree, "rev-parse", "--absolute-git-dir"), "index")
    before = index.read_bytes(), git(place.repo, "count-objects")
    diff_worktree(place.worktree, place.base)
    assert (index.read_bytes(), git(place.repo, "count-objects")) == before


def test_renames_modes_links_and_binaries_are_told_apart(place: Place) -> None:
    tree = place.worktree
    (tree / "old.txt").rename(tree / "renamed.txt")
    (tree / "src/b.py").chmod(0o755)
    (tree / "a.txt").unlink()
    (tree / "a.txt").symlink_to("src/b.py")
    write(tree, {"picture": b"\0\1\2"})
    found = changed(place)
    assert (found["renamed.txt"].status, found["renamed.txt"].old_path) == ("renamed", "old.txt")
    assert (found["src/b.py"].old_mode, found["src/b.py"].new_mode) == ("100644", "100755")
    assert (found["a.txt"].status, found["a.txt"].new_mode) == ("typechange", "120000")
    assert (found["picture"].binary, found["picture"].added) == (True, 0)


def test_a_patch_can_be_applied(place: Place) -> None:
    tree = place.worktree
    write(tree, {"a.txt": "one\n2\nthree\n", "new name": "x", "grün": "ü\n"})
    (tree / "old.txt").unlink()
    patch = diff_worktree(tree, place.base).patch
    (tree.parent / "patch").write_text(patch)
    git(place.repo, "update-index", "-q", "--refresh")
    git(place.repo, "apply", "--index", tree.parent / "patch")
    git(tree, "add", "-A")
    assert git(place.repo, "write-tree") == git(tree, "write-tree")


def test_huge_files_are_counted_but_not_shown(place: Place) -> None:
    write(place.worktree, {"huge": "0123456789\n" * 5000, "small": "x\n"})
    diff = diff_worktree(place.worktree, place.base, file_limit=10_000)
    told = {f.path: (f.added, f.binary, f.omitted) for f in diff.files}
    assert told == {"huge": (5000, False, True), "small": (1, False, False)}
    assert "0123456789" not in diff.patch
    assert "+x\n" in diff.patch


def test_a_long_patch_ends_at_a_whole_file(place: Place) -> None:
    write(place.worktree, {f"f{n}": "line\n" * 100 for n in range(9)})
    diff = diff_worktree(place.worktree, place.base, patch_limit=2500)
    assert [f.omitted for f in diff.files] == [False] * 3 + [True] * 6
    assert diff.patch.count("diff --git") == 3
    assert diff.patch.endswith("+line\n")


def test_bytes_that_are_no_text_still_make_valid_json(place: Place) -> None:
    (place.worktree / os.fsdecode(b"n\xe9")).write_bytes(b"caf\xe9\n")
    diff = diff_worktree(place.worktree, place.base)
    assert [f.path for f in diff.files] == ["n\\xe9"]
    assert "caf\ufffd" in msgspec.json.decode(msgspec.json.encode(diff))["patch"]


def test_conflicts_and_a_held_index_lock_do_not_stop_a_diff(place: Place) -> None:
    tree = place.worktree
    write(tree, {"a.txt": "ours\n"})
    commit_all(tree)
    git(tree, "checkout", "-q", "-b", "other", place.base)
    write(tree, {"a.txt": "theirs\n"})
    commit_all(tree)
    git(tree, "merge", "mh/one", check=False)
    assert git(tree, "ls-files", "-u")
    Path(git(tree, "rev-parse", "--absolute-git-dir"), "index.lock").write_bytes(b"")
    assert "<<<<<<<" in diff_worktree(tree, place.base).patch


def test_a_broken_index_does_not_stop_a_diff(place: Place) -> None:
    index = Path(git(place.worktree, "rev-parse", "--absolute-git-dir"), "index")
    index.write_bytes(b"garbage")
    write(place.worktree, {"a.txt": "edited\n"})
    assert list(changed(place)) == ["a.txt"]


def test_a_submodule_is_one_entry(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    write(source, {"lib.c": "int x;\n"})
    commit_all(source)
    tree = place.worktree
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "sub")
    base = commit_all(tree)
    assert changed(Place(place.repo, tree, base, place.locks)) == {}
    commit_all(tree / "sub", "own work")
    moved = changed(Place(place.repo, tree, base, place.locks))
    assert (moved["sub"].status, moved["sub"].new_mode) == ("modified", "160000")


def test_submodules_that_are_not_checked_out_are_unchanged(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    commit_all(source)
    git(
        place.repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "sub"
    )
    base = commit_all(place.repo)
    git(place.worktree, "reset", "-q", "--hard", base)
    assert (place.worktree / "sub").is_dir()
    assert changed(Place(place.repo, place.worktree, base, place.locks)) == {}


def test_sparse_checkouts_show_only_what_changed(place: Place) -> None:
    write(place.repo, {"far/away": "x\n", "near/by": "x\n"})
    base = commit_all(place.repo)
    tree = place.worktree
    git(tree, "reset", "-q", "--hard", base)
    git(tree, "sparse-checkout", "set", "near")
    assert not (tree / "far").exists()
    write(tree, {"near/by": "y\n", "far/new": "n\n"})
    assert set(changed(Place(place.repo, tree, base, place.locks))) == {"near/by", "far/new"}


def test_two_trees_are_compared_without_a_worktree(place: Place) -> None:
    write(place.worktree, {"a.txt": "one\n"})
    tip = commit_all(place.worktree)
    diff = diff_trees(place.repo, place.base, tip)
    assert [(f.path, f.added, f.removed) for f in diff.files] == [("a.txt", 0, 2)]
    assert diff_trees(place.repo, tip, Oid(f"{tip}^{{tree}}")).files == []


def test_settings_of_the_users_diff_do_not_change_ours(place: Place) -> None:
    write(place.worktree, {"a.txt": "one\n2\nthree\n"})
    plain = diff_worktree(place.worktree, place.base)
    for key, value in {
        "color.ui": "always",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.context": "0",
        "diff.algorithm": "patience",
        "core.quotePath": "true",
        "diff.renames": "false",
        "diff.orderFile": "/nowhere",
    }.items():
        git(place.repo, "config", key, value)
    assert diff_worktree(place.worktree, place.base) == plain
