"""A repository on Gitea or Forgejo: the calls that issues, pull requests and merges need."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from manyhands.errors import ForgeFailed, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.drafts import marked
from manyhands.forges.exchange import Line
from manyhands.forges.forge import ALL, GONE, UNSEEN, closing_words
from manyhands.forges.gitea import answers as a
from manyhands.forges.gitea import reading
from manyhands.forges.search import parse_search
from manyhands.model.landing.merge_events import MergeMethod

LOG_TAIL = 256 * 1024
LOG_LINES = 200
MOST_PULLS = 500
"""There is no looking up by branch: so many of those that moved last are gone through."""
DRAFT = "WIP:"
UNKNOWN_WAY = (404, 405)
LOOKS = 3
PAUSE = 0.5
COLOUR = "#6a7280"
SCHEDULED = ("pull_scheduled_merge", "pull_cancel_scheduled_merge")
LOG_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ?")
T = TypeVar("T")


@dataclass(frozen=True)
class Gitea:
    line: Line
    slug: str

    pull_word = "pull request"

    @property
    def _root(self) -> str:
        owner, _, name = self.slug.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"

    def of(self, slug: str) -> Gitea:
        return Gitea(self.line, slug)

    def closes(self, issue_repo: str, number: int) -> str:
        return closing_words(self.slug, issue_repo, number)

    async def me(self) -> str:
        return (await self.line.fetch(a.User, "/user")).login

    async def facts(self) -> v.RepoFacts:
        return reading.facts(await self.line.fetch(a.RepoOfGitea, self._root))

    async def require_branch(self, name: str) -> None:
        try:
            await self._branch(name)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotFound(f"{self.slug} has no branch {name}") from error

    async def _branch(self, name: str) -> a.BranchOfGitea:
        return await self.line.fetch(
            a.BranchOfGitea, f"{self._root}/branches/{quote(name, safe='')}"
        )

    async def protection(self, branch: str) -> v.Protection:
        known = await self._branch(branch)
        return v.Protection(
            is_protected=known.protected,
            may_push=known.user_can_push,
            approvals=known.required_approvals,
            checks=tuple(known.status_check_contexts or ()) if known.enable_status_check else (),
        )

    async def _all(self, kind: type[T], path: str, most: int = ALL, **query: str | int) -> list[T]:
        return await self.line.fetch_all(kind, f"{self._root}{path}", most, **query)

    # Issues

    async def issues(
        self, search: str = "", *, state: str = "open", most: int = 100
    ) -> list[v.ForgeIssue]:
        asked = parse_search(search, ("label", "author", "assignee", "milestone"))
        query: dict[str, str | int] = {
            "type": "issues",
            "state": state,
            "q": asked.words,
            "labels": ",".join(asked.terms.get("label", ())),
            "created_by": asked.first("author"),
            "assigned_by": asked.first("assignee"),
            "milestones": ",".join(asked.terms.get("milestone", ())),
        }
        given = {name: value for name, value in query.items() if value}
        return list(map(reading.issue, await self._all(a.IssueOfGitea, "/issues", most, **given)))

    async def issue(self, number: int) -> v.ForgeIssue:
        return reading.issue(await self.line.fetch(a.IssueOfGitea, f"{self._root}/issues/{number}"))

    async def issue_comments(self, number: int, most: int = ALL) -> list[v.ForgeComment]:
        """All of them: these come without pages."""
        path = f"{self._root}/issues/{number}/comments"
        found = await self.line.fetch(list[a.CommentOfGitea], path)
        return list(map(reading.comment, found))[:most]

    async def create_issue(
        self, title: str, body: str, *, labels: Sequence[str] = (), assignees: Sequence[str] = ()
    ) -> v.ForgeIssue:
        fields: dict[str, Any] = {"title": title, "body": body}
        fields |= {"labels": await self._label_ids(labels)} if labels else {}
        fields |= {"assignees": list(assignees)} if assignees else {}
        path = f"{self._root}/issues"
        return reading.issue(await self.line.send(a.IssueOfGitea, "POST", path, fields))

    async def comment_issue(self, number: int, text: str) -> v.ForgeComment:
        path = f"{self._root}/issues/{number}/comments"
        return reading.comment(await self.line.send(a.CommentOfGitea, "POST", path, {"body": text}))

    async def update_issue(
        self,
        number: int,
        *,
        state: v.IssueState | None = None,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        add_assignees: Sequence[str] = (),
    ) -> v.ForgeIssue:
        if add_labels:
            await self.add_labels(number, add_labels)
        if remove_labels:
            await self._remove_labels(number, remove_labels)
        fields: dict[str, Any] = {}
        if state is not None:
            fields["state"] = state
        if add_assignees:
            there = (await self.issue(number)).assignees
            fields["assignees"] = list(dict.fromkeys((*there, *add_assignees)))
        if not fields:
            return await self.issue(number)
        path = f"{self._root}/issues/{number}"
        return reading.issue(await self.line.send(a.IssueOfGitea, "PATCH", path, fields))

    async def _remove_labels(self, number: int, labels: Sequence[str]) -> None:
        path = f"{self._root}/issues/{number}/labels"
        for label in await self.line.fetch(list[a.LabelOfGitea], path):
            if label.name in labels:
                await self.line.send(msgspec.Raw, "DELETE", f"{path}/{label.id}", None)

    async def _label_ids(self, names: Sequence[str]) -> list[int]:
        """Those of the repository and of its organisation; one that is not there is made."""
        known = {label.name: label.id for label in await self._all(a.LabelOfGitea, "/labels")}
        if set(names) - known.keys():
            known = await self._labels_of_owner() | known
        for name in names:
            if name not in known:
                fields = {"name": name, "color": COLOUR}
                path = f"{self._root}/labels"
                known[name] = (await self.line.send(a.LabelOfGitea, "POST", path, fields)).id
        return [known[name] for name in names]

    async def _labels_of_owner(self) -> dict[str, int]:
        owner = quote(self.slug.partition("/")[0], safe="")
        try:
            found = await self.line.fetch_all(a.LabelOfGitea, f"/orgs/{owner}/labels", ALL)
        except ForgeFailed as error:
            if error.status in UNSEEN:  # a person, who has none
                return {}
            raise
        return {label.name: label.id for label in found}

    # Pull requests

    async def pulls_from(self, head_repo: str, branch: str) -> list[v.Pull]:
        asked = {"state": "all", "sort": "recentupdate"}
        found = await self._all(a.PullOfGitea, "/pulls", MOST_PULLS, **asked)
        fitting = [
            pull
            for pull in map(reading.pull, found)
            if pull.head == branch and pull.head_repo.lower() == head_repo.lower()
        ]
        return sorted(fitting, key=lambda pull: -pull.number)

    async def pull(self, number: int) -> v.Pull:
        """Not mergeable may mean that it is still being looked at, so we look again."""
        for _ in range(LOOKS):
            pull = await self._pull(number)
            if pull.state != "open" or pull.mergeable != "dirty":
                break
            await asyncio.sleep(PAUSE)
        if pull.state == "open" and pull.mergeable == "clean" and await self._is_blocked(pull):
            return msgspec.structs.replace(pull, mergeable="blocked")
        return pull

    async def _pull(self, number: int) -> v.Pull:
        return reading.pull(await self.line.fetch(a.PullOfGitea, f"{self._root}/pulls/{number}"))

    async def _is_blocked(self, pull: v.Pull) -> bool:
        """Whether its base wants more approvals or checks than there are."""
        base = await self._branch(pull.base)
        if not base.user_can_merge:
            return True
        if base.required_approvals:
            reviews = await self._reviews(pull.number)
            given = [r for r in reviews if r.state == "APPROVED" and r.official and not r.dismissed]
            if len({reading.name_of(r.user) for r in given}) < base.required_approvals:
                return True
        if not base.enable_status_check or not base.status_check_contexts:
            return False
        checks = await self._statuses(pull.sha, {})
        return any(reading.is_missing(wanted, checks) for wanted in base.status_check_contexts)

    async def create_pull(self, new: v.NewPull) -> v.Pull:
        owner = new.head_repo.partition("/")[0]
        fields = {
            "title": marked(new.title, new.draft, DRAFT),
            "body": new.body,
            "head": new.head if new.head_repo == self.slug else f"{owner}:{new.head}",
            "base": new.base,
        }
        path = f"{self._root}/pulls"
        return reading.pull(await self.line.send(a.PullOfGitea, "POST", path, fields))

    async def update_pull(
        self,
        pull: v.Pull,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool | None = None,
    ) -> v.Pull:
        given = {"body": body, "base": base}
        changed = {name: value for name, value in given.items() if value is not None}
        is_draft = pull.draft if draft is None else draft
        if title is not None or is_draft != pull.draft:
            changed["title"] = marked(pull.title if title is None else title, is_draft, DRAFT)
        return await self._change(pull.number, changed) if changed else pull

    async def close_pull(self, number: int) -> v.Pull:
        return await self._change(number, {"state": "closed"})

    async def _change(self, number: int, fields: dict[str, str]) -> v.Pull:
        path = f"{self._root}/pulls/{number}"
        return reading.pull(await self.line.send(a.PullOfGitea, "PATCH", path, fields))

    async def add_labels(self, number: int, labels: Sequence[str]) -> None:
        path = f"{self._root}/issues/{number}/labels"
        fields = {"labels": await self._label_ids(labels)}
        await self.line.send(msgspec.Raw, "POST", path, fields)

    async def labels(self) -> list[str]:
        own = [label.name for label in await self._all(a.LabelOfGitea, "/labels")]
        return list(dict.fromkeys((*own, *await self._labels_of_owner())))

    async def people(self) -> list[str]:
        found = await self.line.fetch(list[a.User], f"{self._root}/reviewers")
        return [user.login for user in found if not reading.is_bot(user)]

    async def ask_reviewers(self, number: int, reviewers: Sequence[str]) -> None:
        """A name with a slash is a team's."""
        people = [name for name in reviewers if "/" not in name]
        teams = [name.rpartition("/")[2] for name in reviewers if "/" in name]
        body = {"reviewers": people, "team_reviewers": teams}
        path = f"{self._root}/pulls/{number}/requested_reviewers"
        await self.line.send(msgspec.Raw, "POST", path, body)

    # What became of it

    async def reviews(self, number: int) -> list[v.Review]:
        found = [x for x in await self._reviews(number) if x.state != "REQUEST_REVIEW"]
        return list(map(reading.review, found))

    async def _reviews(self, number: int) -> list[a.ReviewOfGitea]:
        return await self._all(a.ReviewOfGitea, f"/pulls/{number}/reviews")

    async def conversation(self, number: int) -> list[v.ForgeComment]:
        return await self.issue_comments(number)

    async def comment_pull(self, number: int, text: str) -> v.ForgeComment:
        return await self.comment_issue(number, text)

    async def threads(self, number: int) -> list[v.Thread]:
        head = (await self._pull(number)).sha
        return reading.threads(await self._remarks(number), head)

    async def _remarks(self, number: int) -> list[a.CodeComment]:
        reviews = [review for review in await self._reviews(number) if review.comments_count]
        asked = (self._remarks_of(number, review.id) for review in reviews)
        return [remark for found in await asyncio.gather(*asked) for remark in found]

    async def _remarks_of(self, number: int, review: int) -> list[a.CodeComment]:
        path = f"{self._root}/pulls/{number}/reviews/{review}/comments"
        return await self.line.fetch(list[a.CodeComment], path)

    async def reply(self, number: int, thread: str, comment: int, text: str) -> v.ForgeComment:
        """A remark on the same line, which is how a conversation goes on."""
        remarks = await self._remarks(number)
        first = next((one for one in remarks if str(one.id) == thread), None)
        if first is None:
            raise NotFound(f"{self.slug}#{number} has no such remark any more")
        said = {"path": first.path, "body": text}
        place = {"new_position": first.position, "old_position": first.original_position}
        path = f"{self._root}/pulls/{number}/reviews"
        body = {"event": "COMMENT", "comments": [{**said, **place}]}
        made = await self.line.send(a.ReviewOfGitea, "POST", path, body)
        own = await self._remarks_of(number, made.id)
        return reading.comment(own[0]) if own else v.ForgeComment(body=text)

    async def resolve(self, number: int, thread: str) -> None:
        try:
            path = f"{self._root}/pulls/comments/{thread}/resolve"
            await self.line.send(msgspec.Raw, "POST", path, None)
        except ForgeFailed as error:
            if error.status not in UNKNOWN_WAY:
                raise
            raise NotPossible(
                f"{self.line.host} has no way to resolve a remark but its page",
                hint="resolve it there; what is resolved there is resolved here",
            ) from error

    # Checks and merges

    async def checks(self, pull: v.Pull) -> list[v.Check]:
        found = await self._statuses(pull.sha, {})
        failed = any(check.state == "failed" and "/actions/" in check.url for check in found)
        return await self._statuses(pull.sha, await self._jobs(pull.sha)) if failed else found

    async def _statuses(self, commit: str, jobs: dict[str, int]) -> list[v.Check]:
        path = f"{self._root}/commits/{commit}/status"
        base = self._page_address
        found: list[v.Check] = []
        for page in range(1, ALL // self.line.page_size):
            asked = {"limit": self.line.page_size, "page": page}
            part = await self.line.fetch(a.CombinedStatus, path, **asked)
            found += [reading.check(status, base, jobs) for status in part.statuses or ()]
            if not part.statuses or len(found) >= part.total_count:
                break
        return found

    @property
    def _page_address(self) -> str:
        """Of the server's pages: statuses of its own jobs name them without it."""
        parts = urlsplit(self.line.api)
        return f"{parts.scheme}://{parts.netloc}"

    async def _jobs(self, commit: str) -> dict[str, int]:
        """Jobs of the server's own by their address; none where it does not tell of them."""
        found: dict[str, int] = {}
        try:
            path = f"{self._root}/actions/runs"
            runs = await self.line.fetch(a.ActionsRuns, path, head_sha=commit)
            for run in runs.workflow_runs or ():
                jobs = await self.line.fetch(a.ActionsJobs, f"{path}/{run.id}/jobs")
                found |= {job.html_url.rstrip("/"): job.id for job in jobs.jobs or ()}
        except ForgeFailed as error:
            if error.status not in (*UNSEEN, *UNKNOWN_WAY):
                raise
        return found

    async def failed_steps(self, check: v.Check) -> tuple[v.StepLog, ...]:
        """A job has one log; its steps are not told apart."""
        if check.state != "failed" or not check.id:
            return ()
        path = f"{self._root}/actions/jobs/{check.id}/logs"
        try:
            said = (await self.line.fetch_tail(path, LOG_TAIL)).decode("utf-8", "replace")
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return ()
            raise
        lines = [LOG_STAMP.sub("", line) for line in said.splitlines()]
        return (v.StepLog(check.name, "\n".join(lines[-LOG_LINES:])),) if lines else ()

    async def merge(self, number: int, *, method: MergeMethod, head: str) -> str:
        """The answer is empty, so the pull request itself is asked for the commit."""
        path = f"{self._root}/pulls/{number}/merge"
        await self.line.send(msgspec.Raw, "POST", path, {"Do": method, "head_commit_id": head})
        return (await self._pull(number)).merge_commit

    async def queue(self, pull: v.Pull, *, method: MergeMethod) -> None:
        path = f"{self._root}/pulls/{pull.number}/merge"
        body = {"Do": method, "head_commit_id": pull.sha, "merge_when_checks_succeed": True}
        await self.line.send(msgspec.Raw, "POST", path, body)

    async def unqueue(self, pull: v.Pull) -> None:
        path = f"{self._root}/pulls/{pull.number}/merge"
        await self.line.send(msgspec.Raw, "DELETE", path, None)

    async def is_queued(self, pull: v.Pull) -> bool:
        """Only the timeline tells."""
        found = await self._all(a.Happening, f"/issues/{pull.number}/timeline")
        last = [one.type for one in found if one.type in SCHEDULED][-1:]
        return last == ["pull_scheduled_merge"]
