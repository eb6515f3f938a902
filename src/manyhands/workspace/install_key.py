"""Whether two worktrees would install the very same: by everything that decides what comes of it.

What a person approved is part of it, so nothing is handed over that was made by a setup of other
content. So are all files that git follows: a package may be one of them, and scripts of an install
read what they like.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.model.repo.runnable import whole_digest
from manyhands.workspace.installers import detect
from manyhands.workspace.runnable import runnable_git, runnable_in
from manyhands.workspace.setup_plan import SetupCommand

OF_A_SESSION = ("MANYHANDS_", "PORT", "COMPOSE_PROJECT_NAME", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR")
"""Beginnings of variables that no two sessions share, and on which no install should depend."""
BINDING = "binding.gyp"
LIFECYCLE = ("preinstall", "install", "postinstall", "prepublish", "prepare")


def install_key(
    root: Path,
    repo: Path,
    command: SetupCommand,
    env: Mapping[str, str],
    *,
    boxed: bool,
    own: Collection[str] = (),
) -> str:
    """Empty where it cannot be known; `own` are further variables that no two sessions share."""
    git = Git(root)
    if git.run("status", "--porcelain", "-z", "--untracked-files=no").stdout:
        return ""
    tree = git.run("rev-parse", "--verify", "HEAD^{tree}").line
    pieces = (*runnable_in(root, installing=True), *runnable_git(root))
    shared = {
        name: value
        for name, value in env.items()
        if not name.startswith(OF_A_SESSION) and name not in own
    }
    decides = [
        *(str(repo), command.text, command.key, tree, whole_digest(pieces), boxed),
        *(sorted(shared.items()), list(_programs(root, command, env.get("PATH")))),
    ]
    return hashlib.sha256(json.dumps(decides).encode()).hexdigest()


def after_taking(root: Path, command: SetupCommand) -> str | None:
    """What is still to be run where the install itself was taken over, for the project's own sake;
    None where that cannot be told from the install."""
    if command.again:
        return command.text
    if command.installer != "npm":
        return ""
    if (root / BINDING).exists() or any(map(_lifecycle, _packages_below(root))):
        return None
    return " && ".join(f"npm run {name}" for name in _runs(_lifecycle(root / "package.json")))


def _runs(scripts: Collection[str]) -> Iterator[str]:
    """`npm run install` runs what comes before and after it by itself, where there is one."""
    for name in LIFECYCLE:
        is_around = name in ("preinstall", "postinstall") and "install" in scripts
        if name in scripts and not is_around:
            yield name


def _lifecycle(package: Path) -> tuple[str, ...]:
    """All, where it cannot be read."""
    try:
        scripts = json.loads(package.read_bytes()).get("scripts", {})
        return tuple(name for name in LIFECYCLE if name in scripts)
    except (OSError, ValueError, AttributeError, TypeError):
        return LIFECYCLE


def _packages_below(root: Path) -> Iterator[Path]:
    """Of a workspace's packages, whose scripts an install runs too."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("node_modules", ".git")]
        if "package.json" in files and Path(folder) != root:
            yield Path(folder, "package.json")


def _programs(root: Path, command: SetupCommand, path: str | None) -> Iterator[tuple[str, int]]:
    """A package may be built for the very program that it is installed by."""
    named = [i.program or i.name for i in detect(root) if i.name == command.installer]
    for name in (*named, "node", "python3"):
        found = Path(shutil.which(name, path=path) or "/").resolve()
        yield str(found), found.stat().st_mtime_ns if found.is_file() else 0
