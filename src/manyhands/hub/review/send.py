"""Send to agent: all pending comments become one message, and each is followed from then on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from manyhands.contract.review import Sending, SentReview
from manyhands.contract.sessions import Words
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_session, worktree_of
from manyhands.hub.fleet.say import message_of, require_short
from manyhands.hub.review.against import require_worktree
from manyhands.hub.review.verdict import keep_judged
from manyhands.model import events as e
from manyhands.model.ids import CommandId
from manyhands.model.review import events as r
from manyhands.model.review.review import Comment
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.comments import LineSpan, find_standings
from manyhands.store import Decision

MOST_SHOWN = 60


async def send(
    hub: Hub,
    ref: str,
    given: Sending,
    *,
    command: CommandId | None = None,
    along: Sequence[e.AnyEvent] | None = None,
) -> SentReview:
    """`along` is recorded with it, for what no person asked for."""
    done = await hub.receipt(command)
    if done is not None:
        return msgspec.convert(done, SentReview)
    s = await require_worktree(hub, ref)
    _pending(s, given.comments)
    judged = await keep_judged(hub, s)
    pending = [c for c in s.review.comments if c.is_pending]
    standings = await find_standings(worktree_of(hub, s), pending)

    def decide(state: State) -> Decision[SentReview]:
        now_there = require_session(state, s.id)
        chosen = [c for c in _pending(now_there, given.comments) if c.id in standings]
        text = review_message(given.text, [(c, standings[c.id][1]) for c in chosen])
        require_short(text)
        later = given.follow_up and now_there.status not in ("idle", "failed")
        words = message_of(now_there, Words(text=text), later=later)
        if along is not None and isinstance(words, e.UserMessage):
            words = msgspec.structs.replace(words, by="hub")
        sent = r.ReviewSent(
            session=s.id,
            turn=now_there.main.turn,
            comments=tuple(standings[c.id][0] for c in chosen),
            message=words.message,
            tree=judged.tree,
            checkpoint=judged.checkpoint,
        )
        result = SentReview(s.id, words.message, tuple(c.id for c in chosen), later)
        return Decision((sent, words, *(along or ())), result)

    result = await hub.write(decide, command=command)
    return msgspec.convert(result, SentReview) if isinstance(result, dict) else result


def _pending(s: Session, ids: tuple[str, ...]) -> list[Comment]:
    """In the order of their places, so that an agent reads file by file."""
    chosen = [c for c in s.review.comments if c.is_pending and c.text.strip()]
    if ids:
        chosen = [c for c in chosen if c.id in ids]
    if not chosen:
        raise NotPossible("there is no comment to send", hint="write one, or reopen one")
    return sorted(chosen, key=lambda c: (c.anchor.path, c.anchor.start, c.at))


def review_message(words: str, comments: Sequence[tuple[Comment, LineSpan]]) -> str:
    """A whole review as any agent can read it: each comment by id, place and hunk.

    `comments` with the lines that each is about now; None where they are gone.
    """
    parts = [words.strip()] if words.strip() else []
    if comments:
        parts.append(_opening(len(comments), comments[0][0].id))
    parts += [_section(comment, where) for comment, where in comments]
    return "\n\n".join(parts)


def _opening(count: int, example: str) -> str:
    many = "1 comment" if count == 1 else f"{count} comments"
    return (
        f"Code review: {many} on your changes. Change the code as each one asks, or say why not. "
        f"In your answer, name the id of every comment that you reply to, such as {example}."
    )


def _section(comment: Comment, where: LineSpan) -> str:
    parts = [f"## Comment {comment.id}: {_where(comment, where)}"]
    if comment.anchor.lines:
        shown = comment.anchor.lines[:MOST_SHOWN]
        left = len(comment.anchor.lines) - len(shown)
        parts.append(_fenced(_hunk(comment, shown), "diff"))
        if left:
            parts.append(f"({left} more lines)")
    parts.append(comment.text.strip())
    if comment.suggestion is not None:
        parts.append("Suggested replacement for these lines:\n\n" + _fenced(comment.suggestion, ""))
    return "\n\n".join(part for part in parts if part)


def _where(comment: Comment, where: LineSpan) -> str:
    anchor = comment.anchor
    if not anchor.path:
        return "the change as a whole"
    name = f"`{anchor.path}`" if "`" not in anchor.path else anchor.path
    if not anchor.start:
        return f"the file {name}"
    start, end = where or (anchor.start, anchor.end)
    lines = f"line {start}" if start == end else f"lines {start} to {end}"
    if anchor.side == "old":
        lines += " of the old version (removed)"
    return f"{name}, {lines}" + ("" if where else ", which have changed since")


def _hunk(comment: Comment, shown: Sequence[str]) -> str:
    """The lines with what stands around them, marked as a diff marks them."""
    anchor = comment.anchor
    sign = "-" if anchor.side == "old" else ">"
    around = [f"  {line}" for line in anchor.before], [f"  {line}" for line in anchor.after]
    return "\n".join([*around[0], *(f"{sign} {line}" for line in shown), *around[1]])


def _fenced(text: str, language: str) -> str:
    """Fenced by more backticks than the text itself has in a row."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
