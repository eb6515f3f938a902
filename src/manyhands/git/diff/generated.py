"""Which changed files nobody wrote by hand: marked so by attribute, or lock files by name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from manyhands.git.runner import Git

ATTRIBUTE = "linguist-generated"
_NODE = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")
_PYTHON = ("poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock")
_OTHERS = ("Cargo.lock", "composer.lock", "Gemfile.lock", "go.sum", "flake.lock", "mix.lock")
_MOBILE = ("pubspec.lock", "Podfile.lock", "packages.lock.json", "gradle.lockfile")
_LOCKS = frozenset((*_NODE, "bun.lockb", *_PYTHON, *_OTHERS, *_MOBILE))
_MINIFIED = re.compile(r"\.min\.(js|css)$|\.(js|css)\.map$")


def generated_paths(worktree: Path, paths: Sequence[str]) -> set[str]:
    """An attribute decides either way; without one the name does."""
    if not paths:
        return set()
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    argv = ("check-attr", "-z", "--stdin", ATTRIBUTE)
    fields = Git(worktree).run(*argv, stdin=asked).records
    marked = dict(zip(map(os.fsdecode, fields[0::3]), fields[2::3], strict=True))
    return {path for path in paths if is_generated(path, marked.get(path, b"").decode())}


def is_generated(path: str, attribute: bool | str | None) -> bool:
    if attribute in (True, "set", "true"):
        return True
    if attribute in (False, "unset", "false"):
        return False
    name = path.rpartition("/")[2]
    return name in _LOCKS or _MINIFIED.search(name) is not None
