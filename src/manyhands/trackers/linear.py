"""Linear: issues of one team, by GraphQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from manyhands.errors import ForgeFailed, NotFound
from manyhands.model.landing.events import IssueComment
from manyhands.trackers.line import TrackerLine
from manyhands.trackers.tracker import (
    MOST_COMMENTS,
    IssuesAsked,
    ListedIssue,
    NewIssue,
    StateKind,
    TrackerState,
    WholeIssue,
    named_kind,
)

ADDRESS = "https://api.linear.app"
PATH = "/graphql"
PAGE = 50
MOST_READ = 1000
"""Comments of one issue."""
OVER = ["completed", "canceled", "duplicate"]
_KINDS: dict[str, StateKind] = {
    "started": "started",
    "completed": "done",
    "canceled": "cancelled",
    "duplicate": "cancelled",
}
_FIELDS = """
  id identifier title url
  state { id name type position }
  creator { displayName } assignee { displayName }
  labels(first: 20) { nodes { name } }
"""
_LIST = f"""
query($filter: IssueFilter, $first: Int!, $after: String) {{
  issues(filter: $filter, first: $first, after: $after, orderBy: updatedAt) {{
    nodes {{ {_FIELDS} }}
    pageInfo {{ hasNextPage endCursor }}
  }}
}}
"""
_SEARCH = f"""
query($term: String!, $filter: IssueFilter, $first: Int!, $after: String) {{
  issues: searchIssues(term: $term, filter: $filter, first: $first, after: $after) {{
    nodes {{ {_FIELDS} }}
    pageInfo {{ hasNextPage endCursor }}
  }}
}}
"""
_ONE = f"""
query($id: String!, $first: Int!, $after: String) {{
  issue(id: $id) {{
    {_FIELDS} description
    comments(first: $first, after: $after) {{
      nodes {{ body createdAt user {{ displayName }} botActor {{ name }} }}
      pageInfo {{ hasNextPage endCursor }}
    }}
  }}
}}
"""
_STATES = """
query($id: String!) {
  issue(id: $id) { team { states(first: 100) { nodes { id name type position } } } }
}
"""
_TEAM = "query($filter: TeamFilter!) { teams(filter: $filter, first: 2) { nodes { id key } } }"
_MOVE = """
mutation($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success }
}
"""
_SAY = "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }"
_CREATE = f"""
mutation($input: IssueCreateInput!) {{
  issueCreate(input: $input) {{ success issue {{ {_FIELDS} }} }}
}}
"""
T = TypeVar("T")


class _Page(msgspec.Struct, frozen=True, rename="camel"):
    has_next_page: bool = False
    end_cursor: str | None = None


class _Nodes(msgspec.Struct, Generic[T], frozen=True, rename="camel"):
    nodes: list[T]
    page_info: _Page = _Page()


class _State(msgspec.Struct, frozen=True):
    id: str
    name: str
    type: str
    position: float = 0.0


class _Person(msgspec.Struct, frozen=True, rename="camel"):
    display_name: str = ""
    name: str | None = ""


class _Label(msgspec.Struct, frozen=True):
    name: str


class _Said(msgspec.Struct, frozen=True, rename="camel"):
    body: str
    created_at: str = ""
    user: _Person | None = None
    bot_actor: _Person | None = None


class _Issue(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    identifier: str
    title: str
    url: str
    state: _State
    creator: _Person | None = None
    assignee: _Person | None = None
    labels: _Nodes[_Label] = _Nodes([])
    description: str | None = None
    comments: _Nodes[_Said] = _Nodes([])


class _Issues(msgspec.Struct, frozen=True):
    issues: _Nodes[_Issue]


class _One(msgspec.Struct, frozen=True):
    issue: _Issue


class _TeamStates(msgspec.Struct, frozen=True):
    states: _Nodes[_State]


class _TeamOf(msgspec.Struct, frozen=True):
    team: _TeamStates


class _OneTeam(msgspec.Struct, frozen=True):
    issue: _TeamOf


class _Team(msgspec.Struct, frozen=True):
    id: str
    key: str


class _Teams(msgspec.Struct, frozen=True):
    teams: _Nodes[_Team]


class _Success(msgspec.Struct, frozen=True):
    success: bool
    issue: _Issue | None = None


@dataclass(frozen=True)
class Linear:
    """One team, by its key, or all that the token sees, through an open line."""

    line: TrackerLine
    team: str = ""

    @property
    def place(self) -> str:
        return f"Linear {self.team}".rstrip()

    async def issues(self, wanted: IssuesAsked) -> list[ListedIssue]:
        asked: dict[str, Any] = {"filter": self._filter(wanted)}
        if wanted.search:
            asked["term"] = wanted.search
        text = _SEARCH if wanted.search else _LIST
        found: list[ListedIssue] = []
        after: str | None = None
        while len(found) < wanted.most:
            first = min(PAGE, wanted.most - len(found))
            page = await self.line.query(_Issues, PATH, text, **asked, first=first, after=after)
            found += [self._listed(issue) for issue in page.issues.nodes]
            after = page.issues.page_info.end_cursor
            if not page.issues.page_info.has_next_page or not after:
                break
        return found[: wanted.most]

    def _filter(self, wanted: IssuesAsked) -> dict[str, Any]:
        asked: dict[str, Any] = {"state": {"type": {"nin": OVER}}}
        if self.team:
            asked["team"] = {"key": {"eq": self.team}}
        if wanted.mine:
            asked["assignee"] = {"isMe": {"eq": True}}
        return asked

    async def issue(self, key: str) -> WholeIssue:
        issue = (await self._require(_One, _ONE, key, first=PAGE, after=None)).issue
        said, page = list(issue.comments.nodes), issue.comments.page_info
        while page.has_next_page and page.end_cursor and len(said) < MOST_READ:
            more = await self._require(_One, _ONE, key, first=PAGE, after=page.end_cursor)
            said += more.issue.comments.nodes
            page = more.issue.comments.page_info
        comments = sorted(map(_comment, said), key=lambda c: c.at)
        listed = msgspec.structs.asdict(self._listed(issue)) | {"comments": len(said)}
        return WholeIssue(
            **listed,
            body=issue.description or "",
            said=tuple(comments[-MOST_COMMENTS:]),
            left_out=max(0, len(comments) - MOST_COMMENTS),
        )

    async def states(self, key: str) -> list[TrackerState]:
        found = await self._require(_OneTeam, _STATES, key)
        nodes = found.issue.team.states.nodes
        return [_state(s) for s in sorted(nodes, key=lambda s: s.position)]

    async def set_state(self, key: str, state: TrackerState) -> None:
        await self._change("issueUpdate", _MOVE, id=key, input={"stateId": state.id})

    async def comment(self, key: str, text: str) -> None:
        issue = await self._require(_One, _ONE, key, first=1, after=None)
        said = {"issueId": issue.issue.id, "body": text}
        await self._change("commentCreate", _SAY, input=said)

    async def create(self, issue: NewIssue) -> ListedIssue:
        given = {"teamId": await self._team(), "title": issue.title, "description": issue.body}
        made = await self._change("issueCreate", _CREATE, input=given)
        if made.issue is None:
            raise ForgeFailed(f"{self.line.host} made an issue and did not name it", status=502)
        return self._listed(made.issue)

    async def made(self, mark: str) -> ListedIssue | None:
        asked: dict[str, Any] = {"description": {"contains": mark}}
        if self.team:
            asked["team"] = {"key": {"eq": self.team}}
        found = await self.line.query(_Issues, PATH, _LIST, filter=asked, first=1, after=None)
        return next(map(self._listed, found.issues.nodes), None)

    async def _team(self) -> str:
        asked = {"key": {"eq": self.team}} if self.team else {}
        found = (await self.line.query(_Teams, PATH, _TEAM, filter=asked)).teams.nodes
        if len(found) != 1:
            missing = f"there is no team {self.team} in Linear" if self.team else "no team is named"
            raise NotFound(missing, hint='name one: team = "KEY" in [trackers] of your config.toml')
        return found[0].id

    async def _require(self, kind: type[T], text: str, key: str, **more: object) -> T:
        try:
            return await self.line.query(kind, PATH, text, id=key, **more)
        except ForgeFailed as error:
            if "not found" not in error.message.casefold():
                raise
            raise NotFound(f"{self.place} has no issue {key}", hint=error.hint) from error

    async def _change(self, name: str, text: str, **given: object) -> _Success:
        done = (await self.line.query(dict[str, _Success], PATH, text, **given))[name]
        if not done.success:
            raise ForgeFailed(f"{self.line.host} did not carry out {name}", status=422)
        return done

    def _listed(self, issue: _Issue) -> ListedIssue:
        return ListedIssue(
            key=issue.identifier,
            title=issue.title,
            url=issue.url,
            state=_state(issue.state),
            author=_name(issue.creator),
            assignee=_name(issue.assignee),
            labels=tuple(label.name for label in issue.labels.nodes),
            origin=self.place,
        )


def _state(state: _State) -> TrackerState:
    return TrackerState(
        state.id, state.name, named_kind(state.name, _KINDS.get(state.type, "todo"))
    )


def _name(person: _Person | None) -> str:
    return (person.display_name or person.name or "") if person else ""


def _comment(said: _Said) -> IssueComment:
    return IssueComment(
        author=_name(said.user or said.bot_actor), body=said.body, at=said.created_at
    )
