"""Gitea's and Forgejo's answers in the words that all forges share."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from manyhands.forges import values as v
from manyhands.forges.drafts import is_marked, without_mark
from manyhands.forges.gitea import answers as a
from manyhands.model.landing.merge_events import MergeMethod

_CHECKS: dict[str, v.CheckState] = {
    "pending": "running",
    "success": "passed",
    "warning": "passed",
    "skipped": "skipped",
}
_BOTS = ("gitea-actions", "forgejo-actions")
_VERDICTS: dict[str, v.Verdict] = {
    "APPROVED": "approved",
    "REQUEST_CHANGES": "changes_requested",
    "COMMENT": "commented",
    "PENDING": "pending",
}


def name_of(user: a.User | None) -> str:
    return user.login if user else ""


def is_bot(user: a.User | None) -> bool:
    return bool(user and (user.login in _BOTS or user.login.endswith("[bot]")))


def facts(repo: a.RepoOfGitea) -> v.RepoFacts:
    parent = repo.parent if repo.fork else None
    allowed: dict[MergeMethod, bool] = {
        "merge": repo.allow_merge_commits,
        "squash": repo.allow_squash_merge,
        "rebase": repo.allow_rebase,
    }
    methods = [method for method, may in allowed.items() if may]
    methods.sort(key=lambda method: method != repo.default_merge_style)
    return v.RepoFacts(
        slug=repo.full_name,
        default_branch=repo.default_branch,
        url=repo.html_url,
        parent=parent.full_name if parent else "",
        parent_branch=parent.default_branch if parent else "",
        archived=repo.archived,
        may_push=repo.permissions is None or repo.permissions.push,
        methods=tuple(methods),
    )


def issue(answer: a.IssueOfGitea) -> v.ForgeIssue:
    return v.ForgeIssue(
        number=answer.number,
        title=answer.title,
        url=answer.html_url,
        state="closed" if answer.state == "closed" else "open",
        body=answer.body,
        author=name_of(answer.user),
        labels=tuple(label.name for label in answer.labels or ()),
        assignees=tuple(map(name_of, answer.assignees or ())),
        comments=answer.comments,
        updated_at=answer.updated_at,
    )


def comment(answer: a.CommentOfGitea | a.CodeComment) -> v.ForgeComment:
    return v.ForgeComment(
        id=answer.id,
        author=name_of(answer.user),
        body=answer.body,
        at=answer.created_at,
        url=answer.html_url,
        bot=is_bot(answer.user),
    )


def pull(answer: a.PullOfGitea) -> v.Pull:
    """Whether its base wants more than that there is no conflict is not in the answer."""
    draft = answer.draft or is_marked(answer.title)
    closed: v.PullState = "merged" if answer.merged else "closed"
    mergeable: v.Mergeable = "clean" if answer.mergeable else "dirty"
    stamp = (answer.updated_at, answer.comments, answer.review_comments)
    return v.Pull(
        number=answer.number,
        url=answer.html_url,
        state="open" if answer.state == "open" else closed,
        title=without_mark(answer.title),
        head=answer.head.ref,
        head_repo=answer.head.repo.full_name if answer.head.repo else "",
        sha=answer.head.sha,
        base=answer.base.ref,
        body=answer.body,
        author=name_of(answer.user),
        draft=draft,
        mergeable="draft" if draft else mergeable,
        merge_commit=answer.merge_commit_sha or "" if answer.merged else "",
        labels=tuple(label.name for label in answer.labels or ()),
        stamp=" ".join(map(str, stamp)),
    )


def review(answer: a.ReviewOfGitea) -> v.Review:
    verdict = _VERDICTS.get(answer.state, "pending")
    return v.Review(
        author=name_of(answer.user),
        verdict="dismissed" if answer.dismissed else verdict,
        id=str(answer.id),
        body=answer.body,
        url=answer.html_url,
        at=answer.submitted_at,
        bot=is_bot(answer.user),
    )


def threads(comments: Sequence[a.CodeComment], head: str) -> list[v.Thread]:
    """Remarks on one line of one side are one conversation, whichever reviews they came with."""
    gathered: dict[tuple[str, int, int], list[a.CodeComment]] = {}
    for one in sorted(comments, key=lambda one: one.id):
        place = (one.path, one.position, one.original_position)
        gathered.setdefault(place, []).append(one)
    return [_thread(said, head) for said in gathered.values()]


def _thread(said: list[a.CodeComment], head: str) -> v.Thread:
    first = said[0]
    return v.Thread(
        id=str(first.id),
        path=first.path,
        line=first.position,
        resolved=first.resolver is not None,
        outdated=bool(first.commit_id) and first.commit_id != head and not first.position,
        comments=tuple(map(comment, said)),
    )


def check(status: a.StatusOfGitea, base: str, jobs: dict[str, int]) -> v.Check:
    url = status.target_url
    url = f"{base}{url}" if url.startswith("/") else url
    return v.Check(
        name=status.context,
        state=_CHECKS.get(status.status, "failed"),
        id=jobs.get(url.rstrip("/"), 0),
        url=url,
        summary=status.description,
    )


def is_missing(wanted: str, checks: Sequence[v.Check]) -> bool:
    """Whether no check of that name, or pattern of names, has passed."""
    fitting = [check for check in checks if fnmatchcase(check.name, wanted)]
    return not fitting or any(check.state not in ("passed", "skipped") for check in fitting)
