"""What the loopback GitHub keeps, and its answers, made from GitHub's own examples."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.forge.bare import Bare
from tests.support.forge.github_description import Description

AT = "2026-01-31T08:15:30Z"
R = "/repos/{owner}/{repo}"
Json = Any


@dataclass
class Pull:
    number: int
    title: str
    body: str
    head: str
    """The branch."""
    owner: str
    """Whose branch it is."""
    base: str
    draft: bool
    sha: str
    state: str = "open"
    merged: str = ""
    reviews: list[Json] = field(default_factory=list)
    threads: list[Json] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)
    queued: str = ""
    """`queue` in the merge queue, `auto` where it is merged once it may."""
    moved: int = 0


class GitHubState:
    """One repository, `acme/widgets`, its issues and pull requests, and a fork of it."""

    slug = "acme/widgets"
    fork = "casey/widgets"

    def __init__(self, root: Path, description: Description) -> None:
        self.description = description
        self.repos = {slug: Bare(root / f"{slug}.git") for slug in (self.slug, self.fork)}
        self.first = ""
        """The commit that the default branch began with."""
        self.rights: dict[str, set[str]] = {}
        """Which repositories a token may push to; a token that is not here is not known."""
        self.forget()

    def forget(self) -> None:
        """Nothing has happened yet."""
        for repo in self.repos.values():
            repo.begin_at(self.first)
        self.issues: dict[int, Json] = {}
        self.comments: dict[int, list[Json]] = {}
        self.labels: dict[int, list[str]] = {}
        self.pulls: dict[int, Pull] = {}
        self.runs: list[Json] = []
        self.statuses: list[Json] = []
        self.jobs: dict[int, Json] = {}
        self.logs: dict[int, str] = {}
        self.approvals = 0
        """How many approvals the base branch wants."""
        self.archived = False
        self.wanted_checks: list[str] = []
        self.protected: set[str] = set()
        self.known_labels = ["bug", "greeting"]
        self.people = ["casey", "dana"]
        self.queues: set[str] = set()
        """Branches with a merge queue."""
        self.methods = {"merge", "squash", "rebase"}

    @property
    def bare(self) -> Bare:
        return self.repos[self.slug]

    # What happens on the forge

    def add_issue(self, number: int, title: str, body: str, comments: tuple[str, ...] = ()) -> None:
        issue = self.description.example(f"{R}/issues", "get")[0]
        issue |= {
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "html_url": f"https://github.example/{self.slug}/issues/{number}",
            "comments": len(comments),
            "labels": [],
            "assignees": [],
        }
        issue.pop("pull_request", None)
        self.issues[number] = issue
        shape = self.description.example(f"{R}/issues/{{issue_number}}/comments", "get")[0]
        self.comments[number] = [{**copy.deepcopy(shape), "body": text} for text in comments]

    def add_review(self, number: int, author: str, state: str, text: str = "") -> None:
        shape = self.description.example(f"{R}/pulls/{{pull_number}}/reviews", "get")[0]
        shape["user"]["login"] = author
        pull = self.pulls[number]
        named = {"id": 800 + len(pull.reviews), "state": state, "body": text}
        pull.reviews.append({**shape, **named})
        pull.moved += 1

    def add_comment(self, number: int, author: str, text: str, *, bot: bool = False) -> None:
        """Of a pull request's conversation."""
        shape = self.description.example(f"{R}/issues/{{issue_number}}/comments", "get")[0]
        kept = self.comments.setdefault(number, [])
        shape["user"] |= {"login": author, "type": "Bot" if bot else "User"}
        kept.append({**shape, "id": 7000 + number + len(kept), "body": text})
        if number in self.pulls:
            self.pulls[number].moved += 1

    def add_thread(self, number: int, path: str, line: int, author: str, text: str) -> str:
        pull = self.pulls[number]
        id = f"PRRT_{number}_{len(pull.threads)}"
        url = f"https://github.example/{self.slug}/pull/{number}#r{len(pull.threads)}"
        first = {"body": text, "url": url, "databaseId": 500 + len(pull.threads), "createdAt": AT}
        comments = [{**first, "author": {"login": author, "__typename": "User"}}]
        pull.threads.append(
            {
                "id": id,
                "isResolved": False,
                "isOutdated": False,
                "path": path,
                "line": line,
                "comments": {"nodes": comments},
            }
        )
        pull.moved += 1
        return id

    def add_remark(self, thread: str, author: str, text: str) -> None:
        """One more comment of a thread."""
        for pull in self.pulls.values():
            for kept in pull.threads:
                if kept["id"] == thread:
                    first = kept["comments"]["nodes"][0]
                    who = {"login": author, "__typename": "User"}
                    kept["comments"]["nodes"].append({**first, "body": text, "author": who})
                    pull.moved += 1

    def said(self, thread: str) -> list[str]:
        [kept] = [t for p in self.pulls.values() for t in p.threads if t["id"] == thread]
        return [comment["body"] for comment in kept["comments"]["nodes"]]

    def is_resolved(self, thread: str) -> bool:
        [kept] = [t for p in self.pulls.values() for t in p.threads if t["id"] == thread]
        return bool(kept["isResolved"])

    def reopen_thread(self, thread: str) -> None:
        for pull in self.pulls.values():
            for kept in pull.threads:
                if kept["id"] == thread:
                    kept["isResolved"] = False
                    pull.moved += 1

    def add_check(self, sha: str, name: str, conclusion: str | None, id: int = 0) -> None:
        shape = self.description.example(f"{R}/commits/{{ref}}/check-runs", "get")["check_runs"][0]
        shape["app"]["slug"] = "github-actions"
        shape |= {
            "id": id or 9000 + len(self.runs),
            "head_sha": sha,
            "name": name,
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "html_url": f"https://github.example/{self.slug}/actions/job/{id}",
        }
        self.runs = [r for r in self.runs if (r["head_sha"], r["name"]) != (sha, name)] + [shape]

    def add_job(self, id: int, steps: list[Json], log: str) -> None:
        job = self.description.example(f"{R}/actions/jobs/{{job_id}}", "get")
        job |= {"id": id, "created_at": AT, "status": "completed", "conclusion": "failure"}
        job["steps"] = [{"number": n, "status": "completed", **s} for n, s in enumerate(steps, 1)]
        self.jobs[id], self.logs[id] = job, log

    def add_failure(self, sha: str, name: str, log: str) -> None:
        """A job of the forge's own that failed, with what it said."""
        id = 9500 + len(self.runs)
        self.add_check(sha, name, "failure", id=id)
        times = {"started_at": "2026-01-31T08:00:05Z", "completed_at": "2026-01-31T08:00:09Z"}
        stamped = "".join(f"2026-01-31T08:00:06.2Z {line}\n" for line in log.splitlines())
        self.add_job(id, [{"name": name, "conclusion": "failure", **times}], stamped)

    # Answers

    def look(self, pull: Pull) -> Pull:
        """As git has it now: a pull request without its branch closes."""
        if pull.state == "open":
            repo = self.repos[f"{pull.owner}/widgets"]
            tip = repo.tip(pull.head)
            if tip != pull.sha:
                pull.moved += 1
            pull.state = "open" if tip else "closed"
            pull.sha = tip or pull.sha
        return pull

    def repository(self, slug: str, token: str) -> Json:
        shape = self.description.example(R, "get")
        for part in (shape, shape.get("parent", {}), shape.get("source", {})):
            part |= {"language": "Python"}
        shape |= {
            "full_name": slug,
            "default_branch": "main",
            "fork": slug == self.fork,
            "archived": self.archived,
            "permissions": {"admin": False, "push": slug in self.rights[token], "pull": True},
            "allow_merge_commit": "merge" in self.methods,
            "allow_squash_merge": "squash" in self.methods,
            "allow_rebase_merge": "rebase" in self.methods,
        }
        if slug == self.fork:
            shape["parent"] |= {"full_name": self.slug, "default_branch": "main"}
        else:
            shape.pop("parent"), shape.pop("source")
        return shape

    def pull(self, pull: Pull, *, simple: bool = False) -> Json:
        self.look(pull)
        if simple:
            shape = self.description.example(f"{R}/pulls", "get")[0]
        else:
            shape = self.description.example(f"{R}/pulls/{{pull_number}}", "get")
        shape["requested_teams"] = []
        shape |= {
            "number": pull.number,
            "node_id": f"PR_{pull.number}",
            "html_url": f"https://github.example/{self.slug}/pull/{pull.number}",
            "title": pull.title,
            "body": pull.body,
            "draft": pull.draft,
            "state": pull.state,
            "merged_at": AT if pull.merged else None,
            "merge_commit_sha": pull.merged or None,
            "updated_at": f"2026-01-31T08:{pull.moved // 60:02}:{pull.moved % 60:02}Z",
        }
        shape["head"] |= {"ref": pull.head, "sha": pull.sha}
        shape["head"]["repo"]["full_name"] = f"{pull.owner}/widgets"
        shape["base"] |= {"ref": pull.base, "sha": self.bare.tip(pull.base)}
        if not simple:
            word = self.mergeable(pull)
            shape |= {"mergeable": word == "clean", "mergeable_state": word}
            shape["merged"] = bool(pull.merged)
        return shape

    def mergeable(self, pull: Pull) -> str:
        if pull.draft:
            return "draft"
        if pull.state == "open" and not self.bare.merges_clean(pull.base, pull.sha):
            return "dirty"
        approved = sum(review["state"] == "APPROVED" for review in pull.reviews)
        return "blocked" if approved < self.approvals else "clean"

    def check_runs(self, sha: str) -> Json:
        runs = [run for run in self.runs if run["head_sha"] == sha]
        return {"total_count": len(runs), "check_runs": runs}

    def combined(self, sha: str) -> Json:
        shape = self.description.example(f"{R}/commits/{{ref}}/status", "get")
        return {**shape, "sha": sha, "statuses": self.statuses, "total_count": len(self.statuses)}
