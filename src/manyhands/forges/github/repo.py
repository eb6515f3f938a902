"""A repository on GitHub: the calls that issues, pull requests and merges need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from manyhands.errors import ForgeFailed, NotFound
from manyhands.forges import values as v
from manyhands.forges.forge import ALL, GONE, UNSEEN, closing_words
from manyhands.forges.github import answers as a
from manyhands.forges.github import reading
from manyhands.forges.github.line import GitHubLine
from manyhands.forges.github.texts import IN_QUEUE, QUEUE, THREAD_REST, THREADS
from manyhands.model.landing.merge_events import MergeMethod

MOST_FOUND = 1000
"""GitHub's search tells of no more."""
LOG_TAIL = 1024 * 1024


@dataclass(frozen=True)
class GitHub:
    line: GitHubLine
    slug: str

    pull_word = "pull request"

    @property
    def _root(self) -> str:
        owner, _, name = self.slug.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"

    def of(self, slug: str) -> GitHub:
        return GitHub(self.line, slug)

    def closes(self, issue_repo: str, number: int) -> str:
        return closing_words(self.slug, issue_repo, number)

    async def me(self) -> str:
        return a.name_of(await self.line.fetch(a.Account, "/user"))

    async def facts(self) -> v.RepoFacts:
        return reading.facts(await self.line.fetch(a.RepositoryAnswer, self._root))

    async def require_branch(self, name: str) -> None:
        try:
            await self._branch(name)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotFound(f"{self.slug} has no branch {name}") from error

    async def _branch(self, name: str) -> a.BranchAnswer:
        path = f"{self._root}/branches/{quote(name, safe='')}"
        return await self.line.fetch(a.BranchAnswer, path)

    async def protection(self, branch: str) -> v.Protection:
        """By the branch itself and by the rules for it; each tells what the other does not."""
        known = await self._branch(branch)
        by_branch = known.protection and known.protection.required_status_checks
        checks = list(by_branch.contexts) if by_branch else []
        rules = await self._rules(branch)
        kinds = {rule.type for rule in rules}
        given = [rule.parameters for rule in rules if rule.parameters]
        checks += [check.context for one in given for check in one.required_status_checks]
        return v.Protection(
            is_protected=known.protected or bool(rules),
            may_push=not known.protected and not kinds & {"pull_request", "update", "merge_queue"},
            approvals=max((one.required_approving_review_count for one in given), default=0),
            checks=tuple(dict.fromkeys(checks)),
            has_queue="merge_queue" in kinds or await self._has_queue(branch),
        )

    async def _rules(self, branch: str) -> list[a.BranchRule]:
        path = f"{self._root}/rules/branches/{quote(branch, safe='')}"
        try:
            return await self.line.fetch_all(a.BranchRule, path, ALL)
        except ForgeFailed as error:
            if error.status in UNSEEN:  # a server from before there were rules
                return []
            raise

    async def _has_queue(self, branch: str) -> bool:
        owner, _, name = self.slug.partition("/")
        asked = {"owner": owner, "name": name, "branch": branch}
        try:
            found = await self.line.query(a.QueueAnswer, QUEUE, **asked)
        except ForgeFailed as error:
            if error.unsure:
                raise
            return False  # a server from before there were queues
        return found.repository is not None and found.repository.merge_queue is not None

    # Issues

    async def issues(
        self, search: str = "", *, state: str = "open", most: int = 100
    ) -> list[v.ForgeIssue]:
        if search:
            return list(map(reading.issue, await self._found(search, state, most)))
        path = f"{self._root}/issues"
        listed = await self.line.fetch_all(a.IssueAnswer, path, most, state=state)
        return [reading.issue(issue) for issue in listed if issue.pull_request is None]

    async def _found(self, search: str, state: str, most: int) -> list[a.IssueAnswer]:
        standing = "" if state == "all" else f"is:{state} "
        asked = f"repo:{self.slug} is:issue {standing}{search}"
        found: list[a.IssueAnswer] = []
        most, size = min(most, MOST_FOUND), min(100, most)
        for page in range(1, -(-most // size) + 1):
            query: dict[str, str | int] = {"q": asked, "per_page": size, "page": page}
            part = await self.line.fetch(a.FoundIssues, "/search/issues", **query)
            found += part.items
            if len(part.items) < size:
                break
        return found[:most]

    async def issue(self, number: int) -> v.ForgeIssue:
        found = await self.line.fetch(a.IssueAnswer, f"{self._root}/issues/{number}")
        return reading.issue(found)

    async def issue_comments(self, number: int, most: int = ALL) -> list[v.ForgeComment]:
        path = f"{self._root}/issues/{number}/comments"
        return list(map(reading.comment, await self.line.fetch_all(a.CommentAnswer, path, most)))

    async def create_issue(
        self, title: str, body: str, *, labels: Sequence[str] = (), assignees: Sequence[str] = ()
    ) -> v.ForgeIssue:
        fields: dict[str, Any] = {"title": title, "body": body}
        fields |= {"labels": list(labels)} if labels else {}
        fields |= {"assignees": list(assignees)} if assignees else {}
        made = await self.line.send(a.IssueAnswer, "POST", f"{self._root}/issues", fields)
        return reading.issue(made)

    async def comment_issue(self, number: int, text: str) -> v.ForgeComment:
        path = f"{self._root}/issues/{number}/comments"
        return reading.comment(await self.line.send(a.CommentAnswer, "POST", path, {"body": text}))

    async def update_issue(
        self,
        number: int,
        *,
        state: v.IssueState | None = None,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        add_assignees: Sequence[str] = (),
    ) -> v.ForgeIssue:
        path = f"{self._root}/issues/{number}"
        if add_labels:
            await self.add_labels(number, add_labels)
        for label in remove_labels:
            await self._remove_label(number, label)
        if add_assignees:
            asked = {"assignees": list(add_assignees)}
            await self.line.send(msgspec.Raw, "POST", f"{path}/assignees", asked)
        if state is None:
            return await self.issue(number)
        changed = await self.line.send(a.IssueAnswer, "PATCH", path, {"state": state})
        return reading.issue(changed)

    async def _remove_label(self, number: int, label: str) -> None:
        path = f"{self._root}/issues/{number}/labels/{quote(label, safe='')}"
        try:
            await self.line.send(msgspec.Raw, "DELETE", path, None)
        except ForgeFailed as error:
            if error.status != GONE:
                raise

    # Pull requests

    async def pulls_from(self, head_repo: str, branch: str) -> list[v.Pull]:
        owner = head_repo.partition("/")[0]
        asked = {"state": "all", "sort": "created", "direction": "desc"}
        path = f"{self._root}/pulls"
        found = await self.line.fetch_all(
            a.PullAnswer, path, 100, head=f"{owner}:{branch}", **asked
        )
        # GitHub passes over a head that it cannot read, and then lists every pull request.
        return [
            pull
            for pull in map(reading.pull, found)
            if pull.head == branch and pull.head_repo.partition("/")[0].lower() == owner.lower()
        ]

    async def pull(self, number: int) -> v.Pull:
        return reading.pull(await self.line.fetch(a.PullAnswer, f"{self._root}/pulls/{number}"))

    async def create_pull(self, new: v.NewPull) -> v.Pull:
        owner, _, name = new.head_repo.partition("/")
        crossing = new.head_repo != self.slug
        fields: dict[str, Any] = {
            "title": new.title,
            "body": new.body,
            "head": f"{owner}:{new.head}" if crossing else new.head,
            "base": new.base,
            "draft": new.draft,
        }
        if crossing and name and owner == self.slug.partition("/")[0]:
            fields["head_repo"] = name
        made = await self.line.send(a.PullAnswer, "POST", f"{self._root}/pulls", fields)
        return reading.pull(made)

    async def update_pull(
        self,
        pull: v.Pull,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool | None = None,
    ) -> v.Pull:
        given = {"title": title, "body": body, "base": base}
        changed = {name: value for name, value in given.items() if value is not None}
        if changed:
            pull = await self._change(pull.number, changed)
        if draft is not None and draft != pull.draft:
            name = "convertPullRequestToDraft" if draft else "markPullRequestReadyForReview"
            await self._mutate(name, pullRequestId=pull.id)
            pull = msgspec.structs.replace(pull, draft=draft)
        return pull

    async def close_pull(self, number: int) -> v.Pull:
        return await self._change(number, {"state": "closed"})

    async def _change(self, number: int, fields: dict[str, str]) -> v.Pull:
        path = f"{self._root}/pulls/{number}"
        return reading.pull(await self.line.send(a.PullAnswer, "PATCH", path, fields))

    async def add_labels(self, number: int, labels: Sequence[str]) -> None:
        path = f"{self._root}/issues/{number}/labels"
        await self.line.send(list[a.Label], "POST", path, {"labels": list(labels)})

    async def labels(self) -> list[str]:
        found = await self.line.fetch_all(a.Label, f"{self._root}/labels", ALL)
        return [label.name for label in found if label.name]

    async def people(self) -> list[str]:
        found = await self.line.fetch_all(a.Account, f"{self._root}/assignees", ALL)
        return [a.name_of(account) for account in found if not a.is_bot(account)]

    async def ask_reviewers(self, number: int, reviewers: Sequence[str]) -> None:
        """A name with a slash is a team's."""
        people = [name for name in reviewers if "/" not in name]
        teams = [name.rpartition("/")[2] for name in reviewers if "/" in name]
        body = {"reviewers": people, "team_reviewers": teams}
        path = f"{self._root}/pulls/{number}/requested_reviewers"
        await self.line.send(msgspec.Raw, "POST", path, body)

    # What became of it

    async def reviews(self, number: int) -> list[v.Review]:
        path = f"{self._root}/pulls/{number}/reviews"
        return list(map(reading.review, await self.line.fetch_all(a.ReviewAnswer, path, ALL)))

    async def conversation(self, number: int) -> list[v.ForgeComment]:
        return await self.issue_comments(number)

    async def comment_pull(self, number: int, text: str) -> v.ForgeComment:
        return await self.comment_issue(number, text)

    async def threads(self, number: int) -> list[v.Thread]:
        owner, _, name = self.slug.partition("/")
        asked = {"owner": owner, "name": name, "number": number}
        found: list[v.Thread] = []
        after: str | None = None
        while len(found) < ALL:
            page = await self.line.query(a.ThreadsAnswer, THREADS, **asked, after=after)
            listed = page.repository.pull_request.review_threads
            found += [reading.thread(t, await self._whole(t)) for t in listed.nodes]
            after = listed.page_info.end_cursor
            if not listed.page_info.has_next_page:
                break
        return found

    async def _whole(self, thread: a.ThreadAnswer) -> list[a.ThreadComment]:
        said, page = list(thread.comments.nodes), thread.comments.page_info
        while page.has_next_page and len(said) < ALL:
            asked = {"id": thread.id, "after": page.end_cursor}
            more = await self.line.query(a.ThreadRestAnswer, THREAD_REST, **asked)
            if more.node is None:
                break
            said += more.node.comments.nodes
            page = more.node.comments.page_info
        return said

    async def reply(self, number: int, thread: str, comment: int, text: str) -> v.ForgeComment:
        path = f"{self._root}/pulls/{number}/comments/{comment}/replies"
        return reading.comment(await self.line.send(a.CommentAnswer, "POST", path, {"body": text}))

    async def resolve(self, number: int, thread: str) -> None:
        await self._mutate("resolveReviewThread", threadId=thread)

    async def _mutate(self, name: str, **what: str) -> None:
        """A change of the one thing that is named, by GraphQL; nothing is asked about it."""
        [(kind, id)] = what.items()
        text = f"mutation($id: ID!) {{ {name}(input: {{{kind}: $id}}) {{ clientMutationId }} }}"
        await self.line.query(dict[str, Any], text, id=id)

    # Checks and merges

    async def checks(self, pull: v.Pull) -> list[v.Check]:
        path = f"{self._root}/commits/{pull.sha}"
        runs = [reading.check_of_run(run) for run in await self._check_runs(path)]
        return runs + [reading.check_of_status(status) for status in await self._statuses(path)]

    async def _check_runs(self, path: str) -> list[a.CheckRun]:
        found: list[a.CheckRun] = []
        for page in range(1, ALL // 100):
            part = await self.line.fetch(a.CheckRuns, f"{path}/check-runs", per_page=100, page=page)
            found += part.check_runs
            if not part.check_runs or len(found) >= part.total_count:
                break
        return found

    async def _statuses(self, path: str) -> list[a.Status]:
        found: list[a.Status] = []
        for page in range(1, ALL // 100):
            part = await self.line.fetch(a.Statuses, f"{path}/status", per_page=100, page=page)
            found += part.statuses
            if not part.statuses or len(found) >= part.total_count:
                break
        return found

    async def failed_steps(self, check: v.Check) -> tuple[v.StepLog, ...]:
        """Of a job of GitHub's own; nothing where it is cleared away, or not for us to see."""
        if check.state != "failed" or not check.id:
            return ()
        path = f"{self._root}/actions/jobs/{check.id}"
        try:
            job = await self.line.fetch(a.WorkflowJob, path)
            failed = [step for step in job.steps if step.conclusion in reading.FAILED]
            said = await self.line.fetch_tail(f"{path}/logs", LOG_TAIL) if failed else b""
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return ()
            raise
        text = said.decode("utf-8", "replace")
        return tuple(v.StepLog(step.name, reading.part_of(text, step)) for step in failed)

    async def merge(self, number: int, *, method: MergeMethod, head: str) -> str:
        body = {"merge_method": method, "sha": head}
        path = f"{self._root}/pulls/{number}/merge"
        return (await self.line.send(a.MergeAnswer, "PUT", path, body)).sha

    async def queue(self, pull: v.Pull, *, method: MergeMethod) -> None:
        given: dict[str, str] = {"pullRequestId": pull.id, "expectedHeadOid": pull.sha}
        name = "enqueuePullRequest"
        if not await self._has_queue(pull.base):
            name = "enablePullRequestAutoMerge"
            given["mergeMethod"] = method.upper()
        kind = f"{name[0].upper()}{name[1:]}Input"
        text = f"mutation($it: {kind}!) {{ {name}(input: $it) {{ clientMutationId }} }}"
        await self.line.query(dict[str, Any], text, it=given)

    async def unqueue(self, pull: v.Pull) -> None:
        if await self._has_queue(pull.base):
            await self._mutate("dequeuePullRequest", id=pull.id)
        else:
            await self._mutate("disablePullRequestAutoMerge", pullRequestId=pull.id)

    async def is_queued(self, pull: v.Pull) -> bool:
        found = await self.line.query(a.QueueStateAnswer, IN_QUEUE, id=pull.id)
        node = found.node
        return node is not None and (node.is_in_merge_queue or node.auto_merge_request is not None)
