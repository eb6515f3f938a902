"""Everything that one does with git every day works in the box, and the user's own is untouched."""

from __future__ import annotations

import hashlib
from pathlib import Path

from manyhands.git.twin.syncing import bring_in, sync
from tests.git.conftest import Place
from tests.git.twin.conftest import Boxed, boxed, users_own
from tests.git.twin.test_bringing import same_index
from tests.support.samples import commit_all, git, write

SCRIPTS = {
    "commit": "echo 1 >>a.txt; git commit -qam one; echo n >n.txt; git add n.txt; "
    "git commit -qm two",
    "amend": "echo 2 >>a.txt; git commit -q --amend -a -m amended",
    "reword": "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' GIT_EDITOR='sed -i 1s/^/re-/' "
    "git rebase -q -i HEAD~1",
    "squash": "echo s >s.txt; git add s.txt; git commit -q --fixup HEAD; "
    "GIT_SEQUENCE_EDITOR=: git rebase -q -i --autosquash HEAD~2",
    "stash": "echo 3 >>a.txt; git stash push -q -m wip; git stash list | grep -q wip; "
    "git stash pop -q; git commit -qam popped",
    "branch and merge": "git switch -q -c side; echo side >side.txt; git add side.txt; "
    "git commit -qm side; git switch -q mh/one; echo m >m.txt; git add m.txt; git commit -qm m;"
    "git merge -q --no-edit side",
    "cherry-pick": "git switch -q -c pick main; echo p >p.txt; git add p.txt; git commit -qm p; "
    "git switch -q mh/one; git cherry-pick pick",
    "revert": "git revert --no-edit HEAD",
    "rebase": "git rebase -q main",
    "tag": "git tag light; git tag -a -m noted noted; git describe --tags",
    "reset": "git reset -q --soft HEAD~1; git commit -qm again; git reset -q --hard HEAD~1",
    "restore": "rm a.txt; git restore a.txt; git rm -q n.txt; "
    "git restore --staged --worktree n.txt",
    "move": "git mv old.txt new-name.txt; git commit -qm moved",
    "look": "git log --oneline main; git log --graph --all --oneline; git blame a.txt; git status; "
    "git diff main...mh/one; git show HEAD; git shortlog -s HEAD; git reflog",
    "bisect": "git bisect start HEAD main; git bisect reset",
    "worktree": "git worktree add -q /tmp/another main; git worktree remove /tmp/another",
    "notes": "git notes add -m note HEAD",
    "config": "git config user.nick me; git config core.hooksPath .hooks; "
    "git config --unset core.hooksPath",
    "gc": "git gc -q; git repack -q -a -d -l; git prune; git fsck --strict",
    "pack": "git pack-refs --all",
    "clean": "echo x >untracked; git clean -qfd; git branch -D pick",
}


def test_all_of_it(place: Place) -> None:
    write(place.repo, {"a.txt": "stashed by the user\n"})
    git(place.repo, "stash")
    before = users_own(place.repo)
    agent = boxed(place.repo, place.worktree)
    for name, script in SCRIPTS.items():
        agent.sh(script)
        done = bring_in(agent.place, agent.prefix)
        assert done.note == "", name
        assert agent.tip == agent.git("rev-parse", "HEAD"), name
        same_index(agent)
        after = users_own(place.repo)
        moved = {key for key in {*before, *after} if before.get(key) != after.get(key)}
        assert moved <= {"refs/heads/mh/one", "logs/refs/heads/mh/one"}, name
    git(place.repo, "fsck", "--strict")
    assert sync(agent.place, agent.prefix).way in ("in", "same")


def test_pointers_to_large_files_are_just_files(place: Place) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 3\n"
    write(place.worktree, {".gitattributes": "*.bin filter=lfs -text\n", "x.bin": pointer})
    commit_all(place.worktree)
    (place.repo / ".git/lfs/objects").mkdir(parents=True)
    agent = boxed(place.repo, place.worktree)
    assert place.repo / ".git/lfs" in agent.binds.read
    assert agent.git("status", "--porcelain") == ""
    agent.commit({"y.bin": pointer})
    bring_in(agent.place, agent.prefix)
    same_index(agent)


def test_a_remote_that_can_be_reached_is_fetched_from(place: Place, tmp_path: Path) -> None:
    """And what was fetched there is the twin's own, until somebody fetches here."""
    git(place.repo, "remote", "add", "near", "near.git")
    agent: Boxed = boxed(place.repo, place.worktree)
    git(tmp_path, "clone", "-q", "--bare", place.repo, place.worktree / "near.git")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", place.worktree / "near.git", other)
    theirs = commit_all(other, "theirs")
    git(other, "push", "-q", "origin", "HEAD")
    agent.git("fetch", "-q", "near")
    assert agent.git("rev-parse", "near/main") == theirs
    done = bring_in(agent.place, agent.prefix)
    assert f"{agent.place.under}/remotes/near/main" in done.kept
    assert git(place.repo, "for-each-ref", "refs/remotes") == ""


def test_large_files_made_there_come_over_as_what_they_are(agent: Boxed) -> None:
    good = hashlib.sha256(b"large\n").hexdigest()
    bad = "ab" * 32
    folder = '"$(git rev-parse --absolute-git-dir)"/lfs/objects'
    for name, text in ((good, "large"), (bad, "other")):
        place = f"{folder}/{name[:2]}/{name[2:4]}"
        agent.sh(f"mkdir -p {place}; echo {text} >{place}/{name}")
    agent.sh(f"ln -s /etc {folder}/../link")
    agent.commit({"x.bin": "pointer"})
    bring_in(agent.place, agent.prefix)
    found = {f.name for f in (agent.repo / ".git/lfs").rglob("*") if f.is_file()}
    assert found == {good}


def test_without_a_box_the_twin_is_used_by_its_name(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    assert sync(agent.place, ()).new == made
    write(agent.worktree, {"y.txt": "y"})
    by_hand = commit_all(agent.worktree)
    sync(agent.place, ())
    assert agent.git("rev-parse", "HEAD") == by_hand
    same_index(agent)


def test_of_a_partial_clone(place: Place, tmp_path: Path) -> None:
    git(place.repo, "config", "uploadpack.allowFilter", "true")
    commit_all(place.repo, "second")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{place.repo}", partial)
    git(partial, "worktree", "add", "-q", "-b", "mh/two", tmp_path / "of partial/tree")
    agent = boxed(partial, tmp_path / "of partial/tree", branch="mh/two")
    made = agent.commit({"x.txt": "x"})
    agent.git("commit", "-q", "--amend", "-m", "again")
    assert bring_in(agent.place, agent.prefix).new != made
    same_index(agent)
