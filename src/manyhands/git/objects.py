"""Objects written in this very process: git's own way costs a process for each.

They last, as those of a durable git do. Where something other than the repository itself decides
where objects lie, or with whose rights, git writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Literal

import pygit2
from pygit2.enums import ObjectType

from manyhands.errors import GitFailed, NotPossible
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

Kind = Literal["blob", "tree", "commit"]
_TYPES = {"blob": ObjectType.BLOB, "tree": ObjectType.TREE, "commit": ObjectType.COMMIT}
_ELSEWHERE = ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")

pygit2.settings.enable_fsync_gitdir(True)


def write_object(git: Git, kind: Kind, data: bytes, naming: Iterable[str] = ()) -> Oid:
    """Refused where one of those that it names is missing: no `git gc` would work any more."""
    named = list(naming)
    if (repo := _opened(git)) is not None:
        # A collector may take the folder away in which it is about to be put: git tries again.
        with suppress(pygit2.GitError, OSError):
            for oid in named:
                if oid not in repo:
                    raise _missing(git, oid)
            return Oid(str(repo.write(_TYPES[kind], data)))
    _require(git, named)
    return Oid(git.run("hash-object", "-w", "-t", kind, "--stdin", stdin=data).line)


def _opened(git: Git) -> pygit2.Repository | None:
    if git.prefix or any(name in _ELSEWHERE for name, _ in git.variables):
        return None
    try:
        repo = open_repository(git.cwd)
        # Shared by a group, with rights that only git sets.
        return None if "core.sharedrepository" in repo.config else repo
    except (NotPossible, pygit2.GitError):
        return None


def _require(git: Git, oids: Iterable[str]) -> None:
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    said = git.run("cat-file", "--batch-check", stdin=asked).stdout if asked else b""
    for line in said.decode().splitlines():
        if line.endswith(" missing"):
            raise _missing(git, line.partition(" ")[0])


def _missing(git: Git, oid: str) -> GitFailed:
    return GitFailed(("hash-object",), 128, f"object {oid} is missing", cwd=str(git.cwd))
