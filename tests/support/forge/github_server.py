"""GitHub on the loopback: its API over real state, git over HTTP, and faults on demand.

Every request and every answer of the API is held against GitHub's published descriptions; what
does not fit is in `complaints`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import graphql

from tests.support.forge.github_description import Description
from tests.support.forge.github_state import AT, GitHubState, Pull, R
from tests.support.forge.server import TOKEN, Fault, ForgeServer, Reply

__all__ = ["TOKEN", "Fault", "GitHubServer", "Reply"]
GRAPHQL = "/api/graphql"


class GitHubServer(ForgeServer):
    prefix = "/api/v3"

    def __init__(self, root: Path, description: Description) -> None:
        self.state = GitHubState(root, description)
        self.description = description
        super().__init__(root)

    def api_target(self, path: str) -> str | None:
        return "/graphql" if path == GRAPHQL else super().api_target(path)

    def plain(self, path: str) -> bytes | None:
        if not path.startswith("/logs/"):
            return None
        return bytes(self.state.logs[int(path.removeprefix("/logs/"))], "utf-8")

    def stranger(self) -> Reply:
        return Reply(401, {"message": "Bad credentials", "documentation_url": "d"})

    def broken(self, fault: Fault) -> Reply:
        body = {"message": fault.message, "documentation_url": "d"}
        return Reply(fault.status, body, fault.headers)

    def act(self, method: str, target: str, token: str, body: Any) -> Reply:
        if target == "/graphql":
            return self._graphql(body)
        return self._rest(method, target, token, body)

    def _rest(self, method: str, target: str, token: str, body: Any) -> Reply:
        wrong = self.description.complaints(method, target, body)
        self.complaints += [f"{method} {target}: {w}" for w in wrong]
        found = self.description.operation(method, urlsplit(target).path)
        if found is None:
            return _missing()
        template, given = found
        query = {k: v[0] for k, v in parse_qs(urlsplit(target).query).items()}
        reply = self._act(method, template, given, query, token, body or {})
        faults = self.description.answer_complaints(template, method, reply.status, reply.body)
        self.complaints += [f"our answer to {method} {target}: {w}" for w in faults]
        return reply

    def _act(
        self, method: str, template: str, given: Any, query: Any, token: str, body: Any
    ) -> Reply:
        slug = f"{given.get('owner')}/{given.get('repo')}"
        if template.startswith(R) and slug not in self.state.repos:
            return _missing()
        handler = _HANDLERS.get((method, template.removeprefix(R)))
        if handler is None:
            return _missing()
        number = int(given.get("pull_number") or given.get("issue_number") or 0)
        if "pull_number" in given and number not in self.state.pulls:
            return _missing()
        reply: Reply = handler(self, _Asked(slug, number, given, query, token, body))
        return reply

    # GraphQL

    def _graphql(self, body: Any) -> Reply:
        schema = self.description.graphql
        document = graphql.parse(body["query"])
        wrong = graphql.validate(schema, document)
        self.complaints += [f"graphql: {error.message}" for error in wrong]
        root = {
            "repository": lambda info, **given: {
                "pullRequest": self._threads,
                "mergeQueue": self._queue,
            },
            "node": self._node,
            "resolveReviewThread": self._resolve,
            "convertPullRequestToDraft": lambda info, input: self._draft(input, True),
            "markPullRequestReadyForReview": lambda info, input: self._draft(input, False),
            "enqueuePullRequest": lambda info, input: self._enqueue(input, "queue"),
            "enablePullRequestAutoMerge": lambda info, input: self._enqueue(input, "auto"),
            "dequeuePullRequest": lambda info, input: self._dequeue(input["id"], "queue"),
            "disablePullRequestAutoMerge": lambda info, input: self._dequeue(
                input["pullRequestId"], "auto"
            ),
        }
        done = graphql.execute_sync(
            schema, document, root_value=root, variable_values=body.get("variables")
        )
        self.complaints += [
            f"our graphql answer: {error.message}"
            for error in done.errors or ()
            if not isinstance(error.original_error, graphql.GraphQLError)  # that is an answer
        ]
        errors = [{"message": error.message} for error in done.errors or ()]
        return Reply(200, {"data": done.data, **({"errors": errors} if errors else {})})

    def _threads(self, info: Any, number: int) -> Any:
        if number not in self.state.pulls:
            raise graphql.GraphQLError(f"Could not resolve to a PullRequest with number {number}.")
        kept = self.state.pulls[number].threads
        return {"reviewThreads": lambda info, **given: _connection(list(map(_thread, kept)), given)}

    def _queue(self, info: Any, branch: str) -> Any:
        return {"id": f"MQ_{branch}"} if branch in self.state.queues else None

    def _node(self, info: Any, id: str) -> Any:
        if id.startswith("PR_"):
            queued = self.state.pulls[int(id.removeprefix("PR_"))].queued
            auto = {"enabledAt": AT} if queued == "auto" else None
            found = {"isInMergeQueue": queued == "queue", "autoMergeRequest": auto}
            return {"__typename": "PullRequest", **found}
        kept = [t for pull in self.state.pulls.values() for t in pull.threads if t["id"] == id]
        return {"__typename": "PullRequestReviewThread", **_thread(kept[0])} if kept else None

    def _enqueue(self, input: Any, how: str) -> Any:
        pull = self.state.look(self.state.pulls[int(input["pullRequestId"].removeprefix("PR_"))])
        if input.get("expectedHeadOid", pull.sha) != pull.sha:
            raise graphql.GraphQLError("Head sha did not match expected head sha.")
        if (how == "queue") != (pull.base in self.state.queues):
            raise graphql.GraphQLError("The merge queue decides, or there is none.")
        pull.queued = how
        return {"clientMutationId": None}

    def _dequeue(self, id: str, how: str) -> Any:
        pull = self.state.pulls[int(id.removeprefix("PR_"))]
        if pull.queued != how:
            raise graphql.GraphQLError("It is not queued.")
        pull.queued = ""
        return {"clientMutationId": None}

    def _resolve(self, info: Any, input: Any) -> Any:
        for pull in self.state.pulls.values():
            for thread in pull.threads:
                if thread["id"] == input["threadId"]:
                    thread["isResolved"] = True
                    pull.moved += 1
                    return {"thread": thread}
        raise graphql.GraphQLError("Could not resolve to a node")

    def _draft(self, input: Any, draft: bool) -> Any:
        pull = self.state.pulls[int(input["pullRequestId"].removeprefix("PR_"))]
        pull.draft = draft
        pull.moved += 1
        return {"pullRequest": {"isDraft": draft}}


@dataclass(frozen=True)
class _Asked:
    slug: str
    number: int
    given: dict[str, str]
    query: dict[str, str]
    token: str
    body: Any


def _connection(kept: list[Any], given: dict[str, Any]) -> Any:
    """A page of them, as GraphQL pages: cursors are places in the list."""
    first = int(given.get("after") or 0)
    last = first + int(given["first"])
    page = {"hasNextPage": last < len(kept), "endCursor": str(last)}
    return {"nodes": kept[first:last], "pageInfo": page}


def _thread(kept: Any) -> Any:
    said = kept["comments"]["nodes"]
    return {**kept, "comments": lambda info, **given: _connection(said, given)}


def _missing() -> Reply:
    return Reply(404, {"message": "Not Found", "documentation_url": "d", "status": "404"})


def _invalid(*messages: str) -> Reply:
    errors = [{"resource": "PullRequest", "code": "custom", "message": m} for m in messages]
    body = {"message": "Validation Failed", "documentation_url": "d", "errors": errors}
    return Reply(422, body)


def _page(items: list[Any], query: dict[str, str]) -> list[Any]:
    size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
    return items[(page - 1) * size : page * size]


def _repository(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, server.state.repository(asked.slug, asked.token))


def _branch(server: GitHubServer, asked: _Asked) -> Reply:
    tip = server.state.repos[asked.slug].tip(unquote(asked.given["branch"]))
    if not tip:
        return _missing()
    shape = server.description.example(f"{R}/branches/{{branch}}", "get")
    held = asked.given["branch"] in server.state.protected
    return Reply(200, {**shape, "name": asked.given["branch"], "protected": held})


def _rules(server: GitHubServer, asked: _Asked) -> Reply:
    state = server.state
    rules: list[Any] = []
    if state.approvals:
        wanted = {"required_approving_review_count": state.approvals}
        wanted |= dict.fromkeys(_OFF, False)
        rules.append({"type": "pull_request", "parameters": wanted})
    if state.wanted_checks:
        checks = [{"context": name} for name in state.wanted_checks]
        strict = {"strict_required_status_checks_policy": False}
        given = {"required_status_checks": checks, **strict}
        rules.append({"type": "required_status_checks", "parameters": given})
    return Reply(200, _page(rules, asked.query))


_OFF = (
    "dismiss_stale_reviews_on_push",
    "require_code_owner_review",
    "require_last_push_approval",
    "required_review_thread_resolution",
)


def _user(server: GitHubServer, asked: _Asked) -> Reply:
    found = server.description.example("/user", "get")
    return Reply(200, {**found, "login": "casey"})


def _issues(server: GitHubServer, asked: _Asked) -> Reply:
    listed = sorted(server.state.issues.values(), key=lambda issue: -issue["number"])
    state = asked.query.get("state", "open")
    return Reply(200, _page([x for x in listed if state in ("all", x["state"])], asked.query))


def _search(server: GitHubServer, asked: _Asked) -> Reply:
    pieces = asked.query["q"].split()
    words = [w for w in pieces if ":" not in w]
    labels = {w.removeprefix("label:") for w in pieces if w.startswith("label:")}
    fits = [
        {**issue, "score": 1.0}
        for issue in server.state.issues.values()
        if all(w.lower() in f"{issue['title']} {issue['body']}".lower() for w in words)
        and labels <= {label["name"] for label in issue["labels"]}
        and ("is:open" not in pieces or issue["state"] == "open")
    ]
    fits = _page(fits, asked.query)
    found = {"total_count": len(fits), "incomplete_results": False, "items": fits}
    return Reply(200, {**found, "search_type": "lexical"})


def _issue(server: GitHubServer, asked: _Asked) -> Reply:
    issue = server.state.issues.get(asked.number)
    return Reply(200, issue) if issue else _missing()


def _new_issue(server: GitHubServer, asked: _Asked) -> Reply:
    number = max([*server.state.issues, *server.state.pulls, 0]) + 1
    server.state.add_issue(number, asked.body["title"], asked.body.get("body", ""))
    issue = server.state.issues[number]
    _relabel(server, issue, asked.body.get("labels", []))
    issue["assignees"] = [_account(issue, name) for name in asked.body.get("assignees", ())]
    return Reply(201, issue)


def _account(issue: Any, name: str) -> Any:
    return {**issue["user"], "login": name}


def _relabel(server: GitHubServer, issue: Any, names: list[str]) -> None:
    shape = server.description.example(f"{R}/labels", "get")[0]
    issue["labels"] = [{**shape, "name": name} for name in names]
    server.state.labels[issue["number"]] = list(names)


def _update_issue(server: GitHubServer, asked: _Asked) -> Reply:
    issue = server.state.issues[asked.number]
    issue |= asked.body
    return Reply(200, issue)


def _assign(server: GitHubServer, asked: _Asked) -> Reply:
    issue = server.state.issues[asked.number]
    issue["assignees"] += [_account(issue, name) for name in asked.body["assignees"]]
    return Reply(201, issue)


def _unlabel(server: GitHubServer, asked: _Asked) -> Reply:
    issue = server.state.issues[asked.number]
    left = [label["name"] for label in issue["labels"] if label["name"] != asked.given["name"]]
    if len(left) == len(issue["labels"]):
        return _missing()
    _relabel(server, issue, left)
    return Reply(200, issue["labels"])


def _comments(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, _page(server.state.comments.get(asked.number, []), asked.query))


def _say(server: GitHubServer, asked: _Asked) -> Reply:
    server.state.add_comment(asked.number, "casey", asked.body["body"])
    return Reply(201, server.state.comments[asked.number][-1])


def _labels(server: GitHubServer, asked: _Asked) -> Reply:
    kept = server.state.labels.setdefault(asked.number, [])
    kept += [name for name in asked.body["labels"] if name not in kept]
    if asked.number in server.state.issues:
        _relabel(server, server.state.issues[asked.number], kept)
    template = f"{R}/issues/{{issue_number}}/labels"
    shape = server.description.example(template, "post")[0]
    return Reply(200, [{**shape, "name": name} for name in kept])


def _all_labels(server: GitHubServer, asked: _Asked) -> Reply:
    shape = server.description.example(f"{R}/labels", "get")[0]
    named = [{**shape, "name": name} for name in server.state.known_labels]
    return Reply(200, _page(named, asked.query))


def _assignees(server: GitHubServer, asked: _Asked) -> Reply:
    shape = server.description.example(f"{R}/assignees", "get")[0]
    named = [{**shape, "login": name} for name in server.state.people]
    return Reply(200, _page(named, asked.query))


def _pulls(server: GitHubServer, asked: _Asked) -> Reply:
    owner, _, branch = asked.query.get("head", ":").partition(":")
    pulls = [p for p in server.state.pulls.values() if (p.owner, p.head) == (owner, branch)]
    shown = [server.state.pull(p, simple=True) for p in reversed(pulls)]
    state = asked.query.get("state", "open")
    fitting = [p for p in shown if state in ("all", p["state"])]
    return Reply(200, _page(fitting, asked.query))


def _create(server: GitHubServer, asked: _Asked) -> Reply:
    state, body = server.state, asked.body
    owner, _, branch = f":{body['head']}".rpartition(":")
    owner = owner.strip(":") or asked.slug.partition("/")[0]
    tip = state.repos[f"{owner}/widgets"].tip(branch)
    if not tip or not state.bare.tip(body["base"]):
        return _invalid("head or base is invalid")
    for pull in map(state.look, state.pulls.values()):
        if (pull.owner, pull.head, pull.state) == (owner, branch, "open"):
            return _invalid(f"A pull request already exists for {owner}:{branch}.")
    number = 100 + len(state.pulls)
    made = Pull(
        number=number,
        title=body["title"],
        body=body.get("body", ""),
        head=branch,
        owner=owner,
        base=body["base"],
        draft=body.get("draft", False),
        sha=tip,
    )
    state.pulls[number] = made
    return Reply(201, state.pull(made))


def _pull(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, server.state.pull(server.state.pulls[asked.number]))


def _update(server: GitHubServer, asked: _Asked) -> Reply:
    pull = server.state.pulls[asked.number]
    for name in asked.body.keys() & {"title", "body", "base", "state"}:
        setattr(pull, name, asked.body[name])
    pull.moved += 1
    return Reply(200, server.state.pull(pull))


def _reviewers(server: GitHubServer, asked: _Asked) -> Reply:
    pull = server.state.pulls[asked.number]
    if "stranger" in asked.body["reviewers"]:
        return _invalid("Reviews may only be requested from collaborators.")
    pull.reviewers += asked.body["reviewers"]
    return Reply(201, server.state.pull(pull, simple=True))


def _reviews(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, _page(server.state.pulls[asked.number].reviews, asked.query))


def _reply(server: GitHubServer, asked: _Asked) -> Reply:
    pull, id = server.state.pulls[asked.number], int(asked.given["comment_id"])
    for thread in pull.threads:
        nodes = thread["comments"]["nodes"]
        if nodes[0]["databaseId"] == id:
            said = {"body": asked.body["body"], "url": nodes[0]["url"], "databaseId": id + 100}
            said["createdAt"] = AT
            nodes.append({**said, "author": {"login": "casey", "__typename": "User"}})
            pull.moved += 1
            template = f"{R}/pulls/{{pull_number}}/comments/{{comment_id}}/replies"
            made = server.description.example(template, "post", 201)
            made["user"]["login"] = "casey"
            return Reply(201, {**made, "body": said["body"]})
    return _missing()


def _runs(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, server.state.check_runs(asked.given["ref"]))


def _status(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(200, server.state.combined(asked.given["ref"]))


def _job(server: GitHubServer, asked: _Asked) -> Reply:
    job = server.state.jobs.get(int(asked.given["job_id"]))
    return Reply(200, job) if job else _missing()


def _log(server: GitHubServer, asked: _Asked) -> Reply:
    return Reply(302, None, (("Location", f"{server.url}/logs/{asked.given['job_id']}"),))


def _merge(server: GitHubServer, asked: _Asked) -> Reply:
    state = server.state
    pull = state.look(state.pulls[asked.number])
    method = asked.body.get("merge_method", "merge")
    if asked.body.get("sha", pull.sha) != pull.sha:
        return Reply(409, {"message": "Head branch was modified.", "documentation_url": "d"})
    word = state.mergeable(pull)
    if pull.state != "open" or word != "clean" or method not in state.methods:
        return Reply(
            405, {"message": f"Pull Request is not mergeable: {word}", "documentation_url": "d"}
        )
    pull.merged = state.bare.merge(pull.base, pull.sha, method, pull.title)
    pull.state = "closed"
    pull.moved += 1
    return Reply(200, {"sha": pull.merged, "merged": True, "message": "merged"})


_HANDLERS: dict[tuple[str, str], Any] = {
    ("GET", ""): _repository,
    ("GET", "/branches/{branch}"): _branch,
    ("GET", "/user"): _user,
    ("GET", "/rules/branches/{branch}"): _rules,
    ("GET", "/issues"): _issues,
    ("POST", "/issues"): _new_issue,
    ("PATCH", "/issues/{issue_number}"): _update_issue,
    ("POST", "/issues/{issue_number}/assignees"): _assign,
    ("DELETE", "/issues/{issue_number}/labels/{name}"): _unlabel,
    ("GET", "/search/issues"): _search,
    ("GET", "/issues/{issue_number}"): _issue,
    ("GET", "/issues/{issue_number}/comments"): _comments,
    ("POST", "/issues/{issue_number}/comments"): _say,
    ("POST", "/issues/{issue_number}/labels"): _labels,
    ("GET", "/labels"): _all_labels,
    ("GET", "/assignees"): _assignees,
    ("GET", "/pulls"): _pulls,
    ("POST", "/pulls"): _create,
    ("GET", "/pulls/{pull_number}"): _pull,
    ("PATCH", "/pulls/{pull_number}"): _update,
    ("POST", "/pulls/{pull_number}/requested_reviewers"): _reviewers,
    ("GET", "/pulls/{pull_number}/reviews"): _reviews,
    ("POST", "/pulls/{pull_number}/comments/{comment_id}/replies"): _reply,
    ("GET", "/commits/{ref}/check-runs"): _runs,
    ("GET", "/commits/{ref}/status"): _status,
    ("GET", "/actions/jobs/{job_id}"): _job,
    ("GET", "/actions/jobs/{job_id}/logs"): _log,
    ("PUT", "/pulls/{pull_number}/merge"): _merge,
}
