"""GitLab's answers in the words that all forges share."""

from __future__ import annotations

import re

from manyhands.forges import values as v
from manyhands.forges.drafts import is_marked, without_mark
from manyhands.forges.gitlab import answers as a
from manyhands.model.landing.merge_events import MergeMethod

DEVELOPER = 30
"""The least access level that may push."""
LOG_LINES = 200
_BOT = re.compile(r"(?:project|group)_\d+_bot|(?i:gitlab-bot$)|.*\[bot\]$")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|section_(?:start|end):\d+:[^\r\n]*\r?")
_STATES: dict[str, v.PullState] = {"merged": "merged", "closed": "closed"}
_CHECKS: dict[str, v.CheckState] = {
    "success": "passed",
    "failed": "failed",
    "canceled": "failed",
    "skipped": "skipped",
    "manual": "skipped",
}
_MERGEABLE: dict[str, v.Mergeable] = {
    "mergeable": "clean",
    "can_be_merged": "clean",
    "conflict": "dirty",
    "broken_status": "dirty",
    "cannot_be_merged": "dirty",
    "draft_status": "draft",
    "need_rebase": "behind",
    "checking": "unknown",
    "unchecked": "unknown",
    "preparing": "unknown",
    "approvals_syncing": "unknown",
    "cannot_be_merged_recheck": "unknown",
    "not_open": "unknown",
    "": "unknown",
}
"""Whatever else it says keeps the merge request from being merged."""


def name_of(person: a.Person | None) -> str:
    return person.username if person else ""


def is_bot(person: a.Person | None) -> bool:
    """Tokens of projects and groups act under names of this kind."""
    return bool(person and _BOT.match(person.username))


def methods(project: a.Project) -> tuple[MergeMethod, ...]:
    plain: MergeMethod = "rebase" if project.merge_method == "ff" else "merge"
    by_option: dict[str, tuple[MergeMethod, ...]] = {
        "never": (plain,),
        "always": ("squash",),
        "default_on": ("squash", plain),
    }
    return by_option.get(project.squash_option, (plain, "squash"))


def access(project: a.Project) -> int | None:
    """The token's level; None where the project itself does not tell."""
    given = project.permissions
    levels = (
        [x.access_level for x in (given.project_access, given.group_access) if x] if given else []
    )
    return max(levels) if levels else None


def facts(project: a.Project, level: int) -> v.RepoFacts:
    parent = project.forked_from_project
    return v.RepoFacts(
        slug=project.path_with_namespace,
        default_branch=project.default_branch or "",
        url=project.web_url,
        parent=parent.path_with_namespace if parent else "",
        parent_branch=(parent.default_branch or "") if parent else "",
        archived=project.archived,
        may_push=level >= DEVELOPER,
        methods=methods(project),
    )


def issue(answer: a.IssueOfGitLab) -> v.ForgeIssue:
    return v.ForgeIssue(
        number=answer.iid,
        title=answer.title,
        url=answer.web_url,
        state="closed" if answer.state == "closed" else "open",
        body=answer.description or "",
        author=name_of(answer.author),
        labels=tuple(answer.labels),
        assignees=tuple(map(name_of, answer.assignees)),
        comments=answer.user_notes_count,
        updated_at=answer.updated_at,
    )


def comment(note: a.Note, url: str) -> v.ForgeComment:
    return v.ForgeComment(
        id=note.id,
        author=name_of(note.author),
        body=note.body or "",
        at=note.created_at,
        url=f"{url}#note_{note.id}" if url else "",
        bot=is_bot(note.author),
    )


def pull(answer: a.MergeRequest, head_repo: str) -> v.Pull:
    word = answer.detailed_merge_status or answer.merge_status
    stamp = (answer.updated_at, answer.user_notes_count, answer.blocking_discussions_resolved)
    return v.Pull(
        number=answer.iid,
        url=answer.web_url,
        state=_STATES.get(answer.state, "open"),
        title=without_mark(answer.title),
        head=answer.source_branch,
        head_repo=head_repo,
        sha=answer.sha or "",
        base=answer.target_branch,
        body=answer.description or "",
        author=name_of(answer.author),
        draft=answer.draft or is_marked(answer.title),
        mergeable=_MERGEABLE.get(word, "blocked"),
        merge_commit=landed(answer),
        labels=tuple(answer.labels),
        stamp=" ".join(map(str, stamp)),
    )


def landed(answer: a.MergeRequest) -> str:
    """Where the target is then; merged by moving it forward there is no commit but its own."""
    if answer.state != "merged":
        return ""
    return answer.merge_commit_sha or answer.squash_commit_sha or answer.sha or ""


def reviews(approvals: a.Approvals, reviewers: list[a.Reviewer]) -> list[v.Review]:
    found = [
        v.Review(author=name_of(one.user), verdict="approved", at=one.approved_at or "")
        for one in approvals.approved_by
    ]
    words: dict[str, v.Verdict] = {
        "requested_changes": "changes_requested",
        "reviewed": "commented",
    }
    return found + [
        v.Review(author=name_of(one.user), verdict=words[one.state], at=one.created_at)
        for one in reviewers
        if one.state in words
    ]


def thread(discussion: a.Discussion, sha: str, url: str) -> v.Thread:
    first = discussion.notes[0]
    position = first.position or a.NotePosition()
    outdated = bool(position.head_sha) and position.head_sha != sha
    resolvable = [note for note in discussion.notes if note.resolvable]
    return v.Thread(
        id=discussion.id,
        path=position.new_path or position.old_path or "",
        line=0 if outdated else position.new_line or 0,
        resolved=bool(resolvable) and all(note.resolved for note in resolvable),
        outdated=outdated,
        comments=tuple(comment(note, url) for note in discussion.notes if not note.system),
    )


def check(job: a.PipelineJob, repo: str) -> v.Check:
    state = _CHECKS.get(job.status, "running")
    said = [job.description, (job.failure_reason or "").replace("_", " ")]
    if state == "failed" and job.allow_failure:
        state = "skipped"
        said.insert(0, "it failed, and is allowed to")
    return v.Check(
        name=job.name,
        state=state,
        id=job.id,
        repo=repo,
        url=job.web_url or job.target_url or "",
        summary="\n".join(filter(None, said)),
    )


def log(said: bytes) -> str:
    """The end of a job's log, without colours and marks of sections."""
    text = _CONTROL.sub("", said.decode("utf-8", "replace"))
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(lines[-LOG_LINES:]).strip()
