"""A WebSocket to a terminal, or to a command that runs in a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import msgspec
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from manyhands.client.address import credentials, hub_down, require_address
from manyhands.client.connection import READ_SECONDS, open_link, session_path
from manyhands.client.http import as_error
from manyhands.config import Home
from manyhands.contract.terminals import CommandRun
from manyhands.errors import NotTrusted


@contextmanager
def open_terminal_stream(
    home: Home, session: str, terminal: str, **asked: object
) -> Iterator[ClientConnection]:
    from urllib.parse import quote

    place = f"terminals/{quote(terminal, safe='')}/socket?{urlencode(asked)}"
    with _open(home, session_path(session, place)) as socket:
        yield socket


@contextmanager
def open_run(home: Home, session: str, command: tuple[str, ...]) -> Iterator[ClientConnection]:
    with _open(home, session_path(session, "run")) as socket:
        socket.send(msgspec.json.encode(CommandRun(command=command)).decode())
        yield socket


@contextmanager
def _open(home: Home, path: str) -> Iterator[ClientConnection]:
    address, headers = require_address(home), credentials(home)
    link = open_link(home, address, READ_SECONDS)
    uri = f"ws://127.0.0.1:{address.port}{path}"
    try:
        opened = connect(
            uri, sock=link, additional_headers=headers, compression=None, max_size=None
        )
        with opened as socket:
            yield socket
    except InvalidStatus as error:
        reply = error.response
        told = as_error(bytes(reply.body or b""), reply.status_code)
        raise told or NotTrusted(f"the hub refused it (HTTP {reply.status_code})") from error
    except WebSocketException as error:
        raise hub_down(home, "it went away") from error
