"""Live frames: what is on its way to becoming an event, or goes along with one. Never stored.

A text frame carries the message it belongs to and the offset at which it starts, so that
a reader who joins late gets the text so far and can lay later frames on it without a gap.
A patch is whole, so that the newest is all a reader needs; the event that follows it names the
content that it shows.
"""

from __future__ import annotations

import msgspec

from manyhands.model.ids import MAIN, ConversationId, MessageId, Oid, SessionId
from manyhands.model.workspace.diff import FileDiff


class LiveFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    session: SessionId
    live: bool = True
    turn: int = 0
    conversation: ConversationId = MAIN


class TextDelta(LiveFrame, frozen=True, kw_only=True, tag="text_delta"):
    """`offset` counts characters from the start of the message's text."""

    message: MessageId
    offset: int
    text: str
    thinking: bool = False
    parent: str = ""


class ToolProgress(LiveFrame, frozen=True, kw_only=True, tag="tool_progress"):
    """A tool call that the agent is still writing or running."""

    call: str
    tool: str
    text: str = ""


class Patched(LiveFrame, frozen=True, kw_only=True, tag="patched"):
    """One file against the base, for those who look at the session."""

    base: Oid
    file: FileDiff
    patch: str = ""
    """All of it, as the diff has it; empty where it is too large."""
    cut: bool = False
    """Whether the patch is to be asked for."""
    generated: bool = False
    number: int = 0
    """Counts a keeper's frames: whoever misses one asks for the whole diff."""


Spoken = TextDelta | ToolProgress
AnyLive = Spoken | Patched
