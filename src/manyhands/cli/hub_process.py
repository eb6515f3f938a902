"""The hub as a background process: found or started, asked to stop."""

from __future__ import annotations

from contextlib import suppress

from manyhands.cli.background import port_is_free, start_server
from manyhands.client.calls import Client
from manyhands.client.connection import ConnectionLost
from manyhands.config import Home, load_settings
from manyhands.contract.hub import HubStatus
from manyhands.errors import HubDown, ManyhandsError, NotPossible

STOP_SECONDS = 60.0


def ensure_hub(home: Home, port: int | None = None) -> HubStatus:
    """The running hub, or a new one on `port`: the wanted, else the last one, else any."""
    home.make()
    running = _running(home)
    if running is None:
        from filelock import FileLock

        load_settings(home)
        with FileLock(home.locks / "start.lock", mode=0o600):
            running = _running(home) or _start(home, port)
    _require_port(running, port)
    return running


def _running(home: Home) -> HubStatus | None:
    try:
        return Client(home).status()
    except HubDown:
        return None


def _start(home: Home, port: int | None) -> HubStatus:
    """Without a port the hub takes the last one again, so that open pages find it."""
    if port is not None and not port_is_free(port):
        raise NotPossible(
            f"port {port} is in use by another program",
            hint="choose another: manyhands up --port N; or leave --port out",
        )
    words = [] if port is None else ["--port", str(port)]
    start_server(home, "manyhands.api", words)
    return Client(home).status()


def _require_port(hub: HubStatus, port: int | None) -> None:
    if port is not None and not hub.url.rstrip("/").endswith(f":{port}"):
        raise NotPossible(
            f"the hub already runs at {hub.url}", hint="stop it first: manyhands down"
        )


def stop_hub(home: Home, *, everything: bool) -> int:
    """Asks the hub to stop, with all keepers where `everything`; returns when it is gone."""
    from manyhands.process.identity import identify
    from manyhands.process.stop import wait_gone

    client = Client(home)
    pid = client.status().pid
    hub = identify(pid)
    # It may go before it can say so.
    with suppress(ConnectionLost):
        client.post("/api/down", {"all": everything}, timeout=STOP_SECONDS)
    if hub is not None and not wait_gone(hub, STOP_SECONDS):
        raise ManyhandsError(
            f"the hub, process {pid}, did not stop within {STOP_SECONDS:.0f} s",
            hint=f"see {home.logs}",
        )
    return pid
