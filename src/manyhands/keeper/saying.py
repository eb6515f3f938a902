"""What the agent is saying right now: the text so far, and the part the hub has not seen.

Deltas of one message run together while the hub reads slowly, so live text needs no queue:
what waits is never more than the text itself.
"""

from __future__ import annotations

import msgspec

from manyhands.model.ids import ConversationId, MessageId
from manyhands.model.live import AnyLive, TextDelta, ToolProgress

LONGEST = 1024 * 1024
"""Characters of one unfinished message that are kept; the finished one is whole all the same."""

_Key = tuple[MessageId, bool]


class Saying:
    def __init__(self) -> None:
        self._texts: dict[_Key, TextDelta] = {}
        self._unsent: dict[_Key, int] = {}
        self._progress: dict[str, ToolProgress] = {}

    def hear(self, frame: AnyLive) -> None:
        if isinstance(frame, ToolProgress):
            self._progress[frame.call] = frame
            return
        key = (frame.message, frame.thinking)
        before = self._texts[key].text if key in self._texts else ""
        offset = min(frame.offset, len(before))
        whole = (before[:offset] + frame.text)[:LONGEST]
        self._texts[key] = msgspec.structs.replace(frame, offset=0, text=whole)
        self._unsent[key] = min(offset, self._unsent.get(key, offset))

    def finish(self, message: MessageId) -> None:
        """The whole message is an event now."""
        for thinking in (False, True):
            self._texts.pop((message, thinking), None)
            self._unsent.pop((message, thinking), None)

    def fall_silent(self, conversation: ConversationId) -> None:
        for key in [k for k, text in self._texts.items() if text.conversation == conversation]:
            self._texts.pop(key)
            self._unsent.pop(key, None)
        self._progress.clear()

    def so_far(self) -> tuple[AnyLive, ...]:
        """Everything being said, from its start; nothing of it is unseen after this."""
        self._unsent.clear()
        self._progress.clear()
        return tuple(self._texts.values())

    def unseen(self) -> tuple[AnyLive, ...]:
        """What came since the last look."""
        frames: list[AnyLive] = [
            msgspec.structs.replace(self._texts[key], offset=at, text=self._texts[key].text[at:])
            for key, at in self._unsent.items()
        ]
        frames += self._progress.values()
        self._unsent.clear()
        self._progress.clear()
        return tuple(frames)
