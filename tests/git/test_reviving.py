"""What a worktree and its repository lost of each other is joined again, with no file changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.errors import NotPossible
from manyhands.git.reviving import Orphan, fill, revive, wholeness
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.guarded import contents
from tests.support.samples import SESSION, commit_all, git, write

Harm = Callable[[Place], None]


def orphan(place: Place, head: str = "") -> Orphan:
    return Orphan(
        repo=place.repo,
        path=place.worktree,
        branch="mh/one",
        head=Oid(head) if head else None,
        session=SESSION,
        lock_dir=place.locks,
    )


def admin(place: Place) -> Path:
    return Path((place.worktree / ".git").read_text().removeprefix("gitdir: ").strip())


def remove(place: Place) -> None:
    git(place.repo, "worktree", "remove", "-f", "-f", str(place.worktree))


def delete(place: Place) -> None:
    shutil.rmtree(place.worktree)


def unlink(place: Place) -> None:
    (place.worktree / ".git").unlink()


def forget(place: Place) -> None:
    shutil.rmtree(admin(place))


def unlink_and_forget(place: Place) -> None:
    forget(place)
    unlink(place)


def remove_with_branch(place: Place) -> None:
    remove(place)
    git(place.repo, "branch", "-D", "mh/one")


def half_joined(place: Place) -> None:
    """As a join that was killed leaves it."""
    unlink_and_forget(place)
    aside = str(orphan(place).aside)
    git(place.repo, "worktree", "add", "-q", "--no-checkout", "--lock", aside, "mh/one")


SEEN: dict[Harm, str] = {
    remove: "missing",
    delete: "missing",
    unlink: "unlinked",
    forget: "unknown",
    unlink_and_forget: "unlinked",
    remove_with_branch: "missing",
    half_joined: "unlinked",
}


@pytest.mark.parametrize("harm", SEEN)
def test_a_torn_worktree_is_seen_and_joined_again(place: Place, harm: Harm) -> None:
    write(place.worktree, {"a.txt": "mine\n"})
    head = commit_all(place.worktree, "mine")
    write(place.worktree, {"loose.txt": "loose\n"})
    files = contents(place.worktree)
    assert wholeness(place.repo, place.worktree) == "whole"
    harm(place)
    assert wholeness(place.repo, place.worktree) == SEEN[harm]
    is_empty = not place.worktree.is_dir()
    revive(orphan(place, head))
    assert wholeness(place.repo, place.worktree) == "whole"
    if is_empty:
        fill(place.worktree)
        del files["loose.txt"]
    assert contents(place.worktree) == files
    assert git(place.worktree, "rev-parse", "HEAD") == head
    assert git(place.worktree, "branch", "--show-current") == "mh/one"
    assert git(place.worktree, "status", "--porcelain", "-uno") == ""
    assert str(place.worktree.resolve()) in git(place.repo, "worktree", "list")
    assert not orphan(place).aside.exists()
    git(place.repo, "worktree", "prune")
    assert wholeness(place.repo, place.worktree) == "whole"


def test_a_branch_in_use_elsewhere_stays_there(place: Place, tmp_path: Path) -> None:
    remove(place)
    git(place.repo, "worktree", "add", "-q", str(tmp_path / "other"), "mh/one")
    note = revive(orphan(place, place.base))
    assert "in use at" in note
    assert git(place.worktree, "rev-parse", "HEAD") == place.base
    assert git(place.worktree, "branch", "--show-current") == ""


def test_what_is_something_else_by_now_is_left_alone(place: Place, tmp_path: Path) -> None:
    unlink(place)
    git(place.worktree, "init", "-q")
    assert wholeness(place.repo, place.worktree) == "replaced"
    with pytest.raises(NotPossible, match="something else by now"):
        revive(orphan(place, place.base))
    place.worktree.rename(tmp_path / "moved")
    place.worktree.symlink_to(tmp_path / "moved")
    with pytest.raises(NotPossible, match="something else by now"):
        revive(orphan(place, place.base))
    assert place.worktree.is_symlink()
