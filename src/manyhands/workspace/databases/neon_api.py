"""Neon's API, the few calls that branches need: bounded, patient with a busy project.

The key is sent to the configured address alone: no redirect is followed, and nothing but the
loopback is spoken to without TLS.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
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
READY = ("ready", "archived")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
T = TypeVar("T")


class NeonBranch(msgspec.Struct, frozen=True):
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


class _Branches(msgspec.Struct, frozen=True):
    branches: list[NeonBranch]
    annotations: dict[str, _Annotation] = {}
    pagination: _Pagination = _Pagination()


class _Databases(msgspec.Struct, frozen=True):
    databases: list[Database]


class _One(msgspec.Struct, frozen=True):
    branch: NeonBranch


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

    def branches(self, search: str) -> Iterator[tuple[NeonBranch, Mapping[str, str]]]:
        """Those whose name or id holds `search`, each with its marks."""
        cursor = ""
        while True:
            asked = {"search": search, "limit": str(PAGE), **({"cursor": cursor} if cursor else {})}
            page = self._call("GET", f"/branches?{urlencode(asked)}", _Branches)
            for branch in page.branches:
                yield branch, page.annotations.get(branch.id, _Annotation()).value
            if not page.branches or page.pagination.next in ("", cursor):
                return
            cursor = page.pagination.next

    def create(self, name: str, parent: str, marks: Mapping[str, str]) -> NeonBranch:
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

    def until_ready(self, id: str) -> None:
        """Neon tells only who asks."""
        for is_last in _tries():
            branch = self._call("GET", f"/branches/{_part(id)}", _One).branch
            if branch.current_state in READY:
                return
            if is_last:
                raise DatabaseFailed(
                    f"Neon's branch {branch.name} is still {branch.current_state!r} after "
                    f"{PATIENCE:.0f} seconds"
                )

    def _call(self, method: str, path: str, kind: type[T], body: Any = None) -> T:
        data = b""
        for is_last in _tries():
            try:
                data = self._once(method, self._project + path, body)
                break
            except DatabaseFailed as error:
                if is_last or error.state not in map(str, BUSY):
                    raise
        try:
            return msgspec.json.decode(data or b"null", type=kind)
        except msgspec.DecodeError as error:
            raise DatabaseFailed(
                f"Neon's answer to {method} {path} is not as described: {error}"
            ) from error

    def _once(self, method: str, path: str, body: Any) -> bytes:
        import httpx  # five megabytes, which only those need who use Neon

        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        ask = partial(httpx.stream, method, self._root + path, headers=headers, timeout=TIMEOUT)
        try:
            with ask(json=body) as reply:
                data = next(reply.iter_bytes(LARGEST), b"")
        except httpx.HTTPError as error:
            raise DatabaseFailed(f"Neon at {self._root} does not answer: {error}") from error
        if reply.is_success:
            return data
        said, status = _said(data) or reply.reason_phrase, reply.status_code
        raise DatabaseFailed(
            f"Neon refused {method} {path}: {said} (HTTP {status})",
            hint=_HINTS.get(status, ""),
            state=str(status),
        )


_HINTS = {
    401: "the key in [neon] key is not valid",
    403: "the key in [neon] key may not do this",
    404: "see [database] project in .manyhands.toml",
}


def _tries() -> Iterator[bool]:
    """For as long as there is patience, with growing pauses between; whether it is the last one."""
    deadline, pause = monotonic() + PATIENCE, 0.2
    while monotonic() + pause < deadline:
        yield False
        time.sleep(pause)
        pause = min(pause * 2, 4.0)
    yield True


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


def _said(data: bytes) -> str:
    try:
        return msgspec.json.decode(data, type=_Error).message
    except msgspec.DecodeError:
        return ""


def _part(id: str) -> str:
    return quote(id, safe="")
