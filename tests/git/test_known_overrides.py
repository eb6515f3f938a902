"""The settings that a repository brings are asked for again whenever they may have changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from manyhands.git import hardening
from manyhands.git.hardening import load_overrides

PLAIN = b"local\0core.bare\0"
LONG_AGO = 10.0


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr(hardening, "TICK_SECONDS", -LONG_AGO)
    return tmp_path


def asked(repo: Path, listing: bytes = PLAIN, *variables: str) -> bool:
    """Whether git was asked."""
    times: list[bytes] = []

    def ask() -> bytes:
        times.append(listing)
        return listing

    load_overrides(repo, variables, ask)
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
    listing = b"local\0include.path\0"
    assert [asked(repo, listing) for _ in range(2)] == [True, True]


def test_a_config_that_was_just_written_is_asked_about_again(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardening, "TICK_SECONDS", 3600.0)
    assert [asked(repo) for _ in range(2)] == [True, True]


def test_another_git_directory_is_always_asked_about(repo: Path) -> None:
    assert [asked(repo, PLAIN, "GIT_DIR") for _ in range(2)] == [True, True]
