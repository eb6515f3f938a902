"""A whole review as one message that any agent can read: each comment by id, place and hunk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.model.review import Comment

MOST_SHOWN = 60


def review_message(words: str, comments: Sequence[tuple[Comment, tuple[int, int] | None]]) -> str:
    """`comments` with the lines that each is about now; None where they are gone."""
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


def _section(comment: Comment, where: tuple[int, int] | None) -> str:
    parts = [f"## Comment {comment.id}: {_place(comment, where)}"]
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


def _place(comment: Comment, where: tuple[int, int] | None) -> str:
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
