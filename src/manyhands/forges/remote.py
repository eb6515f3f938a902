"""Which repository of which forge a remote's address names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from manyhands.errors import BadInput, NotPossible

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
    owner: str
    repo: str
    scheme: str

    @property
    def slug(self) -> str:
        return f"{self.owner}/{self.repo}"

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
    pieces = path.strip("/").removesuffix(".git").split("/")
    owner, repo = (pieces[-2], pieces[-1]) if len(pieces) > 1 else ("", pieces[-1])
    return Remote(name, url, host if scheme != "file" else "", owner, repo, scheme)


def api_address(remote: Remote, configured: str) -> str:
    """Where the forge's API is: as configured, else as GitHub and GitHub Enterprise lay it out."""
    if configured:
        return _require_safe(configured.rstrip("/"))
    if not remote.host or not (_NAME.fullmatch(remote.owner) and _NAME.fullmatch(remote.repo)):
        raise NotPossible(
            f"the remote {remote.name} ({shown(remote.url)}) is no repository of GitHub's",
            hint="name the API in [github] api of your config.toml if it is one",
        )
    bare = remote.host.rpartition(":")[0] or remote.host
    if bare in ("github.com", "ssh.github.com"):
        return "https://api.github.com"
    if remote.scheme == "ssh":
        return f"https://{bare}/api/v3"
    return _require_safe(f"{remote.scheme}://{remote.host}/api/v3")


def _require_safe(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise BadInput(f"{address} is not https, so no token is sent there")
    return address


def shown(url: str) -> str:
    """An address without the password that it may hold."""
    return re.sub(r"//[^/@]*@", "//", url)
