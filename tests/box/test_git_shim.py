"""The session's `git` finds the twin from its worktree, and every other repository as it is."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from manyhands.box import git_shim, landlock, outline
from manyhands.model.box import Box

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
GIT = git_shim.real_git(SYSTEM_PATH)


def plain_git(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [GIT, *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@dataclass(frozen=True)
class Twinned:
    """A repository, a linked worktree of it, and the twin that the session works with."""

    root: Path
    box: Box

    @property
    def repo(self) -> Path:
        return self.root / "a repo"

    @property
    def worktree(self) -> Path:
        return Path(self.box.worktree)

    @property
    def twin(self) -> Path:
        return Path(self.box.twin)

    def env(self, **more: str) -> dict[str, str]:
        directory = git_shim.write_git_shim(self.box, GIT)
        return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}", **more}

    def run(
        self, *argv: str | Path, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, argv)),
            cwd=cwd or self.worktree,
            env=self.env(**env),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def git(self, *arguments: str | Path, cwd: Path | None = None, **env: str) -> str:
        done = self.run("git", *arguments, cwd=cwd, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def found(self, *options: str | Path, cwd: Path | None = None, **env: str) -> str:
        return self.git(*options, "rev-parse", "--absolute-git-dir", cwd=cwd, **env)


@pytest.fixture
def twinned(tmp_path: Path) -> Twinned:
    # Quotes and blanks on the way, as people have them.
    root = tmp_path / "it's $HOME"
    repo, worktree, own = root / "a repo", root / "work trees" / "otter", root / "hub" / "box"
    repo.mkdir(parents=True)
    own.mkdir(parents=True)
    plain_git("init", "-q", cwd=repo)
    (repo / "file").write_text("one\n", encoding="utf-8")
    (repo / "deep" / "er").mkdir(parents=True)
    (repo / "deep" / "er" / "file").write_text("two\n", encoding="utf-8")
    plain_git("add", "-A", cwd=repo)
    plain_git("commit", "-qm", "first", cwd=repo)
    plain_git("worktree", "add", "-qb", "mh/otter", worktree, cwd=repo)
    twin = own / "twin"
    plain_git("clone", "-q", "--bare", "--shared", repo, twin, cwd=root)
    plain_git("config", "core.bare", "false", cwd=twin)
    plain_git("symbolic-ref", "HEAD", "refs/heads/mh/otter", cwd=twin)
    there = {"GIT_DIR": str(twin), "GIT_WORK_TREE": str(worktree)}
    plain_git("reset", "-q", cwd=worktree, env=there)
    box = Box(
        level="files",
        by="landlock",
        worktree=str(worktree),
        twin=str(twin),
        scratch=str(own / "tmp"),
        objects=(str(repo / ".git" / "objects"),),
    )
    Path(box.scratch).mkdir()
    return Twinned(root, box)


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


# In the worktree


def test_from_everywhere_in_the_worktree_it_is_the_twin(twinned: Twinned) -> None:
    deep = twinned.worktree / "deep" / "er"
    assert twinned.found() == str(twinned.twin)
    assert twinned.found(cwd=deep) == str(twinned.twin)
    assert twinned.found("-C", twinned.worktree, cwd=twinned.root) == str(twinned.twin)
    assert twinned.found("-C", "deep", "-C", "er") == str(twinned.twin)
    assert twinned.found("-C", "..", "-C", "", cwd=deep) == str(twinned.twin)
    assert twinned.found("-c", "a.b=c", "--no-pager", "-C", "deep") == str(twinned.twin)
    assert twinned.git("rev-parse", "--show-prefix", cwd=deep) == "deep/er/"
    assert twinned.git("rev-parse", "--show-toplevel", cwd=deep) == str(twinned.worktree)


def test_a_link_to_the_worktree_is_the_worktree(twinned: Twinned) -> None:
    link = twinned.root / "link"
    link.symlink_to(twinned.worktree / "deep")
    assert twinned.found(cwd=link) == str(twinned.twin)
    assert twinned.found("-C", link, cwd=twinned.root) == str(twinned.twin)
    assert twinned.found("-C", f"{link}/..", cwd=twinned.root) == str(twinned.twin)


def test_everyday_work_leaves_the_repository_as_it_is(twinned: Twinned) -> None:
    before = tree(twinned.repo)
    (twinned.worktree / "file").write_text("three\n", encoding="utf-8")
    assert twinned.git("status", "--short") == "M file"
    twinned.git("commit", "-qam", "second")
    twinned.git("commit", "-q", "--amend", "-m", "second, again")
    twinned.git("tag", "mark")
    (twinned.worktree / "file").write_text("four\n", encoding="utf-8")
    twinned.git("stash")
    twinned.git("stash", "pop")
    twinned.git("checkout", "-q", "file")
    twinned.git("rebase", "-q", "main")
    twinned.git("rebase", "-q", "-x", "git status", "main")
    twinned.git("config", "some.key", "value")
    twinned.git("gc", "-q")
    assert twinned.git("log", "-1", "--format=%s") == "second, again"
    assert twinned.git("log", "-1", "--format=%s", "main") == "first"
    assert tree(twinned.repo) == before


def test_the_link_that_is_named_leads_to_the_twin_too(twinned: Twinned) -> None:
    link = twinned.worktree / ".git"
    assert twinned.found("--git-dir=.git") == str(twinned.twin)
    assert twinned.found("--git-dir", link, cwd=twinned.root) == str(twinned.twin)
    assert twinned.found("-C", "work trees/otter", "--git-dir=.git", cwd=twinned.root) == str(
        twinned.twin
    )
    options = ("--git-dir", str(link), f"--work-tree={twinned.worktree}")
    assert twinned.git(*options, "status", "--short", cwd=twinned.root) == ""


def test_another_work_tree_is_taken_at_its_word(twinned: Twinned) -> None:
    other = twinned.root / "other"
    other.mkdir()
    by_option = twinned.git(f"--work-tree={other}", "status", "--short")
    by_variable = twinned.git("status", "--short", GIT_WORK_TREE=str(other))
    assert by_option.splitlines()[0] == by_variable.splitlines()[0] == "D deep/er/file"


def test_hooks_and_aliases_work_with_the_twin(twinned: Twinned) -> None:
    hook = twinned.twin / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit rev-parse --absolute-git-dir > seen\n", encoding="utf-8")
    hook.chmod(0o755)
    twinned.git("commit", "-q", "--allow-empty", "-m", "x")
    assert (twinned.worktree / "seen").read_text() == f"{twinned.twin}\n"
    twinned.git("config", "alias.where", "!git rev-parse --absolute-git-dir")
    assert twinned.git("where") == str(twinned.twin)
    twinned.git("config", "alias.st", "status --short")
    assert twinned.git("st", cwd=twinned.worktree / "deep") == "?? ../seen"


def test_a_worktree_without_its_link_still_has_the_twin(twinned: Twinned) -> None:
    (twinned.worktree / ".git").unlink()
    assert twinned.found(cwd=twinned.worktree / "deep") == str(twinned.twin)


def test_init_in_the_worktree_is_of_the_twin(twinned: Twinned) -> None:
    before = tree(twinned.repo)
    assert str(twinned.twin) in twinned.git("init", "-b", "main")
    assert tree(twinned.repo) == before


# Elsewhere


def test_git_that_is_told_another_place_is_left_alone(twinned: Twinned) -> None:
    own = str(twinned.repo / ".git")
    assert twinned.found("-C", twinned.repo) == own
    assert twinned.found(f"--git-dir={own}") == own
    assert twinned.found("--git-dir", own) == own
    assert twinned.found(GIT_DIR=own) == own
    assert twinned.found(cwd=twinned.repo) == own
    assert twinned.run("git", "-C", "/", "status").returncode == 128


def test_repositories_that_tests_make_are_their_own(twinned: Twinned) -> None:
    made = twinned.worktree / "tests" / "made"
    twinned.git("init", "-q", "-b", "trunk", "tests/made")
    assert twinned.found("-C", made) == f"{made}/.git"
    assert twinned.found(cwd=made) == f"{made}/.git"
    twinned.git("commit", "-q", "--allow-empty", "-m", "x", cwd=made)
    bare = made / "bare.git"
    twinned.git("init", "-q", "--bare", bare)
    assert twinned.found(cwd=bare / "refs") == str(bare)
    assert twinned.found("--bare", cwd=bare) == str(bare)
    copy = made.with_name("copy")
    twinned.git("clone", "-q", made, copy)
    assert twinned.found(cwd=copy) == f"{copy}/.git"
    here = twinned.worktree / "here"
    here.mkdir()
    twinned.git("init", "-q", cwd=here)
    twinned.git("-C", here, "init", "-q")
    assert twinned.found(cwd=here) == f"{here}/.git"
    assert twinned.git("status", "--short") == "?? here/\n?? tests/"


def test_a_directory_that_is_only_called_git_is_none(twinned: Twinned) -> None:
    (twinned.worktree / "deep" / ".git").mkdir()
    assert twinned.found(cwd=twinned.worktree / "deep") == str(twinned.twin)


def test_a_ceiling_is_not_passed(twinned: Twinned) -> None:
    deep = twinned.worktree / "deep"
    ceilings = f"/nowhere:{deep}"
    assert twinned.run(
        "git", "status", cwd=deep / "er", GIT_CEILING_DIRECTORIES=ceilings
    ).returncode
    above = str(twinned.root)
    assert twinned.found(cwd=deep, GIT_CEILING_DIRECTORIES=above) == str(twinned.twin)


def test_submodules_have_their_own(twinned: Twinned) -> None:
    other = twinned.root / "other"
    other.mkdir()
    plain_git("init", "-q", cwd=other)
    plain_git("commit", "-q", "--allow-empty", "-m", "x", cwd=other)
    allow = ("-c", "protocol.file.allow=always")
    twinned.git(*allow, "submodule", "--quiet", "add", other, "sub")
    assert twinned.found(cwd=twinned.worktree / "sub") == f"{twinned.twin}/modules/sub"
    twinned.git("commit", "-qm", "with a submodule")
    twinned.git("submodule", "--quiet", "deinit", "-f", "sub")
    twinned.git(*allow, "submodule", "--quiet", "update", "--init")
    seen = twinned.git("submodule", "foreach", "--quiet", "git rev-parse --absolute-git-dir")
    assert seen == f"{twinned.twin}/modules/sub"
    assert twinned.git("status", "--short") == ""


# What passes through


def test_the_answer_is_gits_own(twinned: Twinned) -> None:
    assert twinned.git("--version") == plain_git("--version", cwd=twinned.root)
    assert twinned.run("git").returncode == 1
    assert twinned.run("git", "no-such-command").returncode == 1
    assert twinned.run("git", "diff", "--quiet", "main", "HEAD").returncode == 0
    words = ("", "a b", "'", '"', "*", "$HOME", "\\", "-C")
    twinned.git("config", "alias.say", "!printf '<%s>'")
    assert twinned.git("say", *words) == "".join(f"<{word}>" for word in words)


def test_a_signal_ends_git_itself(twinned: Twinned) -> None:
    # Git waits here by itself: what it would start in its turn might outlive the test.
    with subprocess.Popen(
        ["git", "cat-file", "--batch-check"],
        cwd=twinned.worktree,
        env=twinned.env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"HEAD\n")
        child.stdin.flush()
        assert b" commit " in child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=30) == -signal.SIGTERM


def test_it_works_where_the_other_git_directory_cannot_be_read(twinned: Twinned) -> None:
    Path(twinned.box.worktree, "file").write_text("three\n", encoding="utf-8")
    env = outline.environment(twinned.box, twinned.env(GIT_CONFIG_GLOBAL="/dev/null"))
    script = (
        "git -c user.name=a -c user.email=a@b.invalid commit -qam x && git log -1 --format=%s"
        f" && ! {GIT} status"
    )
    done = subprocess.run(
        landlock.confined(twinned.box, ["sh", "-c", script], cwd=twinned.worktree),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "x\n"), done.stderr


def test_the_script_finds_the_real_git_past_another_of_its_kind(twinned: Twinned) -> None:
    directory = git_shim.write_git_shim(twinned.box, GIT)
    path = outline.environment(twinned.box, {"PATH": SYSTEM_PATH})["PATH"]
    assert path == f"{directory}:{SYSTEM_PATH}"
    assert outline.environment(twinned.box, {"PATH": path})["PATH"] == path
    assert git_shim.real_git(path) == GIT
    written = (directory / "git").stat().st_mtime_ns
    git_shim.write_git_shim(twinned.box, GIT)
    assert (directory / "git").stat().st_mtime_ns == written
    moved = msgspec.structs.replace(twinned.box, worktree=str(twinned.root))
    git_shim.write_git_shim(moved, GIT)
    assert (directory / "git").stat().st_mtime_ns != written


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_any_shell_reads_it(twinned: Twinned, shell: str) -> None:
    script = git_shim.write_git_shim(twinned.box, GIT) / "git"
    done = twinned.run(shell, script, "-C", "deep", "rev-parse", "--absolute-git-dir")
    assert done.stdout.strip() == str(twinned.twin), done.stderr
