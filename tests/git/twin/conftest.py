from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyhands.git.twin.making import make_twin
from manyhands.git.twin.place import Twin, TwinBinds
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, git


def box(place: Twin, binds: TwinBinds) -> tuple[str, ...]:
    """Nothing of the host but its programs, the worktree, the twin, and what it says it needs."""
    words = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent"]
    words += ["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--proc", "/proc"]
    for name in ("bin", "lib", "lib64", "sbin"):
        if Path("/", name).is_symlink():
            words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--dev", "/dev", "--tmpfs", "/tmp"]
    for path in (*binds.objects, *binds.read):
        words += ["--ro-bind", str(path), str(path)]
    for path in (place.twin, place.worktree, *binds.write):
        words += ["--bind", str(path), str(path)]
    words += ["--ro-bind", str(place.link), str(place.worktree / ".git")]
    return (*words, "--chdir", str(place.worktree), "--clearenv", *_environment())


def _environment() -> list[str]:
    """An environment of its own: nothing may rely on ours."""
    given = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", "GIT_EDITOR": ":"}
    return [word for pair in given.items() for word in ("--setenv", *pair)]


@dataclass(frozen=True)
class Boxed:
    """An agent with its twin."""

    repo: Path
    place: Twin
    binds: TwinBinds
    base: Oid

    @property
    def worktree(self) -> Path:
        return self.place.worktree

    @property
    def prefix(self) -> tuple[str, ...]:
        return box(self.place, self.binds)

    def run(self, *argv: str | Path | bytes, check: bool = True, stdin: bytes = b"") -> str:
        words: Sequence[str | Path | bytes] = [*self.prefix, *argv]
        done = subprocess.run(words, input=stdin, capture_output=True, timeout=60, check=False)
        assert not check or done.returncode == 0, (argv, done.stdout, done.stderr)
        return os.fsdecode((done.stdout + (b"" if check else done.stderr)).rstrip(b"\n"))

    def git(self, *argv: str | Path | bytes, check: bool = True) -> str:
        return self.run("git", *argv, check=check)

    def sh(self, script: str, *, check: bool = True) -> str:
        return self.run("sh", "-ec", script, check=check)

    def commit(self, files: dict[str, str], message: str = "work") -> Oid:
        for name, content in files.items():
            (self.worktree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.worktree / name).write_text(content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return Oid(self.git("rev-parse", "HEAD"))

    @property
    def tip(self) -> str:
        """The branch as the user's own git has it."""
        return git(self.repo, "rev-parse", self.place.head)


def boxed(
    repo: Path, worktree: Path, *, branch: str = "mh/one", mirror: Path | None = None
) -> Boxed:
    folder = worktree.parent / "bôx of it"
    folder.mkdir(exist_ok=True)
    place = Twin(worktree, folder / "twin", folder / "link", SESSION, branch, mirror)
    base = Oid(git(worktree, "rev-parse", "HEAD"))
    return Boxed(repo, place, make_twin(place), base)


@pytest.fixture
def agent(place: Place) -> Boxed:
    return boxed(place.repo, place.worktree)


def users_own(repo: Path) -> dict[str, bytes]:
    """Everything of the repository, but for objects and what is ours."""
    top = repo / ".git" if (repo / ".git").is_dir() else repo
    found = {}
    for folder, folders, files in os.walk(top):
        inside = Path(folder).relative_to(top)
        if inside == Path():
            folders[:] = [name for name in folders if name not in ("objects", "worktrees")]
        if inside == Path("refs"):
            folders[:] = [name for name in folders if name != "manyhands"]
        for name in files:
            file = Path(folder, name)
            found[str(inside / name)] = (
                os.fsencode(file.readlink()) if file.is_symlink() else (file.read_bytes())
            )
    return found
