"""Neon's API, the few calls that branches need: bounded, patient with a busy project.

The key is sent to the configured address alone: no redirect is followed, and nothing but the
loopback is spoken to without TLS.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from manyhands.config import Neon, variable
from manyhands.errors import BadInput, DatabaseFailed
from manyhands.model.clock import monotonic

TIMEOUT = 30.0
PATIENCE = 120.0
PAGE = 100
LARGEST = 16 * 1024 * 1024
BUSY = (423, 429, 502, 503)
"""Locked by an operation that runs, too many requests, or not there for a moment."""
ABSENT = 404
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
T = TypeVar("T")


class Branch(msgspec.Struct, frozen=True):
    id: str
    name: str
    current_state: str
    default: bool
    protected: bool
    parent_id: str = ""
    logical_size: int = 0


class Database(msgspec.Struct, frozen=True):
    name: str
    owner_name: str


class _Annotation(msgspec.Struct, frozen=True):
    value: dict[str, str] = {}


class _Pagination(msgspec.Struct, frozen=True):
    next: str = ""


class Branches(msgspec.Struct, frozen=True):
    branches: list[Branch]
    annotations: dict[str, _Annotation] = {}
    pagination: _Pagination = _Pagination()


class _Databases(msgspec.Struct, frozen=True):
    databases: list[Database]


class _One(msgspec.Struct, frozen=True):
    branch: Branch


class _Uri(msgspec.Struct, frozen=True):
    uri: str


class NeonApi:
    """One project, as the holder of the key sees it."""

    def __init__(self, neon: Neon, project: str) -> None:
        self._root = neon.api.rstrip("/")
        parts = urlsplit(self._root)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise BadInput(f"[neon] api is {neon.api}, which is not https")
        name = neon.key.removeprefix("env:")
        self._key = variable(name)
        if not self._key:
            raise BadInput(
                f"Neon needs a key, and the hub's environment has no {name}",
                hint="set it and start the hub again: manyhands down, manyhands up",
            )
        self._project = f"/projects/{quote(project, safe='')}"
        self._opener = urllib.request.build_opener(_NoRedirects)

    def pages(self, search: str) -> Iterator[Branches]:
        """Branches whose name or id holds `search`, page by page."""
        cursor = ""
        while True:
            asked = {"search": search, "limit": str(PAGE), **({"cursor": cursor} if cursor else {})}
            page = self._call("GET", f"/branches?{urlencode(asked)}", Branches)
            yield page
            if not page.branches or page.pagination.next in ("", cursor):
                return
            cursor = page.pagination.next

    def branch(self, id: str) -> Branch:
        return self._call("GET", f"/branches/{_part(id)}", _One).branch

    def create(self, name: str, parent: str, marks: Mapping[str, str]) -> Branch:
        branch = {"name": name, **({"parent_id": parent} if parent else {})}
        body = {
            "branch": branch,
            "endpoints": [{"type": "read_write"}],
            "annotation_value": dict(marks),
        }
        return self._call("POST", "/branches", _One, body).branch

    def restore(self, id: str, source: str) -> None:
        """Make the branch what `source` is now; its address stays."""
        body = {"source_branch_id": source}
        self._call("POST", f"/branches/{_part(id)}/restore", _One, body)

    def delete(self, id: str) -> None:
        try:
            self._call("DELETE", f"/branches/{_part(id)}", msgspec.Raw)
        except DatabaseFailed as error:
            if error.state != str(ABSENT):
                raise

    def databases(self, id: str) -> list[Database]:
        return self._call("GET", f"/branches/{_part(id)}/databases", _Databases).databases

    def address(self, id: str, database: str, role: str) -> str:
        asked = {"branch_id": id, "database_name": database, "role_name": role}
        return self._call("GET", f"/connection_uri?{urlencode(asked)}", _Uri).uri

    def until(self, ready: Callable[[Branch], bool], id: str) -> None:
        """Wait until a branch is as it must be; Neon tells only who asks."""
        deadline = monotonic() + PATIENCE
        pause = 0.2
        while not ready(branch := self.branch(id)):
            if monotonic() > deadline:
                raise DatabaseFailed(
                    f"Neon's branch {branch.name} is still {branch.current_state!r} after "
                    f"{PATIENCE:.0f} seconds"
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 3.0)

    def _call(self, method: str, path: str, kind: type[T], body: Any = None) -> T:
        deadline = monotonic() + PATIENCE
        pause = 0.2
        while True:
            try:
                data = self._once(method, self._project + path, body)
                return msgspec.json.decode(data or b"null", type=kind)
            except msgspec.DecodeError as error:
                raise DatabaseFailed(
                    f"Neon's answer to {method} {path} is not as described: {error}"
                ) from error
            except DatabaseFailed as error:
                if error.state not in map(str, BUSY) or monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 5.0)

    def _once(self, method: str, path: str, body: Any) -> bytes:
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = msgspec.json.encode(body)
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._root + path, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as reply:
                return bytes(reply.read(LARGEST))
        except urllib.error.HTTPError as error:
            with error:
                said = _said(error.read(LARGEST))
            raise DatabaseFailed(
                f"Neon refused {method} {path}: {said or error.reason} (HTTP {error.code})",
                hint=_HINTS.get(error.code, ""),
                state=str(error.code),
            ) from error
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            raise DatabaseFailed(f"Neon at {self._root} does not answer: {reason}") from error


_HINTS = {
    401: "the key in [neon] key is not valid",
    403: "the key in [neon] key may not do this",
    404: "see [database] project in .manyhands.toml",
}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


def _said(data: bytes) -> str:
    try:
        return msgspec.json.decode(data, type=_Error).message
    except msgspec.DecodeError:
        return ""


def _part(id: str) -> str:
    return quote(id, safe="")
