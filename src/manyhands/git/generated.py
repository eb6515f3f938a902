"""Which changed files nobody wrote by hand: marked so by attribute, or lock files by name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from manyhands.git.runner import Git

ATTRIBUTE = "linguist-generated"
_LOCKS = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "Cargo.lock",
        "poetry.lock",
        "uv.lock",
        "Pipfile.lock",
        "pdm.lock",
        "composer.lock",
        "Gemfile.lock",
        "go.sum",
        "flake.lock",
        "mix.lock",
        "pubspec.lock",
        "Podfile.lock",
        "packages.lock.json",
        "gradle.lockfile",
    }
)
_MINIFIED = re.compile(r"\.min\.(js|css)$|\.(js|css)\.map$")


def generated_paths(worktree: Path, paths: Sequence[str]) -> set[str]:
    """An attribute decides either way; without one the name does."""
    if not paths:
        return set()
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    argv = ("check-attr", "-z", "--stdin", ATTRIBUTE)
    fields = Git(worktree).run(*argv, stdin=asked).records
    marked = dict(zip(map(os.fsdecode, fields[0::3]), fields[2::3], strict=True))
    return {path for path in paths if _is_generated(path, marked.get(path, b"unspecified"))}


def _is_generated(path: str, attribute: bytes) -> bool:
    if attribute in (b"set", b"true"):
        return True
    if attribute in (b"unset", b"false"):
        return False
    name = path.rpartition("/")[2]
    return name in _LOCKS or _MINIFIED.search(name) is not None
