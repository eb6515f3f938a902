"""What comes along into a worktree: the named ignored and untracked files, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manyhands.workspace.carrying import Carried, carry_over
from manyhands.workspace.copied_tree import copy_tree
from manyhands.workspace.reflink import can_clone, clone, copy_file
from tests.support.workspace_hub import git

MANY = 10 * 1024 * 1024


def put(path: Path, content: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def carried(repo: Path, worktree: Path, *patterns: str, limit: int = MANY) -> Carried:
    return carry_over(repo, worktree, patterns, limit_bytes=limit)


def names(result: Carried) -> list[str]:
    return [file.path for file in result.files]


def contents(root: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(p.relative_to(root)): (p.lstat().st_mode, p.lstat().st_mtime_ns, p.read_bytes())
        for p in sorted(root.rglob("*"))
        if p.is_file() and ".git/" not in str(p)
    }


def test_by_default_every_ignored_env_file_comes_along_and_nothing_else(
    repo: Path, worktree: Path
) -> None:
    put(repo / ".env", "KEY=1\n").chmod(0o600)
    put(repo / "apps/web/.env.local", "KEY=2\n")
    put(repo / "node_modules/x/.env", "no\n")
    put(repo / "untracked.txt")
    put(repo / "secret/key.pem")
    result = carried(repo, worktree)
    assert names(result) == [".env", "apps/web/.env.local"]
    assert (worktree / ".env").read_text() == "KEY=1\n"
    assert (worktree / ".env").stat().st_mode & 0o777 == 0o600
    assert not (worktree / "untracked.txt").exists()
    assert not (worktree / "secret").exists()
    assert git(worktree, "status", "--porcelain") == ""


def test_patterns_are_those_of_gitignore_and_reach_untracked_files_too(
    repo: Path, worktree: Path
) -> None:
    for name in ("secret/a.pem", "secret/b.key", "notes/local.txt", "deep/er/x.local", ".env"):
        put(repo / name)
    (repo / ".worktreeinclude").write_text("# mine\nsecret/\n!secret/b.key\n*.local\n")
    result = carried(repo, worktree, "/notes/local.txt")
    assert names(result) == ["deep/er/x.local", "notes/local.txt", "secret/a.pem", "secret/b.key"]
    assert not (worktree / ".env").exists()


def test_patterns_of_the_config_add_to_the_env_files(repo: Path, worktree: Path) -> None:
    for name in (".env", "apps/.env.local", "secret/a.pem", "notes.txt", "node_modules/x/.env"):
        put(repo / name)
    assert names(carried(repo, worktree, "secret/")) == [".env", "apps/.env.local", "secret/a.pem"]


def test_a_negated_pattern_leaves_env_files_out(repo: Path, worktree: Path) -> None:
    for name in (".env", ".env.local", "apps/.env", "secret/a.pem"):
        put(repo / name)
    assert names(carried(repo, worktree, "secret/", "!/.env")) == [
        ".env.local",
        "apps/.env",
        "secret/a.pem",
    ]
    assert names(carried(repo, worktree, "!.env*")) == []


def test_a_negated_pattern_leaves_a_file_out(repo: Path, worktree: Path) -> None:
    put(repo / "secret/a.pem")
    put(repo / "secret/b.key")
    assert names(carried(repo, worktree, "secret/*", "!secret/b.key")) == ["secret/a.pem"]


def test_a_tracked_file_never_comes_along_however_it_is_named(repo: Path, worktree: Path) -> None:
    (repo / "README.md").write_text("changed here\n")
    assert names(carried(repo, worktree, "*")) == []
    assert (worktree / "README.md").read_text() == "# Sample\n"


def test_a_link_stays_a_link_and_is_never_followed(
    repo: Path, worktree: Path, tmp_path: Path
) -> None:
    outside = put(tmp_path / "outside/secret.txt", "far\n")
    (repo / ".env.link").symlink_to(outside)
    (repo / ".env.broken").symlink_to("nowhere")
    assert names(carried(repo, worktree)) == [".env.broken", ".env.link"]
    assert (worktree / ".env.link").readlink() == outside
    assert (worktree / ".env.broken").readlink() == Path("nowhere")


def test_a_directory_that_is_a_link_in_the_worktree_is_not_written_through(
    repo: Path, worktree: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (worktree / "conf").symlink_to(away)
    put(repo / "conf/.env")
    result = carried(repo, worktree)
    assert result.files == ()
    assert "conf/.env" in result.left_out[0]
    assert list(away.iterdir()) == []


def test_too_much_is_left_out_and_said(repo: Path, worktree: Path) -> None:
    put(repo / ".env", "small")
    put(repo / ".env.big", "x" * 5000)
    result = carried(repo, worktree, limit=1000)
    assert names(result) == [".env"]
    assert ".env.big: 5000 bytes are over the limit" in result.left_out[0]


def test_what_the_worktree_has_already_stays_and_a_second_run_finds_its_own_copies(
    repo: Path, worktree: Path
) -> None:
    put(repo / ".env", "from the checkout\n")
    put(repo / ".env.own", "from the checkout\n")
    put(worktree / ".env.own", "its own\n")
    first, second = carried(repo, worktree), carried(repo, worktree)
    assert names(first) == names(second) == [".env"]
    assert (worktree / ".env.own").read_text() == "its own\n"
    assert not list(worktree.glob(".mh-copy*"))


def test_odd_names_and_special_files_are_handled(repo: Path, worktree: Path) -> None:
    put(repo / ".env.ü \n x", "odd\n")
    os.mkfifo(repo / ".env.fifo")
    result = carried(repo, worktree)
    assert (worktree / ".env.ü \n x").read_text() == "odd\n"
    assert all("fifo" not in file.path for file in result.files)


def test_the_source_is_never_modified(repo: Path, worktree: Path) -> None:
    put(repo / ".env")
    put(repo / "secret/a.pem")
    before = contents(repo)
    carried(repo, worktree, "secret/", ".env")
    (worktree / ".env").write_text("changed in the session\n")
    assert contents(repo) == before


def test_a_copy_appears_whole_and_never_over_something(tmp_path: Path) -> None:
    source = put(tmp_path / "a", "one\n")
    target = put(tmp_path / "b", "two\n")
    with pytest.raises(FileExistsError):
        copy_file(source, target)
    assert target.read_text() == "two\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_a_clone_is_made_where_the_file_system_can_and_leaves_nothing_where_it_cannot(
    tmp_path: Path,
) -> None:
    source = put(tmp_path / "a", "x" * 10_000)
    able = can_clone(tmp_path)
    assert clone(source, tmp_path / "b") is able
    assert (tmp_path / "b").exists() is able


def test_a_copied_tree_is_whole_and_independent(tmp_path: Path) -> None:
    put(tmp_path / "tree/bin/run", "#!/bin/sh\n").chmod(0o755)
    (tmp_path / "tree/link").symlink_to("bin/run")
    copy_tree(tmp_path / "tree", tmp_path / "copy")
    (tmp_path / "copy/bin/run").write_text("changed\n")
    assert (tmp_path / "tree/bin/run").read_text() == "#!/bin/sh\n"
    assert (tmp_path / "copy/link").readlink() == Path("bin/run")
    assert (tmp_path / "copy/bin/run").stat().st_mode & 0o111
