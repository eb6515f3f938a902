"""The hub at a glance."""

from __future__ import annotations

import os
from collections import Counter

import msgspec

from manyhands import __version__
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.hub.new import is_unread
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.model.views import SessionView, session_view


class HubStatus(msgspec.Struct, frozen=True):
    url: str
    pid: int
    version: str
    sessions: dict[str, int]
    limits: dict[str, int]
    unread: int
    """Finished sessions that nobody has looked at."""
    home: str
    last_seq: int


def status(hub: Hub, url: str) -> HubStatus:
    counts: Counter[str] = Counter(
        s.status for s in hub.state.all_sessions().values() if not s.gone
    )
    limits = hub.last_settings.limits
    return HubStatus(
        url=url,
        pid=os.getpid(),
        version=__version__,
        sessions=dict(counts),
        limits={"working": limits.working, "unread": limits.unread},
        unread=sum(map(is_unread, hub.state.all_sessions().values())),
        home=str(hub.home.root),
        last_seq=hub.store.last_seq,
    )


def show(hub: Hub, ref: str) -> SessionView:
    s = require_session(hub.state, ref)
    return session_view(s, hub.feed.heard(s.id))


def list_sessions(hub: Hub, *, archived: bool, attention: bool) -> list[SessionView]:
    """Newest first."""
    sessions = sorted(hub.state.all_sessions().values(), key=lambda s: s.created_at, reverse=True)
    return [
        # What an agent offers is long, and asked for one session at a time.
        msgspec.structs.replace(session_view(s, hub.feed.heard(s.id)), commands=())
        for s in sessions
        if (archived or not s.archived) and (not attention or _needs_person(s)) and not s.gone
    ]


def _needs_person(s: Session) -> bool:
    return any(item.awake(now()) for item in s.attention)
