"""Where a session starts: its base, asked of the remote, and the names that are free for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from manyhands.errors import BadInput, NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.bases import load_base_now
from manyhands.git.formats import find_hindrance
from manyhands.git.refs import RefTable, load_ref_table
from manyhands.model.ids import Oid
from manyhands.model.quoting import quoted
from manyhands.station.checkpoints import load_checkpoint
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.repo_config import load_repo_config

DEFAULT_BRANCH = "mh/{slug}"
SHA1 = 40


class Start(msgspec.Struct, frozen=True, kw_only=True):
    base: str
    base_commit: Oid
    base_tip: Oid = Oid("")
    """The base as it is now, here or at the remote."""
    base_given: bool = True
    branch: str = ""
    """Empty where it is to be named after the session."""
    new_branch: bool = True
    tip: Oid = Oid("")
    """Where the branch starts, if not at the base."""
    default_base: str
    heads: Mapping[str, Oid]
    template: str = ""
    """For the names of new branches."""


@in_thread
def load_start(repo: str, *, base: str, branch: str, in_place: bool) -> Start:
    """From any base; on a branch that exists here or at a remote, or is to be called so; or in
    the main checkout as it is."""
    where = Path(repo)
    if in_place:
        start = _in_place(where)
    else:
        table = load_ref_table(where)
        start = _at_base(where, table, base)
        start = _on_branch(where, table, start, branch) if branch else start
    if len(start.base_commit) != SHA1:
        raise BadInput(find_hindrance(where), hint="name another repository")
    template = load_repo_config(where).worktree.branch
    if template != DEFAULT_BRANCH:
        _require_template(where, template)
    return replace(start, template=template, base_tip=load_base_now(where, start.base).tip)


def _at_base(repo: Path, table: RefTable, base: str) -> Start:
    if not table.heads and not refs.has_commits(repo):
        raise BadInput(
            f"{repo} has no commits yet, so there is nothing to branch from",
            hint="make a first commit there",
        )
    name = base or table.default_base
    return Start(
        base=name,
        base_commit=require_commit(repo, table, name),
        base_given=bool(base),
        default_base=table.default_base,
        heads=table.heads,
    )


def _in_place(repo: Path) -> Start:
    if refs.require_repository(repo).bare:
        raise BadInput(f"{repo} has no checkout to work in", hint="leave out --in-place")
    table = load_ref_table(repo)
    head = refs.resolve(repo, "HEAD")
    if head is None:
        raise BadInput(f"{repo} has no commits yet", hint="make a first commit there")
    return Start(
        base=table.current or "HEAD",
        base_commit=head,
        branch=table.current or "",
        new_branch=False,
        default_base=table.default_base,
        heads=table.heads,
    )


def _on_branch(repo: Path, table: RefTable, start: Start, branch: str) -> Start:
    refs.require_branch_name(repo, branch)
    tip = table.heads.get(branch)
    at_remote = {name.split("/", 1)[1]: oid for name, oid in table.remotes.items()}
    if tip is not None:
        _require_free(repo, branch)
    first = tip or at_remote.get(branch)
    if first is None:
        return replace(start, branch=branch)
    fork = merge_base(repo, start.base_commit, first)
    new = tip is None
    return replace(
        start, base_commit=fork, base_given=True, branch=branch, new_branch=new, tip=first
    )


def require_commit(repo: Path, table: RefTable, name: str) -> Oid:
    commit = table.commit(name) or refs.resolve(repo, name)
    if commit is None:
        raise BadInput(
            f"{name!r} names no commit in {repo}", hint="`git branch -a` lists what there is"
        )
    return commit


def merge_base(repo: Path, base: Oid, tip: Oid) -> Oid:
    """Where `tip` left the base; the tip itself where they have nothing in common."""
    return refs.merge_base(repo, base, tip) or tip


def _require_free(repo: Path, branch: str) -> None:
    for worktree in worktrees.list_worktrees(repo):
        if worktree.branch == branch:
            is_main = worktree.path.resolve() == repo.resolve()
            way = "--in-place" if is_main else f"`manyhands adopt {quoted(worktree.path)}`"
            raise NotPossible(
                f"the branch {branch} is checked out at {worktree.path}",
                hint=f"{way} works there, or start from it with --base {quoted(branch)}",
            )


def _require_template(repo: Path, template: str) -> None:
    if "{slug}" not in template or re.search(r"[{}]", template.replace("{slug}", "")):
        raise BadInput(
            f"the branch template {template!r} must hold {{slug}} and no other braces",
            hint='for example: [worktree] branch = "mh/{slug}"',
        )
    refs.require_branch_name(repo, template.replace("{slug}", "x"))


@in_thread
def load_fork_start(at: Worktree, checkpoint: Oid) -> Start:
    """Of a branch that begins where HEAD was at the checkpoint."""
    repo = at.repository
    if not refs.has_commits(repo):
        raise NotPossible(f"{at.repo} has no commits any more")
    head = Oid(load_checkpoint(at, checkpoint).manifest.head) or at.base
    table = load_ref_table(repo)
    require_commit(repo, table, at.base)
    return Start(
        base=at.base_name,
        base_commit=at.base,
        base_tip=load_base_now(repo, at.base_name).tip,
        tip=head,
        default_base=table.default_base,
        heads=table.heads,
        template=load_repo_config(repo).worktree.branch,
    )


class Base(msgspec.Struct, frozen=True):
    name: str
    commit: Oid
    tip: Oid
    """As it is now, here or at the remote."""


@in_thread
def load_base(repo: str, name: str) -> Base:
    """The commit of a base; of the default one where no name is given."""
    where = Path(repo)
    table = load_ref_table(where)
    name = name or table.default_base
    return Base(name, require_commit(where, table, name), load_base_now(where, name).tip)
