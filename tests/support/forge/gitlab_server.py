"""GitLab on the loopback: its API over real state.

Every request is held against what python-gitlab knows; what does not fit is in `complaints`. That
the answers are GitLab's is shown by python-gitlab itself, which reads the same state.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.forge import gitlab_known
from tests.support.forge.server import TOKEN, Fault, ForgeServer, Reply
from tests.support.forge.state import AT, ForgeState, KeptIssue, KeptPull, KeptThread, Said

__all__ = ["TOKEN", "Fault", "GitLabServer"]
Json = Any
DEVELOPER, REPORTER = 30, 20
PIPELINE = 7


class GitLabState(ForgeState):
    slug = "acme/tools/widgets"
    first_pull = 1

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.project_ids = {self.slug: 41, self.fork: 42}

    def project_of(self, given: str) -> str:
        """By its number or its path; empty where there is none."""
        by_number = {str(id): slug for slug, id in self.project_ids.items()}
        slug = by_number.get(given, given)
        return slug if slug in self.repos else ""


@dataclass(frozen=True)
class _Asked:
    state: GitLabState
    slug: str
    given: dict[str, str]
    query: dict[str, str]
    token: str
    body: Any

    @property
    def pull(self) -> KeptPull:
        return self.state.look(self.state.pulls[int(self.given["iid"])])

    @property
    def issue(self) -> KeptIssue:
        return self.state.issues[int(self.given["iid"])]


class GitLabServer(ForgeServer):
    prefix = "/api/v4"
    state: GitLabState

    def __init__(self, root: Path) -> None:
        self.state = GitLabState(root)
        super().__init__(root)

    def act(self, method: str, target: str, token: str, body: Any) -> Reply:
        parts = urlsplit(target)
        query = {k: v[0] for k, v in parse_qs(parts.query).items()}
        self.complaints += gitlab_known.complaints(method, parts.path, query, body)
        for (verb, pattern), handler in _HANDLERS.items():
            found = re.fullmatch(pattern, parts.path)
            if verb != method or not found:
                continue
            given = {k: unquote(v) for k, v in found.groupdict().items()}
            slug = self.state.project_of(given.get("project", self.state.slug))
            if not slug:
                return _missing("Project")
            try:
                asked = _Asked(self.state, slug, given, query, token, body or {})
                return self._paged(handler(asked), query, target)
            except KeyError:
                return _missing("")
        return Reply(404, {"error": "404 Not Found"})

    def _paged(self, reply: Reply, query: dict[str, str], target: str) -> Reply:
        """Lists come in pages, and a link tells of the next."""
        if not isinstance(reply.body, list):
            return reply
        size, page = int(query.get("per_page", 20)), int(query.get("page", 1))
        part = reply.body[(page - 1) * size : page * size]
        more = len(reply.body) > page * size
        here = re.sub(r"[?&]page=\d+", "", target)
        link = f"<{self.url}{self.prefix}{here}{'&' if '?' in here else '?'}page={page + 1}>"
        headers = [
            ("X-Page", str(page)),
            ("X-Per-Page", str(size)),
            ("X-Total", str(len(reply.body))),
            ("X-Total-Pages", str(-(-len(reply.body) // size))),
            ("X-Next-Page", str(page + 1) if more else ""),
            ("Link", f'{link}; rel="next"' if more else f'{link}; rel="first"'),
        ]
        return Reply(reply.status, part, tuple(headers))


def _missing(what: str) -> Reply:
    return Reply(404, {"message": f"404 {what} Not Found".replace("  ", " ")})


def _person(name: str) -> Json:
    return {
        "id": ForgeState.people.get(name, 99),
        "username": name,
        "name": name,
        "state": "active",
    }


def _project(state: GitLabState, slug: str, token: str) -> Json:
    level = DEVELOPER if slug in state.rights[token] else REPORTER
    plain = "merge" if "merge" in state.methods else "ff"
    found = {
        "id": state.project_ids[slug],
        "path_with_namespace": slug,
        "default_branch": "main",
        "web_url": f"https://gitlab.example/{slug}",
        "archived": state.archived,
        "permissions": {"project_access": {"access_level": level}, "group_access": None},
        "merge_method": plain,
        "squash_option": "default_off" if "squash" in state.methods else "never",
        "merge_trains_enabled": state.has_queue,
        "only_allow_merge_if_pipeline_succeeds": bool(state.wanted_checks),
    }
    if slug == state.fork:
        parent = {"id": state.project_ids[state.slug], "path_with_namespace": state.slug}
        found["forked_from_project"] = {**parent, "default_branch": "main"}
    return found


def _status(state: GitLabState, pull: KeptPull) -> str:
    ran = {c.name: c.conclusion for c in state.checks if c.sha == pull.sha}
    words = (
        (pull.state != "open", "not_open"),
        (pull.draft, "draft_status"),
        (not state.merges_clean(pull), "conflict"),
        (not state.approved(pull), "not_approved"),
        (any(ran.get(name) != "success" for name in state.wanted_checks), "ci_must_pass"),
    )
    return next((word for stands, word in words if stands), "mergeable")


def _merge_request(state: GitLabState, pull: KeptPull) -> Json:
    state.look(pull)
    shown = "merged" if pull.merged else {"open": "opened"}.get(pull.state, pull.state)
    ran = [c for c in state.checks if c.sha == pull.sha]
    pipeline = {"id": PIPELINE, "sha": pull.sha, "project_id": state.project_ids[pull.slug]}
    return {
        "id": 1000 + pull.number,
        "iid": pull.number,
        "project_id": state.project_ids[state.slug],
        "title": pull.title,
        "description": pull.body,
        "state": shown,
        "draft": pull.draft,
        "web_url": f"https://gitlab.example/{state.slug}/-/merge_requests/{pull.number}",
        "source_branch": pull.head,
        "target_branch": pull.base,
        "source_project_id": state.project_ids[pull.slug],
        "target_project_id": state.project_ids[state.slug],
        "author": _person(state.me),
        "reviewers": [_person(name) for name in pull.reviewers],
        "labels": pull.labels,
        "sha": pull.sha,
        "merge_status": "can_be_merged",
        "detailed_merge_status": _status(state, pull),
        "merge_commit_sha": pull.merged or None,
        "squash_commit_sha": None,
        "merge_when_pipeline_succeeds": pull.queued and not state.has_queue,
        "head_pipeline": {**pipeline, "status": "running"} if ran else None,
        "user_notes_count": len(pull.said) + sum(len(t.comments) for t in pull.threads),
        "blocking_discussions_resolved": all(t.resolved for t in pull.threads),
        "updated_at": pull.stamp,
    }


def _issue(state: GitLabState, issue: KeptIssue) -> Json:
    return {
        "id": 2000 + issue.number,
        "iid": issue.number,
        "project_id": state.project_ids[state.slug],
        "title": issue.title,
        "description": issue.body,
        "state": "opened" if issue.state == "open" else "closed",
        "web_url": f"https://gitlab.example/{state.slug}/-/issues/{issue.number}",
        "author": _person("dana"),
        "labels": issue.labels,
        "assignees": [_person(name) for name in issue.assignees],
        "user_notes_count": sum(not said.system for said in issue.comments),
        "updated_at": AT,
    }


def _note(said: Said, thread: KeptThread | None = None) -> Json:
    note = {
        "id": said.id,
        "type": "DiffNote" if thread else None,
        "body": said.body,
        "author": _person(said.author),
        "created_at": AT,
        "system": said.system,
        "resolvable": thread is not None,
    }
    if thread:
        place = {"new_path": thread.path, "old_path": thread.path, "new_line": thread.line}
        note |= {"resolved": thread.resolved, "position": {**place, "head_sha": thread.sha}}
    return note


# Projects


def _me(asked: _Asked) -> Reply:
    return Reply(200, _person(asked.state.me))


def _users(asked: _Asked) -> Reply:
    name = asked.query["username"]
    return Reply(200, [_person(name)] if name in asked.state.people else [])


def _project_answer(asked: _Asked) -> Reply:
    return Reply(200, _project(asked.state, asked.slug, asked.token))


def _members(asked: _Asked) -> Reply:
    return Reply(200, [_person(name) for name in asked.state.people])


def _labels(asked: _Asked) -> Reply:
    return Reply(200, [{"id": n, "name": x} for n, x in enumerate(asked.state.known_labels)])


def _branch(asked: _Asked) -> Reply:
    name = asked.given["branch"]
    if not asked.state.repos[asked.slug].tip(name):
        return _missing("Branch")
    held = name in asked.state.protected
    return Reply(200, {"name": name, "protected": held, "can_push": not held})


def _rules(asked: _Asked) -> Reply:
    rule = {"id": 1, "name": "All", "approvals_required": asked.state.approvals}
    return Reply(200, [rule])


# Issues


def _issues(asked: _Asked) -> Reply:
    query = asked.query
    words = query.get("search", "").lower().split()
    labels = set(filter(None, query.get("labels", "").split(",")))
    state = {"opened": "open"}.get(query.get("state", "all"), query.get("state", "all"))
    fitting = [
        _issue(asked.state, issue)
        for issue in sorted(asked.state.issues.values(), key=lambda issue: -issue.number)
        if all(word in f"{issue.title} {issue.body}".lower() for word in words)
        and labels <= set(issue.labels)
        and state in ("all", issue.state)
    ]
    return Reply(200, fitting)


def _new_issue(asked: _Asked) -> Reply:
    number = max([*asked.state.issues, 0]) + 1
    issue = KeptIssue(number, asked.body["title"], asked.body.get("description", ""))
    asked.state.issues[number] = issue
    _change_issue(asked.state, issue, {**asked.body, "add_labels": asked.body.get("labels", "")})
    return Reply(201, _issue(asked.state, issue))


def _one_issue(asked: _Asked) -> Reply:
    return Reply(200, _issue(asked.state, asked.issue))


def _update_issue(asked: _Asked) -> Reply:
    _change_issue(asked.state, asked.issue, asked.body)
    return Reply(200, _issue(asked.state, asked.issue))


def _change_issue(state: GitLabState, issue: KeptIssue, body: Json) -> None:
    if event := body.get("state_event"):
        issue.state = {"close": "closed", "reopen": "open"}[event]
    _relabel(issue.labels, body)
    if "assignee_ids" in body:
        names = {id: name for name, id in state.people.items()}
        issue.assignees = [names[id] for id in body["assignee_ids"]]


def _relabel(labels: list[str], body: Json) -> None:
    added = filter(None, body.get("add_labels", "").split(","))
    removed = body.get("remove_labels", "").split(",")
    labels += [label for label in added if label not in labels]
    labels[:] = [label for label in labels if label not in removed]


def _issue_notes(asked: _Asked) -> Reply:
    return Reply(200, [_note(said) for said in asked.issue.comments])


def _new_issue_note(asked: _Asked) -> Reply:
    return Reply(201, _note(_said(asked, asked.issue.comments)))


def _said(asked: _Asked, where: list[Said]) -> Said:
    where.append(Said(asked.state.next_id(), asked.state.me, asked.body["body"]))
    return where[-1]


# Merge requests


def _pulls(asked: _Asked) -> Reply:
    branch = asked.query.get("source_branch", "")
    pulls = [p for p in asked.state.pulls.values() if branch in ("", p.head)]
    return Reply(200, [_merge_request(asked.state, p) for p in reversed(pulls)])


def _create(asked: _Asked) -> Reply:
    state, body = asked.state, asked.body
    target = body.get("target_project_id", state.project_ids[asked.slug])
    if target != state.project_ids[state.slug]:
        return Reply(422, {"message": ["Target project is not the parent"]})
    branch, base = body["source_branch"], body["target_branch"]
    tip = state.repos[asked.slug].tip(branch)
    if not tip or not state.bare.tip(base):
        return Reply(422, {"message": {"base": ["The branch does not exist"]}})
    if open_one := state.open_from(asked.slug, branch):
        said = "Another open merge request already exists for this source branch"
        return Reply(409, {"message": [f"{said}: !{open_one.number}"]})
    fields = {"title": body["title"], "body": body.get("description", "")}
    made = state.open_pull(head=branch, slug=asked.slug, base=base, sha=tip, **fields)
    return Reply(201, _merge_request(state, made))


def _pull(asked: _Asked) -> Reply:
    return Reply(200, _merge_request(asked.state, asked.pull))


def _update(asked: _Asked) -> Reply:
    pull, body = asked.pull, asked.body
    names = {"title": "title", "description": "body", "target_branch": "base"}
    for name in body.keys() & names.keys():
        setattr(pull, names[name], body[name])
    if body.get("state_event") == "close":
        pull.state = "closed"
    _relabel(pull.labels, body)
    if "reviewer_ids" in body:
        people = {id: name for name, id in asked.state.people.items()}
        pull.reviewers = [people[id] for id in body["reviewer_ids"]]
    pull.moved += 1
    return Reply(200, _merge_request(asked.state, pull))


def _approvals(asked: _Asked) -> Reply:
    given = [r for r in asked.pull.reviews if r.verdict == "APPROVED"]
    by = [{"user": _person(r.author), "approved_at": AT} for r in given]
    return Reply(200, {"approved": asked.state.approved(asked.pull), "approved_by": by})


def _reviewers(asked: _Asked) -> Reply:
    words = {"CHANGES_REQUESTED": "requested_changes", "COMMENTED": "reviewed"}
    last = {r.author: r.verdict for r in asked.pull.reviews}
    shown = [
        {"user": _person(name), "state": words.get(verdict, "approved"), "created_at": AT}
        for name, verdict in last.items()
    ]
    return Reply(200, shown)


def _discussions(asked: _Asked) -> Reply:
    pull = asked.pull
    single = [
        {"id": f"s{said.id}", "individual_note": True, "notes": [_note(said)]}
        for said in [*pull.said, Said(1, "dana", "added 1 commit", system=True)]
    ]
    return Reply(200, [*single, *(_discussion(thread) for thread in pull.threads)])


def _discussion(thread: KeptThread) -> Json:
    notes = [_note(said, thread) for said in thread.comments]
    return {"id": thread.id, "individual_note": False, "notes": notes}


def _thread(asked: _Asked) -> KeptThread:
    found = [thread for thread in asked.pull.threads if thread.id == asked.given["discussion"]]
    if not found:
        raise KeyError(asked.given["discussion"])
    return found[0]


def _one_discussion(asked: _Asked) -> Reply:
    return Reply(200, _discussion(_thread(asked)))


def _resolve(asked: _Asked) -> Reply:
    thread = _thread(asked)
    thread.resolved = bool(asked.body["resolved"])
    asked.pull.moved += 1
    return Reply(200, _discussion(thread))


def _reply(asked: _Asked) -> Reply:
    thread = _thread(asked)
    asked.pull.moved += 1
    return Reply(201, _note(_said(asked, thread.comments), thread))


def _notes(asked: _Asked) -> Reply:
    return Reply(200, [_note(said) for said in asked.pull.said])


def _new_note(asked: _Asked) -> Reply:
    asked.pull.moved += 1
    return Reply(201, _note(_said(asked, asked.pull.said)))


# Checks and merges


def _jobs(asked: _Asked) -> Reply:
    words = {None: "running", "success": "success", "failure": "failed", "skipped": "skipped"}
    shas = {pull.sha for pull in asked.state.pulls.values()}
    jobs = [
        {
            "id": check.id,
            "name": check.name,
            "status": words[check.conclusion],
            "allow_failure": check.may_fail,
            "web_url": f"https://gitlab.example/{asked.slug}/-/jobs/{check.id}",
            "failure_reason": "script_failure" if check.conclusion == "failure" else None,
        }
        for check in asked.state.checks
        if check.sha in shas and asked.given.get("sha", check.sha) == check.sha
    ]
    return Reply(200, jobs)


def _none(asked: _Asked) -> Reply:
    return Reply(200, [])


def _trace(asked: _Asked) -> Reply:
    id = int(asked.given["job"])
    return Reply(200, next(c.log for c in asked.state.checks if c.id == id).encode())


def _merge(asked: _Asked) -> Reply:
    state, pull, body = asked.state, asked.pull, asked.body
    if body.get("sha", pull.sha) != pull.sha:
        return Reply(409, {"message": f"SHA does not match HEAD of source branch: {pull.sha}"})
    if body.get("auto_merge") or body.get("merge_when_pipeline_succeeds"):
        pull.queued = True
        return Reply(200, _merge_request(state, pull))
    if _status(state, pull) != "mergeable":
        return Reply(405, {"message": "405 Method Not Allowed"})
    state.land(pull, "squash" if body.get("squash") else "merge")
    return Reply(200, _merge_request(state, pull))


def _cancel(asked: _Asked) -> Reply:
    if not asked.pull.queued:
        return Reply(406, {"message": "406 Not Acceptable"})
    asked.pull.queued = False
    return Reply(201, _merge_request(asked.state, asked.pull))


def _car(asked: _Asked) -> Reply:
    if not asked.pull.queued or not asked.state.has_queue:
        return _missing("")
    return Reply(200, {"id": 1, "status": "fresh", "merge_request": {"iid": asked.pull.number}})


def _board(asked: _Asked) -> Reply:
    if asked.body.get("sha", asked.pull.sha) != asked.pull.sha:
        return Reply(409, {"message": "SHA does not match HEAD of source branch"})
    asked.pull.queued = True
    return Reply(201, [{"id": 1, "status": "fresh"}])


P = r"/projects/(?P<project>[^/]+)"
MR = rf"{P}/merge_requests/(?P<iid>\d+)"
I = rf"{P}/issues/(?P<iid>\d+)"  # noqa: E741 - beside MR
D = rf"{MR}/discussions/(?P<discussion>[^/]+)"
_HANDLERS: dict[tuple[str, str], Callable[[_Asked], Reply]] = {
    ("GET", "/user"): _me,
    ("GET", "/users"): _users,
    ("GET", P): _project_answer,
    ("GET", f"{P}/users"): _members,
    ("GET", f"{P}/labels"): _labels,
    ("GET", rf"{P}/repository/branches/(?P<branch>[^/]+)"): _branch,
    ("GET", f"{P}/approval_rules"): _rules,
    ("GET", f"{P}/issues"): _issues,
    ("POST", f"{P}/issues"): _new_issue,
    ("GET", I): _one_issue,
    ("PUT", I): _update_issue,
    ("GET", f"{I}/notes"): _issue_notes,
    ("POST", f"{I}/notes"): _new_issue_note,
    ("GET", f"{P}/merge_requests"): _pulls,
    ("POST", f"{P}/merge_requests"): _create,
    ("GET", MR): _pull,
    ("PUT", MR): _update,
    ("GET", f"{MR}/approvals"): _approvals,
    ("GET", f"{MR}/reviewers"): _reviewers,
    ("GET", f"{MR}/discussions"): _discussions,
    ("GET", D): _one_discussion,
    ("PUT", D): _resolve,
    ("POST", f"{D}/notes"): _reply,
    ("GET", f"{MR}/notes"): _notes,
    ("POST", f"{MR}/notes"): _new_note,
    ("GET", rf"{P}/pipelines/\d+/jobs"): _jobs,
    ("GET", rf"{P}/pipelines/\d+/bridges"): _none,
    ("GET", rf"{P}/repository/commits/(?P<sha>[^/]+)/statuses"): _jobs,
    ("GET", rf"{P}/jobs/(?P<job>\d+)/trace"): _trace,
    ("PUT", f"{MR}/merge"): _merge,
    ("POST", f"{MR}/cancel_merge_when_pipeline_succeeds"): _cancel,
    ("GET", rf"{P}/merge_trains/merge_requests/(?P<iid>\d+)"): _car,
    ("POST", rf"{P}/merge_trains/merge_requests/(?P<iid>\d+)"): _board,
}
