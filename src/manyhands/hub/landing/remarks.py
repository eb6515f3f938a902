"""What is said about a pull request, and checks that failed, as drafts of the session's review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from manyhands.contract.landing import CheckView, PrCommentView, PrReviewView, ThreadView
from manyhands.forges.issue_text import quoted
from manyhands.model.landing import events as le

LONGEST_TEXT = 16_000
"""A person who edits the comment may write a little more."""
SAYING: tuple[le.DraftKind, ...] = ("thread", "review", "comment")
_ASKS = {"approved": "approved", "changes_requested": "asked for changes", "dismissed": ""}


class Remarks(msgspec.Struct, frozen=True, kw_only=True):
    """All that people and programs say about it."""

    threads: Sequence[ThreadView] = ()
    reviews: Sequence[PrReviewView] = ()
    comments: Sequence[PrCommentView] = ()


def drafts_of(said: Remarks | None, checks: Sequence[CheckView]) -> Iterator[le.ReviewDraft]:
    """Open threads, words of reviews, the conversation, and failed checks."""
    for thread in said.threads if said else ():
        if thread.comments and not thread.resolved:
            yield of_thread(thread)
    for review in said.reviews if said else ():
        if review.text.strip() and review.state != "dismissed":
            yield _of_review(review)
    for comment in said.comments if said else ():
        if comment.text.strip():
            yield of_comment(comment)
    for check in checks:
        if check.state == "failed":
            yield of_check(check)


def of_thread(thread: ThreadView) -> le.ReviewDraft:
    return le.ReviewDraft(
        id=f"thread:{thread.id}",
        kind="thread",
        text=bounded("\n\n".join(map(_said, thread.comments))),
        author=thread.comments[0].author,
        path=thread.path,
        line=thread.line,
        url=thread.url,
        thread=thread.id,
        comment=thread.comment,
        bot=thread.bot,
    )


def _of_review(review: PrReviewView) -> le.ReviewDraft:
    verdict = _ASKS.get(review.state, "")
    who = f"{review.author} {verdict}".strip()
    return le.ReviewDraft(
        id=f"review:{review.id or review.url}",
        kind="review",
        text=bounded(f"{who}: {review.text}"),
        author=review.author,
        url=review.url,
        bot=review.bot,
    )


def of_comment(comment: PrCommentView) -> le.ReviewDraft:
    return le.ReviewDraft(
        id=f"comment:{comment.id}",
        kind="comment",
        text=bounded(f"{comment.author}: {comment.text}"),
        author=comment.author,
        url=comment.url,
        bot=comment.bot,
    )


def check_id(name: str, url: str) -> str:
    """Of one run of it."""
    return f"check:{name}:{url}"


def of_check(check: CheckView) -> le.ReviewDraft:
    logs = "\n\n".join(f"{step.name}:\n{step.log}" for step in check.steps)[-LONGEST_TEXT:]
    text = "\n\n".join(filter(None, (f"{check.name} failed", check.summary[:2000], logs)))
    id = check_id(check.name, check.url)
    return le.ReviewDraft(id=id, kind="check", text=text, author=check.name, url=check.url)


def with_reply(text: str, reply: le.IssueComment) -> str:
    """A thread's text after one more comment."""
    return bounded(f"{text}\n\n{_said(reply)}")


def _said(comment: le.IssueComment) -> str:
    return f"{comment.author}: {comment.body}"


def bounded(text: str) -> str:
    """How it began and what was said last."""
    if len(text) <= LONGEST_TEXT:
        return text
    first = LONGEST_TEXT // 4
    return f"{text[:first]}\n…\n{text[first - LONGEST_TEXT + 3 :]}"


_ORIGINS: dict[le.DraftKind, str] = {
    "check": "A check of the pull request failed.",
    "thread": "From the review:",
    "review": "From the review, about the whole:",
    "comment": "From the pull request's conversation:",
}


def remark(draft: le.ReviewDraft) -> str:
    """As the agent reads it: quoted as data, with its origin."""
    author = f"{draft.author} (a program)" if draft.bot and draft.author else draft.author
    origin = ", ".join(filter(None, (author, draft.url)))
    return f"{_ORIGINS[draft.kind]}\n\n{quoted(origin, draft.text)}"
