"""What we read of GitHub's answers; whatever else they hold, now or later, is passed over."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Account(msgspec.Struct, frozen=True):
    login: str = ""
    type: str = ""
    """By REST; GraphQL has it under another name."""
    typename: str = msgspec.field(default="", name="__typename")


def is_bot(account: Account | None) -> bool:
    if account is None:
        return False
    return account.login.endswith("[bot]") or "Bot" in (account.type, account.typename)


def name_of(account: Account | None) -> str:
    """The account's name, of a robot in the one way that both of GitHub's APIs have in common."""
    return account.login.removesuffix("[bot]") if account else ""


class Label(msgspec.Struct, frozen=True):
    name: str | None = ""


class Permissions(msgspec.Struct, frozen=True):
    push: bool = False


class RepositoryName(msgspec.Struct, frozen=True):
    full_name: str
    default_branch: str = ""


class RepositoryAnswer(msgspec.Struct, frozen=True):
    full_name: str
    default_branch: str
    html_url: str = ""
    fork: bool = False
    archived: bool = False
    parent: RepositoryName | None = None
    permissions: Permissions | None = None
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    allow_rebase_merge: bool = True


class IssueAnswer(msgspec.Struct, frozen=True):
    number: int
    title: str
    html_url: str
    state: str
    body: str | None = None
    user: Account | None = None
    labels: list[Label | str] = []
    assignees: list[Account] | None = None
    comments: int = 0
    updated_at: str = ""
    pull_request: msgspec.Raw | None = None
    """There where the issue is a pull request."""


class CommentAnswer(msgspec.Struct, frozen=True):
    id: int = 0
    body: str = ""
    user: Account | None = None
    created_at: str = ""
    html_url: str = ""


class FoundIssues(msgspec.Struct, frozen=True):
    items: list[IssueAnswer]


class PullEnd(msgspec.Struct, frozen=True):
    ref: str
    sha: str
    repo: RepositoryName | None = None


class PullAnswer(msgspec.Struct, frozen=True):
    number: int
    html_url: str
    node_id: str
    state: str
    title: str
    head: PullEnd
    base: PullEnd
    draft: bool = False
    merged_at: str | None = None
    body: str | None = None
    user: Account | None = None
    labels: list[Label] = []
    mergeable_state: str = ""
    merge_commit_sha: str | None = None
    updated_at: str = ""


class ReviewAnswer(msgspec.Struct, frozen=True):
    state: str
    id: int = 0
    user: Account | None = None
    body: str = ""
    html_url: str = ""
    submitted_at: str = ""


class App(msgspec.Struct, frozen=True):
    slug: str = ""


class Output(msgspec.Struct, frozen=True):
    title: str | None = None
    summary: str | None = None


class CheckRun(msgspec.Struct, frozen=True):
    id: int
    name: str
    status: str
    conclusion: str | None = None
    html_url: str | None = None
    app: App | None = None
    output: Output = Output()


class CheckRuns(msgspec.Struct, frozen=True):
    check_runs: list[CheckRun]
    total_count: int = 0


class Status(msgspec.Struct, frozen=True):
    context: str
    state: str
    description: str | None = None
    target_url: str | None = None


class Statuses(msgspec.Struct, frozen=True):
    statuses: list[Status]
    total_count: int = 0


class WorkflowStep(msgspec.Struct, frozen=True):
    name: str
    conclusion: str | None = None
    started_at: str | None = None
    completed_at: str | None = None


class WorkflowJob(msgspec.Struct, frozen=True):
    steps: list[WorkflowStep] = []


class MergeAnswer(msgspec.Struct, frozen=True):
    sha: str
    merged: bool


class RequiredChecks(msgspec.Struct, frozen=True):
    contexts: list[str] = []


class BranchProtection(msgspec.Struct, frozen=True):
    required_status_checks: RequiredChecks | None = None


class BranchAnswer(msgspec.Struct, frozen=True):
    protected: bool = False
    protection: BranchProtection | None = None


class RequiredCheck(msgspec.Struct, frozen=True):
    context: str


class RuleParameters(msgspec.Struct, frozen=True):
    required_approving_review_count: int = 0
    required_status_checks: list[RequiredCheck] = []


class BranchRule(msgspec.Struct, frozen=True):
    type: str
    parameters: RuleParameters | None = None


class ThreadComment(msgspec.Struct, frozen=True, rename="camel"):
    body: str
    url: str
    database_id: int | None = None
    author: Account | None = None
    created_at: str = ""


class PageInfo(msgspec.Struct, frozen=True, rename="camel"):
    has_next_page: bool = False
    end_cursor: str | None = None


class Nodes(msgspec.Struct, Generic[T], frozen=True, rename="camel"):
    nodes: list[T]
    page_info: PageInfo = PageInfo()


class ThreadAnswer(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    is_resolved: bool
    is_outdated: bool
    path: str
    comments: Nodes[ThreadComment]
    line: int | None = None


class PullThreads(msgspec.Struct, frozen=True, rename="camel"):
    review_threads: Nodes[ThreadAnswer]


class RepoThreads(msgspec.Struct, frozen=True, rename="camel"):
    pull_request: PullThreads


class ThreadsAnswer(msgspec.Struct, frozen=True):
    repository: RepoThreads


class ThreadRest(msgspec.Struct, frozen=True):
    comments: Nodes[ThreadComment]


class ThreadRestAnswer(msgspec.Struct, frozen=True):
    node: ThreadRest | None


class QueueName(msgspec.Struct, frozen=True):
    id: str


class RepoQueue(msgspec.Struct, frozen=True, rename="camel"):
    merge_queue: QueueName | None = None


class QueueAnswer(msgspec.Struct, frozen=True):
    repository: RepoQueue | None = None


class QueueState(msgspec.Struct, frozen=True, rename="camel"):
    is_in_merge_queue: bool = False
    auto_merge_request: dict[str, Any] | None = None


class QueueStateAnswer(msgspec.Struct, frozen=True):
    node: QueueState | None = None
