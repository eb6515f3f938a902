"""Live frames: what is on its way to becoming an event. Never stored.

A text frame carries the message it belongs to and the offset at which it starts, so that
a reader who joins late gets the text so far and can lay later frames on it without a gap.
"""

from __future__ import annotations

import msgspec

from manyhands.model.ids import MAIN, ConversationId, MessageId, SessionId


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


AnyLive = TextDelta | ToolProgress
