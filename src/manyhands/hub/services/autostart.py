"""Services that start by themselves, with the session's keeper; none that a person has stopped."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, Reactor, fresh_item, worktree_of
from manyhands.hub.core.work import Held
from manyhands.hub.repos.trust import require_trusted_worktree
from manyhands.hub.services.services import wanting
from manyhands.model import events as e
from manyhands.model.attention.attention import SEEN_OPTIONS
from manyhands.model.ids import SessionId
from manyhands.model.service.order import start_order
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.services import load_services

log = logging.getLogger(__name__)
WARNING = "Its services could not be started"


class Autostart(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.on(e.KeeperStarted, lambda event: hub.spawn(self._start(event.session)))

    async def _start(self, id: SessionId) -> None:
        s = self._hub.state.session(id)
        if s is None or s.life.archived:
            return
        try:
            specs = await load_services(worktree_of(self._hub, s), s.workspace.ports)
            names = [n for n, spec in specs.items() if spec.autostart and not _is_declined(s, n)]
            if names:
                await require_trusted_worktree(self._hub, s)
                order = start_order(specs, names)
                await self._hub.decide(partial(wanting, id, specs, order, frozenset()))
        except Held:
            log.info("the services of %s wait for trust, which the next start asks for", id)
        except (ManyhandsError, OSError) as error:
            await self._hub.decide(partial(_warning, id, str(error)))


def _is_declined(s: Session, name: str) -> bool:
    known = s.services.get(name)
    return known is not None and known.declined


def _warning(id: SessionId, why: str, state: State) -> Iterator[e.AnyEvent]:
    """One is enough while it is open."""
    s = state.session(id)
    if s is None or any(item.summary == WARNING for item in s.inbox.items):
        return
    detail = {"text": why, "way_back": [f"manyhands service start {s.slug}"]}
    item = fresh_item(s, "bell", WARNING, detail, SEEN_OPTIONS)
    yield e.AttentionRaised(session=id, turn=s.main.turn, item=item)
