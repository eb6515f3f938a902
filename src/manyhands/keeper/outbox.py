"""Where everything a keeper has to tell goes out: events by the spool, live text beside it.

No agent has another way to the hub, so this is where secrets are taken out of what it says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from manyhands.keeper.saying import Saying
from manyhands.keeper.spool import Spool
from manyhands.model import clock, events
from manyhands.model.events import AnyEvent
from manyhands.model.ids import SessionId
from manyhands.model.live import AnyLive
from manyhands.model.redaction import Redactor


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
        self.news = asyncio.Event()
        self.stir = stir

    def tell(self, event: AnyEvent) -> None:
        """Keep the event until the hub has it; session and time are ours to say."""
        at = event.at or clock.now()
        stamped = msgspec.structs.replace(event, session=self.session, at=at)
        if isinstance(event, events.AgentMessage | events.AgentThought):
            self.saying.finish(event.message)
        self.spool.append(self.redactor.body(events.encode(stamped)))
        self.news.set()
        self.stir()

    def show(self, frame: AnyLive, turn: int) -> None:
        self.saying.hear(msgspec.structs.replace(frame, session=self.session, turn=turn))
        self.news.set()
