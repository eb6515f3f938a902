"""Issues of a forge's repository: open or closed there, and how far the work is told by labels."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from manyhands.errors import ForgeFailed, NotFound
from manyhands.forges import values as v
from manyhands.forges.forge import DELETED, GONE, ForgeRepo
from manyhands.model.landing.events import IssueComment
from manyhands.trackers.tracker import (
    MOST_COMMENTS,
    IssuesAsked,
    ListedIssue,
    NewIssue,
    TrackerState,
    WholeIssue,
)

OPEN = TrackerState("open", "open", "todo")
CLOSED = TrackerState("closed", "closed", "done")
LATEST = 50


@dataclass(frozen=True)
class ForgeIssues:
    repo: ForgeRepo
    begun: str = ""
    reviewed: str = ""
    """Labels for an issue that is worked on, or under review; none where not configured."""

    @property
    def place(self) -> str:
        return self.repo.slug

    async def issues(self, wanted: IssuesAsked) -> list[ListedIssue]:
        found = await self.repo.issues(wanted.search, most=wanted.most)
        if wanted.mine:
            me = (await self.repo.me()).casefold()
            found = [i for i in found if me in (name.casefold() for name in i.assignees)]
        return [self._listed(issue) for issue in found]

    async def issue(self, key: str) -> WholeIssue:
        repo, number = self._at(key)
        found = await self._require(repo, number)
        said = await repo.issue_comments(number)  # whatever the count says, which may lag behind
        newest = said[-MOST_COMMENTS:]
        comments = (IssueComment(author=c.author, body=c.body, at=c.at) for c in newest)
        listed = msgspec.structs.asdict(self._listed(found)) | {"origin": repo.slug}
        return WholeIssue(
            **listed,
            body=found.body,
            said=tuple(comments),
            left_out=len(said) - len(newest),
        )

    async def states(self, key: str) -> list[TrackerState]:
        labels = [
            TrackerState(f"label:{self.begun}", self.begun, "started"),
            TrackerState(f"label:{self.reviewed}", self.reviewed, "review"),
        ]
        return [*(state for state in labels if state.name), CLOSED]

    async def set_state(self, key: str, state: TrackerState) -> None:
        repo, number = self._at(key)
        own = {self.begun, self.reviewed} - {""}
        if state.kind == "done":
            old = sorted(own & set((await self._require(repo, number)).labels))
            await repo.update_issue(number, state="closed", remove_labels=old)
            return
        await repo.update_issue(
            number, add_labels=(state.name,), remove_labels=sorted(own - {state.name})
        )

    async def comment(self, key: str, text: str) -> None:
        repo, number = self._at(key)
        await repo.comment_issue(number, text)

    async def create(self, issue: NewIssue) -> ListedIssue:
        return self._listed(await self.repo.create_issue(issue.title, issue.body))

    async def made(self, mark: str) -> ListedIssue | None:
        found = await self.repo.issues(state="all", most=LATEST)
        return next((self._listed(issue) for issue in found if mark in issue.body), None)

    def _at(self, key: str) -> tuple[ForgeRepo, int]:
        """`12`, or `owner/name#12` for another repository of the same forge."""
        slug, _, number = key.rpartition("#")
        return (self.repo.of(slug) if slug else self.repo), int(number)

    async def _require(self, repo: ForgeRepo, number: int) -> v.ForgeIssue:
        try:
            return await repo.issue(number)
        except ForgeFailed as error:
            if error.status not in (GONE, DELETED):
                raise
            raise NotFound(f"{repo.slug} has no issue #{number}", hint=error.hint) from error

    def _listed(self, issue: v.ForgeIssue) -> ListedIssue:
        return ListedIssue(
            key=f"#{issue.number}",
            title=issue.title,
            url=issue.url,
            state=self._state(issue),
            author=issue.author,
            assignee=", ".join(issue.assignees),
            labels=issue.labels,
            comments=issue.comments,
            origin=self.repo.slug,
        )

    def _state(self, issue: v.ForgeIssue) -> TrackerState:
        if issue.state == "closed":
            return CLOSED
        if self.reviewed and self.reviewed in issue.labels:
            return TrackerState(f"label:{self.reviewed}", self.reviewed, "review")
        if self.begun and self.begun in issue.labels:
            return TrackerState(f"label:{self.begun}", self.begun, "started")
        return OPEN
