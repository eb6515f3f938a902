"""Linear on the loopback: queries are carried out against the published types, over real state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import graphql

from tests.support.tracker.linear_description import schema
from tests.support.tracker.loopback import Answered, LoopbackTracker

STATES = (
    ("s-backlog", "Backlog", "backlog"),
    ("s-todo", "Todo", "unstarted"),
    ("s-doing", "In Progress", "started"),
    ("s-review", "In Review", "started"),
    ("s-done", "Done", "completed"),
    ("s-no", "Canceled", "canceled"),
)


@dataclass
class LinearIssue:
    number: int
    title: str
    description: str = ""
    team: str = "ENG"
    state: str = "s-todo"
    mine: bool = False
    labels: tuple[str, ...] = ()
    comments: list[str] = field(default_factory=list)

    @property
    def identifier(self) -> str:
        return f"{self.team}-{self.number}"


class LinearServer(LoopbackTracker):
    token = "lin_api_canary"

    def __init__(self) -> None:
        super().__init__()
        self.issues: list[LinearIssue] = []

    def add(self, number: int, title: str, description: str = "", **more: Any) -> LinearIssue:
        self.issues.append(LinearIssue(number, title, description, **more))
        return self.issues[-1]

    def state_of(self, key: str) -> str:
        return next(i.state for i in self.issues if i.identifier == key)

    def unknown(self) -> Answered:
        code = {"code": "AUTHENTICATION_ERROR", "userPresentableMessage": "You need to log in."}
        return Answered(
            401, {"errors": [{"message": "Authentication required", "extensions": code}]}
        )

    def carry_out(self, method: str, target: str, body: Any) -> Answered:
        if (method, target) != ("POST", "/graphql"):
            return Answered(404, {"errors": [{"message": f"no {target}"}]})
        text, variables = body["query"], body["variables"]
        wrong = graphql.validate(schema(), graphql.parse(text))
        self.complaints += [error.message for error in wrong]
        done = graphql.graphql_sync(
            schema(), text, root_value=_Root(self), variable_values=variables
        )
        errors = [{"message": e.message, "extensions": e.extensions} for e in done.errors or ()]
        # What a resolver refuses is said by us; anything else does not fit what is published.
        self.complaints += [e.message for e in done.errors or () if not e.extensions]
        return Answered(200, {"data": done.data, **({"errors": errors} if errors else {})})


class _Root:
    """Resolvers, by the names of the schema's fields."""

    def __init__(self, server: LinearServer) -> None:
        self._server = server

    def issues(
        self, info: Any, filter: Any = None, first: int = 50, after: str | None = None, **_: Any
    ) -> Any:
        fitting = [i for i in reversed(self._server.issues) if _fits(i, filter or {})]
        return _page([_issue(i) for i in fitting], first, after)

    def searchIssues(  # noqa: N802 - the schema's name
        self, info: Any, term: str, filter: Any = None, first: int = 50, after: str | None = None
    ) -> Any:
        words = term.casefold().split()
        found = [
            i
            for i in reversed(self._server.issues)
            if _fits(i, filter or {})
            and all(w in f"{i.title} {i.description}".casefold() for w in words)
        ]
        return _page([_issue(i) for i in found], first, after)

    def issue(self, info: Any, id: str) -> Any:
        return _issue(self._require(id))

    def teams(self, info: Any, filter: Any = None, **_: Any) -> Any:
        wanted = (filter or {}).get("key", {}).get("eq", "ENG")
        return {"nodes": [{"id": "t-ENG", "key": "ENG"}] if wanted == "ENG" else []}

    def issueUpdate(self, info: Any, id: str, input: Any) -> Any:  # noqa: N802
        self._require(id).state = input["stateId"]
        return {"success": True}

    def commentCreate(self, info: Any, input: Any) -> Any:  # noqa: N802
        self._require(input["issueId"]).comments.append(input["body"])
        return {"success": True}

    def issueCreate(self, info: Any, input: Any) -> Any:  # noqa: N802
        number = max((i.number for i in self._server.issues), default=0) + 1
        made = self._server.add(number, input["title"], input["description"], state="s-backlog")
        return {"success": True, "issue": _issue(made)}

    def _require(self, id: str) -> LinearIssue:
        for issue in self._server.issues:
            if id in (issue.identifier, f"id-{issue.identifier}"):
                return issue
        told = "Entity not found: Issue"
        code = {"code": "INVALID_INPUT", "userPresentableMessage": told}
        raise graphql.GraphQLError(told, extensions=code)


def _state(id: str) -> Any:
    place = [s[0] for s in STATES].index(id)
    _, name, kind = STATES[place]
    return {"id": id, "name": name, "type": kind, "position": float(place)}


def _issue(issue: LinearIssue) -> Any:
    person = {"displayName": "dana"}
    said = [
        {"body": text, "createdAt": f"2026-01-31T08:{n // 60:02}:{n % 60:02}.000Z", "user": person}
        for n, text in enumerate(issue.comments)
    ]
    return {
        "id": f"id-{issue.identifier}",
        "identifier": issue.identifier,
        "title": issue.title,
        "description": issue.description,
        "url": f"https://linear.app/acme/issue/{issue.identifier}/slug",
        "state": _state(issue.state),
        "creator": person,
        "assignee": person if issue.mine else None,
        "labels": {"nodes": [{"name": name} for name in issue.labels]},
        "comments": lambda info, first=50, after=None, **_: _page(said[::-1], first, after),
        "team": {"states": {"nodes": [_state(one[0]) for one in reversed(STATES)]}},
    }


def _fits(issue: LinearIssue, filter: Any) -> bool:
    kind = _state(issue.state)["type"]
    return (
        kind not in filter.get("state", {}).get("type", {}).get("nin", ())
        and filter.get("team", {}).get("key", {}).get("eq", issue.team) == issue.team
        and (issue.mine or not filter.get("assignee"))
        and filter.get("description", {}).get("contains", "") in issue.description
    )


def _page(found: list[Any], first: int, after: str | None) -> Any:
    begin = int(after or 0)
    part = found[begin : begin + first]
    end = begin + len(part)
    return {"nodes": part, "pageInfo": {"hasNextPage": end < len(found), "endCursor": str(end)}}
