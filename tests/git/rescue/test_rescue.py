from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from manyhands.errors import NotFound, NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.rescue import trash
from manyhands.git.rescue.keeping import keep, rescue_ref
from manyhands.git.rescue.survey import survey
from manyhands.git.rescue.trash import from_trash, to_trash
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, commit_all, git, state, write


def bin_of(place: Place) -> Path:
    return place.repo.parent / "trash" / "s1"


def archive(place: Place) -> None:
    keep(place.worktree, SESSION)
    to_trash(place.repo, place.worktree, bin_of(place), session=SESSION)


def restore(place: Place) -> str:
    return from_trash(place.repo, place.worktree, bin_of(place), session=SESSION)


def ravage(place: Place) -> None:
    """The worst that a user's cleaning up may do meanwhile."""
    git(place.repo, "worktree", "prune", "--expire=now")
    git(place.repo, "reflog", "expire", "--expire=now", "--all")
    git(place.repo, "gc", "-q", "--prune=now")


def looks(tree: Path) -> list[str]:
    """What git says about a worktree."""
    return [
        git(tree, "status", "--porcelain=v2", "--branch", "--ignored"),
        git(tree, "ls-files", "-s", "-u"),
        git(tree, "diff", "--cached"),
    ]


def dirty(place: Place) -> None:
    write(place.worktree, {"a.txt": "staged\n", "new": "untracked", ".env": "KEY=1"})
    git(place.worktree, "add", "a.txt")
    write(place.worktree, {"a.txt": "unstaged\n", "build/db.sqlite": b"\0" * 4096})


def detached(place: Place) -> None:
    git(place.worktree, "checkout", "-q", "--detach")
    write(place.worktree, {"lonely": "commit"})
    commit_all(place.worktree)


def conflicting(place: Place) -> None:
    write(place.worktree, {"a.txt": "ours\n"})
    commit_all(place.worktree)
    git(place.worktree, "branch", "ours")
    git(place.worktree, "reset", "-q", "--hard", place.base)
    write(place.worktree, {"a.txt": "theirs\n"})
    commit_all(place.worktree)


def rebasing(place: Place) -> None:
    conflicting(place)
    git(place.worktree, "rebase", "ours", check=False)


def merging(place: Place) -> None:
    conflicting(place)
    git(place.worktree, "merge", "ours", check=False)


def picking(place: Place) -> None:
    conflicting(place)
    git(place.worktree, "cherry-pick", "ours", check=False)


def bisecting(place: Place) -> None:
    conflicting(place)
    git(place.worktree, "bisect", "start", "HEAD", place.base)


STATES: dict[str, Callable[[Place], None]] = {
    "clean": lambda place: None,
    "dirty": dirty,
    "detached": detached,
    "rebase": rebasing,
    "merge": merging,
    "cherry-pick": picking,
    "bisect": bisecting,
}


@pytest.mark.parametrize("name", STATES)
def test_an_archived_worktree_comes_back_byte_for_byte(place: Place, name: str) -> None:
    STATES[name](place)
    before, said = state(place.worktree), looks(place.worktree)
    archive(place)
    assert not place.worktree.exists()
    ravage(place)
    git(place.repo, "fsck", "--strict")
    assert restore(place) == ""
    assert (state(place.worktree), looks(place.worktree)) == (before, said)
    git(place.repo, "fsck", "--strict")
    if name in ("rebase", "merge", "cherry-pick"):
        write(place.worktree, {"a.txt": "settled\n"})
        git(place.worktree, "add", "a.txt")
        git(place.worktree, "-c", "core.editor=true", name, "--continue")


def test_commits_that_only_the_reflog_knows_are_kept(place: Place) -> None:
    write(place.worktree, {"first": "try"})
    amended = commit_all(place.worktree)
    git(place.worktree, "commit", "-q", "--amend", "-m", "second try")
    reset = Oid(git(place.worktree, "rev-parse", "HEAD"))
    git(place.worktree, "reset", "-q", "--hard", place.base)
    assert survey(place.worktree, place.base, "mh/one").reflog_only == 2
    archive(place)
    ravage(place)
    for oid in (amended, reset):
        assert git(place.repo, "cat-file", "-t", oid) == "commit"


def test_everything_is_kept_even_when_the_trash_and_gits_part_are_deleted(place: Place) -> None:
    dirty(place)
    git(place.worktree, "checkout", "-q", "--detach")
    git(place.worktree, "commit", "-q", "-m", "detached")
    lonely = git(place.worktree, "rev-parse", "HEAD")
    archive(place)
    git(place.repo, "worktree", "remove", "-f", "-f", place.worktree)
    git(place.repo, "branch", "-D", "mh/one")
    ravage(place)
    kept = rescue_ref(SESSION)
    assert git(place.repo, "show", f"{kept}^1:raw/a.txt") == "unstaged"
    assert git(place.repo, "show", f"{kept}^1:raw/new") == "untracked"
    assert git(place.repo, "merge-base", "--is-ancestor", lonely, kept) == ""
    with pytest.raises(NotPossible, match="git's own part"):
        restore(place)


def test_keeping_twice_keeps_both(place: Place) -> None:
    write(place.worktree, {"new": "first"})
    first = keep(place.worktree, SESSION)
    write(place.worktree, {"new": "second"})
    second = keep(place.worktree, SESSION)
    assert git(place.repo, "rev-parse", rescue_ref(SESSION)) == second
    git(place.repo, "merge-base", "--is-ancestor", first, second)


def test_many_commits_are_kept_in_groups(place: Place) -> None:
    made = {git(place.worktree, "commit-tree", "-m", str(n), "HEAD^{tree}") for n in range(120)}
    log = Path(git(place.worktree, "rev-parse", "--absolute-git-dir"), "logs/HEAD")
    with log.open("a") as stream:
        stream.writelines(f"{place.base} {oid} A <a@b> 1700000000 +0000\tx\n" for oid in made)
    kept = keep(place.worktree, SESSION)
    assert made <= set(git(place.repo, "rev-list", kept).split())


def test_the_branch_is_free_while_its_worktree_is_in_the_trash(place: Place) -> None:
    archive(place)
    git(place.repo, "checkout", "-q", "mh/one")
    note = restore(place)
    assert "in use elsewhere" in note
    assert refs.current_branch(place.worktree) is None


def test_a_branch_that_moved_meanwhile_is_left_where_it_is(place: Place) -> None:
    archive(place)
    write(place.repo, {"other": "work"})
    tip = commit_all(place.repo)
    git(place.repo, "branch", "-f", "mh/one", tip)
    assert "has moved" in restore(place)
    assert refs.resolve(place.worktree, "HEAD") == place.base
    assert refs.branch_tip(place.repo, "mh/one") == tip


def test_a_branch_that_was_deleted_meanwhile_is_made_again(place: Place) -> None:
    write(place.worktree, {"new": "new"})
    tip = commit_all(place.worktree)
    archive(place)
    git(place.repo, "branch", "-D", "mh/one")
    ravage(place)
    assert restore(place) == ""
    assert refs.current_branch(place.worktree) == "mh/one"
    assert refs.branch_tip(place.repo, "mh/one") == tip


def test_something_at_the_old_path_is_never_overwritten(place: Place) -> None:
    archive(place)
    write(place.worktree, {"someone": "else"})
    with pytest.raises(NotPossible, match="in the way"):
        restore(place)
    assert state(place.worktree) == {"someone": ("file", 0o644, b"else")}


def test_a_link_at_the_worktrees_root_is_refused(place: Place) -> None:
    real = place.worktree.with_name("real")
    place.worktree.rename(real)
    place.worktree.symlink_to(real)
    with pytest.raises(NotPossible, match="symbolic link"):
        to_trash(place.repo, place.worktree, bin_of(place), session=SESSION)
    assert place.worktree.is_symlink()


def test_a_link_inside_moves_as_a_link(place: Place) -> None:
    write(place.repo, {"node_modules/m": "module"})
    (place.worktree / "node_modules").symlink_to(place.repo / "node_modules")
    archive(place)
    assert (bin_of(place) / "node_modules").is_symlink()
    restore(place)
    assert (place.repo / "node_modules/m").read_text() == "module"
    assert (place.worktree / "node_modules/m").read_text() == "module"


def test_the_main_checkout_is_never_moved(place: Place) -> None:
    with pytest.raises(NotPossible, match="repository itself"):
        to_trash(place.repo, place.repo, bin_of(place), session=SESSION)
    assert place.repo.is_dir()


def test_another_file_system_is_refused(place: Place) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == place.worktree.stat().st_dev:
        pytest.skip("this machine has no second file system to write to")
    with pytest.raises(NotPossible, match="another file system"):
        to_trash(place.repo, place.worktree, other / f"mh-{os.getpid()}", session=SESSION)
    assert place.worktree.is_dir()


def test_nothing_in_the_trash_is_said_so(place: Place, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no record"):
        from_trash(place.repo, tmp_path / "x", tmp_path / "y", session=SESSION)


def test_a_git_run_inside_the_trash_does_not_confuse_the_way_back(place: Place) -> None:
    archive(place)
    admin = Path(git(bin_of(place), "rev-parse", "--absolute-git-dir"))
    (admin / "gitdir").write_text(f"{bin_of(place)}/.git\n")
    assert restore(place) == ""
    assert worktrees.find_worktree(place.repo, place.worktree) is not None


def die_at_line(number: int, call: Callable[[], object]) -> bool:
    """Run `call` in a process that dies at the so-manieth line of the trash module."""
    pid = os.fork()
    if pid == 0:
        left = number

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left
            if frame.f_code.co_filename != trash.__file__:
                return None
            left -= event == "line"
            if left <= 0:
                os._exit(9)
            return trace

        sys.settrace(trace)
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9


def test_killed_between_any_two_steps_it_carries_on(place: Place) -> None:
    dirty(place)
    before, said = state(place.worktree), looks(place.worktree)
    keep(place.worktree, SESSION)
    there = (place.repo, place.worktree, bin_of(place))
    line, died = 1, True
    while died:
        died = die_at_line(line, lambda: to_trash(*there, session=SESSION))
        to_trash(*there, session=SESSION)
        assert not place.worktree.exists()
        entry = worktrees.find_worktree(place.repo, place.worktree)
        assert entry is not None
        assert (entry.branch, entry.locked) == (None, "manyhands session s1, archived")
        died |= die_at_line(line, lambda: from_trash(*there, session=SESSION))
        assert from_trash(*there, session=SESSION) == ""
        assert refs.current_branch(place.worktree) == "mh/one"
        line += 4
    assert line > 30
    assert (state(place.worktree), looks(place.worktree)) == (before, said)


def test_a_survey_finds_everything_that_is_only_here(place: Place, tmp_path: Path) -> None:
    assert survey(place.worktree, place.base, "mh/one").safe
    dirty(place)
    git(place.worktree, "update-index", "--assume-unchanged", "src/b.py")
    write(place.worktree, {"src/b.py": "hidden edit"})
    inner = place.worktree / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, {"f": "f"})
    found = survey(place.worktree, place.base, "mh/one")
    assert {w.path: w.bytes for w in found.ignored} == {".env": 5, "build/": 4096}
    assert {w.path for w in found.untracked} == {"new", "inner/"}
    assert (found.staged, found.unstaged) == (("a.txt",), ("a.txt", "src/b.py"))
    assert [w.path for w in found.embedded] == ["inner"]
    assert not found.safe
    assert "ignored .env" in {h.what for h in found.holdings}


def test_a_survey_counts_commits_by_where_they_are(place: Place) -> None:
    write(place.worktree, {"one": "1"})
    commit_all(place.worktree)
    found = survey(place.worktree, place.base, "mh/one")
    assert (found.unpushed, found.detached, found.reflog_only) == (1, 0, 0)
    detached(place)
    found = survey(place.worktree, place.base, "mh/one")
    assert (found.unpushed, found.detached) == (2, 1)
    assert {h.what for h in found.holdings} == {
        "2 commits not pushed",
        "1 commit on a detached HEAD only",
    }


@pytest.mark.parametrize("name", ["rebase", "merge", "cherry-pick", "bisect"])
def test_a_survey_names_the_operation_in_progress(place: Place, name: str) -> None:
    STATES[name](place)
    assert survey(place.worktree, place.base, "mh/one").operation == name


def test_a_survey_of_what_cannot_be_known_is_unsafe(place: Place, tmp_path: Path) -> None:
    gone = survey(tmp_path / "gone", place.base, "mh/one")
    assert not gone.safe
    assert gone.refusals
    unheard = survey(place.worktree, Oid("1" * 40), "mh/one")
    assert not unheard.safe
    assert any("the branch" in text for text in unheard.refusals)


def test_pushed_commits_are_not_only_here(place: Place, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(place.repo, "remote", "add", "origin", tmp_path / "remote.git")
    write(place.worktree, {"one": "1"})
    commit_all(place.worktree)
    git(place.worktree, "push", "-q", "origin", "mh/one")
    assert survey(place.worktree, place.base, "mh/one").safe


def test_a_submodule_with_commits_of_its_own_is_found_and_kept(
    place: Place, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    commit_all(source)
    tree = place.worktree
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "sub")
    commit_all(tree)
    assert survey(tree, place.base, "mh/one").submodules == ()
    write(tree, {"sub/own": "own"})
    own = commit_all(tree / "sub")
    assert survey(tree, place.base, "mh/one").submodules == ("sub",)
    archive(place)
    ravage(place)
    restore(place)
    assert git(tree / "sub", "rev-parse", "HEAD") == own
