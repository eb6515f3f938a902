"""The seam to forges: one repository, and all that is asked of it; each kind of forge fills it in.

Whatever writes is sent once. Where no clear answer came (`ForgeFailed.unsure`) the caller looks at
what is there before it asks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from manyhands.forges import values as v
from manyhands.model.landing.merge_events import MergeMethod

LONGEST_BODY = 60_000
"""All forges take at least 65,536 characters."""
GONE = 404
DELETED = 410
UNSEEN = (403, GONE, DELETED)
"""What was cleared away, or what a token with few rights does not open."""
ALL = 10_000
"""More than a person wrote; a bound for what a broken server may send."""


class ForgeRepo(Protocol):
    """One repository through an open line."""

    @property
    def slug(self) -> str: ...

    @property
    def pull_word(self) -> str:
        """`pull request`, or `merge request`."""

    def of(self, slug: str) -> ForgeRepo:
        """Another repository of the same forge, through the same line."""

    def closes(self, issue_repo: str, number: int) -> str:
        """The words in a pull request of *this* repository that close the issue when it lands."""

    async def me(self) -> str:
        """Whose token it is."""

    async def facts(self) -> v.RepoFacts: ...

    async def require_branch(self, name: str) -> None: ...

    async def protection(self, branch: str) -> v.Protection: ...

    # Issues

    async def issues(
        self, search: str = "", *, state: str = "open", most: int = 100
    ) -> list[v.ForgeIssue]:
        """Newest first; `state` is open, closed or all."""

    async def issue(self, number: int) -> v.ForgeIssue: ...

    async def issue_comments(self, number: int, most: int = ALL) -> list[v.ForgeComment]: ...

    async def create_issue(
        self, title: str, body: str, *, labels: Sequence[str] = (), assignees: Sequence[str] = ()
    ) -> v.ForgeIssue: ...

    async def comment_issue(self, number: int, text: str) -> v.ForgeComment: ...

    async def update_issue(
        self,
        number: int,
        *,
        state: v.IssueState | None = None,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        add_assignees: Sequence[str] = (),
    ) -> v.ForgeIssue:
        """Only what is given; labels that are not known are made where the forge can."""

    # Pull requests

    async def pulls_from(self, head_repo: str, branch: str) -> list[v.Pull]:
        """Every pull request, open or not, whose head is that branch; newest first."""

    async def pull(self, number: int) -> v.Pull: ...

    async def create_pull(self, new: v.NewPull) -> v.Pull: ...

    async def update_pull(
        self,
        pull: v.Pull,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool | None = None,
    ) -> v.Pull:
        """Only what is given; another base re-targets it."""

    async def close_pull(self, number: int) -> v.Pull: ...

    async def add_labels(self, number: int, labels: Sequence[str]) -> None: ...

    async def labels(self) -> list[str]:
        """All that there are."""

    async def people(self) -> list[str]:
        """Who may be asked for a review."""

    async def ask_reviewers(self, number: int, reviewers: Sequence[str]) -> None: ...

    async def reviews(self, number: int) -> list[v.Review]: ...

    async def conversation(self, number: int) -> list[v.ForgeComment]:
        """What was said about the whole, in no review."""

    async def comment_pull(self, number: int, text: str) -> v.ForgeComment: ...

    async def threads(self, number: int) -> list[v.Thread]: ...

    async def reply(self, number: int, thread: str, comment: int, text: str) -> v.ForgeComment:
        """To a thread, known by itself and by its first comment."""

    async def resolve(self, number: int, thread: str) -> None: ...

    # Checks and merges

    async def checks(self, pull: v.Pull) -> list[v.Check]: ...

    async def failed_steps(self, check: v.Check) -> tuple[v.StepLog, ...]:
        """The end of the log of each step that failed, where the forge has and shows it."""

    async def merge(self, number: int, *, method: MergeMethod, head: str) -> str:
        """Now, and only if its commit still is `head`; the commit that the base is at then."""

    async def queue(self, pull: v.Pull, *, method: MergeMethod) -> None:
        """Into the forge's own queue or train, else to be merged once its checks pass."""

    async def unqueue(self, pull: v.Pull) -> None: ...

    async def is_queued(self, pull: v.Pull) -> bool:
        """Whether the forge will merge it by itself."""


def closing_words(own: str, issue_repo: str, number: int) -> str:
    """As all three kinds of forges read them."""
    where = "" if issue_repo.lower() == own.lower() else issue_repo
    return f"Closes {where}#{number}"
