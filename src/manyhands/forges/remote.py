"""What a remote's address says: host, path and protocol."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from manyhands.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SCP = re.compile(r"^(?:[^@/:]+@)?(?P<host>[^/:]+):(?!/)(?P<path>.+)$")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Remote:
    name: str
    url: str
    """As git would use it for a push."""
    host: str
    """With the port where one is given; empty for a path on this machine."""
    path: str
    """Without slashes around it, and without `.git`."""
    scheme: str

    @property
    def is_named(self) -> bool:
        """Whether an owner and a name, and nothing odd, are in the path."""
        pieces = self.path.split("/")
        return len(pieces) > 1 and all(map(_NAME.fullmatch, pieces))

    @property
    def over_http(self) -> bool:
        return self.scheme in ("http", "https")


def parse_remote(name: str, url: str) -> Remote:
    """Any address that git takes; without a host it is a path."""
    scp = None if "://" in url else _SCP.match(url)
    if scp:
        host, path, scheme = scp["host"], scp["path"], "ssh"
    else:
        parts = urlsplit(url)
        scheme = parts.scheme or "file"
        host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
        path = parts.path
    whole = path.strip("/").removesuffix(".git")
    return Remote(name, url, host if scheme != "file" else "", whole, scheme)


def require_safe(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise BadInput(f"{address} is not https, so no token is sent there")
    return address


def shown(url: str) -> str:
    """An address without the password that it may hold."""
    return re.sub(r"//[^/@]*@", "//", url)
