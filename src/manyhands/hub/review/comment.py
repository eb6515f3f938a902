"""A session's review: its comments, drafted, discarded, resolved, reopened, and each at its place.

Drafts live in the hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from manyhands.contract.review import CommentState, CommentView, Drafting, ReviewView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.files.checkpoints import make_checkpoint
from manyhands.hub.review.against import require_worktree
from manyhands.model import events as e
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.redaction import is_redacted
from manyhands.model.review import events as r
from manyhands.model.review.events import CommentId
from manyhands.model.review.review import Comment
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.comments import FoundComment, find_anchor, find_comments, find_standings
from manyhands.station.revert import find_stretch, put_in

LONGEST_COMMENT = 20_000
LONGEST_LINES = 200_000
MOST_LINES = 2000
MOST_COMMENTS = 500
_ID = re.compile(r"c[0-9a-z]{5}")


async def draft(hub: Hub, ref: str, given: Drafting) -> CommentView:
    s = await require_worktree(hub, ref)
    _require_sound(given)
    known = s.review.comment(given.id) if given.id else None
    anchor = known.anchor if known else await find_anchor(worktree_of(hub, s), given)
    id = CommentId(given.id or f"c{fresh_id(5)}")

    def drafted(state: State) -> Iterator[e.AnyEvent]:
        reviewing = require_session(state, s.id).review
        before = reviewing.comment(id)
        if before is not None and not before.is_pending:
            raise NotPossible(f"comment {id} was sent already", hint="reopen it, or write another")
        if before is None and len(reviewing.comments) >= MOST_COMMENTS:
            raise NotPossible(f"a session holds at most {MOST_COMMENTS} comments")
        yield r.CommentDrafted(
            session=s.id,
            turn=s.main.turn,
            comment=id,
            anchor=anchor,
            text=given.text,
            suggestion=given.suggestion,
        )

    await hub.decide(drafted)
    return await view(hub, s.id, id)


def _require_sound(given: Drafting) -> None:
    if given.id and not _ID.fullmatch(given.id):
        raise BadInput("a comment's id is a c and five letters or digits")
    if len(given.text) > LONGEST_COMMENT or len(given.suggestion or "") > LONGEST_LINES:
        raise BadInput(f"a comment has at most {LONGEST_COMMENT} characters")
    if not 0 <= given.start <= given.end or given.end - given.start >= MOST_LINES:
        raise BadInput(f"lines {given.start} to {given.end} are not lines of a file")
    if len(given.lines) > MOST_LINES or sum(map(len, given.lines)) > LONGEST_LINES:
        raise BadInput(f"a comment is about at most {MOST_LINES} lines")
    if given.start and not given.path:
        raise BadInput("lines need the path of their file")


async def view(hub: Hub, session: SessionId, id: str) -> CommentView:
    s = require_session(hub.state, session)
    [found] = await comment_views(hub, s, [require_comment(s, id)])
    return found


def require_comment(s: Session, id: str) -> Comment:
    found = s.review.comment(id)
    if found is None:
        raise NotFound(f"{s.slug} has no comment {id!r}", hint=f"`manyhands review {s.slug}`")
    return found


async def discard(hub: Hub, ref: str, id: str) -> None:
    """Drafts only: what the agent was told stays on record."""
    s = require_session(hub.state, ref)

    def discarded(state: State) -> Iterator[e.AnyEvent]:
        if require_comment(require_session(state, s.id), id).sent:
            raise NotPossible(f"comment {id} was sent already", hint="resolve it instead")
        yield r.CommentDiscarded(session=s.id, turn=s.main.turn, comment=CommentId(id))

    await hub.decide(discarded)


async def resolve(hub: Hub, ref: str, id: str) -> CommentView:
    s = require_session(hub.state, ref)
    require_comment(s, id)
    done = r.CommentResolved(session=s.id, turn=s.main.turn, comment=CommentId(id))
    await hub.record(done)
    return await view(hub, s.id, id)


async def reopen(hub: Hub, ref: str, id: str) -> CommentView:
    """Open again: only a change from now on addresses it, and the next message takes it along."""
    s = await require_worktree(hub, ref)
    standings = await find_standings(worktree_of(hub, s), [require_comment(s, id)])
    standing, _ = standings[id]
    event = r.CommentReopened(session=s.id, turn=s.main.turn, standing=standing)
    await hub.record(event)
    return await view(hub, s.id, id)


async def apply_suggestion(hub: Hub, ref: str, id: str) -> CommentView:
    """The suggestion takes the place of the lines that the comment is about, after a checkpoint."""
    s = await require_worktree(hub, ref)
    comment = require_comment(s, id)
    anchor, suggestion = comment.anchor, comment.suggestion
    if suggestion is None or not anchor.lines or anchor.side == "old":
        raise NotPossible(f"comment {id} suggests no lines")
    if is_redacted(suggestion):
        raise NotPossible(
            f"the suggestion of comment {id} held a secret, which was not kept",
            hint="write the lines into the file yourself",
        )
    worktree = worktree_of(hub, s)
    found = await find_stretch(worktree, anchor)
    if found is None:
        raise NotPossible(f"the lines of comment {id} are gone", hint="nothing was changed")
    made = await make_checkpoint(hub, s.id)
    await put_in(worktree, anchor.path, *found, suggestion)
    done = r.SuggestionApplied(
        session=s.id, turn=s.main.turn, comment=comment.id, checkpoint=made.id
    )
    await hub.record(done)
    return await view(hub, s.id, id)


async def review(hub: Hub, ref: str) -> ReviewView:
    s = require_session(hub.state, ref)
    comments = await comment_views(hub, s, s.review.comments)
    return ReviewView(
        session=s.id,
        verdict=s.review.verdict,
        reviewed=s.review.checkpoint,
        pending=sum(c.is_pending for c in s.review.comments),
        comments=comments,
    )


async def comment_views(hub: Hub, s: Session, comments: Sequence[Comment]) -> list[CommentView]:
    found = await find_comments(worktree_of(hub, s), comments)
    return [_view(*one) for one in zip(comments, found, strict=True)]


def _view(comment: Comment, found: FoundComment) -> CommentView:
    anchor = comment.anchor
    start, end = found.where or (anchor.start, anchor.end)
    return CommentView(
        id=comment.id,
        path=anchor.path,
        side=anchor.side,
        start=start,
        end=end,
        lines=anchor.lines,
        text=comment.text,
        suggestion=comment.suggestion,
        state=_state(comment, found.addressed),
        pending=comment.is_pending,
        outdated=found.where is None,
        answered=bool(comment.reply),
        addressed=found.addressed,
        reply=comment.reply,
        at=comment.at,
        sent=comment.sent,
    )


def _state(comment: Comment, addressed: bool) -> CommentState:
    if comment.resolved:
        return "resolved"
    if not comment.sent:
        return "draft"
    if addressed:
        return "addressed"
    return "answered" if comment.reply else "open"
