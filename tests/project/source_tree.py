"""The checkout as the project tests see it: its modules, its imports, its tracked files."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "manyhands"


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "ui" not in path.parts)


@cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """The modules of manyhands that a module imports, lazily or not: `git.refs`, `config`."""
    return tuple(_imported_modules(path))


def _imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "manyhands":
                yield rest if is_module(rest) else rest.rpartition(".")[0] or rest


@cache
def is_module(name: str) -> bool:
    place = PACKAGE / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def imported_parts(path: Path) -> Iterator[str]:
    """The top-level parts of manyhands that a module imports."""
    for name in imported_modules(path):
        yield name.partition(".")[0]


def part_of(path: Path) -> str:
    """The part a module belongs to: `git` for git/runner.py, `config` for config.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def project_files() -> list[Path]:
    """Every file that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    paths = (ROOT / name.decode() for name in listed.split(b"\0") if name)
    return [path for path in paths if path.is_file()]
