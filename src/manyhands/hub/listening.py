"""The sweep that tells on which ports sessions really listen; a port that is gone for a moment,
as at a restart of its server, is not gone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.session import Session
from manyhands.process.listening import Listener, Listeners

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

SECONDS = 2.0
MISSES = 3
"""So many sweeps in a row must miss a port before it is taken off the list."""


class Sweep:
    def __init__(self) -> None:
        self._missed: dict[tuple[SessionId, int], int] = {}
        self._listeners = Listeners()

    async def run(self, hub: Hub) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            sessions = [s for s in hub.state.all_sessions().values() if _may_listen(s)]
            if sessions:
                changed = self.changes(sessions, await asyncio.to_thread(self._listeners.find))
                if changed:
                    await hub.record(*changed)

    def changes(
        self, sessions: list[Session], listeners: list[Listener]
    ) -> list[e.ListeningChanged]:
        """What is new, and what has been missed often enough."""
        found: dict[str, dict[int, e.Listening]] = defaultdict(dict)
        for one in listeners:
            heard = found[one.session].get(one.port)
            if heard is None or one.pid < heard.pid:
                found[one.session][one.port] = e.Listening(one.port, one.pid, one.process)
        changed = []
        for s in sessions:
            heard_now = self._settled(s, found[s.id])
            if heard_now != s.listening:
                changed.append(e.ListeningChanged(session=s.id, at=now(), listening=heard_now))
        return changed

    def _settled(self, s: Session, found: dict[int, e.Listening]) -> tuple[e.Listening, ...]:
        kept = dict(found)
        for old in s.listening:
            key = (s.id, old.port)
            if old.port in found:
                self._missed.pop(key, None)
                continue
            self._missed[key] = self._missed.get(key, 0) + 1
            if self._missed[key] < MISSES:
                kept[old.port] = old
            else:
                del self._missed[key]
        return tuple(kept[port] for port in sorted(kept))


def _may_listen(s: Session) -> bool:
    """What a session started may outlive its keeper, so one that ever worked is looked at."""
    return not s.archived and bool(s.epoch or s.listening or s.setup)
