"""The twin of a worktree: everything of the repository is there, nothing of it can be changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from manyhands.errors import NotPossible
from manyhands.git import worktrees
from manyhands.git.twin.making import make_twin, remake_twin
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.git.twin.conftest import Boxed, boxed, users_own
from tests.support.samples import SESSION, commit_all, git, write


def add(repo: Path, worktree: Path, branch: str = "mh/one") -> Boxed:
    base = Oid(git(repo, "rev-parse", "HEAD"))
    locks = worktree.parent / "locks"
    worktrees.add_worktree(repo, worktree, branch, base, session=SESSION, lock_dir=locks)
    return boxed(repo, worktree, branch=branch)


def test_the_twin_is_on_the_same_branch_with_nothing_changed(agent: Boxed) -> None:
    assert agent.git("status", "--porcelain=v2", "--branch").splitlines() == [
        f"# branch.oid {agent.base}",
        "# branch.head mh/one",
    ]
    # With its times: nothing has to be read again.
    assert agent.git("diff-files", "--name-only") == ""


def test_all_branches_tags_and_remote_refs_are_there(place: Place) -> None:
    for name in ("loose", "packed"):
        git(place.repo, "branch", f"side/{name}")
        git(place.repo, "tag", "-m", "x", f"v-{name}")
        git(place.repo, "update-ref", f"refs/remotes/origin/{name}", "HEAD")
        if name == "loose":
            git(place.repo, "pack-refs", "--all")
    git(place.repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/packed")
    write(place.repo, {"a.txt": "stashed\n"})
    git(place.repo, "stash")
    agent = boxed(place.repo, place.worktree)
    form = "--format=%(objectname) %(*objectname) %(refname) %(symref)"
    spaces = ("refs/heads", "refs/tags", "refs/remotes")
    assert agent.git("for-each-ref", form, *spaces) == git(
        place.repo, "for-each-ref", form, *spaces
    )
    assert agent.git("for-each-ref", "refs/stash", "refs/manyhands") == ""
    assert agent.git("describe", "--tags").startswith("v-")


def test_making_it_again_leaves_it_alone(agent: Boxed) -> None:
    made = agent.commit({"new.txt": "x"})
    assert make_twin(agent.place) == agent.binds
    assert agent.git("rev-parse", "HEAD") == made


def test_one_that_was_begun_is_made_anew(agent: Boxed) -> None:
    half = agent.place.beside("making")
    shutil.copytree(agent.place.twin, half, symlinks=True)
    (half / "HEAD").unlink()
    _, aside = remake_twin(agent.place)
    assert aside is not None
    assert (aside / "HEAD").is_file()
    assert not half.exists()
    assert agent.git("status", "--porcelain") == ""


def test_what_is_secret_or_makes_no_sense_there_is_left_out(place: Place) -> None:
    settings = {
        "remote.origin.url": "https://me:hunter2@example.org/a/b.git",
        "url.https://t0ken@example.org/.insteadOf": "ex:",
        "credential.helper": "store",
        "http.https://example.org/.extraHeader": "Authorization: hunter2",
        "sendemail.smtppass": "hunter2",
        "core.sshCommand": "ssh -i /keys/hunter2",
        "commit.gpgSign": "true",
        "alias.st": "status",
        "core.fsmonitor": "/bin/hunter2",
    }
    for key, value in settings.items():
        git(place.repo, "config", key, value)
    git(place.repo, "config", "extensions.worktreeConfig", "true")
    git(place.worktree, "config", "--worktree", "mine.here", 'yes; # "and" no\t')
    agent = boxed(place.repo, place.worktree)
    text = (agent.place.twin / "config").read_text()
    assert "hunter2" not in text
    assert "t0ken" not in text
    assert agent.git("config", "remote.origin.url") == "https://example.org/a/b.git"
    assert agent.git("config", "url.https://example.org/.insteadOf") == "ex:"
    assert agent.git("config", "mine.here") == 'yes; # "and" no\t'
    assert agent.git("st", "--short") == ""
    agent.commit({"unsigned.txt": "x"})


def test_hooks_and_exclusions_of_the_repository_hold(place: Place) -> None:
    hooks = place.repo / ".git/hooks"
    write(place.repo, {"tools/check": "#!/bin/sh\necho checked >checked.log\n"})
    (place.repo / "tools/check").chmod(0o755)
    (hooks / "pre-commit").symlink_to("../../tools/check")
    write(hooks, {"commit-msg": '#!/bin/sh\necho "by hook" >>"$1"\n'})
    (hooks / "commit-msg").chmod(0o755)
    write(place.repo / ".git", {"info/exclude": "secret.txt\n"})
    agent = boxed(place.repo, place.worktree)
    assert hooks in agent.binds.read
    agent.commit({"secret.txt": "x", "other.txt": "y"})
    said = agent.git("show", "--format=%B", "--name-only").split()
    assert said == ["work", "by", "hook", "other.txt"]
    assert (agent.worktree / "checked.log").read_text() == "checked\n"


def test_hooks_elsewhere_are_led_to(place: Place, tmp_path: Path) -> None:
    write(tmp_path / "hooks of all", {"pre-commit": "#!/bin/sh\nexit 7\n"})
    (tmp_path / "hooks of all/pre-commit").chmod(0o755)
    git(place.repo, "config", "core.hooksPath", tmp_path / "hooks of all")
    agent = boxed(place.repo, place.worktree)
    assert agent.binds.read == (tmp_path / "hooks of all",)
    agent.git("commit", "--allow-empty", "-m", "x", check=False)
    assert agent.git("rev-parse", "HEAD") == agent.base


def test_a_merge_in_progress_goes_on_in_the_twin(place: Place) -> None:
    write(place.worktree, {"a.txt": "mine\n"})
    commit_all(place.worktree)
    write(place.repo, {"a.txt": "yours\n"})
    theirs = commit_all(place.repo)
    git(place.worktree, "merge", theirs, check=False)
    agent = boxed(place.repo, place.worktree)
    assert agent.git("diff", "--name-only", "--diff-filter=U") == "a.txt"
    write(place.worktree, {"a.txt": "both\n"})
    agent.git("commit", "-q", "-a", "-m", "merged")
    assert agent.git("rev-parse", "HEAD^2") == theirs


def test_a_rebase_in_progress_goes_on_in_the_twin(place: Place) -> None:
    write(place.worktree, {"a.txt": "mine\n"})
    commit_all(place.worktree)
    write(place.repo, {"a.txt": "yours\n"})
    theirs = commit_all(place.repo)
    git(place.worktree, "rebase", theirs, check=False)
    agent = boxed(place.repo, place.worktree)
    write(place.worktree, {"a.txt": "both\n"})
    agent.git("add", "a.txt")
    agent.git("rebase", "--continue")
    assert agent.git("rev-parse", "mh/one^") == theirs
    assert agent.git("symbolic-ref", "HEAD") == "refs/heads/mh/one"


def test_a_detached_head_stays_so(place: Place) -> None:
    git(place.worktree, "checkout", "-q", "--detach")
    loose = commit_all(place.worktree, "on no branch")
    agent = boxed(place.repo, place.worktree)
    assert agent.git("rev-parse", "HEAD") == loose
    assert agent.git("symbolic-ref", "-q", "HEAD", check=False) == ""


def test_of_a_bare_repository(place: Place, tmp_path: Path) -> None:
    bare = tmp_path / "bäre repo.git"
    git(tmp_path, "clone", "-q", "--bare", place.repo, bare)
    agent = add(bare, tmp_path / "of bare" / "tree", "mh/two")
    made = agent.commit({"x.txt": "x"})
    assert agent.git("log", "--format=%H", "-1") == made
    assert agent.git("reflog", "show", "--format=%H", "-1") == made


def test_of_a_repository_that_borrows_objects_itself(place: Place, tmp_path: Path) -> None:
    shared = tmp_path / "shäred"
    git(tmp_path, "clone", "-q", "--shared", place.repo, shared)
    (shared / ".git/objects/info/alternates").write_text("../../../my répo/.git/objects\n")
    agent = add(shared, tmp_path / "of shared" / "tree")
    assert agent.binds.objects == (shared / ".git/objects", place.repo / ".git/objects")
    assert agent.git("log", "--format=%s") == "first"


def test_of_a_repository_inside_another(place: Place) -> None:
    inner = place.repo / "inner"
    git(place.repo, "init", "-q", inner)
    write(inner, {"x.txt": "x"})
    commit_all(inner)
    agent = add(inner, inner / "tree")
    agent.commit({"y.txt": "y"})
    assert agent.git("ls-files") == "x.txt\ny.txt"


def test_of_a_shallow_repository(place: Place, tmp_path: Path) -> None:
    commit_all(place.repo, "second")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{place.repo}", shallow)
    agent = add(shallow, tmp_path / "of shallow" / "tree")
    assert agent.git("log", "--format=%s") == "second"
    agent.git("gc", "-q")


def test_of_a_sparse_checkout(place: Place) -> None:
    git(place.worktree, "sparse-checkout", "set", "src")
    agent = boxed(place.repo, place.worktree)
    assert agent.git("status", "--porcelain") == ""
    assert agent.git("sparse-checkout", "list") == "src"
    git(place.worktree, "sparse-checkout", "disable")


def test_refs_in_tables_are_refused_in_a_sentence(place: Place) -> None:
    git(place.repo, "config", "core.repositoryformatversion", "0")
    git(place.repo, "config", "extensions.refstorage", "reftable")
    with pytest.raises(NotPossible, match="keeps its refs in a reftable"):
        boxed(place.repo, place.worktree)


def test_submodules_are_there(place: Place, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", inner)
    write(inner, {"i.txt": "i"})
    commit_all(inner)
    allow = ("-c", "protocol.file.allow=always")
    git(place.worktree, *allow, "submodule", "--quiet", "add", inner, "süb")
    commit_all(place.worktree, "with a submodule")
    agent = boxed(place.repo, place.worktree)
    (modules,) = agent.binds.write
    assert agent.git("submodule", "status").split()[1] == "süb"
    shared = [f for f in modules.rglob("objects/*/*") if f.is_file() and f.stat().st_nlink > 1]
    assert not shared
    agent.sh("cd süb; echo more >i.txt; git -c user.name=a -c user.email=b commit -qam inner")
    agent.git("commit", "-qam", "moved on")
    assert agent.git("status", "--porcelain") == ""


def test_the_repository_is_as_it_was(place: Place) -> None:
    before = users_own(place.repo)
    agent = boxed(place.repo, place.worktree)
    agent.commit({"x.txt": "x"})
    agent.git("tag", "mine")
    agent.git("config", "core.fsmonitor", "/bin/false")
    assert users_own(place.repo) == before


def test_what_is_borrowed_stays_though_its_branch_is_deleted(place: Place) -> None:
    git(place.repo, "checkout", "-q", "-b", "old-base")
    only_there = commit_all(place.repo, "only there")
    git(place.repo, "checkout", "-q", "-")
    agent = boxed(place.repo, place.worktree)
    git(place.repo, "branch", "-q", "-D", "old-base")
    git(place.repo, "reflog", "expire", "--expire=all", "--all")
    git(place.repo, "gc", "-q", "--prune=now")
    assert agent.git("log", "-1", "--format=%H", "old-base") == only_there
    agent.git("gc", "-q", "--prune=now")
    agent.git("fsck", "--strict")
