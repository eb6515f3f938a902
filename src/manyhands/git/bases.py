"""Reading a base as it is now: which branches its name stands for, and how far apart they are.

It is read in this very process, since there is a base for every session, and all of them are
asked about often. Where this process cannot read a repository's refs, git is asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pygit2

from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.refs import RefTable, load_ref_table
from manyhands.git.repository import Mark, file_mark, open_repository
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.model.repo.bases import BaseNow

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


def load_base_now(repo: Path, name: str) -> BaseNow:
    return load_bases_now(repo, (name,))[name]


def load_bases_now(repo: Path, names: Iterable[str]) -> dict[str, BaseNow]:
    try:
        reader = _Reader(repo)
        return {name: reader.base(name) for name in names}
    except (pygit2.GitError, ValueError) as error:
        raise NotPossible(f"the branches of {repo} cannot be read: {error}") from error


def ref_marks(repo: Path, bases: Iterable[BaseNow]) -> tuple[Mark, ...]:
    """By what it is known, with a few looks at files, that none of the bases has moved."""
    common = refs.common_dir(repo)
    shared = ("packed-refs", "config", "reftable/tables.list")
    return tuple(file_mark(common / name) for name in (*shared, *_files(bases)))


def _files(bases: Iterable[BaseNow]) -> Iterator[str]:
    for base in bases:
        # One that is not there yet may come.
        yield _HEADS + (base.branch or base.remote_branch or base.name)
        yield _REMOTES + (base.tracking or base.name)


class _Reader:
    def __init__(self, repo: Path) -> None:
        self._repo = repo
        self._repository = open_repository(repo)
        self._config = self._repository.config
        self._remotes = [name for name in self._repository.remotes.names() if name]
        self._table: RefTable | None = None
        if self._setting("extensions.refstorage") not in ("", "files"):
            self._table = load_ref_table(repo)

    def base(self, name: str) -> BaseNow:
        found = self._local(name) or self._at_remote(name)
        if found is None:
            return BaseNow(name=name, commit=self._commit(name))
        if not (found.local and found.upstream) or found.local == found.upstream:
            return found
        ahead, behind = self._apart(found.local, found.upstream)
        return BaseNow(
            name=name,
            commit=found.commit,
            branch=found.branch,
            local=found.local,
            remote=found.remote,
            remote_branch=found.remote_branch,
            upstream=found.upstream,
            ahead=ahead,
            behind=behind,
        )

    def _local(self, name: str) -> BaseNow | None:
        """A branch here, with the remote's that it follows, or that is called like it."""
        local = self._tip(_HEADS + name)
        if not local:
            return None
        remote, branch = self._followed(name)
        upstream = self._tip(f"{_REMOTES}{remote}/{branch}") if remote else Oid("")
        if not upstream and not self._setting(f"branch.{name}.merge"):
            remote = branch = ""  # it was never pushed
        return BaseNow(
            name=name,
            commit=local,
            branch=name,
            local=local,
            remote=remote,
            remote_branch=branch,
            upstream=upstream,
        )

    def _at_remote(self, name: str) -> BaseNow | None:
        remote = max((r for r in self._remotes if name.startswith(f"{r}/")), key=len, default="")
        if not remote:
            return None
        branch = name.removeprefix(f"{remote}/")
        upstream, local = self._tip(_REMOTES + name), self._tip(_HEADS + branch)
        return BaseNow(
            name=name,
            commit=upstream,
            branch=branch if local else "",
            local=local,
            remote=remote,
            remote_branch=branch,
            upstream=upstream,
        )

    def _followed(self, branch: str) -> tuple[str, str]:
        remote = self._setting(f"branch.{branch}.remote")
        merge = self._setting(f"branch.{branch}.merge")
        if remote and merge:
            known = remote in self._remotes and merge.startswith(_HEADS)
            return (remote, merge.removeprefix(_HEADS)) if known else ("", "")
        main = "origin" if "origin" in self._remotes else ""
        main = main or (self._remotes[0] if len(self._remotes) == 1 else "")
        return (main, branch) if main else ("", "")

    def _setting(self, key: str) -> str:
        try:
            return str(self._config[key])
        except (KeyError, ValueError, pygit2.GitError):
            return ""

    def _tip(self, ref: str) -> Oid:
        if self._table is not None:
            heads, remotes = self._table.heads, self._table.remotes
            at = heads.get(ref.removeprefix(_HEADS)) if ref.startswith(_HEADS) else None
            return at or remotes.get(ref.removeprefix(_REMOTES)) or Oid("")
        with contextlib.suppress(KeyError, ValueError, pygit2.GitError):
            return Oid(str(self._repository.references[ref].peel(pygit2.Commit).id))
        return Oid("")

    def _commit(self, name: str) -> Oid:
        if self._table is None:
            with contextlib.suppress(KeyError, ValueError, pygit2.GitError):
                found = self._repository.revparse_single(name)
                return Oid(str(found.peel(pygit2.Commit).id))
        return refs.resolve(self._repo, name) or Oid("")

    def _apart(self, local: Oid, upstream: Oid) -> tuple[int, int]:
        with contextlib.suppress(KeyError, ValueError, pygit2.GitError):
            return self._repository.ahead_behind(pygit2.Oid(hex=local), pygit2.Oid(hex=upstream))
        asked = ("rev-list", "--left-right", "--count", f"{local}...{upstream}", "--")
        ahead, behind = Git(self._repo).run(*asked).line.split()
        return int(ahead), int(behind)
