"""Where the web services of sessions are seen: their addresses, and what is behind each.

A web service is a port that was leased to a session, by its name, or a service on one, by its own.
"""

from __future__ import annotations

import msgspec

from manyhands.hub.core.hub import Hub
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.workspace.preview import preview_label, preview_url

CHANGES: tuple[type[e.Event], ...] = (
    *(e.SessionCreated, e.SessionArchived, e.SessionRestored),
    *(e.PortsLeased, e.ServiceWanted),
)
"""What there is to be seen may be another after them."""


class Behind(msgspec.Struct, frozen=True):
    """What a preview shows: a port on this machine's loopback."""

    session: SessionId
    slug: str
    service: str
    port: int
    stranger: str = ""
    """The session whose process listens there, where it is another."""
    tail: str = ""
    """The last lines of a service that crashed."""


class Previews:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.port = 0
        """Where they are served; 0 where they are not."""
        self._known: dict[str, tuple[SessionId, str]] | None = None
        for kind in CHANGES:
            hub.on(kind, self._forget)

    def urls(self, s: Session) -> dict[str, str]:
        """By the service's name."""
        if not self.port or s.life.archived:
            return {}
        return {name: preview_url(name, s.slug, s.id, self.port) for name in _ports(s)}

    def url(self, s: Session, service: str, port: int) -> str:
        """Of a service, which may not have run yet; without previews, the port itself."""
        urls = self.urls(s)
        names = (service, *(name for name, leased in _ports(s).items() if leased == port))
        plain = f"http://127.0.0.1:{port}/"
        return next((urls[name] for name in names if name in urls), plain) if port else ""

    def behind(self, label: str) -> Behind | None:
        """What has this first part of a host; None where nothing has."""
        if self._known is None:
            self._known = {
                preview_label(name, s.slug, s.id): (s.id, name)
                for s in self._hub.state.all_sessions().values()
                if not s.life.archived
                for name in _ports(s)
            }
        found = self._known.get(label)
        s = found and self._hub.state.session(found[0])
        port = _ports(s).get(found[1]) if s and found else None
        if not s or not found or s.life.archived or port is None:
            return None
        service = s.services.get(found[1])
        tail = service.tail if service and service.state == "crashed" else ""
        return Behind(s.id, s.slug, found[1], port, self._stranger(s, port), tail)

    def _stranger(self, s: Session, port: int) -> str:
        if any(one.port == port for one in s.workspace.listening):
            return ""
        others = (o for o in self._hub.state.all_sessions().values() if o.workspace.listening)
        taken = (o for o in others if any(one.port == port for one in o.workspace.listening))
        return next((o.slug for o in taken if o.id != s.id and not o.life.archived), "")

    def _forget(self, event: e.Event) -> None:
        self._known = None


def _ports(s: Session) -> dict[str, int]:
    served = {name: one.spec.port for name, one in s.services.items() if one.spec.port}
    return {**s.workspace.ports, **served}
