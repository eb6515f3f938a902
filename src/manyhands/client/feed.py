"""A session's events and live frames as they happen, without a gap over lost connections."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from manyhands.client.address import credentials, hub_down, require_address
from manyhands.client.calls import RECONNECT_SECONDS, seq_of
from manyhands.client.connection import READ_SECONDS, open_link
from manyhands.config import Home
from manyhands.contract.live import REVOKED, UNKNOWN
from manyhands.errors import HubDown, NotFound, NotTrusted
from manyhands.model.clock import monotonic

_PAUSE = 0.2
_FRAME_BYTES = 64 * 1024 * 1024


def follow(home: Home, session: str, after: int) -> Iterator[msgspec.Raw]:
    """Never ends by itself: the reader stops, or the hub stays away too long."""
    deadline: float | None = None
    while True:
        try:
            for frame in _frames(home, session, after):
                after = max(after, seq_of(frame))
                deadline = None
                yield frame
        except (ConnectionClosed, HubDown) as error:
            _require_welcome(error)
            now = monotonic()
            deadline = deadline or now + RECONNECT_SECONDS
            if now >= deadline:
                raise hub_down(home, "it went away") from error
        time.sleep(_PAUSE)


def _frames(home: Home, session: str, after: int) -> Iterator[msgspec.Raw]:
    address, headers = require_address(home), credentials(home)
    uri = f"ws://127.0.0.1:{address.port}/api/events?after={after}&session={session}"
    link = open_link(home, address, READ_SECONDS)
    try:
        socket = connect(uri, sock=link, additional_headers=headers, max_size=_FRAME_BYTES)
    except InvalidStatus as error:
        status = error.response.status_code
        raise NotTrusted(f"the hub refused to show its events (HTTP {status})") from error
    except (OSError, WebSocketException) as error:
        raise hub_down(home) from error
    with socket:
        while True:
            yield from msgspec.json.decode(socket.recv(), type=list[msgspec.Raw])


def _require_welcome(error: Exception) -> None:
    closed = error.rcvd if isinstance(error, ConnectionClosed) else None
    if closed is not None and closed.code == REVOKED:
        raise NotTrusted("the token was revoked while following", hint="manyhands up") from error
    if closed is not None and closed.code == UNKNOWN:
        raise NotFound(closed.reason) from error
