"""SQLite: a session's own copy of the file, at the same place in its worktree where it can be."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from manyhands.errors import BadInput, NotPossible
from manyhands.git.runner import Git
from manyhands.store.copy import copy_database, remove_database
from manyhands.workspace.databases.names import Claim
from manyhands.workspace.databases.source import FoundBranch, MadeBranch, SourceContext
from manyhands.workspace.repo_config import DatabaseTable

# SQLAlchemy and Django write sqlite:///, Prisma file:, Rails sqlite3:.
_SCHEME = re.compile(r"(?:[A-Za-z0-9+]*sqlite[A-Za-z0-9+]*|file):(?P<slashes>/*)")


class SqliteSource:
    def __init__(self, table: DatabaseTable, at: SourceContext) -> None:
        self._url = table.url
        self._at = at
        named = table.source or file_named_by(table.url)
        if not named:
            raise BadInput(
                "no SQLite file is named", hint=f"set [database] source, or {table.key} in .env"
            )
        self._file = at.repo / named

    @property
    def place(self) -> str:
        return str(self.target)

    @cached_property
    def target(self) -> Path:
        """In the worktree; under the home where the source lies outside the repository, or git
        follows the file, or a link would lead out of the worktree."""
        elsewhere = self._at.private / self._file.name
        try:
            inside = self._file.absolute().relative_to(self._at.repo)
        except ValueError:
            return elsewhere
        if ".." in inside.parts or not inside.parts:
            return elsewhere
        target = self._at.worktree / inside
        is_ours = target.parent.resolve().is_relative_to(self._at.worktree.resolve())
        if not is_ours or target.is_symlink() or self._is_followed(inside):
            return elsewhere
        return target

    def branch(self, claim: Claim, *, anew: bool = False) -> MadeBranch:
        self._require_apart()
        mark = self._mark(claim)
        if mark.exists() and not anew:
            return MadeBranch(self._address(), "kept")
        method = "backup"
        if self._file.exists():
            copy_database(self._file, self.target)
        elif anew:
            raise NotPossible(f"there is no database at {self._file} to start again from")
        else:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            method = "empty"
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch()
        return MadeBranch(self._address(), method)

    def drop(self, claim: Claim) -> bool:
        self._require_apart()
        found = remove_database(self.target)
        self._mark(claim).unlink(missing_ok=True)
        return found

    def branches(self, prefix: str) -> list[FoundBranch]:
        """Nothing is left behind on a server: what there is goes with the worktree or the home."""
        return []

    def _require_apart(self) -> None:
        """Whatever links there are, the branch must not be the source."""
        target = self.target
        if target.exists() and self._file.exists() and target.samefile(self._file):
            raise NotPossible(
                f"{target} is the source itself, so it is left alone",
                hint="remove the link, then: manyhands db reset",
            )

    def _is_followed(self, inside: Path) -> bool:
        return Git(self._at.worktree).ok("ls-files", "--error-unmatch", "--", inside)

    def _mark(self, claim: Claim) -> Path:
        """Says that the copy is whole, so that a second try does not undo a session's work."""
        return self._at.private / f"{claim.name}.made"

    def _address(self) -> str:
        target, old = str(self.target), self._url
        for whole in (str(self._file.absolute()), str(self._file.resolve())):
            if whole in old:
                return old.replace(whole, target)
        in_place = self._at.worktree in self.target.parents
        if old and in_place:
            return old
        scheme = _SCHEME.match(old)
        if scheme and scheme["slashes"]:
            return f"{old[: scheme.start('slashes')]}///{target}{_query(old)}"
        if scheme:
            return f"{scheme[0]}{target}{_query(old)}"
        return target if old else f"sqlite:///{target}"


def file_named_by(url: str) -> str:
    """The path in an address; relative ones are meant from the repository's top."""
    path = unquote(url.split("?", 1)[0])
    scheme = _SCHEME.match(path)
    if scheme is None:
        return "" if "://" in path else path
    rest = path[scheme.end() :]
    # Three slashes begin a relative path and four an absolute one; `file:/x` is absolute as well.
    is_absolute = len(scheme["slashes"]) in (1, 4) and rest != ""
    return f"/{rest}" if is_absolute else rest


def _query(url: str) -> str:
    return f"?{url.split('?', 1)[1]}" if "?" in url else ""
