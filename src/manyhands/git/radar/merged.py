"""Whether a branch's work is already part of another: merged, rebased, or squashed into it.

Nothing is asked of `git branch`, so it does not matter what is checked out where. A branch
without commits of its own is never merged: there is nothing that could have been.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from manyhands.errors import GitFailed
from manyhands.git import refs
from manyhands.git.private_index import scratch_objects
from manyhands.git.radar.forecast import forecast
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

How = Literal["merge", "rebase", "squash"]
MOST_COMMITS = 2000
"""Commits of the target that are compared at most; beyond, nothing is claimed."""


def merged_into(repo: Path, tip: Oid, base: Oid, target: str) -> How | None:
    """How the commits since `base` came into `target`; None where they did not."""
    into = refs.resolve(repo, target)
    git = Git(repo)
    if into is None or not _count(git, f"{base}..{tip}"):
        return None
    if refs.is_part_of(repo, tip, into):
        return "merge"
    fork = refs.merge_base(repo, into, tip)
    if not fork or _count(git, f"{fork}..{into}") > MOST_COMMITS:
        return None
    if _has_every_patch(git, into, tip):
        return "rebase"
    if _has_whole_patch(git, fork, into, tip) or _adds_nothing(repo, into, tip):
        return "squash"
    return None


def targets(repo: Path, base: str) -> list[str]:
    """Where a branch may have been merged: its base, and what new work starts from now."""
    named = [base, refs.default_base(repo), "main", "master", "origin/main", "origin/master"]
    return [name for name in dict.fromkeys(named) if name and refs.resolve(repo, name)]


def find_merge(repo: Path, branch: str, base_commit: Oid, base: str) -> tuple[How, str] | None:
    """How and into what the branch was merged."""
    tip = refs.branch_tip(repo, branch)
    if tip is None:
        return None
    for target in targets(repo, base):
        if target != branch and (how := merged_into(repo, tip, base_commit, target)):
            return how, target
    return None


def _count(git: Git, span: str) -> int:
    return int(git.run("rev-list", "--count", "--end-of-options", span).line)


def _has_every_patch(git: Git, into: Oid, tip: Oid) -> bool:
    lines = git.run("cherry", into, tip).stdout.splitlines()
    return bool(lines) and all(line.startswith(b"-") for line in lines)


def _has_whole_patch(git: Git, fork: str, into: Oid, tip: Oid) -> bool:
    """Whether one commit of the target is the branch's whole difference."""
    wanted = _patch_ids(git, git.run("diff-tree", "-p", "--full-index", fork, tip).stdout)
    if not wanted:
        return False
    log = ("log", "-p", "--full-index", "--no-merges", "--format=commit %H", f"{fork}..{into}")
    return bool(wanted & _patch_ids(git, git.run(*log).stdout))


def _patch_ids(git: Git, patch: bytes) -> set[bytes]:
    found = git.run("patch-id", "--stable", stdin=patch).stdout
    return {line.split(b" ")[0] for line in found.splitlines()}


def _adds_nothing(repo: Path, into: Oid, tip: Oid) -> bool:
    """Whether merging would leave the target as it is; the trial's objects are thrown away."""
    try:
        with scratch_objects(Git(repo), refs.common_dir(repo)) as trial:
            merged = forecast(trial, [(into, tip)])[0]
    except GitFailed:
        return False
    return merged.clean and merged.tree == refs.tree_of(repo, into)
