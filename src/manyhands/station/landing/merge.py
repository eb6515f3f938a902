"""Merging a session's branch into another of the same repository, without touching a checkout
until the very last step.

The same merge at the same instant gives the same commit, so that a repetition merges nothing twice.
A branch that somebody has checked out only moves together with index and files, by git's own
fast-forward, and only where nothing there is changed: it is never moved under anyone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from manyhands.errors import Conflicted, GitFailed, NotPossible
from manyhands.git import lfs, refs
from manyhands.git.bases import load_base_now
from manyhands.git.diff.diff import shown
from manyhands.git.radar.forecast import Forecast, forecast
from manyhands.git.rescue.survey import operation
from manyhands.git.runner import Git
from manyhands.git.tree_edit import make_commit, make_tree
from manyhands.git.worktrees import ADD_TIMEOUT, list_worktrees
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Merge, Prepared
from manyhands.station.landing.authoring import Authoring, authoring
from manyhands.station.landing.merge_message import MergeWords, merge_message
from manyhands.station.landing.standing import require_on_branch
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """Where a merge would start from and go to."""

    into: str
    target: Oid | None = None
    tip: Oid | None = None
    changed: tuple[str, ...] = ()
    """What is not committed; the rest is not told then."""


@in_thread
def load_ends(at: Worktree, into: str) -> Ends:
    """`into` is a local branch, or empty for the one that the session's base stands for."""
    into = into or _own_base(at)
    if at.root.is_dir():
        require_on_branch(at)
    changed = uncommitted(at.root, untracked=True) if at.root.is_dir() else ()
    if changed:
        return Ends(into=into, changed=tuple(changed))
    refs.require_branch_name(at.repository, into)
    target, tip = (refs.branch_tip(at.repository, name) for name in (into, at.branch))
    return Ends(into=into, target=target, tip=tip)


@in_thread
def load_others(at: Worktree, tip: Oid, known: Iterable[Oid]) -> tuple[Oid, ...]:
    """Of these commits, and the one that the session started from, those whose history is not the
    session's own; one that has all of the session is no measure of it."""
    started = () if at.in_place else (at.base,)
    found = dict.fromkeys(oid for oid in (*known, *started) if oid)
    return tuple(oid for oid in found if not refs.is_part_of(at.repository, tip, oid))


@in_thread
def count_absorbed(at: Worktree, merge: Merge) -> int:
    """How many commits that are not the session's own its history would bring into the target."""
    return _count(at.repository, merge.tip, merge.target) - _count(
        at.repository, merge.tip, merge.target, *merge.others
    )


def _count(repo: Path, tip: Oid, *without: Oid) -> int:
    return int(Git(repo).run("rev-list", "--count", tip, "--not", *without, "--").line)


@in_thread
def load_checkout(at: Worktree, branch: str) -> str:
    """Where a branch is checked out; empty where it is nowhere."""
    return str(_checkout(at, branch) or "")


def uncommitted(worktree: Path, *, untracked: bool) -> list[str]:
    """What is changed there and not committed."""
    shown = "--untracked-files=normal" if untracked else "--untracked-files=no"
    argv = ("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty", shown)
    return [os.fsdecode(record[3:]) for record in Git(worktree).run(*argv).records]


def _own_base(at: Worktree) -> str:
    base = load_base_now(at.repository, at.base_name)
    return base.branch or base.remote_branch or at.base_name


@in_thread
def is_part_of(at: Worktree, commit: Oid, of: Oid) -> bool:
    return refs.is_part_of(at.repository, commit, of)


def _subjects(at: Worktree, merge: Merge) -> tuple[str, ...]:
    """The first lines of what is merged, the oldest first."""
    return tuple(subject for _, subject in _own_commits(at.repository, merge))


load_subjects = in_thread(_subjects)
load_message = in_thread(merge_message)


def _own_commits(repo: Path, merge: Merge) -> list[tuple[Oid, str]]:
    """What the tip has and nobody else, the oldest first, with their first lines."""
    order = ("--reverse", "--topo-order", "--no-merges", "--format=%H%x00%s")
    said = Git(repo).run("log", *order, merge.tip, *_not_own(merge)).text
    pairs = (line.split("\0", 1) for line in said.splitlines())
    return [(Oid(oid), subject) for oid, subject in pairs]


def _not_own(merge: Merge) -> tuple[str, ...]:
    return ("--not", merge.target, *merge.others, "--")


@in_thread
def prepare(at: Worktree, merge: Merge, told: MergeWords) -> Prepared:
    """The commit that the target is to go to. Raises where they conflict, or nothing is new."""
    made = make_landing(at, merge, told)
    if made is None:
        raise NotPossible("there is nothing to merge: the target has all of it already")
    return made


def make_landing(at: Worktree, merge: Merge, told: MergeWords) -> Prepared | None:
    """None where nothing is new; raises where they conflict."""
    with authoring(at.repository, at.repository) as own:
        maker = _Maker(at.repository, merge, own)
        rebases = merge.method == "rebase"
        commit = maker.rebased() if rebases else maker.merged(merge_message(at, merge, told))
    tree = refs.tree_of(at.repository, commit)
    return None if tree == refs.tree_of(at.repository, merge.target) else Prepared(commit, tree)


class _Maker:
    """Works in object space: no index, no checkout, no ref. Author and committer are the user's, by
    the user's own git config."""

    def __init__(self, repo: Path, merge: Merge, own: Authoring) -> None:
        self.repo, self.merge = repo, merge
        self.git = Git(repo)
        self.own = own

    def merged(self, message: str) -> Oid:
        target, tip = self.merge.target, self.merge.tip
        found = self._whole()
        self._require_clean(found)
        parents = [target, tip] if self.merge.method == "merge" else [target]
        return self._commit(found.tree, parents, message.encode())

    def _whole(self) -> Forecast:
        """The target with all that is the session's own: what it changed since it left whatever
        else its history holds, in the target or not."""
        target, tip = self.merge.target, self.merge.tip
        left = refs.merge_base(self.repo, tip, target, *self.merge.others)
        if left is None or left == refs.merge_base(self.repo, tip, target):
            return forecast(self.git, [(target, tip)])[0]
        trees = [refs.tree_of(self.repo, commit) for commit in (left, target, tip)]
        return self._over(*trees)

    def rebased(self) -> Oid:
        """Each commit on top of the one before, by its own author; empty ones are left out."""
        top = self.merge.target
        for commit, subject in _own_commits(self.repo, self.merge):
            parent = refs.resolve(self.repo, f"{commit}^")
            if parent == top:
                top = commit
            else:
                top = self._picked(top, commit, parent, subject)
        self._require_all(top)
        return top

    def _require_all(self, top: Oid) -> None:
        """Merges are left out, and with them what was settled in them."""
        merges = ("rev-list", "--merges", "--count", self.merge.tip, *_not_own(self.merge))
        if self.git.run(*merges).line == "0":
            return
        whole = self._whole()
        self._require_clean(whole)
        if whole.tree != refs.tree_of(self.repo, top):
            raise NotPossible(
                "its merge commits hold changes that are lost when each commit goes on top alone",
                hint="`--method merge` or `--method squash` brings all of it",
            )

    def _picked(self, top: Oid, commit: Oid, parent: Oid | None, subject: str) -> Oid:
        before = refs.tree_of(self.repo, parent) if parent else make_tree(self.git, [])
        mine, theirs = (refs.tree_of(self.repo, tip) for tip in (top, commit))
        found = self._over(before, mine, theirs)
        self._require_clean(found, f" at “{subject}”")
        if found.tree == mine:
            return top
        return self._commit(found.tree, [top], self._field(commit, "%B"), **self._author(commit))

    def _over(self, before: Oid, mine: Oid, theirs: Oid) -> Forecast:
        """What becomes of two trees that both come from a third."""
        root = make_commit(self.git, before, [], "trial")
        sides = [make_commit(self.git, tree, [root], "trial") for tree in (mine, theirs)]
        return forecast(self.git, [(sides[0], sides[1])])[0]

    def _author(self, commit: Oid) -> dict[str, str]:
        name, mail, date = self._field(commit, "%an%x00%ae%x00@%at +0000").decode().split("\0")
        return {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": mail,
            "GIT_AUTHOR_DATE": date.strip(),
        }

    def _field(self, commit: Oid, form: str) -> bytes:
        return self.git.run("log", "-1", f"--format={form}", commit).stdout

    def _require_clean(self, found: Forecast, where: str = "") -> None:
        if found.clean:
            return
        paths = tuple(shown(c.path.encode("utf-8", "surrogateescape")) for c in found.conflicts)
        named = ", ".join(paths[:5]) + (" …" if len(paths) > 5 else "")
        raise Conflicted(f"they conflict{where} in {named}", paths)

    def _commit(self, tree: Oid, parents: list[Oid], message: bytes, **author: str) -> Oid:
        # When it was asked for is part of what makes the commit the same.
        date = f"{int(datetime.fromisoformat(self.merge.at).timestamp())} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return self.own.commit(tree, parents, message, **{**dates, **author})


def _checkout(at: Worktree, branch: str) -> Path | None:
    there = (w.path for w in list_worktrees(at.repository) if w.branch == branch and not w.prunable)
    return next(there, None)


def _require_movable(at: Worktree, into: str) -> Path | None:
    """Where the target is checked out, if anywhere; raises where bringing it forward would meet
    somebody's unfinished work."""
    checkout = _checkout(at, into)
    if checkout is None:
        return None
    under_way = operation(refs.require_worktree(checkout).git_dir)
    changed = uncommitted(checkout, untracked=False)
    if not under_way and not changed:
        return checkout
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    work = f"uncommitted changes ({', '.join(changed[:1])}{more})"
    what = f"a {under_way} in progress" if under_way else work
    raise NotPossible(
        f"{into} is checked out in {checkout} with {what}, and is not moved under you",
        hint="commit or stash there first, switch that checkout to another branch, "
        "or merge `--into` another branch",
    )


@in_thread
def require_movable(at: Worktree, into: str) -> str:
    return str(_require_movable(at, into) or "")


@in_thread
def forward_target(at: Worktree, merge: Merge, env: Mapping[str, str]) -> str:
    """Bring a target that is behind to where the merge takes it from; the checkout that came
    along."""
    move = _Move(merge.into, merge.behind, merge.target, "manyhands: forwarded")
    return move.make(at, env)


@in_thread
def move_target(at: Worktree, merge: Merge, env: Mapping[str, str]) -> str:
    """Bring the target to the merge's commit, once; the checkout that came along."""
    reason = f"manyhands: merged {at.branch} ({merge.method})"
    return _Move(merge.into, merge.target, merge.commit, reason).make(at, env)


class _Move(NamedTuple):
    branch: str
    before: Oid
    after: Oid
    reason: str

    def make(self, at: Worktree, env: Mapping[str, str]) -> str:
        """Once. `env` is the agent's: filters and what else git runs for files come from a config
        that agents can write."""
        now = refs.branch_tip(at.repository, self.branch)
        if now is not None and refs.is_part_of(at.repository, self.after, now):
            return ""
        checkout = _require_movable(at, self.branch)
        if refs.branch_tip(at.repository, self.branch) != self.before:
            raise NotPossible(
                f"{self.branch} moved meanwhile and was left alone", hint="merge again"
            )
        if checkout is None:
            ref = f"refs/heads/{self.branch}"
            refs.set_ref(at.repository, ref, self.after, self.before, reason=self.reason)
            return ""
        git = Git(checkout, hardened=False).within(env).having(lfs.checkout_settings())
        try:
            git.run("merge", "--quiet", "--ff-only", "--no-stat", self.after, timeout=ADD_TIMEOUT)
        except GitFailed as error:
            said = " ".join(error.stderr.split())
            raise NotPossible(
                f"{self.branch} could not be brought forward in {checkout}: {said}",
                hint="move what is in the way, then merge again",
            ) from error
        return str(checkout)
