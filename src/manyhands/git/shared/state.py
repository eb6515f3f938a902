"""How the branches, tags, stash and config of a repository are now: two or three processes."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

HEADS, TAGS, STASH = "refs/heads/", "refs/tags/", "refs/stash"
SPACES = ("refs/heads", "refs/tags", "refs/notes", STASH)
"""Whose work nobody else has: what remotes had can be fetched again."""
_MADE_ON = re.compile(r"(?:WIP on|On) (.+?): ")


@dataclass(frozen=True)
class StashEntry:
    oid: Oid
    message: str

    @property
    def branch(self) -> str:
        """The one that it was made on, as git says it in the message."""
        found = _MADE_ON.match(self.message)
        return found[1] if found else ""


@dataclass(frozen=True)
class SharedState:
    refs: dict[str, Oid] = field(default_factory=dict)
    stash: tuple[StashEntry, ...] = ()
    """Newest first, as `git stash list` counts them."""
    pending: tuple[StashEntry, ...] = ()
    """Of the stash too, but of a turn that may still take them off again."""
    config: bytes = b""
    head: Oid | None = None
    """Of the main checkout, where no branch holds it."""
    kept: dict[str, Oid] = field(default_factory=dict)
    """The private refs that keep earlier states."""

    @property
    def config_digest(self) -> str:
        return hashlib.sha256(self.config).hexdigest()


def load_shared(repo: Path, kept_under: str) -> SharedState:
    git = Git(repo)
    listed = git.run("for-each-ref", "--format=%(objectname) %(refname)", *SPACES, kept_under)
    pairs = (line.split(" ", 1) for line in os.fsdecode(listed.stdout).splitlines())
    found = {name: Oid(oid) for oid, name in pairs}
    kept = {name: oid for name, oid in found.items() if name.startswith(kept_under)}
    plain = {name: oid for name, oid in found.items() if name not in kept and name != STASH}
    branch = refs.current_branch(repo)
    return SharedState(
        refs=plain,
        stash=_load_stash(git) if STASH in found else (),
        config=load_config(repo),
        head=None if branch else refs.resolve(repo, "HEAD"),
        kept=kept,
    )


def _load_stash(git: Git) -> tuple[StashEntry, ...]:
    argv = ("log", "--walk-reflogs", "--no-decorate", "-z", "--format=%H %gs", STASH, "--")
    found = git.run(*argv, check=False)
    if found.returncode:
        # It was dropped meanwhile, and there is none; or git cannot read the repository any more,
        # which says nothing of one.
        git.run("for-each-ref", STASH)
    pairs = (os.fsdecode(record).partition(" ") for record in found.records if record)
    return tuple(StashEntry(Oid(oid), message.strip()) for oid, _, message in pairs)


def config_file(repo: Path) -> Path:
    return refs.common_dir(repo) / "config"


def load_config(repo: Path) -> bytes:
    try:
        return config_file(repo).read_bytes()
    except FileNotFoundError:
        return b""
