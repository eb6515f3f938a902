"""What leaves a session: commits, merges and updates here, pull requests on a forge; conflicts."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing.events import IssueComment, Pr, ReviewDraft, ScanFinding
from manyhands.model.landing.merge_events import MergeMethod, UpdateMethod
from manyhands.model.landing.tracking_events import ProposedIssue, Stage
from manyhands.model.radar.events import Clash
from manyhands.model.radar.hunks import PathHunks
from manyhands.model.repo.bases import BaseRelation

Rounds = Annotated[int, msgspec.Meta(ge=-1, le=100)]


class OpenPr(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str = ""
    body: str | None = None
    base: str = ""
    draft: bool | None = None
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    """Findings of the scan that a person said yes to."""
    check: bool = False
    """Run the repository's checks first, and push only if they pass."""
    again: bool = False
    """A new one, though an earlier one was closed or merged."""
    template: str = ""
    """By name, where the repository has several; for a body that is made here."""


class PrPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What `pr` would do."""

    title: str
    body: str
    base: str
    repo: str
    commits: int
    findings: tuple[ScanFinding, ...]
    uncommitted: int
    existing: Pr | None
    bases: tuple[str, ...] = ()
    """What it could be proposed to, as far as is known here; the chosen one first."""
    templates: tuple[str, ...] = ()
    template: str = ""
    """The one that the body was made from."""
    labels: tuple[str, ...] = ()
    """Those that the forge knows."""
    reviewers: tuple[str, ...] = ()
    """Who may be asked."""
    checks: tuple[str, ...] = ()
    """What `check` would run."""
    stacked: str = ""
    """The session that this one is stacked on."""
    existing_body: str = ""
    """Of the one that is there, which `body` would replace."""
    notes: tuple[str, ...] = ()


class PrOpened(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: Pr
    created: bool
    forced: bool
    output: str
    """What the push said, hooks included."""
    notes: tuple[str, ...]


class FailedStep(msgspec.Struct, frozen=True):
    name: str
    log: str


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    state: Literal["running", "failed", "passed", "skipped"]
    url: str
    summary: str
    steps: tuple[FailedStep, ...] = ()
    """The steps that failed, where the forge ran them."""


class PrReviewView(msgspec.Struct, frozen=True):
    author: str
    state: str
    text: str
    url: str = ""
    bot: bool = False
    id: str = ""


class PrCommentView(msgspec.Struct, frozen=True, kw_only=True):
    """What was said about the whole, in no review."""

    id: int
    author: str
    text: str
    url: str
    at: str
    bot: bool


class ThreadView(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    path: str
    line: int
    resolved: bool
    outdated: bool
    comment: int
    url: str
    comments: tuple[IssueComment, ...]
    bot: bool = False
    """A program began it."""


class PrStatus(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: Pr
    mergeable: str
    """The forge's own word: clean, dirty, blocked, behind, unstable, draft, unknown."""
    stamp: str
    """Changes with everything that happens to it."""
    reviews: tuple[PrReviewView, ...]
    threads: tuple[ThreadView, ...]
    checks: tuple[CheckView, ...]
    drafts: tuple[ReviewDraft, ...]
    comments: tuple[PrCommentView, ...] = ()
    watch: WatchView | None = None


class WatchView(msgspec.Struct, frozen=True, kw_only=True):
    """What comes to the agent by itself."""

    fix_checks: int
    """How many times, at most, a failing check of the pull request does."""
    send_reviews: int
    """The same for what people say about it."""
    rounds: int
    """How many times checks did since they last passed."""
    review_rounds: int
    stopped: bool
    """All rounds are used up, and a person was told."""


class WatchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For this session alone: how many times; 0: not at all, -1: as the config says, null: as it
    was."""

    fix_checks: Rounds | None = None
    send_reviews: Rounds | None = None


class DraftAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    draft: str
    """By its own name, or by that of the comment that it became."""
    action: Literal["send", "reply", "resolve", "dismiss"]
    text: str = ""
    """The reply, by default the agent's; with `send`, words of the person's own before it."""


class MergePr(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    method: MergeMethod | None = None
    """None: the first that the repository allows."""


class PrMerged(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    pr: Pr
    commit: Oid
    method: str
    already: bool
    """It was merged before."""


class TrackerView(msgspec.Struct, frozen=True, kw_only=True):
    """Where issues of a repository are kept."""

    name: str
    """`forge` for the repository's own."""
    kind: Literal["forge", "linear", "jira", "github", "gitlab", "gitea", "tasks"]
    project: str
    """The team, project, repository or file; empty: all, or the repository's own."""
    write: bool
    """Whether it is told how far sessions are."""


class IssueView(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    """On a forge; else 0."""
    key: str
    """What people call it: #12, ENG-123, or the number of an item."""
    ref: str
    """What names it and no other, for `new`."""
    tracker: str
    origin: str
    title: str
    url: str
    state: str
    author: str
    labels: tuple[str, ...]
    comments: int
    assignee: str = ""
    sessions: tuple[SessionId, ...] = ()
    """That work on it, or did."""
    stage: Stage | Literal[""] = ""
    """How far the last of them is."""


class Proposing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Issues that a session's work is to be split into."""

    issues: tuple[ProposedIssue, ...]
    tracker: str = ""
    """Default: where the session's own issue is."""


class Wish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For a message in the agent's words, about these paths or everything."""

    paths: tuple[str, ...] = ()


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    message: str
    files: tuple[str, ...]
    working: bool
    """The agent is at work: what it has half done would be committed."""
    by_agent: bool = False
    """Whether the words are the agent's, its summary or its answer; else the template's."""
    note: str = ""
    """Why the agent, which was asked, has no part in it."""


class Commit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    message: str = ""
    """Empty: as proposed, or, amending, as it was."""
    paths: tuple[str, ...] = ()
    """Empty: everything."""
    amend: bool = False
    anyway: bool = False
    """Although the agent is at work."""


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    commit: Oid
    message: str
    output: str = ""
    note: str = ""


class ConflictView(msgspec.Struct, frozen=True, kw_only=True):
    a: SessionId
    b: str
    """The other session; the branch's name where it is the base."""
    base: bool
    paths: tuple[Clash, ...]
    first: SessionId
    """Who began there; empty where it is the base, or a mere overlap."""
    suggestion: str


class ConflictHunks(msgspec.Struct, frozen=True, kw_only=True):
    """What a session has in conflict with another, or with its base, side by side."""

    a: SessionId
    b: str
    """The other session; the branch's name where it is the base."""
    base: bool
    paths: tuple[PathHunks, ...]
    """Of the two sides, `a` and `b` in every hunk; none where they are not in conflict."""
    more: int = 0
    """Paths that were left out; ask for them one by one."""


class LandingTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A session's place in the order in which the fewest have to be updated first."""

    session: SessionId
    after: tuple[SessionId, ...]
    """Those before it that it conflicts with: once they have landed, it must be updated."""
    stuck: bool
    """Whether it is in conflict with its base already."""


class BaseView(msgspec.Struct, frozen=True, kw_only=True):
    """A base as it is now, or a merge's target."""

    name: str
    branch: str
    """The branch here that it stands for; empty where there is none."""
    local: Oid
    tracking: str
    """The remote's, such as `origin/main`; empty where there is none."""
    upstream: Oid
    relation: BaseRelation
    ahead: int
    behind: int
    """So many commits only the branch here has, and only the remote's."""
    tip: Oid
    """What *update* brings in: of the two the one that has all of the other."""
    fetched_at: Instant
    """When the remote last answered; empty: not since the hub began."""
    error: str
    """Why it did not, when it was asked last."""
    words: str
    """All of it in a sentence; empty where there is no remote."""


class Merging(msgspec.Struct, forbid_unknown_fields=True):
    into: str = ""
    method: MergeMethod = "merge"
    dry_run: bool = False
    forward: bool = False
    """Bring a target that is behind its remote's branch forward to that first."""
    message: str = ""
    """Of the merge or squash; empty: made from the session's title, its commits and summary."""


class UpdateRequest(msgspec.Struct, forbid_unknown_fields=True):
    method: UpdateMethod = "merge"
    abort: bool = False


class MergeView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    into: str
    method: MergeMethod
    commits: tuple[str, ...]
    """First lines of what comes along."""
    before: Oid
    commit: Oid
    checks: tuple[str, ...] = ()
    checkout: str = ""
    """Where the target is checked out."""
    forwarded: Oid = Oid("")
    """The remote's commit to which the target is brought first."""
    base: BaseView | None = None
    """What the target is to its remote's branch."""
    dry_run: bool = False
    message: str = ""
    """What the commit would say; only of a dry run."""
    already: bool = False
    """It had been merged before."""


class UpdateView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    base: str
    commit: Oid
    """What the session starts from now."""
    conflicts: tuple[str, ...] = ()
    """Paths that its agent was asked to settle."""
    standing: BaseView | None = None
    """What the base here is to the remote's; None after an abort."""
    already: bool = False
    aborted: bool = False


class OpenUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The base on its way into a session, or its conflicts there."""

    base: str
    method: UpdateMethod
    conflicts: tuple[str, ...]


class LastMerge(msgspec.Struct, frozen=True, kw_only=True):
    into: str
    commit: Oid
    tip: Oid
    """What of the session was merged."""
    at: str


class LandingWays(msgspec.Struct, frozen=True, kw_only=True):
    """How a session stands to its base, and where its work can go."""

    session: SessionId
    forge: str
    """The repository on a forge that its remote names; empty where there is none to propose to."""
    base: BaseView
    """As it is now, here and at its remote."""
    head: str
    uncommitted: int
    at_work: bool
    """The agent is at work."""
    incoming: tuple[str, ...]
    """First lines of what the base has and the session has not, the newest first."""
    outgoing: int
    """Commits that the base has not, neither here nor at its remote."""
    update: OpenUpdate | None
    merged: LastMerge | None
