"""A session that listens on a port which another has leased is told of, as long as it does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from manyhands.hub.core import Hub, Reactor, fresh_item
from manyhands.model import events as e
from manyhands.model.attention.attention import SEEN_OPTIONS, Resolution
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State

ABOUT = "trespass"
"""Of such an item's detail: the ports that it is about."""


class Trespass(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.on(e.ListeningChanged, lambda event: self._look(event.session))

    def _look(self, id: SessionId) -> None:
        if any(told(id, self._hub.state)):
            self._hub.spawn(self._hub.decide(partial(told, id)))


def told(id: SessionId, state: State) -> Iterator[e.AnyEvent]:
    """What a person must know by now, and need not know any more."""
    s = state.session(id)
    if s is None or s.life.archived:
        return
    found = _taken(s, state)
    is_told = False
    for item in s.inbox.items:
        if ABOUT in item.detail and item.detail[ABOUT] == sorted(found):
            is_told = True
        elif ABOUT in item.detail:
            over = Resolution(("seen",), text="it listens there no more", by="hub")
            yield e.AttentionResolved(session=id, item=item.id, resolution=over)
    if found and not is_told:
        ports = ", ".join(f"{port} of {other}" for port, other in sorted(found.items()))
        detail = {
            ABOUT: sorted(found),
            "text": f"Something in {s.slug} listens on a port that another session has leased: "
            f"{ports}. Its own are in PORT and MANYHANDS_PORT_<NAME>; it seems to ignore them.",
            "way_back": [f"manyhands service stop {s.slug}"],
        }
        item = fresh_item(s, "bell", f"{s.slug} listens on port {ports}", detail, SEEN_OPTIONS)
        yield e.AttentionRaised(session=id, turn=s.main.turn, item=item)


def _taken(s: Session, state: State) -> dict[int, str]:
    """Ports of others on which it listens, each with the slug of its holder."""
    leased = {
        port: other.slug
        for other in state.all_sessions().values()
        if other.id != s.id and not other.life.archived
        for port in other.workspace.ports.values()
    }
    return {one.port: leased[one.port] for one in s.workspace.listening if one.port in leased}
