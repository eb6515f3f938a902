"""The settings that a repository brings are asked for again whenever they may have changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from manyhands.git import repository
from manyhands.git.hardening import load_entries

PLAIN = b"local\0core.bare\nfalse\0"
LONG_AGO = 10.0


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr(repository, "TICK_SECONDS", -LONG_AGO)
    return tmp_path


def asked(repo: Path, listing: bytes = PLAIN, **variables: str) -> bool:
    """Whether git was asked."""
    times: list[bytes] = []

    def ask() -> bytes:
        times.append(listing)
        return listing

    load_entries(repo, variables, ask)
    return bool(times)


def test_an_unchanged_config_is_asked_about_once(repo: Path) -> None:
    assert [asked(repo) for _ in range(3)] == [True, False, False]


def test_a_changed_config_is_asked_about_again_though_size_and_time_are_set_back(
    repo: Path,
) -> None:
    config = repo / ".git/config"
    before = config.stat()
    assert asked(repo)
    config.write_bytes(config.read_bytes().swapcase())
    os.utime(config, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert asked(repo)


def test_a_config_that_includes_others_is_always_asked_about(repo: Path) -> None:
    listing = b"local\0include.path\n../other\0"
    assert [asked(repo, listing) for _ in range(2)] == [True, True]


def test_a_config_that_was_just_written_is_asked_about_again(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "TICK_SECONDS", 3600.0)
    assert [asked(repo) for _ in range(2)] == [True, True]


def test_a_file_of_settings_that_is_named_is_always_asked_about(repo: Path) -> None:
    assert [asked(repo, GIT_CONFIG="/elsewhere") for _ in range(2)] == [True, True]


def test_another_git_directory_is_asked_about_by_its_own_config(repo: Path) -> None:
    other = repo / "other"
    subprocess.run(["git", "init", "-q", "--bare", str(other)], check=True)
    assert asked(repo)
    assert [asked(repo, GIT_DIR="other") for _ in range(2)] == [True, False]
    assert asked(other / "refs")


def test_all_worktrees_share_what_is_known_unless_one_has_settings_of_its_own(repo: Path) -> None:
    git = ["git", "-C", str(repo), "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "First"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "wt"], check=True)
    assert asked(repo)
    assert not asked(repo / "wt")
    (repo / ".git" / "worktrees" / "wt" / "config.worktree").write_text("[core]\n")
    assert [asked(repo / "wt") for _ in range(2)] == [True, False]
    assert not asked(repo)


def test_where_there_is_no_config_to_look_at_nothing_is_remembered(repo: Path) -> None:
    inside = repo / "inside"
    inside.mkdir()
    assert [asked(inside) for _ in range(2)] == [True, True]
