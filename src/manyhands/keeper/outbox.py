"""Where everything a keeper has to tell goes out: events by the spool, live frames beside it.

No agent has another way to the hub, so this is where secrets are taken out of what it says.

Deltas of one message run together while the hub reads slowly, so live text needs no queue:
what waits is never more than the text itself. The end of a text that could be the beginning of a
secret is shown once more of it has come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from manyhands.keeper.spool import Spool
from manyhands.keeper.watch.drawing import Patches
from manyhands.model import clock, events
from manyhands.model.events import AnyEvent
from manyhands.model.ids import ConversationId, MessageId, SessionId
from manyhands.model.live import AnyLive, Spoken, TextDelta, ToolProgress
from manyhands.model.redaction import Redacted, Redactor

LONGEST = 1024 * 1024
"""Characters of one unfinished message that are kept; the finished one is whole all the same."""

MOST_WAITING = 256 * 1024 * 1024
"""Bytes of events that wait for the hub before the agent has to."""

_Key = tuple[MessageId, bool]


class Outbox:
    """`news` is set whenever there is something that the hub has not been sent."""

    def __init__(
        self,
        session: SessionId,
        spool: Spool,
        stir: Callable[[], None],
        redactor: Redactor | None = None,
    ) -> None:
        self.session = session
        self.spool = spool
        self.redactor = redactor or Redactor()
        self.saying = Saying(self.redactor)
        self.patches = Patches(self.redactor.lines)
        self.news = asyncio.Event()
        self.stir = stir
        self._acknowledged = asyncio.Event()

    def tell(self, event: AnyEvent) -> None:
        """Keep the event until the hub has it; session and time are ours to say."""
        at = event.at or clock.now()
        stamped = msgspec.structs.replace(event, session=self.session, at=at)
        if isinstance(event, events.AgentMessage | events.AgentThought):
            self.saying.finish(event.message)
        self.spool.append(self.redactor.body(events.encode(stamped)))
        self.news.set()
        self.stir()

    def ack(self, upto: int) -> None:
        """The hub has everything up to there."""
        self.spool.ack(upto)
        self._acknowledged.set()

    async def room(self) -> None:
        """Returns once what waits is not too much."""
        while self.spool.waiting > MOST_WAITING:
            self._acknowledged.clear()
            await self._acknowledged.wait()

    def show(self, frame: Spoken, turn: int) -> None:
        self.saying.hear(msgspec.structs.replace(frame, session=self.session, turn=turn))
        self.news.set()


class Saying:
    """What the agent is saying right now: the text so far, and the part the hub has not seen."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._texts: dict[_Key, tuple[TextDelta, _Text]] = {}
        self._progress: dict[str, ToolProgress] = {}

    def hear(self, frame: Spoken) -> None:
        if isinstance(frame, ToolProgress):
            safe = Redacted(self._redactor).feed(frame.text)
            self._progress[frame.call] = msgspec.structs.replace(frame, text=safe)
            return
        key = (frame.message, frame.thinking)
        _, text = self._texts.get(key) or (frame, _Text(self._redactor))
        text.lay(frame.offset, frame.text)
        self._texts[key] = (frame, text)

    def finish(self, message: MessageId) -> None:
        """The whole message is an event now."""
        for thinking in (False, True):
            self._texts.pop((message, thinking), None)

    def fall_silent(self, conversation: ConversationId) -> None:
        said = [k for k, (frame, _) in self._texts.items() if frame.conversation == conversation]
        for key in said:
            self._texts.pop(key)
        self._progress.clear()

    def so_far(self) -> tuple[AnyLive, ...]:
        """Everything being said, from its start; nothing of it is unseen after this."""
        for _, text in self._texts.values():
            text.unsent = None
        self._progress.clear()
        return tuple(_frame(frame, 0, text) for frame, text in self._texts.values() if text.shown)

    def unseen(self) -> tuple[AnyLive, ...]:
        """What came since the last look."""
        frames: list[AnyLive] = [
            _frame(frame, text.unsent, text)
            for frame, text in self._texts.values()
            if text.unsent is not None
        ]
        frames += self._progress.values()
        for _, text in self._texts.values():
            text.unsent = None
        self._progress.clear()
        return tuple(frames)


def _frame(frame: TextDelta, offset: int, text: _Text) -> TextDelta:
    return msgspec.structs.replace(frame, offset=offset, text=text.shown[offset:])


class _Text:
    """One message that is being said: as it came, and as much of it as may be shown."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._stream = Redacted(redactor)
        self._came = ""
        self.shown = ""
        self.unsent: int | None = None
        """From where on the hub has not been sent what is shown."""

    def lay(self, offset: int, text: str) -> None:
        """`text` stands at `offset` of what came; an agent may take back what it had said."""
        room = LONGEST - len(self._came)
        if offset >= len(self._came):
            self._came += text[:room]
            self._show(len(self.shown), self._stream.feed(text[:room]))
            return
        self._came = (self._came[:offset] + text)[:LONGEST]
        self._stream = Redacted(self._redactor)
        shown = self._stream.feed(self._came)
        pairs = enumerate(zip(self.shown, shown, strict=False))
        same = next((n for n, (a, b) in pairs if a != b), min(len(self.shown), len(shown)))
        self._show(same, shown[same:])

    def _show(self, offset: int, text: str) -> None:
        if text or offset < len(self.shown):
            self.shown = self.shown[:offset] + text
            self.unsent = offset if self.unsent is None else min(offset, self.unsent)
