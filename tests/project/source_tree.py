"""The checkout as the project tests see it: its modules, its imports, its tracked files."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "manyhands"


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "ui" not in path.parts)


def imported_parts(path: Path) -> Iterator[str]:
    """The top-level parts of manyhands that a module imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            words = name.split(".")
            if words[0] == "manyhands":
                yield words[1] if len(words) > 1 else ""


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
