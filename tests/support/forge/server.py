"""A forge on the loopback, whatever its kind: counted requests, faults on demand, git over HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TOKEN = "ghp_" + "c0ffee" * 6
PLAIN = (("Content-Type", "text/plain"),)


@dataclass
class Fault:
    """The next `times` requests that fit fare badly, before or after they took effect."""

    method: str
    path: str
    status: int = 500
    """0: no answer at all."""
    after: bool = False
    times: int = 1
    headers: tuple[tuple[str, str], ...] = ()
    message: str = "made up by a test"


@dataclass
class Reply:
    status: int
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class ForgeServer:
    """A kind of forge fills in what it answers; `state` is what it keeps."""

    prefix = ""
    """Of the API's paths."""
    etags = True
    state: Any

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = ""
        self.released = threading.Event()
        """Set at the end, so that whoever was to get no answer is let go."""
        self.lock = threading.RLock()
        self.counting = threading.Condition()
        self.begin_anew()

    def begin_anew(self) -> None:
        """As it was before the first request."""
        self.state.forget()
        self.state.rights = {TOKEN: {self.state.slug, self.state.fork}}
        self.asked: list[tuple[str, str, int]] = []
        self.complaints: list[str] = []
        self.faults: list[Fault] = []
        self.pushes = 0
        self.busiest = self.busy = 0
        """How many requests were answered at once, at most and now."""
        self.gathering = 0
        """No request is answered before so many have come."""

    @property
    def remote(self) -> str:
        return f"{self.url}/{self.state.slug}.git"

    def api_target(self, path: str) -> str | None:
        """What the API is asked for, if it is asked at all."""
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    def plain(self, path: str) -> bytes | None:
        """A text that lies elsewhere on the server."""
        return None

    def count(self, method: str, path: str) -> int:
        """Requests that took effect or were refused, by method and a pattern of the path."""
        return sum(m == method and bool(re.search(path, p)) for m, p, _ in self.asked)

    # The API

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self.counting:
            self.busy += 1
            self.busiest = max(self.busy, self.busiest)
            self.counting.notify_all()
            self.counting.wait_for(lambda: self.busiest >= self.gathering, timeout=30)
        try:
            yield
        finally:
            with self.counting:
                self.busy -= 1

    def answer(self, method: str, target: str, token: str, body: Any) -> Reply:
        with self.lock:
            reply = self._answer(method, target, token, body)
            self.asked.append((method, target, reply.status))
            return reply

    def _answer(self, method: str, target: str, token: str, body: Any) -> Reply:
        fault = self._fault(method, target)
        if fault and not fault.after:
            return self.broken(fault)
        if token not in self.state.rights:
            return self.stranger()
        reply = self.act(method, target, token, body)
        return self.broken(fault) if fault else reply

    def act(self, method: str, target: str, token: str, body: Any) -> Reply:
        raise NotImplementedError

    def stranger(self) -> Reply:
        return Reply(401, {"message": "401 Unauthorized"})

    def broken(self, fault: Fault) -> Reply:
        return Reply(fault.status, {"message": fault.message}, fault.headers)

    def _fault(self, method: str, target: str) -> Fault | None:
        for fault in self.faults:
            if fault.method == method and re.search(fault.path, target) and fault.times > 0:
                fault.times -= 1
                return fault
        return None

    # Git

    def git(self, method: str, target: str, headers: Any, token: str, body: bytes) -> Reply:
        parts = urlsplit(target)
        slug = re.sub(r"\.git/.*$", "", parts.path.strip("/"))
        writes = "receive-pack" in target
        if token not in self.state.rights:
            return Reply(401, b"", (("WWW-Authenticate", 'Basic realm="Forge"'),))
        if writes and slug not in self.state.rights[token]:
            return Reply(403, f"Permission to {slug}.git denied to casey.".encode(), PLAIN)
        if fault := self._fault("GIT", target):
            return self.broken(fault)
        if method == "POST" and writes:
            self.pushes += 1
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": method,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": "casey",
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=env, capture_output=True, check=False
        )
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        named = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if line]
        status = next((int(v.split()[0]) for k, v in named if k == "Status"), 200)
        return Reply(status, rest, tuple((k, v) for k, v in named if k != "Status"))
