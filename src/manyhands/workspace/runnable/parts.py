"""What is run of files that hold much else: scripts of package.json, a project's own build code."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

INSTALL_SCRIPTS = ("preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare")
PACK_SCRIPTS = ("prepack", "postpack", "prepublish", "dependencies")
HOOKS = ("husky", "simple-git-hooks", "gitHooks", "pre-commit", "lint-staged")
DECIDING = (
    *("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"),
    *("bundleDependencies", "bundledDependencies", "overrides", "resolutions", "workspaces"),
    *("packageManager", "pnpm", "trustedDependencies", "dependenciesMeta", "installConfig"),
)


def install_scripts(package: bytes) -> bytes:
    """What an install or a git hook runs: a new dependency or a renamed test changes nothing."""

    def kept(whole: dict[str, Any]) -> dict[str, Any]:
        scripts = whole.get("scripts") or {}
        ran = {name: scripts[name] for name in INSTALL_SCRIPTS + PACK_SCRIPTS if name in scripts}
        return ran | {name: whole[name] for name in HOOKS if name in whole}

    return _extract(package, kept)


def all_scripts(package: bytes) -> bytes:
    """Where commands call the package manager, any script may be the one that runs."""
    return _extract(package, lambda whole: whole.get("scripts") or {})


def dependencies(package: bytes) -> bytes:
    """What decides which packages an install fetches, and which of them run scripts."""
    return _extract(package, lambda whole: {n: whole[n] for n in DECIDING if n in whole})


def _extract(package: bytes, choose: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    """Empty where there is nothing; the whole file where it cannot be read as one of its kind."""
    try:
        chosen = choose(json.loads(package))
        return json.dumps(chosen, indent=2).encode() if chosen else b""
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return package


def build_backend(pyproject: str) -> set[str]:
    """The modules of a build backend that lies in the project itself."""
    try:
        said = tomllib.loads(pyproject).get("build-system", {})
        module = str(said.get("build-backend", "")).partition(":")[0].replace(".", "/")
        folders = [str(folder) for folder in said.get("backend-path", ())]
    except (tomllib.TOMLDecodeError, AttributeError, TypeError):
        return set()
    return {f"{at}/{module}{end}" for at in folders for end in (".py", "/__init__.py") if module}
