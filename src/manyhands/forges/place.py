"""Which forge a remote belongs to: its kind, its API, the repository's name there, the token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from manyhands.config import ForgeConfig, Settings
from manyhands.errors import NotPossible
from manyhands.forges.remote import Remote, require_safe, shown

Kind = Literal["github", "gitlab", "gitea"]
_API: dict[Kind, str] = {"github": "/api/v3", "gitlab": "/api/v4", "gitea": "/api/v1"}
_KNOWN: dict[str, tuple[Kind, str]] = {
    "github.com": ("github", "https://api.github.com"),
    "ssh.github.com": ("github", "https://api.github.com"),
    "gitlab.com": ("gitlab", "https://gitlab.com/api/v4"),
    "altssh.gitlab.com": ("gitlab", "https://gitlab.com/api/v4"),
    "salsa.debian.org": ("gitlab", ""),
    "invent.kde.org": ("gitlab", ""),
    "framagit.org": ("gitlab", ""),
    "codeberg.org": ("gitea", ""),
    "gitea.com": ("gitea", ""),
}
_LIKE: dict[str, Kind] = {"gitlab.": "gitlab", "gitea.": "gitea", "forgejo.": "gitea"}
"""Hosts that tell by their names what they are."""
OWNER_AND_NAME = 2


@dataclass(frozen=True)
class ForgePlace:
    kind: Kind
    api: str
    slug: str
    token: str
    """A reference."""
    seconds: float

    @property
    def host(self) -> str:
        return urlsplit(self.api).hostname or ""


def place_of(remote: Remote, settings: Settings) -> ForgePlace:
    bare = remote.host.rpartition(":")[0] or remote.host
    own = settings.forges.get(remote.host) or settings.forges.get(bare) or ForgeConfig()
    kind, known = _KNOWN.get(bare, (_like(bare), ""))
    if own.kind is not None:
        kind, known = ("gitea" if own.kind == "forgejo" else own.kind), ""
    own_api = own.api or (settings.github.api if kind == "github" else "")
    if not own_api:
        _require_forge(remote)
    api = require_safe(own_api.rstrip("/") or known or _laid_out(remote, bare, kind))
    token = own.token or (settings.github.token if kind == "github" else "")
    seconds = own.timeout_seconds or settings.github.timeout_seconds
    return ForgePlace(kind, api, _slug(remote, kind, api), token, seconds)


def _like(host: str) -> Kind:
    """GitHub Enterprise has no name of its own."""
    return next((kind for word, kind in _LIKE.items() if host.startswith(word)), "github")


def _laid_out(remote: Remote, bare: str, kind: Kind) -> str:
    """As each kind lays it out below its host; ssh's port says nothing about it."""
    if remote.over_http:
        return f"{remote.scheme}://{remote.host}{_API[kind]}"
    return f"https://{bare}{_API[kind]}"


def _slug(remote: Remote, kind: Kind, api: str) -> str:
    """GitLab nests groups; a server may lie below a path, which is in addresses over HTTP."""
    pieces = remote.path.split("/")
    below = urlsplit(api).path.removesuffix(_API[kind]).strip("/").split("/")
    if remote.over_http and pieces[: len(below)] == below:
        pieces = pieces[len(below) :]
    return "/".join(pieces if kind == "gitlab" else pieces[-OWNER_AND_NAME:])


def _require_forge(remote: Remote) -> None:
    if not remote.host or not remote.is_named:
        raise NotPossible(
            f"the remote {remote.name} ({shown(remote.url)}) is no repository of a forge's",
            hint='name the forge in [forges."HOST"] of your config.toml if it is one',
        )
