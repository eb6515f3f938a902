"""What a forge tells of a repository, in words that all forges share."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.landing.events import pull_name
from manyhands.model.landing.merge_events import MergeMethod

IssueState = Literal["open", "closed"]
PullState = Literal["open", "merged", "closed"]
Verdict = Literal["approved", "changes_requested", "commented", "dismissed", "pending"]
CheckState = Literal["running", "failed", "passed", "skipped"]
Mergeable = Literal["clean", "dirty", "blocked", "behind", "unstable", "draft", "unknown"]
"""Dirty: in conflict. Blocked: an approval or a check is missing. Unknown: not looked at yet."""


class RepoFacts(msgspec.Struct, frozen=True, kw_only=True):
    slug: str
    """`owner/name`, with all groups where the forge nests them."""
    default_branch: str
    url: str = ""
    parent: str = ""
    """What it is a fork of."""
    parent_branch: str = ""
    """The parent's default branch."""
    archived: bool = False
    may_push: bool = True
    methods: tuple[MergeMethod, ...] = ("merge", "squash", "rebase")
    """How pull requests may be merged, the one to prefer first."""


class ForgeComment(msgspec.Struct, frozen=True, kw_only=True):
    id: int = 0
    author: str = ""
    body: str = ""
    at: str = ""
    url: str = ""
    bot: bool = False
    """A program wrote it."""


class ForgeIssue(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    title: str
    url: str
    state: IssueState
    body: str = ""
    author: str = ""
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    comments: int = 0
    updated_at: str = ""


class Pull(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request; a merge request where the forge calls it so."""

    number: int
    url: str
    state: PullState
    title: str
    """Without what marks a draft."""
    head: str
    """The branch that is proposed."""
    head_repo: str
    """The repository that holds it; empty where it is gone."""
    sha: str
    """The commit that is proposed."""
    base: str
    id: str = ""
    """The forge's own name for it, where that is not the number."""
    body: str = ""
    author: str = ""
    draft: bool = False
    mergeable: Mergeable = "unknown"
    merge_commit: str = ""
    labels: tuple[str, ...] = ()
    stamp: str = ""
    """Changes with everything that happens to it."""

    @property
    def called(self) -> str:
        return pull_name(self.url, self.number)


class NewPull(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    body: str
    head: str
    head_repo: str
    base: str
    draft: bool = False


class Review(msgspec.Struct, frozen=True, kw_only=True):
    author: str
    verdict: Verdict
    id: str = ""
    body: str = ""
    """Its own words; the remarks at places are threads."""
    url: str = ""
    at: str = ""
    bot: bool = False


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """Remarks at one place of the change; the first comment began it."""

    id: str
    path: str
    line: int
    """In the new file; 0 where it is not there any more."""
    resolved: bool
    outdated: bool
    comments: tuple[ForgeComment, ...]


class StepLog(msgspec.Struct, frozen=True):
    name: str
    log: str


class Check(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    state: CheckState
    id: int = 0
    """0 where somebody else ran it, so that the forge has no log of it."""
    repo: str = ""
    """Where it ran, as the forge names that, if not in the repository that was asked."""
    url: str = ""
    summary: str = ""


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """What a branch wants of whoever changes it, as far as our token may see."""

    is_protected: bool = False
    may_push: bool = True
    """Directly, without a pull request."""
    approvals: int = 0
    checks: tuple[str, ...] = ()
    """Names of checks that must pass."""
    has_queue: bool = False
    """Pull requests land through the forge's own queue or train."""
