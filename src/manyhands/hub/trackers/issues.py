"""Issues of a repository's trackers: listed, found by what they are called, taken in as tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.contract.landing import IssueView, TrackerView
from manyhands.contract.sessions import Item
from manyhands.errors import BadInput
from manyhands.forges.issue_text import first_message
from manyhands.hub.core import Hub
from manyhands.hub.trackers.references import resolve
from manyhands.hub.trackers.stages import stage_of
from manyhands.hub.trackers.trackers import OWN, canonical, configured, list_trackers, open_tracker
from manyhands.model.clock import now
from manyhands.model.landing.events import Issue
from manyhands.model.session.session import Session
from manyhands.station.repos import find_repo
from manyhands.trackers.tracker import IssuesAsked, ListedIssue, WholeIssue

MOST = 500


async def list_issues(
    hub: Hub,
    repo: str,
    search: str = "",
    refs: Sequence[str] = (),
    *,
    tracker: str = "",
    mine: bool = False,
    limit: int = 100,
) -> list[IssueView]:
    """The open ones of one tracker, or of all that are configured, or else of the repository's own
    forge; or exactly those that are named, all of which must be there."""
    main = await _require_main(repo)
    if refs:
        return [await _named_view(hub, main, ref, tracker) for ref in refs]
    wanted = IssuesAsked(search=search, mine=mine, most=min(max(1, limit), MOST))
    names = [tracker] if tracker else [*configured(hub, main)] or [OWN]
    found: list[IssueView] = []
    for name in dict.fromkeys(canonical(hub, main, name) for name in names):
        async with open_tracker(hub, main, name) as opened:
            issues = await opened.issues(wanted)
        found += [view(hub, main, name, issue) for issue in issues]
    return found[: wanted.most]


async def trackers(hub: Hub, repo: str) -> list[TrackerView]:
    """Where the repository's issues are kept."""
    return list_trackers(hub, await _require_main(repo))


async def _require_main(repo: str) -> str:
    found = await find_repo(repo)
    if found is None:
        raise BadInput(
            f"{repo} is not inside a git repository", hint="run `git init` there, or name another"
        )
    return found.main


async def _named_view(hub: Hub, repo: str, ref: str, tracker: str) -> IssueView:
    name, found = await _fetch(hub, repo, ref, tracker)
    return view(hub, repo, name, found)


async def _fetch(hub: Hub, repo: str, ref: str, tracker: str = "") -> tuple[str, WholeIssue]:
    name, key = await resolve(hub, repo, ref, tracker)
    async with open_tracker(hub, repo, name) as opened:
        return name, await opened.issue(key)


async def fetch_issue(hub: Hub, repo: str, ref: str) -> Issue:
    """The issue as it is now, with its comments."""
    name, found = await _fetch(hub, repo, ref)
    return Issue(
        origin=found.origin,
        number=_number(found),
        key="" if _number(found) else found.key,
        tracker=name,
        title=found.title,
        url=found.url,
        body=found.body,
        author=found.author,
        state=found.state.name,
        labels=found.labels,
        comments=found.said,
        left_out=found.left_out,
        fetched_at=now(),
    )


async def taken_in(
    hub: Hub, repo: str, ref: str, item: Item | None, words: str
) -> tuple[Issue, str]:
    """The issue or item, and the first message that it makes."""
    if ref and item:
        raise BadInput("a session is for one issue or one item, not for both")
    if item is not None:
        issue = Issue(origin=item.origin, title=item.title, body=item.text, fetched_at=now())
        return issue, "\n\n".join(filter(None, (words.strip(), item.text)))
    issue = await fetch_issue(hub, repo, ref)
    return issue, first_message(issue, words)


def view(hub: Hub, repo: str, tracker: str, issue: ListedIssue) -> IssueView:
    number = _number(issue)
    having = list(_sessions_of(hub, repo, tracker, issue))
    return IssueView(
        number=number,
        key=issue.key,
        ref=f"{issue.origin}{issue.key}" if number else f"{tracker}:{issue.key}",
        tracker=tracker or OWN,
        origin=issue.origin,
        title=issue.title,
        url=issue.url,
        state=issue.state.name,
        author=issue.author,
        assignee=issue.assignee,
        labels=issue.labels,
        comments=issue.comments or 0,
        sessions=tuple(s.id for s in having),
        stage=next(filter(None, map(stage_of, reversed(having))), ""),
    )


def _sessions_of(hub: Hub, repo: str, tracker: str, issue: ListedIssue) -> Iterable[Session]:
    """Those that work on it, or did, oldest first."""
    for s in hub.state.all_sessions().values():
        known = s.landing.issues if s.repo == repo and not s.life.gone else ()
        if any(_is_same(i, tracker, issue) for i in known):
            yield s


def _is_same(known: Issue, tracker: str, issue: ListedIssue) -> bool:
    if known.tracker != tracker:
        return False
    if number := _number(issue):
        return (known.number, known.origin) == (number, issue.origin)
    # An item of a list is known by its words: its number is that of another once the list changes.
    return known.title == issue.title if issue.key.isdecimal() else known.key == issue.key


def _number(issue: ListedIssue) -> int:
    return int(issue.key[1:]) if issue.key.startswith("#") else 0
