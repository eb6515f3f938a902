"""The hub's process: startup, serve until told to stop, shutdown."""

from __future__ import annotations

import asyncio
import gc
import logging
import logging.handlers
import os
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial

import msgspec
import uvicorn

from manyhands import __version__
from manyhands.api.addresses import HOST, Beyond, doors, listener, require_beyond
from manyhands.api.app import application
from manyhands.api.guard import Guard
from manyhands.api.preview.server import PreviewServer
from manyhands.api.tokens import TokenKeeper, load_or_make_token
from manyhands.config import Home, load_settings
from manyhands.contract.hub import HubAddress
from manyhands.errors import BadInput, ManyhandsError
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.jobs import Observe
from manyhands.hub.core.previews import Previews
from manyhands.hub.house import open_hub
from manyhands.keeper.life import adopt_orphans, bury_orphans
from manyhands.model.readiness import make_types_ready
from manyhands.model.redaction import RedactingFormatter, Redactor
from manyhands.process.detach import announce_ready
from manyhands.process.identity import identify
from manyhands.process.limits import raise_open_files

log = logging.getLogger(__name__)
MOST_THREADS = 32
YOUNG_OBJECTS = 10_000
"""So many are made before it is looked which are garbage; a batch of events is some thousands."""
KEPT_BYTES = 2 * 1024 * 1024


async def serve(home: Home, port: int | None, observe: Observe | None, redactor: Redactor) -> None:
    """Returns when the hub was asked to stop."""
    config = load_settings(home).hub
    beyond = require_beyond(home, config)
    # Threads here wait for git and for locks, so their number is not the cores' business.
    workers = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="hub")
    asyncio.get_running_loop().set_default_executor(workers)
    async with open_hub(home, observe, redactor) as hub:
        local, shown = _listen(home, port), _listen_for_previews(home)
        own_port, preview_port = local.getsockname()[1], shown.getsockname()[1]
        tokens = TokenKeeper(home, hub.store)
        ways_in = doors(own_port, config, beyond, preview_port)
        app = application(hub, tokens, ways_in)
        hub.part(Previews).port = preview_port
        # A policy cannot name an address of IPv6.
        frames = [origin for origin in ways_in.origins if "[" not in origin]
        previews = PreviewServer(shown, hub.part(Previews), frames, tokens.is_ours)
        server = _server(app)
        others = [] if beyond is None else [(_server(app, beyond), _listen_beyond(beyond))]
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, hub.stopping.set)
        put_back = partial(_put_back, home, (own_port, preview_port), tokens)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, put_back)
        # What a killed keeper leaves behind is ours then, and not somebody's.
        adopt_orphans()
        hub.spawn(bury_orphans())
        gc.freeze()  # all that is there by now stays, and need not be looked at again
        gc.set_threshold(YOUNG_OBJECTS)
        async with asyncio.TaskGroup() as tasks:
            for other, listener in others:
                tasks.create_task(other.serve(sockets=[listener]))
                tasks.create_task(_stop_when_asked(hub, other))
            tasks.create_task(_stop_when_asked(hub, server))
            tasks.create_task(_announce(home, (own_port, preview_port)))
            await server.serve(sockets=[local])
            previews.close()
            hub.stopping.set()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._asked = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The hub handles them itself."""
        yield

    async def main_loop(self) -> None:
        """Asleep until it is asked to end; its own would look ten times a second."""
        await self._asked.wait()

    def stop(self) -> None:
        self.should_exit = True
        self._asked.set()


def _server(app: Guard, beyond: Beyond | None = None) -> _Server:
    certificate = beyond.certificate if beyond else None
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        log_config=None,
        lifespan="off",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=1024 * 1024,
        ws_ping_timeout=None,  # whoever reads slowly answers late; its buffer says how slowly
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=False,  # whoever asks would say by them where it comes from
        date_header=False,  # the guard's: set by the server it would need a clock that ticks
        ssl_certfile=certificate,
        ssl_keyfile=beyond.key if beyond and certificate else None,
    )
    return _Server(config)


async def _stop_when_asked(hub: Hub, server: _Server) -> None:
    await hub.stopping.wait()
    server.stop()


async def _announce(home: Home, ports: tuple[int, int]) -> None:
    """Write where the hub is, and tell whoever started it."""
    about = _write_address(home, ports)
    with suppress(OSError):
        announce_ready(about.decode())


def _write_address(home: Home, ports: tuple[int, int]) -> bytes:
    """Of the hub itself, and of its previews."""
    port, previews = ports
    own = identify(os.getpid())
    started = own.started if own else 0
    address = HubAddress(f"http://{HOST}:{port}", port, os.getpid(), started, __version__, previews)
    about = msgspec.json.encode(address)
    part = home.hub_file.with_suffix(".new")
    part.write_bytes(about)
    part.chmod(0o600)
    part.replace(home.hub_file)
    return about


def _put_back(home: Home, ports: tuple[int, int], tokens: TokenKeeper) -> None:
    """By what lies in the home the command line finds the hub; somebody missed it there."""
    log.warning("asked to put the address and the token back")
    try:
        home.make()
        tokens.put_back()
        _write_address(home, ports)
    except (OSError, ManyhandsError) as error:
        log.error("they could not be put back: %s", error)


def _listen(home: Home, port: int | None) -> socket.socket:
    """The port asked for, or the one used before, or any that is free."""
    remembered = _last_address(home).port
    for wanted in [port] if port is not None else [remembered, 0]:
        try:
            return listener(HOST, wanted)
        except OSError as error:
            reason = error.strerror
    raise BadInput(f"port {port} cannot be used: {reason}", hint="choose another with --port")


def _listen_beyond(beyond: Beyond) -> socket.socket:
    try:
        return listener(beyond.host, beyond.port)
    except OSError as error:
        raise BadInput(
            f"hub.bind: {beyond.host}:{beyond.port} cannot be used: {error.strerror}"
        ) from error


def _listen_for_previews(home: Home) -> socket.socket:
    """The port of before where it is free, so that an address stays what it was."""
    try:
        return listener(HOST, _last_address(home).previews)
    except OSError:
        return listener(HOST, 0)


def _last_address(home: Home) -> HubAddress:
    try:
        return msgspec.json.decode(home.hub_file.read_bytes(), type=HubAddress)
    except (OSError, msgspec.DecodeError):
        return HubAddress("", 0, 0, 0)


def set_up_logging(home: Home, redactor: Redactor) -> None:
    home.logs.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        home.logs / "hub.log", maxBytes=5_000_000, backupCount=2
    )
    handler.setFormatter(RedactingFormatter(redactor))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def main(home: Home, port: int | None, observe: Observe | None) -> int:
    # The C library then keeps blocks up to this size for the next frame, instead of returning
    # each to the system and having it filled with pages anew.
    bytes(KEPT_BYTES)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a word to us, and not our end
    raise_open_files()
    make_types_ready()
    home.make()
    redactor = Redactor([load_or_make_token(home.token)])
    set_up_logging(home, redactor)
    asyncio.run(serve(home, port, observe, redactor))
    sys.stdout.flush()
    return 0
