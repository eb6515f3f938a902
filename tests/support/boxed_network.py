"""A box with a network of its own, hosts on the loopback that go by names, and programs in it."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme

from manyhands.box.making import make_ready
from manyhands.box.network.dialing import Unreachable
from manyhands.box.network.hosts import HostPort, covered, patterns
from manyhands.box.network.proxy import Decide, Dial, Verdict
from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import start_boxed
from manyhands.model.box import Box, Network
from manyhands.process.stop import stop_child

PATH = "/usr/local/bin:/usr/bin:/bin"
NOT_LISTED = "Not on the list of this box."


def network_box(
    tmp_path: Path,
    network: Network = "listed",
    *,
    inward: tuple[int, ...] = (),
    outward: tuple[int, ...] = (),
) -> Box:
    program = shutil.which("bwrap")
    assert program, "bubblewrap is not installed"
    own, worktree, home = tmp_path / "own", tmp_path / "worktree", tmp_path / "home"
    worktree.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    box = Box(
        level="full",
        by="bubblewrap",
        program=program,
        worktree=str(worktree),
        scratch=str(own / "tmp"),
        home=str(home),
        private_home=str(own / "home"),
        read=(sys.base_prefix, sys.prefix),
        network=network,
        inward=inward,
        outward=outward,
    )
    make_ready(box)
    return box


def listed(*texts: str) -> Decide:
    known = patterns(texts)

    async def decide(target: HostPort) -> Verdict:
        return Verdict(covered(known, target), sentence=NOT_LISTED)

    return decide


@dataclass
class Names:
    """Stands for the resolver and the world: hosts by name, each a port of the loopback."""

    ports: dict[str, int] = field(default_factory=dict)
    dialled: list[str] = field(default_factory=list)

    async def __call__(self, target: HostPort, private: bool) -> socket.socket:
        self.dialled.append(f"{target.host}:{target.port}")
        if target.host not in self.ports:
            raise Unreachable(f"{target.host} is not known by name here.")
        made = socket.socket()
        made.setblocking(False)
        here = ("127.0.0.1", self.ports[target.host])
        await asyncio.get_running_loop().sock_connect(made, here)
        return made


@asynccontextmanager
async def way_out(
    box: Box, decide: Decide | None = None, dial: Dial | None = None
) -> AsyncIterator[tuple[WayOut, list[str]]]:
    """And what a person was told."""
    said: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        way = WayOut(box, decide or listed(), tasks, say=said.append, dial=dial)
        try:
            await way.open()
            yield way, said
        finally:
            await way.close()


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


async def run_in(
    box: Box, way: WayOut | None, argv: Sequence[str], *, env: Mapping[str, str] | None = None
) -> Ran:
    told = {"PATH": PATH, "HOME": box.home, "LC_ALL": "C.UTF-8", **(env or {})}
    cwd = Path(box.worktree)
    child = await start_boxed(box, argv, cwd=cwd, env=told, limit=64 * 1024 * 1024, way_out=way)
    try:
        child.close_input()
        out = bytearray()
        while chunk := await child.output.chunk():
            out += chunk
        code = await child.wait()
        return Ran(code, out.decode(), child.errors.text())
    finally:
        await stop_child(child)


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def http_host(answer: Callable[[BaseHTTPRequestHandler], bytes]) -> Iterator[int]:
    """A server on the loopback whose every answer is a function's; its port."""

    class Handler(_Quiet):
        def do_GET(self) -> None:
            body = answer(self)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "text/html")
            self.send_header("Keep-Alive", "timeout=5")
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

    class Server(ThreadingHTTPServer):
        request_queue_size = 4096

    with serving(Server(("127.0.0.1", 0), Handler)) as port:
        yield port


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@contextmanager
def tls_host() -> Iterator[int]:
    """A server that tells which name it was asked for, as a front of many would."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("front.test").configure_cert(context)
    asked: list[str] = []

    def note(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        asked.append(name or "")

    context.sni_callback = note

    class Handler(_Quiet):
        def do_GET(self) -> None:
            body = f"for {asked[-1]}".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    class Server(ThreadingHTTPServer):
        def get_request(self) -> tuple[socket.socket, Any]:
            link, address = super().get_request()
            # The handshake comes with the first read, in the thread of this connection.
            wrapped = context.wrap_socket(link, server_side=True, do_handshake_on_connect=False)
            return wrapped, address

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    with serving(Server(("127.0.0.1", 0), Handler)) as port:
        yield port
