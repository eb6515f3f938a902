"""Submodules of a worktree, initialised without a word in the config that all worktrees share.

Where the main checkout has a submodule's commit already, it is taken from there, with no network;
objects are linked, and the copy's remote is the real one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git import lfs, refs
from manyhands.git.runner import Git

TIMEOUT = 600.0


@dataclass(frozen=True)
class Submodule:
    name: str
    path: str


def complete(worktree: Path, git: Git) -> list[str]:
    """Bring along what a checkout leaves out, submodules and large files; what did not work."""
    common = refs.common_dir(worktree)
    notes = initialise_submodules(worktree, common, git) if has_submodules(worktree) else []
    missing = lfs.missing_files_note(worktree)
    return [*notes, missing] if missing else notes


def has_submodules(worktree: Path) -> bool:
    return (worktree / ".gitmodules").is_file()


def list_submodules(worktree: Path) -> list[Submodule]:
    listing = ("config", "-z", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$")
    found = Git(worktree).run(*listing, check=False).records
    pairs = (os.fsdecode(record).partition("\n") for record in found)
    return [
        Submodule(key.removeprefix("submodule.").removesuffix(".path"), path)
        for key, _, path in pairs
    ]


def initialise_submodules(worktree: Path, common_dir: Path, git: Git) -> list[str]:
    """Bring every submodule to the commit that the worktree names; what did not work, in words.

    Those within submodules too, one level after the other: names repeat from level to level.
    """
    problems = []
    for submodule in list_submodules(worktree):
        local = common_dir / "modules" / submodule.name
        try:
            _initialise(git, worktree, submodule, local)
            inside = worktree / submodule.path
            if has_submodules(inside):
                problems += initialise_submodules(inside, local, replace(git, cwd=inside))
        except GitFailed as error:
            reason = error.stderr.strip().splitlines()[-1:] or [error.message]
            problems.append(
                f"the submodule {submodule.path} could not be initialised: {reason[0]}; "
                f"`git submodule update --init {submodule.path}` tries again"
            )
    return problems


def _initialise(git: Git, worktree: Path, submodule: Submodule, local: Path) -> None:
    settings = {"submodule.active": "."}
    wanted = _wanted(worktree, submodule)
    is_near = bool(wanted) and (local / "HEAD").is_file() and _holds(local, wanted)
    if is_near:
        settings |= {f"submodule.{submodule.name}.url": str(local), "protocol.file.allow": "always"}
    update = ("submodule", "--quiet", "update", "--", submodule.path)
    git.having(settings).run(*update, timeout=TIMEOUT)
    if is_near:
        real = Git(local).run("config", "remote.origin.url", check=False).line
        if real:
            Git(worktree / submodule.path).run("config", "remote.origin.url", real)


def _wanted(worktree: Path, submodule: Submodule) -> str:
    listed = Git(worktree).run("ls-files", "-z", "--stage", "--", submodule.path).records
    links = [record.split()[1] for record in listed if record.startswith(b"160000 ")]
    return links[0].decode() if links else ""


def _holds(git_dir: Path, commit: str) -> bool:
    # A module's own git directory names its checkout by a relative path; none is needed here.
    asked = Git(git_dir).having(GIT_DIR=git_dir)
    return asked.ok("cat-file", "-e", f"{commit}^{{commit}}")
