"""Where the hub listens and under which names it answers: exact lists, nothing by pattern.

Loopback is always there, in plain HTTP, for the command line and the page on this machine. A
second address is the user's own wish, and beyond loopback it speaks TLS or not at all.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from pathlib import Path

import msgspec

from manyhands.config import Home, HubConfig
from manyhands.errors import BadInput
from manyhands.model.workspace.preview import PAGE_HOST

HOST = "127.0.0.1"
LOCAL_NAMES = (HOST, "localhost", "[::1]", PAGE_HOST)
ANY = ("0.0.0.0", "[::]")


class Doors(msgspec.Struct, frozen=True):
    url: str
    """On this machine."""
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    """The hub's other addresses, as a browser elsewhere would open them."""
    named: str = ""
    """On this machine, of one site with the previews, which only browsers resolve."""
    previews: str = ""
    """The origins of previews, as a content policy names them."""


class Beyond(msgspec.Struct, frozen=True):
    """The second address, checked."""

    host: str
    port: int
    certificate: Path | None
    key: Path | None


def doors(port: int, config: HubConfig, beyond: Beyond | None, previews: int) -> Doors:
    local = [f"{name}:{port}" for name in LOCAL_NAMES]
    named = [_origin(name) for name in config.hosts]
    if beyond is not None:
        named += _own_names(beyond)
    hosts = (*local, *(origin.partition("://")[2] for origin in named))
    origins = (*(f"http://{host}" for host in local), *named)
    return Doors(
        url=f"http://{HOST}:{port}",
        hosts=hosts,
        origins=origins,
        elsewhere=tuple(dict.fromkeys(named)),
        named=f"http://{PAGE_HOST}:{port}",
        previews=f"http://*.{PAGE_HOST}:{previews}",
    )


def _origin(name: str) -> str:
    return name.lower() if "://" in name else f"https://{name.lower()}"


def _own_names(beyond: Beyond) -> list[str]:
    scheme = "https" if beyond.certificate else "http"
    return [] if beyond.host in ANY else [f"{scheme}://{beyond.host}:{beyond.port}"]


def require_beyond(home: Home, config: HubConfig) -> Beyond | None:
    """What `[hub] bind` asks for; refused where others could read along."""
    if not config.bind:
        return None
    host, _, port = config.bind.rpartition(":")
    certificate, key = _require_pair(home, config)
    if certificate is None and not _is_loopback(host):
        raise BadInput(
            f"{home.config}: hub.bind = {config.bind!r} is beyond loopback and has no certificate",
            hint="set hub.certificate and hub.key, or keep to loopback and use a tunnel",
        )
    return Beyond(host, int(port), certificate, key)


def _require_pair(home: Home, config: HubConfig) -> tuple[Path | None, Path | None]:
    if not config.certificate and not config.key:
        return None, None
    certificate, key = (home.root / name for name in (config.certificate, config.key))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(
            f"{home.config}: the certificate {certificate} with the key {key} cannot be used: "
            f"{error.strerror or error}",
            hint="both are PEM files, and the key belongs to the certificate",
        ) from error
    return certificate, key


def _is_loopback(host: str) -> bool:
    """By the number alone: a name could resolve to anything tomorrow."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listener(host: str, port: int) -> socket.socket:
    """A bound, listening, non-blocking socket; the error is the caller's to explain."""
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    # By name: only then does asyncio send small answers at once, instead of 40 ms later.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host.strip("[]"), port))
        made.listen(512)
    except OSError:
        made.close()
        raise
    made.setblocking(False)
    return made
