"""Services over HTTP: what a session could run or runs, and what it says."""

from __future__ import annotations

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import SessionId
from manyhands.model.service.service import ServiceState
from manyhands.model.service.spec import Restart


class ServiceView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    slug: str
    name: str
    state: ServiceState
    port: int | None
    """The session's own, which it is told to listen on."""
    url: str
    """The address at which it is seen; empty without a port."""
    pid: int | None
    exit_code: int | None
    reason: str
    """Why it is as it is, where that is not as it should be."""
    tail: str
    """The last lines of one that crashed."""
    since: Instant
    starts: int
    """How often it was started since it was asked for."""
    command: str
    origin: str
    """"config", or the file in which it was found."""
    autostart: bool
    depends_on: tuple[str, ...]
    restart: Restart


class ServiceChoice(msgspec.Struct, forbid_unknown_fields=True):
    name: str = ""
    """Empty: all that the session's config names."""


class ServiceLogView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    name: str
    state: ServiceState
    begin: int
    """Where the text begins, in bytes that the service ever said; older ones may be gone."""
    next: int
    """Where the next text will begin."""
    text: str
