"""What we read of Gitea's and Forgejo's answers; whatever else they hold is passed over."""

from __future__ import annotations

import msgspec


class User(msgspec.Struct, frozen=True):
    login: str = ""


class LabelOfGitea(msgspec.Struct, frozen=True):
    id: int = 0
    name: str = ""


class Rights(msgspec.Struct, frozen=True):
    push: bool = False


class RepoName(msgspec.Struct, frozen=True):
    full_name: str
    default_branch: str = ""


class RepoOfGitea(msgspec.Struct, frozen=True):
    full_name: str
    default_branch: str = ""
    html_url: str = ""
    archived: bool = False
    fork: bool = False
    parent: RepoName | None = None
    permissions: Rights | None = None
    allow_merge_commits: bool = True
    allow_squash_merge: bool = True
    allow_rebase: bool = True
    default_merge_style: str = "merge"


class BranchOfGitea(msgspec.Struct, frozen=True):
    protected: bool = False
    user_can_push: bool = True
    user_can_merge: bool = True
    required_approvals: int = 0
    enable_status_check: bool = False
    status_check_contexts: list[str] | None = None


class IssueOfGitea(msgspec.Struct, frozen=True):
    number: int
    title: str
    html_url: str
    state: str
    body: str = ""
    user: User | None = None
    labels: list[LabelOfGitea] | None = None
    assignees: list[User] | None = None
    comments: int = 0
    updated_at: str = ""


class CommentOfGitea(msgspec.Struct, frozen=True):
    id: int = 0
    body: str = ""
    user: User | None = None
    created_at: str = ""
    html_url: str = ""


class PullBranch(msgspec.Struct, frozen=True):
    ref: str
    sha: str = ""
    repo: RepoName | None = None


class PullOfGitea(msgspec.Struct, frozen=True):
    number: int
    html_url: str
    state: str
    title: str
    head: PullBranch
    base: PullBranch
    body: str = ""
    user: User | None = None
    labels: list[LabelOfGitea] | None = None
    draft: bool = False
    """Newer servers say so; older ones know a draft by its title."""
    mergeable: bool = False
    merged: bool = False
    merge_commit_sha: str | None = None
    comments: int = 0
    review_comments: int = 0
    updated_at: str = ""


class ReviewOfGitea(msgspec.Struct, frozen=True):
    id: int
    state: str
    user: User | None = None
    body: str = ""
    html_url: str = ""
    submitted_at: str = ""
    dismissed: bool = False
    stale: bool = False
    official: bool = False
    comments_count: int = 0


class CodeComment(msgspec.Struct, frozen=True):
    id: int
    path: str
    body: str = ""
    user: User | None = None
    position: int = 0
    """The line in the new file; 0 where the remark is about the old one."""
    original_position: int = 0
    commit_id: str = ""
    resolver: User | None = None
    html_url: str = ""
    created_at: str = ""


class StatusOfGitea(msgspec.Struct, frozen=True):
    context: str
    status: str
    description: str = ""
    target_url: str = ""


class CombinedStatus(msgspec.Struct, frozen=True):
    statuses: list[StatusOfGitea] | None = None
    total_count: int = 0


class ActionsRun(msgspec.Struct, frozen=True):
    id: int


class ActionsRuns(msgspec.Struct, frozen=True):
    workflow_runs: list[ActionsRun] | None = None


class ActionsJob(msgspec.Struct, frozen=True):
    id: int
    name: str = ""
    html_url: str = ""


class ActionsJobs(msgspec.Struct, frozen=True):
    jobs: list[ActionsJob] | None = None


class Happening(msgspec.Struct, frozen=True):
    """An entry of a pull request's timeline."""

    type: str = ""
