"""A project on GitLab: the calls that issues, merge requests and merges need."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from manyhands.errors import ForgeFailed, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.drafts import marked
from manyhands.forges.exchange import Line
from manyhands.forges.forge import ALL, GONE, UNSEEN, closing_words
from manyhands.forges.gitlab import answers as a
from manyhands.forges.gitlab import reading
from manyhands.forges.search import parse_search
from manyhands.model.landing.merge_events import MergeMethod

LOG_TAIL = 256 * 1024
INVALID = 422
DRAFT = "Draft:"
LOOKS = 10
PAUSE = 0.5
ON_THE_WAY = ("idle", "stale", "fresh", "merging")
"""Of a car of a merge train."""


@dataclass(frozen=True)
class GitLab:
    line: Line
    slug: str

    pull_word = "merge request"

    @property
    def _root(self) -> str:
        return f"/projects/{quote(self.slug, safe='')}"

    def of(self, slug: str) -> GitLab:
        return GitLab(self.line, slug)

    def closes(self, issue_repo: str, number: int) -> str:
        return closing_words(self.slug, issue_repo, number)

    async def me(self) -> str:
        return (await self._me()).username

    async def _me(self) -> a.Person:
        return await self.line.fetch(a.Person, "/user")

    async def facts(self) -> v.RepoFacts:
        project = await self._project()
        level = reading.access(project)
        return reading.facts(project, await self._level() if level is None else level)

    async def _project(self) -> a.Project:
        return await self.line.fetch(a.Project, self._root)

    async def _level(self) -> int:
        """Of somebody who is let in by a group that was invited; nobody else is told by this."""
        person = await self._me()
        try:
            path = f"{self._root}/members/all/{person.id}"
            return (await self.line.fetch(a.Access, path)).access_level
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return 0
            raise

    async def require_branch(self, name: str) -> None:
        try:
            await self._branch(name)
        except ForgeFailed as error:
            if error.status != GONE:
                raise
            raise NotFound(f"{self.slug} has no branch {name}") from error

    async def _branch(self, name: str) -> a.ProjectBranch:
        path = f"{self._root}/repository/branches/{quote(name, safe='')}"
        return await self.line.fetch(a.ProjectBranch, path)

    async def protection(self, branch: str) -> v.Protection:
        known, project = await self._branch(branch), await self._project()
        rules = await self._if_seen(list[a.ApprovalRule], f"{self._root}/approval_rules")
        return v.Protection(
            is_protected=known.protected,
            may_push=known.can_push,
            approvals=max((rule.approvals_required for rule in rules or ()), default=0),
            checks=("pipeline",) if project.only_allow_merge_if_pipeline_succeeds else (),
            has_queue=bool(project.merge_trains_enabled),
        )

    async def _if_seen(self, kind: type[Any], path: str) -> Any:
        """None where this GitLab has no such thing, or does not show it to us."""
        try:
            return await self.line.fetch(kind, path)
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return None
            raise

    # Issues

    async def issues(
        self, search: str = "", *, state: str = "open", most: int = 100
    ) -> list[v.ForgeIssue]:
        asked = parse_search(search, ("label", "author", "assignee", "milestone"))
        query: dict[str, str | int] = {
            "state": "opened" if state == "open" else state,
            "search": asked.words,
            "labels": ",".join(asked.terms.get("label", ())),
            "author_username": asked.first("author"),
            "assignee_username": asked.first("assignee"),
            "milestone": asked.first("milestone"),
            "order_by": "created_at",
            "sort": "desc",
        }
        given = {name: value for name, value in query.items() if value}
        path = f"{self._root}/issues"
        found = await self.line.fetch_all(a.IssueOfGitLab, path, most, **given)
        return list(map(reading.issue, found))

    async def issue(self, number: int) -> v.ForgeIssue:
        return reading.issue(await self._issue(number))

    async def _issue(self, number: int) -> a.IssueOfGitLab:
        return await self.line.fetch(a.IssueOfGitLab, f"{self._root}/issues/{number}")

    async def issue_comments(self, number: int, most: int = ALL) -> list[v.ForgeComment]:
        """What people said: GitLab notes there what was done, too."""
        url = (await self._issue(number)).web_url
        path = f"{self._root}/issues/{number}/notes"
        asked = {"sort": "asc", "order_by": "created_at"}
        notes = await self.line.fetch_all(a.Note, path, ALL, **asked)
        return [reading.comment(note, url) for note in notes if not note.system][:most]

    async def create_issue(
        self, title: str, body: str, *, labels: Sequence[str] = (), assignees: Sequence[str] = ()
    ) -> v.ForgeIssue:
        fields: dict[str, Any] = {"title": title, "description": body}
        fields |= {"labels": ",".join(labels)} if labels else {}
        fields |= {"assignee_ids": await self._ids(assignees)} if assignees else {}
        path = f"{self._root}/issues"
        return reading.issue(await self.line.send(a.IssueOfGitLab, "POST", path, fields))

    async def comment_issue(self, number: int, text: str) -> v.ForgeComment:
        return await self._note(f"{self._root}/issues/{number}", text)

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
        fields: dict[str, Any] = {}
        if state is not None:
            fields["state_event"] = "close" if state == "closed" else "reopen"
        fields |= {"add_labels": ",".join(add_labels)} if add_labels else {}
        fields |= {"remove_labels": ",".join(remove_labels)} if remove_labels else {}
        if add_assignees:
            there = [person.id for person in (await self._issue(number)).assignees]
            fields["assignee_ids"] = there + await self._ids(add_assignees)
        if not fields:
            return await self.issue(number)
        return reading.issue(await self.line.send(a.IssueOfGitLab, "PUT", path, fields))

    async def _ids(self, names: Sequence[str]) -> list[int]:
        found = []
        for name in names:
            people = await self.line.fetch(list[a.Person], "/users", username=name)
            if not people:
                raise ForgeFailed(f"{self.line.host} knows nobody named {name}", status=INVALID)
            found.append(people[0].id)
        return found

    async def _note(self, path: str, text: str) -> v.ForgeComment:
        made = await self.line.send(a.Note, "POST", f"{path}/notes", {"body": text})
        return reading.comment(made, "")

    # Merge requests

    async def pulls_from(self, head_repo: str, branch: str) -> list[v.Pull]:
        project = await self.of(head_repo)._project()
        asked = {"state": "all", "order_by": "created_at", "sort": "desc"}
        path = f"{self._root}/merge_requests"
        found = await self.line.fetch_all(a.MergeRequest, path, 100, source_branch=branch, **asked)
        return [
            reading.pull(one, project.path_with_namespace)
            for one in found
            if one.source_project_id == project.id
        ]

    async def pull(self, number: int) -> v.Pull:
        return await self._read(await self._merge_request(number))

    async def _merge_request(self, number: int) -> a.MergeRequest:
        return await self.line.fetch(a.MergeRequest, f"{self._root}/merge_requests/{number}")

    async def _read(self, answer: a.MergeRequest) -> v.Pull:
        return reading.pull(answer, await self._source(answer))

    async def _source(self, answer: a.MergeRequest) -> str:
        """The project that holds its branch; empty where it is gone."""
        if answer.source_project_id == answer.target_project_id:
            return self.slug
        if answer.source_project_id is None:
            return ""
        found = await self._if_seen(a.ProjectName, f"/projects/{answer.source_project_id}")
        return found.path_with_namespace if found else ""

    async def create_pull(self, new: v.NewPull) -> v.Pull:
        """Asked of the project that holds the branch."""
        source = self.of(new.head_repo)
        fields: dict[str, Any] = {
            "title": marked(new.title, new.draft, DRAFT),
            "description": new.body,
            "source_branch": new.head,
            "target_branch": new.base,
        }
        if source.slug != self.slug:
            fields["target_project_id"] = (await self._project()).id
        path = f"{source._root}/merge_requests"
        made = await self.line.send(a.MergeRequest, "POST", path, fields)
        return reading.pull(made, new.head_repo)

    async def update_pull(
        self,
        pull: v.Pull,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool | None = None,
    ) -> v.Pull:
        given = {"description": body, "target_branch": base}
        changed = {name: value for name, value in given.items() if value is not None}
        is_draft = pull.draft if draft is None else draft
        if title is not None or is_draft != pull.draft:
            changed["title"] = marked(pull.title if title is None else title, is_draft, DRAFT)
        return await self._change(pull.number, changed) if changed else pull

    async def close_pull(self, number: int) -> v.Pull:
        return await self._change(number, {"state_event": "close"})

    async def _change(self, number: int, fields: dict[str, Any]) -> v.Pull:
        path = f"{self._root}/merge_requests/{number}"
        return await self._read(await self.line.send(a.MergeRequest, "PUT", path, fields))

    async def add_labels(self, number: int, labels: Sequence[str]) -> None:
        await self._change(number, {"add_labels": ",".join(labels)})

    async def labels(self) -> list[str]:
        found = await self.line.fetch_all(a.LabelName, f"{self._root}/labels", ALL)
        return [label.name for label in found]

    async def people(self) -> list[str]:
        found = await self.line.fetch_all(a.Person, f"{self._root}/users", ALL)
        return [person.username for person in found if not reading.is_bot(person)]

    async def ask_reviewers(self, number: int, reviewers: Sequence[str]) -> None:
        there = [person.id for person in (await self._merge_request(number)).reviewers]
        ids = dict.fromkeys(there + await self._ids(reviewers))
        after = await self.line.send(
            a.MergeRequest,
            "PUT",
            f"{self._root}/merge_requests/{number}",
            {"reviewer_ids": list(ids)},
        )
        asked = {person.username for person in after.reviewers}
        if left := [name for name in reviewers if name not in asked]:
            raise ForgeFailed(f"{self.line.host} left out {', '.join(left)}", status=INVALID)

    # What became of it

    async def reviews(self, number: int) -> list[v.Review]:
        path = f"{self._root}/merge_requests/{number}"
        approvals = await self._if_seen(a.Approvals, f"{path}/approvals")
        reviewers = await self._if_seen(list[a.Reviewer], f"{path}/reviewers")
        return reading.reviews(approvals or a.Approvals(), reviewers or [])

    async def conversation(self, number: int) -> list[v.ForgeComment]:
        answer, discussions = await self._discussions(number)
        return [
            reading.comment(note, answer.web_url)
            for discussion in discussions
            if discussion.individual_note
            for note in discussion.notes
            if not note.system
        ]

    async def comment_pull(self, number: int, text: str) -> v.ForgeComment:
        return await self._note(f"{self._root}/merge_requests/{number}", text)

    async def threads(self, number: int) -> list[v.Thread]:
        """Those about the whole change too, which have no path."""
        answer, discussions = await self._discussions(number)
        return [
            reading.thread(discussion, answer.sha or "", answer.web_url)
            for discussion in discussions
            if not discussion.individual_note and discussion.notes
        ]

    async def _discussions(self, number: int) -> tuple[a.MergeRequest, list[a.Discussion]]:
        path = f"{self._root}/merge_requests/{number}/discussions"
        answer = await self._merge_request(number)
        return answer, await self.line.fetch_all(a.Discussion, path, ALL)

    async def reply(self, number: int, thread: str, comment: int, text: str) -> v.ForgeComment:
        path = f"{self._root}/merge_requests/{number}/discussions/{quote(thread, safe='')}"
        return await self._note(path, text)

    async def resolve(self, number: int, thread: str) -> None:
        path = f"{self._root}/merge_requests/{number}/discussions/{quote(thread, safe='')}"
        await self.line.send(msgspec.Raw, "PUT", path, {"resolved": True})

    # Checks and merges

    async def checks(self, pull: v.Pull) -> list[v.Check]:
        """The jobs of the newest pipeline, and what others say about the commit."""
        pipeline = (await self._merge_request(pull.number)).head_pipeline
        found: list[v.Check] = []
        place = pull.head_repo or self.slug
        if pipeline is not None:
            place = str(pipeline.project_id or place)
            for kind in ("jobs", "bridges"):
                path = f"{_project_path(place)}/pipelines/{pipeline.id}/{kind}"
                found += await self._checks_at(path, place)
        path = f"{_project_path(place)}/repository/commits/{pull.sha}/statuses"
        known = {check.name for check in found}
        return found + [x for x in await self._checks_at(path, place) if x.name not in known]

    async def _checks_at(self, path: str, place: str) -> list[v.Check]:
        try:
            jobs = await self.line.fetch_all(a.PipelineJob, path, ALL)
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return []
            raise
        return [reading.check(job, place) for job in jobs]

    async def failed_steps(self, check: v.Check) -> tuple[v.StepLog, ...]:
        """A job has one log; its steps are not told apart."""
        if check.state != "failed" or not check.id:
            return ()
        path = f"{_project_path(check.repo or self.slug)}/jobs/{check.id}/trace"
        try:
            said = reading.log(await self.line.fetch_tail(path, LOG_TAIL))
        except ForgeFailed as error:
            if error.status in UNSEEN:
                return ()
            raise
        return (v.StepLog(check.name, said),) if said else ()

    async def merge(self, number: int, *, method: MergeMethod, head: str) -> str:
        fields = await self._merging(method, head)
        path = f"{self._root}/merge_requests/{number}/merge"
        answer = await self.line.send(a.MergeRequest, "PUT", path, fields)
        for _ in range(LOOKS):
            if answer.state == "merged":
                return reading.landed(answer)
            await asyncio.sleep(PAUSE)
            answer = await self._merge_request(number)
        raise ForgeFailed(f"{self.line.host} took !{number} to merge and has not yet", status=503)

    async def _merging(self, method: MergeMethod, head: str) -> dict[str, Any]:
        """The project says whether a merge makes a commit; only squashing is ours to choose."""
        allowed = reading.methods(await self._project())
        if method not in allowed:
            raise NotPossible(
                f"{self.slug} does not merge by {method}", hint=f"--method {'|'.join(allowed)}"
            )
        return {"sha": head, "squash": method == "squash"}

    async def queue(self, pull: v.Pull, *, method: MergeMethod) -> None:
        # Servers know either word, by their age; what they do not know they pass over.
        fields = {"auto_merge": True, **await self._merging(method, pull.sha)}
        if (await self._project()).merge_trains_enabled:
            fields["when_pipeline_succeeds"] = True
            path = f"{self._root}/merge_trains/merge_requests/{pull.number}"
            await self.line.send(msgspec.Raw, "POST", path, fields)
            return
        fields["merge_when_pipeline_succeeds"] = True
        path = f"{self._root}/merge_requests/{pull.number}/merge"
        await self.line.send(msgspec.Raw, "PUT", path, fields)

    async def unqueue(self, pull: v.Pull) -> None:
        path = f"{self._root}/merge_requests/{pull.number}/cancel_merge_when_pipeline_succeeds"
        await self.line.send(msgspec.Raw, "POST", path, {})

    async def is_queued(self, pull: v.Pull) -> bool:
        if (await self._merge_request(pull.number)).merge_when_pipeline_succeeds:
            return True
        path = f"{self._root}/merge_trains/merge_requests/{pull.number}"
        car = await self._if_seen(a.TrainCar, path)
        return car is not None and car.status in ON_THE_WAY


def _project_path(place: str) -> str:
    """By its number, or by its path."""
    return f"/projects/{quote(place, safe='')}"
