"""GitHub, github.com and Enterprise: the calls that issues, pull requests and merges need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from manyhands.errors import ForgeFailed, NotFound
from manyhands.forges import answers as a
from manyhands.forges.exchange import ForgeLine

MOST_ISSUES = 100
MOST_COMMENTS = 100
MOST_CHECKS = 300
LOG_TAIL = 1024 * 1024
GONE = 404
DELETED = 410
UNSEEN = (403, GONE, DELETED)
"""A log that was cleared away, or that a token for pull requests alone does not open."""

_THREADS = """
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100) {
        nodes {
          id isResolved isOutdated path line
          comments(first: 50) { nodes { body url databaseId author { login } } }
        }
      }
    }
  }
}
"""


class _PullThreads(msgspec.Struct, frozen=True, rename="camel"):
    review_threads: a.Nodes[a.Thread]


class _RepoThreads(msgspec.Struct, frozen=True, rename="camel"):
    pull_request: _PullThreads


class _Answer(msgspec.Struct, frozen=True):
    repository: _RepoThreads


@dataclass(frozen=True)
class GitHub:
    """One repository, `owner/name`, through an open line."""

    line: ForgeLine
    slug: str

    @property
    def _root(self) -> str:
        owner, _, name = self.slug.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"

    def of(self, slug: str) -> GitHub:
        """Another repository through the same line."""
        return GitHub(self.line, slug)

    async def repository(self) -> a.ForgeRepository:
        return await self.line.fetch(a.ForgeRepository, self._root)

    async def require_branch(self, name: str) -> None:
        try:
            await self.line.fetch(msgspec.Raw, f"{self._root}/branches/{quote(name, safe='')}")
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotFound(f"{self.slug} has no branch {name}") from error

    # Issues

    async def issues(self, search: str = "") -> list[a.IssueAnswer]:
        """Open issues, newest first, pull requests left out."""
        if search:
            asked = f"repo:{self.slug} is:issue is:open {search}"
            found = await self.line.fetch(
                a.FoundIssues, "/search/issues", q=asked, per_page=MOST_ISSUES
            )
            return found.items
        path = f"{self._root}/issues"
        listed = await self.line.fetch_all(a.IssueAnswer, path, MOST_ISSUES, state="open")
        return [issue for issue in listed if issue.pull_request is None]

    async def issue(self, number: int) -> a.IssueAnswer:
        return await self.line.fetch(a.IssueAnswer, f"{self._root}/issues/{number}")

    async def comments(self, number: int) -> list[a.CommentAnswer]:
        path = f"{self._root}/issues/{number}/comments"
        return await self.line.fetch_all(a.CommentAnswer, path, MOST_COMMENTS)

    # Pull requests

    async def pulls_from(self, owner: str, branch: str) -> list[a.Pull]:
        """Every pull request, open or not, whose head is that branch; newest first."""
        head = f"{owner}:{branch}"
        asked = {"head": head, "state": "all", "sort": "created", "direction": "desc"}
        pulls = await self.line.fetch_all(a.Pull, f"{self._root}/pulls", 100, **asked)
        # GitHub passes over a head that it cannot read, and then lists every pull request.
        return [pull for pull in pulls if pull.head.ref == branch and _owner(pull) == owner.lower()]

    async def create_pull(self, **fields: Any) -> a.Pull:
        return await self.line.send(a.Pull, "POST", f"{self._root}/pulls", fields)

    async def update_pull(self, number: int, **fields: Any) -> a.Pull:
        return await self.line.send(a.Pull, "PATCH", f"{self._root}/pulls/{number}", fields)

    async def pull(self, number: int) -> a.Pull:
        return await self.line.fetch(a.Pull, f"{self._root}/pulls/{number}")

    async def set_draft(self, pull: a.Pull, draft: bool) -> None:
        name = "convertPullRequestToDraft" if draft else "markPullRequestReadyForReview"
        await self._mutate(name, pullRequestId=pull.node_id)

    async def add_labels(self, number: int, labels: list[str]) -> None:
        path = f"{self._root}/issues/{number}/labels"
        await self.line.send(list[a.Label], "POST", path, {"labels": labels})

    async def ask_reviewers(self, number: int, reviewers: list[str]) -> None:
        """A name with a slash is a team's."""
        people = [name for name in reviewers if "/" not in name]
        teams = [name.rpartition("/")[2] for name in reviewers if "/" in name]
        body = {"reviewers": people, "team_reviewers": teams}
        path = f"{self._root}/pulls/{number}/requested_reviewers"
        await self.line.send(msgspec.Raw, "POST", path, body)

    # What became of it

    async def reviews(self, number: int) -> list[a.Review]:
        return await self.line.fetch_all(a.Review, f"{self._root}/pulls/{number}/reviews", 300)

    async def threads(self, number: int) -> list[a.Thread]:
        owner, _, name = self.slug.partition("/")
        found = await self.line.query(_Answer, _THREADS, owner=owner, name=name, number=number)
        return found.repository.pull_request.review_threads.nodes

    async def reply(self, number: int, comment: int, text: str) -> a.CommentAnswer:
        path = f"{self._root}/pulls/{number}/comments/{comment}/replies"
        return await self.line.send(a.CommentAnswer, "POST", path, {"body": text})

    async def resolve(self, thread: str) -> None:
        await self._mutate("resolveReviewThread", threadId=thread)

    async def _mutate(self, name: str, **what: str) -> None:
        """A change of the one thing that is named, by GraphQL; nothing is asked about it."""
        [(kind, id)] = what.items()
        text = f"mutation($id: ID!) {{ {name}(input: {{{kind}: $id}}) {{ clientMutationId }} }}"
        await self.line.query(dict[str, Any], text, id=id)

    async def check_runs(self, commit: str) -> list[a.CheckRun]:
        path = f"{self._root}/commits/{commit}/check-runs"
        found: list[a.CheckRun] = []
        for page in range(1, MOST_CHECKS // 100 + 1):
            part = await self.line.fetch(a.CheckRuns, path, per_page=100, page=page)
            found += part.check_runs
            if len(found) >= part.total_count:
                break
        return found

    async def statuses(self, commit: str) -> list[a.Status]:
        path = f"{self._root}/commits/{commit}/status"
        return (await self.line.fetch(a.Statuses, path, per_page=100)).statuses

    async def job(self, id: int) -> a.WorkflowJob | None:
        """The job of a check run; None where it is none of GitHub's own, or not for us to see."""
        try:
            return await self.line.fetch(a.WorkflowJob, f"{self._root}/actions/jobs/{id}")
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return None
            raise

    async def job_log(self, id: int) -> bytes:
        try:
            return await self.line.fetch_tail(f"{self._root}/actions/jobs/{id}/logs", LOG_TAIL)
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return b""
            raise

    async def merge(self, number: int, *, method: str, head: str) -> a.Merged:
        """Only if the head still is what was looked at."""
        body = {"merge_method": method, "sha": head}
        return await self.line.send(a.Merged, "PUT", f"{self._root}/pulls/{number}/merge", body)


def _owner(pull: a.Pull) -> str:
    return pull.head.repo.full_name.partition("/")[0].lower() if pull.head.repo else ""
