"""The hub at a glance."""

from __future__ import annotations

import os
from collections import Counter

import msgspec

from manyhands import __version__
from manyhands.hub.hub import Hub
from manyhands.model.clock import now
from manyhands.model.session import Session
from manyhands.model.views import SessionView, session_view


class HubStatus(msgspec.Struct, frozen=True):
    url: str
    pid: int
    version: str
    sessions: dict[str, int]
    limits: dict[str, int]
    home: str
    last_seq: int


def status(hub: Hub, url: str) -> HubStatus:
    counts: Counter[str] = Counter(
        s.status for s in hub.state.all_sessions().values() if not s.gone
    )
    working = {"working": hub.last_settings.limits.working}
    home = str(hub.home.root)
    return HubStatus(url, os.getpid(), __version__, dict(counts), working, home, hub.store.last_seq)


def list_sessions(hub: Hub, *, archived: bool, attention: bool) -> list[SessionView]:
    """Newest first."""
    sessions = sorted(hub.state.all_sessions().values(), key=lambda s: s.created_at, reverse=True)
    return [
        session_view(s)
        for s in sessions
        if (archived or not s.archived) and (not attention or _needs_person(s)) and not s.gone
    ]


def _needs_person(s: Session) -> bool:
    return any(item.awake(now()) for item in s.attention)
