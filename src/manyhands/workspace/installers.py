"""Package managers: by which lock file each is known, what it runs, and what it makes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Installer:
    name: str
    locks: tuple[str, ...]
    """Any one of these files says that it is used."""
    command: str
    inputs: tuple[str, ...] = ()
    """What else decides the outcome."""
    product: str = ""
    """The directory that it makes; without one its result lies outside the worktree."""
    program: str = ""
    """What it needs, if not what it is called."""
    again: bool = False
    """Whether its command only looks over what it made, where that is there already, and runs what
    the project itself wants run."""
    store: bool = False
    """Whether it links what it has once from a store of the user's."""


NODE = ("package.json", ".npmrc", ".node-version", ".nvmrc")
PYTHON = ("pyproject.toml", ".python-version")
PNPM = Installer(
    "pnpm",
    ("pnpm-lock.yaml",),
    "CI=true pnpm install --frozen-lockfile --prefer-offline",
    (*NODE, "pnpm-workspace.yaml"),
    "node_modules",
    again=True,
    store=True,
)
YARN = Installer(
    "yarn",
    ("yarn.lock",),
    "yarn install --frozen-lockfile",
    (*NODE, ".yarnrc"),
    "node_modules",
    again=True,
)
YARN_BERRY = Installer(
    "yarn",
    ("yarn.lock",),
    "yarn install --immutable",
    (*NODE, ".yarnrc.yml"),
    "node_modules",
    again=True,
)
BUN = Installer(
    "bun",
    ("bun.lock", "bun.lockb"),
    "bun install --frozen-lockfile",
    NODE,
    "node_modules",
    again=True,
    store=True,
)
NPM = Installer(
    "npm",
    ("package-lock.json", "npm-shrinkwrap.json"),
    "npm ci --no-audit --no-fund --prefer-offline",
    NODE,
    "node_modules",
)
UV = Installer("uv", ("uv.lock",), "uv sync --frozen", PYTHON, ".venv", again=True, store=True)
POETRY = Installer(
    "poetry",
    ("poetry.lock",),
    "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
    PYTHON,
    ".venv",
    again=True,
)
PIP = Installer(
    "pip",
    ("requirements.txt",),
    # Isolated, or the repository's own modules would be taken for those of Python and pip.
    "python3 -I -m venv .venv && .venv/bin/python -I -m pip install -r requirements.txt",
    PYTHON,
    ".venv",
    program="python3",
)
CARGO = Installer("cargo", ("Cargo.lock",), "cargo fetch --locked", ("Cargo.toml",))
GO = Installer("go", ("go.sum", "go.mod"), "go mod download", ("go.mod",))

# Within a group the first that fits is the one: two managers would undo each other's work.
GROUPS: tuple[tuple[Installer, ...], ...] = (
    (PNPM, YARN, BUN, NPM),
    (UV, POETRY, PIP),
    (CARGO,),
    (GO,),
)


def detect(root: Path) -> tuple[Installer, ...]:
    """The installers that the files in `root` ask for."""
    found = []
    for group in GROUPS:
        fitting = [i for i in group if any((root / lock).is_file() for lock in i.locks)]
        if fitting:
            found.append(_preferred(root, fitting))
    return tuple(found)


def lock_key(root: Path, installer: Installer) -> str:
    """A hash of everything that decides what the installer makes."""
    digest = hashlib.sha256(installer.command.encode())
    for name in (*installer.locks, *installer.inputs):
        path = root / name
        content = path.read_bytes() if path.is_file() else b""
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def installer_of(command: str, root: Path) -> Installer | None:
    """The installer whose own command this is, so that a configured one is reused as well."""
    words = command.split()
    for installer in detect(root):
        if words in ([installer.name, *rest.split()] for rest in _PLAIN.get(installer.name, ())):
            return installer
        if command == installer.command:
            return installer
    return None


_PLAIN = {
    "npm": ("ci",),
    "pnpm": ("install --frozen-lockfile", "i --frozen-lockfile"),
    "yarn": ("install --frozen-lockfile", "install --immutable", "--frozen-lockfile"),
    "bun": ("install --frozen-lockfile",),
    "uv": ("sync --frozen", "sync --locked"),
}


def _preferred(root: Path, fitting: Sequence[Installer]) -> Installer:
    named = _named_manager(root)
    chosen = next((i for i in fitting if i.name == named), fitting[0])
    if chosen is YARN and b"\n__metadata:" in (root / "yarn.lock").read_bytes():
        return YARN_BERRY
    return chosen


def _named_manager(root: Path) -> str:
    """What package.json itself says, as in ``"packageManager": "pnpm@9.1.0"``."""
    try:
        said = json.loads((root / "package.json").read_text("utf-8")).get("packageManager", "")
    except (OSError, ValueError, AttributeError):
        return ""
    return str(said).partition("@")[0]
