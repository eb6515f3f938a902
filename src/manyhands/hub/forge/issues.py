"""Issues of a repository's forge: listed, and taken in as the task of a session."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.contract.landing import IssueView
from manyhands.contract.sessions import Item
from manyhands.errors import BadInput, ForgeFailed, NotFound
from manyhands.forges import values as v
from manyhands.forges.forge import DELETED, GONE
from manyhands.forges.issue_text import first_message
from manyhands.hub.core import Hub
from manyhands.hub.forge.forge import Forge, open_forge
from manyhands.model.clock import now
from manyhands.model.landing.events import Issue, IssueComment
from manyhands.station.repos import find_repo

MOST_COMMENTS = 100


async def list_issues(
    hub: Hub, repo: str, search: str = "", numbers: Sequence[int] = ()
) -> list[IssueView]:
    """The open ones, or exactly those of these numbers, all of which must be there."""
    found = await find_repo(repo)
    if found is None:
        raise BadInput(
            f"{repo} is not inside a git repository", hint="run `git init` there, or name another"
        )
    async with open_forge(hub, found.main) as forge:
        if numbers:
            return [_view(await _require_issue(forge, number)) for number in numbers]
        return [_view(issue) for issue in await forge.repo.issues(search)]


async def fetch_issue(hub: Hub, repo: str, number: int) -> Issue:
    """The issue as it is now, with its comments."""
    async with open_forge(hub, repo) as forge:
        issue = await _require_issue(forge, number)
        comments = await forge.repo.issue_comments(number, MOST_COMMENTS) if issue.comments else []
        origin = forge.remote.slug
    return Issue(
        origin=origin,
        number=issue.number,
        title=issue.title,
        url=issue.url,
        body=issue.body,
        author=issue.author,
        state=issue.state,
        labels=issue.labels,
        comments=tuple(IssueComment(author=c.author, body=c.body, at=c.at) for c in comments),
        left_out=max(0, issue.comments - len(comments)),
        fetched_at=now(),
    )


async def _require_issue(forge: Forge, number: int) -> v.ForgeIssue:
    try:
        return await forge.repo.issue(number)
    except ForgeFailed as error:
        if error.status not in (GONE, DELETED):
            raise
        raise NotFound(f"{forge.remote.slug} has no issue #{number}", hint=error.hint) from error


async def taken_in(
    hub: Hub, repo: str, number: int, item: Item | None, words: str
) -> tuple[Issue, str]:
    """The issue or item, and the first message that it makes."""
    if number and item:
        raise BadInput("a session is for one issue or one item, not for both")
    if item is not None:
        issue = Issue(origin=item.origin, title=item.title, body=item.text, fetched_at=now())
        return issue, "\n\n".join(filter(None, (words.strip(), item.text)))
    issue = await fetch_issue(hub, repo, number)
    return issue, first_message(issue, words)


def _view(issue: v.ForgeIssue) -> IssueView:
    return IssueView(
        number=issue.number,
        title=issue.title,
        url=issue.url,
        state=issue.state,
        author=issue.author,
        labels=issue.labels,
        comments=issue.comments,
    )
