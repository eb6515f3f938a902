"""Names of hosts, brought into one form, and the patterns by which they are listed.

A pattern is `example.com`, `*.example.com` (what is below it, not itself) or one of them with a
port. Without a port it covers the two of the web. Pure.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

WEB_PORTS = frozenset({80, 443})
LONGEST_NAME = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMERIC = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
_WILD = "*."


@dataclass(frozen=True)
class HostPort:
    """Where a program wants to; `host` is in its one form."""

    host: str
    port: int

    def __str__(self) -> str:
        if self.port in WEB_PORTS:
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_address(self) -> bool:
        return address_of(self.host) is not None


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def normal_host(text: str) -> str:
    """Lower case, without a last dot, ASCII; an address in its shortest form. Else `ValueError`."""
    host = text.strip().lower()
    if host.startswith("[") and host.endswith("]"):
        return str(ipaddress.IPv6Address(_unscoped(host[1:-1])))
    if ":" in host:
        return str(ipaddress.IPv6Address(_unscoped(host)))
    host = _ascii(host).removesuffix(".")
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        # `127.1` and `0x7f000001` are addresses to some resolvers: only the plain form is one here.
        return str(ipaddress.IPv4Address(host))
    if len(host) > LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(f"{text!r} is no name of a host")
    return host


def _unscoped(address: str) -> str:
    if "%" in address:
        raise ValueError(f"{address!r} names an interface")
    return address


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise ValueError(f"{host!r} is no name of a host") from None


def require_target(authority: str, default_port: int | None = None) -> HostPort:
    """`host:port`, as a request names it; `ValueError` where it cannot be meant."""
    if not authority.isascii() or "@" in authority:
        raise ValueError(f"{authority!r} is no host and port")
    host, port = _split(authority)
    number = _port(port) if port else default_port
    if number is None:
        raise ValueError(f"{authority!r} names no port")
    return HostPort(normal_host(host), number)


def _split(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError(f"{authority!r} is no host and port")
        return host + bracket, rest[1:]
    if authority.count(":") > 1:
        return authority, ""
    host, _, port = authority.partition(":")
    return host, port


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise ValueError(f"{text!r} is no port")
    return int(text)


@dataclass(frozen=True)
class HostPattern:
    host: str
    port: int | None = None
    below: bool = False

    def covers(self, target: HostPort) -> bool:
        if target.port not in WEB_PORTS if self.port is None else target.port != self.port:
            return False
        if not self.below:
            return target.host == self.host
        return target.host.endswith(f".{self.host}") and not target.is_address


def require_pattern(text: str) -> HostPattern:
    """`ValueError` where it names no host."""
    below = text.strip().startswith(_WILD)
    host, port = _split(text.strip().removeprefix(_WILD))
    named = normal_host(host)
    if below and address_of(named):
        raise ValueError(f"{text!r}: nothing is below an address")
    return HostPattern(named, _port(port) if port else None, below)


def patterns(texts: Iterable[str]) -> frozenset[HostPattern]:
    """Those that can be meant; what a person writes is checked where it is written."""
    found = set()
    for text in texts:
        try:
            found.add(require_pattern(text))
        except ValueError:
            continue
    return frozenset(found)


def covered(known: Iterable[HostPattern], target: HostPort) -> bool:
    return any(pattern.covers(target) for pattern in known)


def target_of_url(url: str) -> HostPort | None:
    """Where an http(s) URL leads, if it is one."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return HostPort(normal_host(parts.hostname), port)
    except ValueError:
        return None
