"""Where a session starts: its base, and the branch and commit that its worktree begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import BadInput, NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.fetching import remote_names
from manyhands.git.ref_table import RefTable, load_ref_table
from manyhands.model.ids import Oid

DEFAULT_BRANCH = "mh/{slug}"
AT_BASE = Oid("")


@dataclass(frozen=True)
class StartingPoint:
    table: RefTable
    base: str
    base_commit: Oid
    base_given: bool = False
    branch: str = ""
    """Empty where it is to be named after the session."""
    new_branch: bool = True
    tip: Oid = AT_BASE
    """Where the branch starts, if not at the base."""


def starting_point(repo: Path, *, base: str = "", branch: str = "") -> StartingPoint:
    """From any base, or on a branch that exists here or at a remote, or is to be called so."""
    table = load_ref_table(repo)
    if not table.heads and not refs.has_commits(repo):
        raise BadInput(
            f"{repo} has no commits yet, so there is nothing to branch from",
            hint="make a first commit there",
        )
    name = base or table.default_base
    start = StartingPoint(table, name, require_commit(repo, table, name), bool(base))
    return _on_branch(repo, start, branch) if branch else start


def starting_point_in_place(repo: Path) -> StartingPoint:
    """The main checkout as it is."""
    if refs.require_repository(repo).bare:
        raise BadInput(f"{repo} has no checkout to work in", hint="leave out --in-place")
    table = load_ref_table(repo)
    head = refs.resolve(repo, "HEAD")
    if head is None:
        raise BadInput(f"{repo} has no commits yet", hint="make a first commit there")
    current = table.current or ""
    return StartingPoint(table, current or "HEAD", head, True, branch=current, new_branch=False)


def require_commit(repo: Path, table: RefTable, name: str) -> Oid:
    commit = table.commit(name) or refs.resolve(repo, name)
    if commit is None:
        raise BadInput(
            f"{name!r} names no commit in {repo}", hint="`git branch -a` lists what there is"
        )
    return commit


def is_remote(repo: Path, base: str) -> bool:
    """Whether a base is a remote's branch, so that asking the remote could move it."""
    return any(base.startswith(f"{name}/") for name in remote_names(repo))


def merge_base(repo: Path, base: Oid, tip: Oid) -> Oid:
    """Where `tip` left the base; the tip itself where they have nothing in common."""
    return refs.merge_base(repo, base, tip) or tip


def _on_branch(repo: Path, start: StartingPoint, branch: str) -> StartingPoint:
    refs.require_branch_name(repo, branch)
    tip = start.table.heads.get(branch)
    at_remote = {name.split("/", 1)[1]: oid for name, oid in start.table.remotes.items()}
    if tip is not None:
        _require_free(repo, branch)
    first = tip or at_remote.get(branch)
    if first is None:
        return StartingPoint(start.table, start.base, start.base_commit, start.base_given, branch)
    fork = merge_base(repo, start.base_commit, first)
    return StartingPoint(
        start.table, start.base, fork, True, branch=branch, new_branch=tip is None, tip=first
    )


def _require_free(repo: Path, branch: str) -> None:
    for worktree in worktrees.list_worktrees(repo):
        if worktree.branch == branch:
            is_main = worktree.path.resolve() == repo.resolve()
            way = "--in-place" if is_main else f"`manyhands adopt {worktree.path}`"
            raise NotPossible(
                f"the branch {branch} is checked out at {worktree.path}",
                hint=f"{way} works there, or start from it with --base {branch}",
            )


class BranchNames:
    """Names for new branches by a template, beside the branches that there are."""

    def __init__(self, template: str, taken: Iterable[str]) -> None:
        # Case apart: on some file systems `Fix` and `fix` are one file.
        self._taken = {name.casefold() for name in taken}
        self._folders = {folder for name in self._taken for folder in _folders(name)}
        stem = template.casefold().split("{slug}", 1)[0]
        # Beside a branch `mh` there can be no `mh/x`.
        if _folders(stem) & self._taken:
            template = template.replace("/", "-")
        self._template = template

    def name(self, slug: str) -> str:
        return self._template.replace("{slug}", slug)

    def is_taken(self, slug: str) -> bool:
        name = self.name(slug).casefold()
        return name in self._taken or name in self._folders


def require_template(repo: Path, template: str) -> str:
    if "{slug}" not in template or re.search(r"[{}]", template.replace("{slug}", "")):
        raise BadInput(
            f"the branch template {template!r} must hold {{slug}} and no other braces",
            hint='for example: [worktree] branch = "mh/{slug}"',
        )
    refs.require_branch_name(repo, template.replace("{slug}", "x"))
    return template


def _folders(name: str) -> set[str]:
    parts = name.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}
