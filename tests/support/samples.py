"""Repositories to try things on, and the whole state of a directory as one value."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

from manyhands.model.ids import Oid, SessionId

SESSION = SessionId("s1")


def git(cwd: Path, *argv: str | Path | bytes, check: bool = True) -> str:
    """The user's own git: hooks, filters and all."""
    done = subprocess.run(["git", *argv], cwd=cwd, check=False, capture_output=True, timeout=60)
    assert not check or done.returncode == 0, (argv, done.stdout, done.stderr)
    return os.fsdecode(done.stdout.rstrip(b"\n"))


def commit_all(cwd: Path, message: str = "work") -> Oid:
    git(cwd, "add", "-A")
    git(cwd, "commit", "-q", "--allow-empty", "-m", message)
    return Oid(git(cwd, "rev-parse", "HEAD"))


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def copy_place(model: Path, place: Path) -> None:
    """A folder with a repository and worktrees of it once more, faster than git makes them."""
    shutil.copytree(model, place, symlinks=True, dirs_exist_ok=True)
    for link in (*place.glob("*/.git"), *place.glob("*/.git/worktrees/*/gitdir")):
        if link.is_file():
            link.write_text(link.read_text().replace(str(model), str(place)))


def state(root: Path) -> dict[str, tuple[str, int, bytes]]:
    """Kind, mode and content of everything below `root` but git's own."""
    found = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders and Path(folder) == root:
            folders.remove(".git")
        for name in [*folders, *files]:
            file = Path(folder, name)
            if file == root / ".git":
                continue
            found[str(file.relative_to(root))] = _one(file)
    return found


def _one(file: Path) -> tuple[str, int, bytes]:
    mode = file.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link", 0, os.fsencode(file.readlink())
    if stat.S_ISREG(mode):
        return "file", stat.S_IMODE(mode), file.read_bytes()
    return ("folder" if stat.S_ISDIR(mode) else "other"), stat.S_IMODE(mode), b""
