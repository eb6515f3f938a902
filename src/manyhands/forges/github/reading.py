"""GitHub's answers in the words that all forges share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from manyhands.forges import values as v
from manyhands.forges.github import answers as a
from manyhands.model.landing.merge_events import MergeMethod

FAILED = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")
LOG_LINES = 200
_STAMP = re.compile(r"^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S*Z ?", re.MULTILINE)
_MERGEABLE: dict[str, v.Mergeable] = {word: word for word in get_args(v.Mergeable)}
_MERGEABLE["has_hooks"] = "clean"


def facts(answer: a.RepositoryAnswer) -> v.RepoFacts:
    parent = answer.parent if answer.fork else None
    allowed: dict[MergeMethod, bool] = {
        "merge": answer.allow_merge_commit,
        "squash": answer.allow_squash_merge,
        "rebase": answer.allow_rebase_merge,
    }
    return v.RepoFacts(
        slug=answer.full_name,
        default_branch=answer.default_branch,
        url=answer.html_url,
        parent=parent.full_name if parent else "",
        parent_branch=parent.default_branch if parent else "",
        archived=answer.archived,
        may_push=answer.permissions is None or answer.permissions.push,
        methods=tuple(method for method, may in allowed.items() if may),
    )


def issue(answer: a.IssueAnswer) -> v.ForgeIssue:
    names = (x if isinstance(x, str) else x.name for x in answer.labels)
    return v.ForgeIssue(
        number=answer.number,
        title=answer.title,
        url=answer.html_url,
        state="closed" if answer.state == "closed" else "open",
        body=answer.body or "",
        author=a.name_of(answer.user),
        labels=tuple(filter(None, names)),
        assignees=tuple(map(a.name_of, answer.assignees or ())),
        comments=answer.comments,
        updated_at=answer.updated_at,
    )


def comment(answer: a.CommentAnswer) -> v.ForgeComment:
    return v.ForgeComment(
        id=answer.id,
        author=a.name_of(answer.user),
        body=answer.body,
        at=answer.created_at,
        url=answer.html_url,
        bot=a.is_bot(answer.user),
    )


def pull(answer: a.PullAnswer) -> v.Pull:
    state: v.PullState = "merged" if answer.merged_at else "closed"
    return v.Pull(
        number=answer.number,
        url=answer.html_url,
        state="open" if answer.state == "open" else state,
        title=answer.title,
        head=answer.head.ref,
        head_repo=answer.head.repo.full_name if answer.head.repo else "",
        sha=answer.head.sha,
        base=answer.base.ref,
        id=answer.node_id,
        body=answer.body or "",
        author=a.name_of(answer.user),
        draft=answer.draft,
        mergeable=_MERGEABLE.get(answer.mergeable_state, "unknown"),
        merge_commit=answer.merge_commit_sha or "",
        labels=tuple(filter(None, (label.name for label in answer.labels))),
        stamp=answer.updated_at,
    )


def review(answer: a.ReviewAnswer) -> v.Review:
    verdicts: dict[str, v.Verdict] = {word.upper(): word for word in get_args(v.Verdict)}
    return v.Review(
        author=a.name_of(answer.user),
        verdict=verdicts.get(answer.state, "commented"),
        id=str(answer.id or ""),
        body=answer.body,
        url=answer.html_url,
        at=answer.submitted_at,
        bot=a.is_bot(answer.user),
    )


def thread(answer: a.ThreadAnswer, comments: Sequence[a.ThreadComment]) -> v.Thread:
    return v.Thread(
        id=answer.id,
        path=answer.path,
        line=answer.line or 0,
        resolved=answer.is_resolved,
        outdated=answer.is_outdated,
        comments=tuple(
            v.ForgeComment(
                id=c.database_id or 0,
                author=a.name_of(c.author),
                body=c.body,
                at=c.created_at,
                url=c.url,
                bot=a.is_bot(c.author),
            )
            for c in comments
        ),
    )


def check_of_run(run: a.CheckRun) -> v.Check:
    state: v.CheckState = "passed"
    if run.status != "completed":
        state = "running"
    elif run.conclusion in FAILED:
        state = "failed"
    elif run.conclusion in ("skipped", "neutral"):
        state = "skipped"
    own = run.app is not None and run.app.slug == "github-actions"
    return v.Check(
        name=run.name,
        state=state,
        id=run.id if own else 0,
        url=run.html_url or "",
        summary="\n".join(filter(None, (run.output.title, run.output.summary))),
    )


def check_of_status(status: a.Status) -> v.Check:
    states: dict[str, v.CheckState] = {"pending": "running", "success": "passed"}
    return v.Check(
        name=status.context,
        state=states.get(status.state, "failed"),
        url=status.target_url or "",
        summary=status.description or "",
    )


def part_of(said: str, step: a.WorkflowStep) -> str:
    """The step's lines, by the time that each carries, without it; bounded from the end."""
    first, last = (step.started_at or "")[:19], (step.completed_at or "9999")[:19]
    lines, inside = [], False
    for line in said.splitlines():
        if stamp := _STAMP.match(line):
            inside = first <= stamp[1] <= last
        if inside:
            lines.append(_STAMP.sub("", line))
    return "\n".join(lines[-LOG_LINES:])
