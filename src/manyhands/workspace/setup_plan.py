"""What a setup would run in a worktree, and what of it an earlier install makes needless.

An install is known by the hash of its lock file and all else that decides it, kept in git's own
directory of the worktree: it goes where the worktree goes and no tool of the project sees it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from manyhands.git import refs
from manyhands.git.replacing import replace_file
from manyhands.workspace.installers import Installer, detect, installer_of, lock_key
from manyhands.workspace.repo_config import RepoConfig

RECORD = "manyhands-installed.json"


class SetupCommand(msgspec.Struct, frozen=True):
    text: str
    installer: str = ""
    key: str = ""
    product: str = ""
    again: bool = False
    """Whether it only looks over what is there already."""
    store: bool = False
    """Whether it links files from a store of the user's."""


class SetupPlan(msgspec.Struct, frozen=True):
    origin: str = ""
    commands: tuple[SetupCommand, ...] = ()
    missing: tuple[str, ...] = ()
    """Package managers that the lock files ask for and this machine does not have."""

    @property
    def installs(self) -> SetupPlan:
        """Only what makes dependencies, as a spare may have it before any session does."""
        kept = tuple(c for c in self.commands if c.product)
        return msgspec.structs.replace(self, commands=kept)


def load_plan(root: Path, config: RepoConfig, *, path: str | None = None) -> SetupPlan:
    """The configured commands, else those that the lock files ask for; `path` is the child's."""
    if config.setup.run is not None:
        return SetupPlan("config", tuple(_configured(root, text) for text in config.setup.run))
    found = detect(root)
    there = [i for i in found if shutil.which(i.program or i.name, path=path)]
    origin = "+".join(i.name for i in there)
    commands = tuple(_command(root, i, i.command) for i in there)
    return SetupPlan(origin, commands, tuple(i.name for i in found if i not in there))


def left_to_do(root: Path, plan: SetupPlan) -> tuple[SetupCommand, ...]:
    """The commands whose work is not already there."""
    known = load_installed(root)
    return tuple(c for c in plan.commands if not _is_there(root, c, known))


def set_installed(root: Path, command: SetupCommand) -> None:
    """Remember that this install succeeded in `root`."""
    if not command.product:
        return
    record = _record(root)
    known = {**load_installed(root), command.installer: command.key}
    replace_file(record, msgspec.json.encode(known), 0o600)


def load_installed(root: Path) -> Mapping[str, str]:
    try:
        return msgspec.json.decode(_record(root).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}


def _record(root: Path) -> Path:
    return refs.require_worktree(root).git_dir / RECORD


def _is_there(root: Path, command: SetupCommand, known: Mapping[str, str]) -> bool:
    if not command.product:
        return False
    return known.get(command.installer) == command.key and (root / command.product).is_dir()


def _configured(root: Path, text: str) -> SetupCommand:
    installer = installer_of(text, root)
    return _command(root, installer, text) if installer else SetupCommand(text)


def _command(root: Path, installer: Installer, text: str) -> SetupCommand:
    key = lock_key(root, installer)
    return SetupCommand(
        text, installer.name, key, installer.product, installer.again, installer.store
    )
