"""The repository that benchmarks work on: many small files in a tree of directories."""

from __future__ import annotations

import subprocess
from pathlib import Path

FILES = 2000
PER_DIRECTORY = 50
LINES = 40


def make_repository(path: Path, environment: dict[str, str], files: int = FILES) -> None:
    for number in range(files):
        file = path / name_of(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(number), encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        git(path, environment, *words)


def name_of(number: int) -> str:
    return f"src/part{number // PER_DIRECTORY:03d}/module{number:05d}.py"


def _text(number: int) -> str:
    return "".join(f"value_{number}_{line} = {number * line}\n" for line in range(LINES))


def git(cwd: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
