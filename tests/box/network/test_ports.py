"""Ports carried into a box and out of it, with real servers on either side."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import start_boxed
from manyhands.model.box import Box
from manyhands.process.stop import stop_child
from tests.support.boxed_network import PATH, free_port, http_host, network_box, run_in, way_out

CURL = ("curl", "-sS", "--max-time", "60")
SERVE = """
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
server = socket.create_server((sys.argv[1], int(sys.argv[2])), family=family)
print("listening", flush=True)
while True:
    link, _ = server.accept()
    said = b"".join(iter(lambda: link.recv(2**16), b""))
    link.sendall(said[::-1])
    link.close()
"""


@asynccontextmanager
async def service(box: Box, way: WayOut, address: str, port: int) -> AsyncIterator[None]:
    """Turns round what it is told, once it has been told all."""
    argv = [sys.executable, "-c", SERVE, address, str(port)]
    env = {"PATH": PATH}
    child = await start_boxed(box, argv, cwd=Path(box.worktree), env=env, way_out=way)
    try:
        assert await child.output.line() == b"listening\n", child.errors.text()
        yield
    finally:
        await stop_child(child)


async def turned(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    writer.write_eof()
    try:
        return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
async def test_a_service_of_the_session_is_reached_from_outside(
    tmp_path: Path, address: str
) -> None:
    port = free_port()
    box = network_box(tmp_path, "none", outward=(port,))
    async with way_out(box) as (way, said), service(box, way, address, port):
        assert await turned(port, b"x" * 1_000_000 + b"y") == b"y" + b"x" * 1_000_000
        assert way.listening() == {port}
    assert said == []


async def test_a_port_that_nothing_serves_inside_breaks_off_at_once(tmp_path: Path) -> None:
    port = free_port()
    async with way_out(network_box(tmp_path, "none", outward=(port,))):
        with pytest.raises(ConnectionResetError):
            await turned(port, b"hello")


async def test_two_sessions_have_each_their_own_port(tmp_path: Path) -> None:
    """Inside it is the same one; outside only the first can have it, and that is said."""
    port = free_port()
    one, two = (tmp_path / name for name in ("one", "two"))
    one.mkdir()
    two.mkdir()
    boxes = [network_box(place, "none", outward=(port,)) for place in (one, two)]
    async with (
        way_out(boxes[0]) as (first, quiet),
        way_out(boxes[1]) as (second, said),
        service(boxes[0], first, "127.0.0.1", port),
        service(boxes[1], second, "127.0.0.1", port),
    ):
        assert await turned(port, b"ab") == b"ba"
        with await second.connect(port) as link:
            assert link.getpeername() == ("127.0.0.1", port)
    assert quiet == []
    [sentence] = said
    assert sentence.startswith(f"Port {port} of the session is not to be had on this machine:")
    assert "another program has it" in sentence


async def test_a_port_of_this_machine_is_carried_in(tmp_path: Path) -> None:
    with http_host(lambda request: b"a model") as port:
        box = network_box(tmp_path, "none", inward=(port,))
        async with way_out(box) as (way, said):
            for host in ("127.0.0.1", "localhost", "[::1]"):
                ran = await run_in(box, way, [*CURL, f"http://{host}:{port}/"])
                assert ran.out == "a model", (host, ran)
            other = await run_in(box, way, [*CURL, f"http://127.0.0.1:{free_port()}/"])
            assert other.code == 7
            assert way.listening() == set()
    assert said == []


async def test_a_carried_port_that_nothing_serves_here_breaks_off(tmp_path: Path) -> None:
    port = free_port()
    box = network_box(tmp_path, "none", inward=(port,))
    async with way_out(box) as (way, _):
        ran = await run_in(box, way, [*CURL, f"http://127.0.0.1:{port}/"])
    assert ran.code in (7, 52, 56), ran


async def test_a_port_cannot_be_carried_both_ways(tmp_path: Path) -> None:
    with http_host(lambda request: b"here") as port:
        box = network_box(tmp_path, "none", inward=(port,), outward=(port,))
        async with way_out(box) as (way, said):
            ran = await run_in(box, way, [*CURL, f"http://127.0.0.1:{port}/"])
    assert ran.out == "here"
    [sentence] = said
    assert sentence.startswith(f"Port {port} of this machine is carried into the box")


async def test_the_proxy_takes_no_port_that_a_service_may_want(tmp_path: Path) -> None:
    box = network_box(tmp_path, "listed")
    async with way_out(box) as (way, _), service(box, way, "127.0.0.1", 3128):
        assert way.proxy_port > 10_000


async def test_ports_can_be_added_later_and_twice(tmp_path: Path) -> None:
    box, port = network_box(tmp_path, "none"), free_port()
    async with way_out(box) as (way, said):
        async with service(box, way, "127.0.0.1", port):
            await way.carry_out(port)
            await way.carry_out(port)
            assert await turned(port, b"ab") == b"ba"
        with http_host(lambda request: b"later") as inner:
            await way.carry_in(inner)
            await way.carry_in(inner)
            ran = await run_in(box, way, [*CURL, f"http://127.0.0.1:{inner}/"])
    assert (ran.out, said) == ("later", [])


async def test_a_port_that_a_service_has_already_is_not_carried_in(tmp_path: Path) -> None:
    box, port = network_box(tmp_path, "none"), free_port()
    async with way_out(box) as (way, said), service(box, way, "127.0.0.1", port):
        await way.carry_in(port)
    assert said == [f"Port {port} cannot be carried into the box: Address already in use."]


async def test_after_the_end_nothing_listens_here_any_more(tmp_path: Path) -> None:
    port = free_port()
    async with way_out(network_box(tmp_path, "none", outward=(port,))):
        socket.create_connection(("127.0.0.1", port)).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
