"""What of the user's own a box has so that builds work in it: toolchains, found by themselves.

Whatever `PATH` names is there, with what its links and scripts lead to; beside it the places that
toolchains are known to keep, and the user's git settings. Files that hold credentials are not among
them: a tool's directory that has some is taken by its parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from manyhands.box.nesting import is_in, outermost

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
"""Seen in every box, as they are."""
MOST_LINKS = 2000
"""Programs that one directory of `PATH` is looked through for links."""

PLACES = (
    *(".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".nvm", ".config/nvm", ".volta", ".asdf"),
    *(".rustup", ".sdkman", ".bun", ".deno", ".ghcup", ".opam", ".elan", ".juliaup", ".dotnet"),
    *(".linuxbrew", ".nix-profile", ".npm-global", ".yarn", ".local/bin", ".local/lib", "bin"),
    *(".local/share/mise", ".local/share/uv", ".local/share/pnpm", ".local/share/fnm"),
    *(".local/share/pipx", ".local/pipx", ".local/share/claude", ".fnm", ".rye", ".pixi"),
    *("go/bin", "go/pkg", "sdk", "miniconda3", "anaconda3", "miniforge3", "flutter"),
    *("Android/Sdk", ".cargo/bin", ".cargo/env", ".cargo/config.toml", ".cargo/registry"),
    *(".cargo/git", ".m2/repository", ".m2/wrapper", ".gradle/wrapper", ".gradle/caches"),
    *(".ivy2/cache", ".nuget/packages", ".gem", ".mix", ".hex", ".stack/programs", ".pub-cache"),
    *(".npm/_cacache", ".cache/pip", ".cache/uv", ".cache/go-build", ".cache/yarn"),
    *(".cache/pnpm", ".cache/pre-commit", ".cache/ms-playwright", ".cache/Cypress"),
    *(".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"),
)
"""Below the home; those that are not there are passed by."""
WRITTEN = (
    *("go/pkg", ".cargo/registry", ".cargo/git", ".m2/repository", ".gradle/caches", ".ivy2/cache"),
    *(".nuget/packages", ".npm/_cacache", ".cache/pip", ".cache/uv", ".cache/go-build"),
    *(".cache/yarn", ".cache/pnpm", ".cache/pre-commit", ".pub-cache", ".hex", ".gem"),
)
"""Caches: whoever uses one writes to it. Where they cannot be copied on write, each box has its own
and begins it empty."""
ROOTS = (
    *("PYENV_ROOT", "RBENV_ROOT", "NVM_DIR", "VOLTA_HOME", "ASDF_DATA_DIR", "RUSTUP_HOME"),
    *("GOROOT", "JAVA_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "SDKMAN_DIR", "BUN_INSTALL"),
    *("DENO_INSTALL", "PNPM_HOME", "CONDA_PREFIX", "MISE_DATA_DIR", "HOMEBREW_PREFIX"),
)
"""Variables that name a toolchain's directory."""
SECRET = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gcloud", ".config/gh")
"""Never there by themselves, whatever `PATH` says."""


def toolchains(home: Path, env: Mapping[str, str]) -> tuple[str, ...]:
    """Paths that a box has for reading; each stands for all that is below it."""
    top = str(home)
    known = (f"{top}/{place}" for place in PLACES if place not in WRITTEN)
    named = (root for name in ROOTS if (root := env.get(name, "")).startswith("/"))
    entries = dict.fromkeys(env.get("PATH", "").split(os.pathsep))
    on_path = (root for entry in entries for root in _on_path(entry, top))
    return _offered((*known, *named, *on_path), top)


def caches(home: Path) -> tuple[str, ...]:
    """Those that are there."""
    return tuple(outermost(p for place in WRITTEN if os.path.isdir(p := f"{home}/{place}")))


def program_places(program: str, home: Path) -> tuple[str, ...]:
    """What a program needs beside itself: the installation that it, and what it leads to, is in."""
    return _offered(_behind(program, str(home)), str(home))


def is_system(path: str) -> bool:
    return is_in(path, *SYSTEM)


def _offered(paths: Iterable[str], home: str) -> tuple[str, ...]:
    found = (os.path.normpath(path) for path in dict.fromkeys(paths))
    return tuple(outermost(p for p in found if not is_system(p) and _is_offered(p, home)))


def _is_offered(path: str, home: str) -> bool:
    """It must be there, and neither a home as a whole nor what holds keys."""
    if is_in(home, path) or not os.path.exists(path):
        return False
    secrets = [f"{home}/{secret}" for secret in SECRET] if is_in(path, home) else []
    return not is_in(path, *secrets) and not any(is_in(secret, path) for secret in secrets)


def _on_path(entry: str, home: str) -> tuple[str, ...]:
    """A directory of `PATH`: its installation, and those that its programs are linked from."""
    if not os.path.isabs(entry) or is_system(entry) or not os.path.isdir(entry):
        return ()
    return _behind_directory(entry, os.stat(entry).st_mtime_ns, home)


@lru_cache(maxsize=128)
def _behind_directory(directory: str, changed: int, home: str) -> tuple[str, ...]:
    return tuple(_look_through(directory, home))


def _look_through(directory: str, home: str) -> Iterator[str]:
    yield _installation(directory, home)
    with os.scandir(directory) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_LINKS:
                return
            if entry.is_symlink():
                yield from _behind(entry.path, home)


def _behind(program: str, home: str) -> Iterator[str]:
    """Each hop of the links that lead to a program, and of the program that runs it."""
    for _ in range(20):
        if is_system(program):
            return
        yield _installation(os.path.dirname(program), home)
        if not os.path.islink(program):
            break
        above = os.path.dirname(program)
        program = os.path.normpath(os.path.join(above, os.readlink(program)))
    interpreter = _interpreter(Path(program))
    if interpreter:
        yield from _behind(interpreter, home)


def _interpreter(script: Path) -> str:
    try:
        with script.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return ""
    words = first[2:].split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else ""


def _installation(directory: str, home: str) -> str:
    """`…/x` for `…/x/bin`; below the home a tool's directory as a whole, where it has its own.

    What two share is taken as it is: `~/.local/bin` says nothing of `~/.local`."""
    if is_in(directory, home):
        for place in PLACES:
            if is_in(directory, f"{home}/{place}"):
                return f"{home}/{place}"
    packages, found, _ = f"{directory}/".partition("/node_modules/")
    if found:
        return f"{packages}/node_modules"  # each needs others that lie beside it
    above, name = os.path.split(directory)
    root = above if name in ("bin", "sbin", "shims", "scripts") else directory
    is_shared = root in (home, f"{home}/.local", f"{home}/.config", "/")
    return directory if is_shared else root
