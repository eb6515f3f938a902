"""Jira: issues of one project, Cloud (v3) and Server or Data Center (v2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from manyhands.errors import ForgeFailed, NotFound, NotPossible
from manyhands.model.landing.events import IssueComment
from manyhands.trackers import adf
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

PAGE = 50
GONE = 404
FIELDS = "summary,status,reporter,assignee,labels"
LATELY = 'created >= "-2d"'
_NO_WORD = re.compile(r"""[^\w\s.@/'-]+|(?<!\w)[-./']+|[-./']+(?!\w)""")
_KINDS: dict[str, StateKind] = {"new": "todo", "indeterminate": "started", "done": "done"}
_GIVEN_UP = re.compile(r"cancel|won.?t|declin|reject|duplicate|abandon", re.IGNORECASE)
T = TypeVar("T")


class _Category(msgspec.Struct, frozen=True):
    key: str = ""


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    name: str
    status_category: _Category = _Category()


class _Person(msgspec.Struct, frozen=True, rename="camel"):
    display_name: str = ""


class _Fields(msgspec.Struct, frozen=True):
    summary: str
    status: _Status
    reporter: _Person | None = None
    assignee: _Person | None = None
    labels: list[str] = []
    description: dict[str, Any] | str | None = None


class _Issue(msgspec.Struct, frozen=True):
    key: str
    fields: _Fields


class _Found(msgspec.Struct, frozen=True, rename="camel"):
    issues: list[_Issue]
    next_page_token: str | None = None
    is_last: bool | None = None
    total: int | None = None
    """Of the older search, which counts from `startAt`."""


class _Comment(msgspec.Struct, frozen=True):
    body: dict[str, Any] | str | None = None
    author: _Person | None = None
    created: str = ""


class _Comments(msgspec.Struct, frozen=True):
    comments: list[_Comment]
    total: int = 0


class _Transition(msgspec.Struct, frozen=True):
    id: str
    to: _Status


class _Transitions(msgspec.Struct, frozen=True):
    transitions: list[_Transition]


class _Made(msgspec.Struct, frozen=True):
    key: str


@dataclass(frozen=True)
class Jira:
    """One project, by its key, or all that the token sees, through an open line to a site."""

    line: TrackerLine
    site: str
    project: str = ""
    query: str = ""
    """A condition of the user's own, in Jira's language."""
    api: int = 3
    issue_type: str = "Task"

    @property
    def place(self) -> str:
        return f"Jira {self.project}".rstrip()

    @property
    def _root(self) -> str:
        return f"/rest/api/{self.api}"

    async def issues(self, wanted: IssuesAsked) -> list[ListedIssue]:
        asked = ["statusCategory != Done", *self._bounds()]
        if wanted.mine:
            asked.append("assignee = currentUser()")
        if wanted.search:
            asked.append(f'text ~ "{_as_words(wanted.search)}"')
        jql = f"{' AND '.join(asked)} ORDER BY updated DESC"
        return [self._listed(issue) for issue in await self._found(jql, wanted.most, FIELDS)]

    def _bounds(self) -> list[str]:
        own = [f'project = "{_as_words(self.project)}"'] if self.project else []
        return [*own, *([f"({self.query})"] if self.query else [])]

    async def _found(self, jql: str, most: int, fields: str) -> list[_Issue]:
        cloud = self.api > 2
        path = f"{self._root}/search/jql" if cloud else f"{self._root}/search"
        found: list[_Issue] = []
        more: dict[str, str | int] = {}
        while len(found) < most:
            size = min(PAGE, most - len(found))
            asked: dict[str, str | int] = {"jql": jql, "fields": fields, "maxResults": size}
            page = await self.line.fetch(_Found, path, **asked, **more)
            found += page.issues
            if cloud and page.next_page_token and not page.is_last:
                more = {"nextPageToken": page.next_page_token}
            elif not cloud and page.issues and len(found) < (page.total or 0):
                more = {"startAt": len(found)}
            else:
                break
        return found[:most]

    async def issue(self, key: str) -> WholeIssue:
        found = await self._require(_Issue, key, "", fields=f"{FIELDS},description")
        page: dict[str, str | int] = {"maxResults": MOST_COMMENTS, "orderBy": "-created"}
        said = await self._require(_Comments, key, "/comment", **page)
        listed = msgspec.structs.asdict(self._listed(found)) | {"comments": said.total}
        comments = (
            IssueComment(author=_name(c.author), body=adf.markdown(c.body), at=c.created)
            for c in said.comments
        )
        return WholeIssue(
            **listed,
            body=adf.markdown(found.fields.description),
            said=tuple(sorted(comments, key=lambda c: c.at)),
            left_out=max(0, said.total - len(said.comments)),
        )

    async def states(self, key: str) -> list[TrackerState]:
        """Those that a transition leads to from where it is."""
        found = await self._require(_Transitions, key, "/transitions")
        return [msgspec.structs.replace(_state(one.to), id=one.id) for one in found.transitions]

    async def set_state(self, key: str, state: TrackerState) -> None:
        body = {"transition": {"id": state.id}}
        await self.line.send(msgspec.Raw, "POST", f"{self._path(key)}/transitions", body)

    async def comment(self, key: str, text: str) -> None:
        path = f"{self._path(key)}/comment"
        await self.line.send(msgspec.Raw, "POST", path, {"body": self._text(text)})

    async def create(self, issue: NewIssue) -> ListedIssue:
        if not self.project:
            raise NotPossible(
                "it is not said in which project of Jira issues are made",
                hint='name one: project = "KEY" in [trackers] of your config.toml',
            )
        fields = {
            "project": {"key": self.project},
            "issuetype": {"name": self.issue_type},
            "summary": issue.title,
            "description": self._text(issue.body),
        }
        made = await self.line.send(_Made, "POST", f"{self._root}/issue", {"fields": fields})
        return self._listed(await self._require(_Issue, made.key, "", fields=FIELDS))

    async def made(self, mark: str) -> ListedIssue | None:
        own = [f'project = "{_as_words(self.project)}"'] if self.project else []
        jql = f"{' AND '.join([LATELY, *own])} ORDER BY created DESC"
        for issue in await self._found(jql, PAGE, f"{FIELDS},description"):
            if mark in adf.markdown(issue.fields.description):
                return self._listed(issue)
        return None

    def _text(self, text: str) -> adf.Node | str:
        return adf.document(text) if self.api > 2 else text

    def _path(self, key: str) -> str:
        return f"{self._root}/issue/{quote(key, safe='')}"

    async def _require(self, kind: type[T], key: str, below: str, **query: str | int) -> T:
        try:
            return await self.line.fetch(kind, self._path(key) + below, **query)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotFound(f"{self.place} has no issue {key}", hint=error.hint) from error

    def _listed(self, issue: _Issue) -> ListedIssue:
        fields = issue.fields
        return ListedIssue(
            key=issue.key,
            title=fields.summary,
            url=f"{self.site}/browse/{issue.key}",
            state=_state(fields.status),
            author=_name(fields.reporter),
            assignee=_name(fields.assignee),
            labels=tuple(fields.labels),
            origin=self.place,
        )


def _state(status: _Status) -> TrackerState:
    kind = _KINDS.get(status.status_category.key, "todo")
    if kind == "done" and _GIVEN_UP.search(status.name):
        kind = "cancelled"
    return TrackerState(status.id, status.name, named_kind(status.name, kind))


def _name(person: _Person | None) -> str:
    return person.display_name if person else ""


def _as_words(text: str) -> str:
    """Without the signs that Jira's language reads as commands."""
    return " ".join(_NO_WORD.sub(" ", text).split())
