"""Events of landing: issues in; commits, pushes, pull requests and review drafts out."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.envelope import Event
from manyhands.model.ids import Oid
from manyhands.model.review.events import CommentId

FindingKind = Literal["secret", "env_file", "large_file", "workflow"]


class ScanFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What a scan finds that must not leave the machine unseen."""

    id: str
    """What a yes to exactly this finding names."""
    kind: FindingKind
    path: str
    line: int = 0
    detail: str


PrState = Literal["draft", "open", "merged", "closed"]
ChecksState = Literal["none", "running", "failed", "passed"]
PrReview = Literal["none", "approved", "changes"]
DraftKind = Literal["thread", "check", "review", "comment"]
DraftEnd = Literal["sent", "replied", "resolved", "dismissed"]


class IssueComment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    author: str = ""
    body: str = ""
    at: Instant = ""


class Issue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A snapshot: what the issue said when the session was made."""

    origin: str
    """`owner/name` of the forge's repository, the tracker, or the file that held the item."""
    title: str
    number: int = 0
    """On a forge; else 0."""
    key: str = ""
    """What people call it elsewhere: ENG-123."""
    tracker: str = ""
    """The configured one that it is of; empty for the repository's own forge, and for an item."""
    url: str = ""
    body: str = ""
    author: str = ""
    state: str = ""
    labels: tuple[str, ...] = ()
    comments: tuple[IssueComment, ...] = ()
    left_out: int = 0
    """Comments beyond the limit."""
    fetched_at: Instant = ""

    @property
    def ref(self) -> str:
        """What people call it; empty for an item of a file."""
        return f"#{self.number}" if self.number else self.key

    @property
    def id(self) -> str:
        """Which of a session's issues it is."""
        return f"{self.tracker}:{self.origin}{self.ref}"


class Pr(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pull request as it was last seen."""

    number: int
    url: str
    repo: str
    """`owner/name` of the repository that takes it in."""
    state: PrState
    checks: ChecksState = msgspec.field(default_factory=lambda: "none")
    review: PrReview = msgspec.field(default_factory=lambda: "none")
    title: str = ""
    base: str = ""
    head: Oid = Oid("")
    landed: Oid = Oid("")
    """The commit by which it was merged, as far as the forge told."""

    @property
    def called(self) -> str:
        return pull_name(self.url, self.number)

    @property
    def mark(self) -> str:
        """Its number, as it is written there."""
        return self.called.rpartition(" ")[2]


def pull_name(url: str, number: int) -> str:
    """As people of its forge name it."""
    return f"merge request !{number}" if "/merge_requests/" in url else f"pull request #{number}"


class ReviewDraft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A remark from the forge that a person may hand to the agent."""

    id: str
    kind: DraftKind
    text: str
    author: str = ""
    path: str = ""
    line: int = 0
    url: str = ""
    thread: str = ""
    """The forge's name for the thread."""
    comment: int = 0
    """The thread's first comment, which a reply goes to."""
    remark: CommentId = CommentId("")
    """The comment of the session's review that it became."""
    bot: bool = False
    """A program said it."""
    ended: DraftEnd | None = None


class IssueLinked(Event, frozen=True, kw_only=True):
    issue: Issue


class CommitStarted(Event, frozen=True, kw_only=True):
    """Recorded before git runs: `id` is in the reflog entry of the commit, once it is made."""

    id: str
    head: Oid
    message: str
    paths: tuple[str, ...] = ()
    amend: bool = False


class CommitMade(Event, frozen=True, kw_only=True):
    id: str
    commit: Oid
    message: str
    output: str = ""
    """What git and the hooks said."""
    note: str = ""


class CommitFailed(Event, frozen=True, kw_only=True):
    id: str
    error: str
    output: str = ""


class BranchPushed(Event, frozen=True, kw_only=True):
    remote: str
    branch: str
    commit: Oid
    forced: bool = False
    output: str = ""


class PrChanged(Event, frozen=True, kw_only=True):
    """A pull request was opened, or is seen to be different from before."""

    pr: Pr


class ReviewDraftImported(Event, frozen=True, kw_only=True):
    draft: ReviewDraft


class ReviewDraftEnded(Event, frozen=True, kw_only=True):
    draft: str
    end: DraftEnd


WatchReason = Literal["checks", "reviews"]


class WatchChanged(Event, frozen=True, kw_only=True):
    """How many times what happens to the pull request comes to the agent by itself; None: as the
    config says."""

    fix_checks: int | None = None
    send_reviews: int | None = None


class WatchDelivered(Event, frozen=True, kw_only=True):
    """It came to the agent: these drafts, as they were at that commit."""

    reason: WatchReason
    head: Oid
    drafts: tuple[str, ...]


class WatchStopped(Event, frozen=True, kw_only=True):
    """All rounds are used up; a person was told."""

    reason: WatchReason
    head: Oid


class WatchRenewed(Event, frozen=True, kw_only=True):
    """Checks pass again, or a person wants it tried again: rounds are counted from none."""

    reason: WatchReason


LandingEvent = (
    IssueLinked
    | CommitStarted
    | CommitMade
    | CommitFailed
    | BranchPushed
    | PrChanged
    | ReviewDraftImported
    | ReviewDraftEnded
    | WatchChanged
    | WatchDelivered
    | WatchStopped
    | WatchRenewed
)
