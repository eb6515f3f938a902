"""A stand-in for Neon on the loopback: every request and every answer fits Neon's description."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.neon_description import Description

AT = "2026-01-31T08:15:30Z"
KEY = "neon-key-canary"
COUNTERS = ("cpu_used_sec", "active_time_seconds", "compute_time_seconds")
ROOT = "/api/v2"
PROJECT = "quiet-moon-123456"


def branch(id: str, name: str, parent: str = "", *, default: bool = False) -> dict[str, Any]:
    return {
        "id": id,
        "project_id": PROJECT,
        "name": name,
        "current_state": "init",
        "state_changed_at": AT,
        "creation_source": "console",
        "created_at": AT,
        "updated_at": AT,
        "default": default,
        "protected": default,
        "written_data_bytes": 0,
        "data_transfer_bytes": 0,
        **dict.fromkeys(COUNTERS, 0),
        **({"parent_id": parent} if parent else {}),
    }


class NeonServer:
    """Branches as Neon keeps them; `data` says what is in each, so that a test can look."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.branches = {"br-main": branch("br-main", "main", default=True)}
        self.branches["br-main"]["current_state"] = "ready"
        self.marks: dict[str, dict[str, str]] = {}
        self.data: dict[str, list[str]] = {"br-main": ["Ada"]}
        self.asked: list[tuple[str, str]] = []
        self.complaints: list[str] = []
        self.busy = 0
        """How many times the project is locked by an operation before it takes a change."""
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, method: str, target: str, headers: Any, body: Any) -> tuple[int, Any]:
        with self._lock:
            self.asked.append((method, target))
            wrong = self.description.complaints(method, target, headers, body)
            if wrong:
                self.complaints += [f"{method} {target}: {w}" for w in wrong]
                return 400, _error("; ".join(wrong))
            if headers["Authorization"] != f"Bearer {KEY}":
                return 401, _error("this key is not known")
            status, reply = self._act(method, target, body)
            found = self.description.operation(method, urlsplit(target).path)
            assert found is not None
            faults = self.description.answer_complaints(found[0], method, status, reply)
            self.complaints += [f"our answer to {method} {target}: {w}" for w in faults]
            return status, reply

    def _act(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        words = parts.path.removeprefix("/projects/").split("/")
        if words[0] != PROJECT:
            return 404, _error("project not found")
        if method != "GET" and self.busy:
            self.busy -= 1
            return 423, _error("project already has running operations")
        if words[1:] == ["connection_uri"]:
            return self._uri(query)
        id = words[2] if len(words) > 2 else ""
        if id and id not in self.branches:
            return (204, None) if method == "DELETE" else (404, _error("branch not found"))
        match (method, words[3:]):
            case ("GET", []):
                return self._one(id) if id else self._list(query)
            case ("POST", []):
                return self._create(body)
            case ("DELETE", []):
                return self._delete(id)
            case ("GET", ["databases"]):
                named = {"id": 1, "branch_id": id, "name": "appdb", "owner_name": "casey"}
                return 200, {"databases": [{**named, "created_at": AT, "updated_at": AT}]}
            case ("POST", ["restore"]):
                return self._restore(id, body["source_branch_id"])
        return 404, _error("not found")

    def _one(self, id: str) -> tuple[int, Any]:
        shown = {"branch": dict(self.branches[id]), "annotation": self._annotation(id)}
        # Whoever asks again finds it further on, as with Neon's operations.
        self.branches[id]["current_state"] = "ready"
        return 200, shown

    def _list(self, query: dict[str, str]) -> tuple[int, Any]:
        """Two to a page, so that whoever looks only at the first one misses some."""
        word = query.get("search", "")
        fits = sorted(i for i, b in self.branches.items() if word in b["name"] or word in i)
        rest = [i for i in fits if i > query.get("cursor", "")]
        page = rest[:2]
        more = {"pagination": {"next": "".join(page[-1:]), "sort_by": "name", "sort_order": "ASC"}}
        return 200, {
            "branches": [self.branches[i] for i in page],
            "annotations": {i: self._annotation(i) for i in page},
            **(more if len(rest) > len(page) else {}),
        }

    def _annotation(self, id: str) -> dict[str, Any]:
        about = {"type": "console/branch", "id": id}
        return {
            "object": about,
            "value": self.marks.get(id, {}),
            "created_at": AT,
            "updated_at": AT,
        }

    def _create(self, body: Any) -> tuple[int, Any]:
        parent = body["branch"].get("parent_id", "br-main")
        id = f"br-{len(self.data)}"
        self.branches[id] = branch(id, body["branch"]["name"], parent)
        self.data[id] = list(self.data[parent])
        self.marks[id] = body.get("annotation_value", {})
        lists = ("endpoints", "operations", "roles", "databases")
        return 201, {"branch": self.branches[id], **{name: [] for name in lists}}

    def _delete(self, id: str) -> tuple[int, Any]:
        if self.branches[id]["default"]:
            return 422, _error("the default branch cannot be deleted")
        return 200, {"branch": self.branches.pop(id), "operations": []}

    def _restore(self, id: str, source: str) -> tuple[int, Any]:
        self.data[id] = list(self.data[source])
        self.branches[id]["current_state"] = "resetting"
        return 200, {"branch": self.branches[id], "operations": []}

    def _uri(self, query: dict[str, str]) -> tuple[int, Any]:
        id, database, role = (query[n] for n in ("branch_id", "database_name", "role_name"))
        if self.branches[id]["current_state"] != "ready":
            return 412, _error("the branch is not ready")
        return 200, {"uri": f"postgresql://{role}:npg_secret@ep-{id}.neon.invalid/{database}"}


def _error(message: str) -> dict[str, str]:
    return {"code": "", "message": message, "request_id": "r"}


@contextmanager
def neon_server(description: Description) -> Iterator[NeonServer]:
    neon = NeonServer(description)

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            target = re.sub(f"^{ROOT}", "", self.path)
            status, reply = neon.answer(self.command, target, self.headers, body)
            data = b"" if reply is None else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    neon.url = f"http://127.0.0.1:{server.server_address[1]}{ROOT}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield neon
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
    assert neon.complaints == []
