"""The sample repository: a small notes service, with tests and a short history."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Protocol

import msgspec

# Kept under a suffix of its own, so that no tool takes the sample's files for ours.
_SUFFIX = ".txt"
# Its own, so that commits work where the machine has no git identity, hooks or signing key.
_CONFIG = {
    "user.name": "Robin Hale",
    "user.email": "robin@waypost.example",
    "commit.gpgSign": "false",
    "core.hooksPath": "/dev/null",
}


class Commit(msgspec.Struct, frozen=True):
    message: str
    date: str
    paths: tuple[str, ...]


SAMPLE_COMMITS = (
    Commit(
        "Start with settings and a migrated database",
        "2026-03-02T09:12:00+00:00",
        (
            "README.md",
            ".gitignore",
            "waypost/__init__.py",
            "waypost/settings.py",
            "waypost/database.py",
            "migrations/001_initial.sql",
        ),
    ),
    Commit(
        "Keep users, one per e-mail address",
        "2026-03-02T15:40:00+00:00",
        ("waypost/users.py", "tests/__init__.py", "tests/test_users.py"),
    ),
    Commit(
        "Write notes and find them again",
        "2026-03-04T11:05:00+00:00",
        ("waypost/notes.py", "waypost/search.py", "tests/test_search.py"),
    ),
    Commit(
        "Greet new users",
        "2026-03-05T10:21:00+00:00",
        (
            "waypost/onboarding.py",
            "waypost/templates/welcome.txt",
            "waypost/templates/first_steps.txt",
            "tests/test_onboarding.py",
        ),
    ),
    Commit(
        "Serve users, notes and search over HTTP",
        "2026-03-09T16:58:00+00:00",
        ("waypost/app.py", "tests/client.py", "tests/test_app.py"),
    ),
)


class Git(Protocol):
    def __call__(self, *args: str) -> object: ...


def create_sample(path: Path, git: Git) -> None:
    """Make the repository; `git` runs one git command in `path`."""
    for args in sample_steps(path):
        git(*args)


def sample_steps(path: Path) -> Iterator[tuple[str, ...]]:
    """Git's arguments in order, each to be run in `path` before the next is asked for."""
    path.mkdir(parents=True, exist_ok=True)
    yield ("init", "--quiet", "--initial-branch=main")
    for key, value in _CONFIG.items():
        yield ("config", key, value)
    for commit in SAMPLE_COMMITS:
        for name in commit.paths:
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(sample_text(name), encoding="utf-8")
        yield ("add", "--", *commit.paths)
        yield ("commit", "--quiet", f"--date={commit.date}", "-m", commit.message)


def sample_text(name: str) -> str:
    """A sample file's content as first committed."""
    source: Traversable = files("manyhands.rehearsal") / "waypost"
    for part in f"{name}{_SUFFIX}".split("/"):
        source = source / part
    return source.read_text(encoding="utf-8")
