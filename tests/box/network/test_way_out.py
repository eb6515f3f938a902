"""A box with a network of its own, by real programs in it: what gets out, and what does not."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import msgspec
import pytest

from manyhands.box.network.hosts import HostPort
from manyhands.box.network.proxy import Verdict
from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import networked, start_boxed, start_terminal
from manyhands.errors import MachineFailed
from manyhands.process.identity import identify
from manyhands.process.stop import stop_child, wait_gone
from tests.support.boxed_network import (
    NOT_LISTED,
    PATH,
    Names,
    descriptors,
    free_port,
    http_host,
    listed,
    network_box,
    run_in,
    tls_host,
    way_out,
)

CURL = ("curl", "-sS", "--max-time", "60")
PYTHON = sys.executable
PLAIN_IN_A_TUNNEL = """
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"CONNECT front.test:443 HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\n\\r\\n")
print(b"".join(iter(lambda: s.recv(9999), b"")))
"""
ORDINARY = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
"""Without any right of root's, as far as the kernel goes."""


async def test_curl_reaches_a_listed_host_by_its_name(tmp_path: Path) -> None:
    with http_host(lambda request: request.path.encode()) as port:
        box, names = network_box(tmp_path), Names({"pypi.test": port})
        async with way_out(box, listed("pypi.test"), names) as (way, _):
            ran = await run_in(box, way, [*CURL, "http://pypi.test/simple/?a=1"])
    assert (ran.code, ran.out) == (0, "/simple/?a=1"), ran
    assert names.dialled == ["pypi.test:80"]


async def test_a_host_that_is_not_listed_is_refused_in_a_sentence(tmp_path: Path) -> None:
    box, names = network_box(tmp_path), Names()
    async with way_out(box, listed("pypi.test"), names) as (way, _):
        plain = await run_in(box, way, [*CURL, "-w", "%{http_code}", "http://evil.test/"])
        tunnel = await run_in(box, way, [*CURL, "-v", "https://evil.test/"])
    assert plain.out == f"{NOT_LISTED}\n403"
    assert tunnel.code != 0
    assert f"403 {NOT_LISTED}" in tunnel.err
    assert names.dialled == []


async def test_what_leads_to_this_machine_is_refused_even_where_it_is_listed(
    tmp_path: Path,
) -> None:
    box = network_box(tmp_path)
    with http_host(lambda request: b"secret") as port:
        urls = [f"http://127.0.0.1:{port}/", f"http://[::ffff:127.0.0.1]:{port}/"]
        urls += ["http://169.254.169.254/latest/meta-data/", f"http://localhost:{port}/"]

        async def everything(target: HostPort) -> Verdict:
            return Verdict(True, private=True)

        async with way_out(box, everything) as (way, _):
            for url in urls:
                ran = await run_in(box, way, [*CURL, "--noproxy", "", "-w", "%{http_code}", url])
                assert ran.out.endswith(".\n403"), (url, ran)
                assert "secret" not in ran.out


async def test_git_clones_through_the_proxy(tmp_path: Path) -> None:
    served = tmp_path / "served"
    make_bare_repository(served)

    def file(request: BaseHTTPRequestHandler) -> bytes:
        path = served / request.path.partition("?")[0].lstrip("/")
        return path.read_bytes() if path.is_file() else b""

    with http_host(file) as port:
        box, names = network_box(tmp_path), Names({"forge.test": port})
        async with way_out(box, listed("forge.test"), names) as (way, _):
            url = "http://forge.test/repo.git"
            ran = await run_in(box, way, ["git", "clone", "-q", url, "there"])
            assert ran.code == 0, ran
            log = await run_in(box, way, ["git", "-C", "there", "log", "--format=%s"])
    assert log.out == "first\n"


def make_bare_repository(place: Path) -> None:
    place.mkdir()
    for words in (
        ("init", "-q", "work"),
        ("-C", "work", "commit", "-q", "--allow-empty", "-m", "first"),
        ("clone", "-q", "--bare", "work", "repo.git"),
        ("-C", "repo.git", "update-server-info"),
    ):
        subprocess.run(["git", *words], cwd=place, check=True)


async def test_pip_installs_from_a_registry_through_the_proxy(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path)

    def registry(request: BaseHTTPRequestHandler) -> bytes:
        if request.path.endswith(".whl"):
            return wheel.read_bytes()
        return f'<a href="/files/{wheel.name}">{wheel.name}</a>'.encode()

    with http_host(registry) as port:
        box, names = network_box(tmp_path), Names({"pypi.test": port})
        async with way_out(box, listed("pypi.test"), names) as (way, _):
            index = ("--index-url", "http://pypi.test/simple", "--trusted-host", "pypi.test")
            pip = [PYTHON, "-m", "pip", "install", "-q", "--no-cache-dir", "--target", "here"]
            told = {"PIP_CONFIG_FILE": "/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
            ran = await run_in(box, way, [*pip, *index, "handy"], env=told)
    assert ran.code == 0, ran
    assert (Path(box.worktree) / "here" / "handy.py").read_text() == "HANDS = 2\n"


def make_wheel(place: Path) -> Path:
    wheel = place / "handy-1.0-py3-none-any.whl"
    info = "handy-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("handy.py", "HANDS = 2\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: handy\nVersion: 1.0\n")
        kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        file.writestr(f"{info}/WHEEL", kind)
        file.writestr(f"{info}/RECORD", "")
    return wheel


REACH = """
import json, socket, sys
found = {}
def attempt(name, deed):
    try:
        found[name] = repr(deed())
    except OSError as error:
        found[name] = type(error).__name__
port, abstract, address = int(sys.argv[1]), sys.argv[2], sys.argv[3]
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", port), 5))
attempt("tcp6", lambda: socket.create_connection(("::1", port), 5))
attempt("outside", lambda: socket.create_connection((address, port), 5))
attempt("far", lambda: socket.create_connection(("1.1.1.1", 443), 5))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("udp", lambda: udp.sendto(b"x", ("1.1.1.1", 53)))
attempt("dns", lambda: socket.getaddrinfo("example.com", 443))
unix = socket.socket(socket.AF_UNIX)
attempt("abstract", lambda: unix.connect("\\0" + abstract))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
print(json.dumps(found))
"""


@pytest.mark.parametrize("network", ["none", "listed"])
@pytest.mark.parametrize("with_way", [True, False])
async def test_nothing_outside_is_reached_directly(
    tmp_path: Path, network: str, with_way: bool
) -> None:
    box = network_box(tmp_path, "none" if network == "none" else "listed")
    here = socket.create_server(("", 0))
    abstract = socket.socket(socket.AF_UNIX)
    name = f"manyhands-{here.getsockname()[1]}"
    abstract.bind(f"\0{name}")
    abstract.listen()
    with here, abstract:
        argv = [PYTHON, "-c", REACH, str(here.getsockname()[1]), name, own_address()]
        async with way_out(box) as (way, _):
            ran = await run_in(box, way if with_way else None, argv)
    assert ran.code == 0, ran
    found = json.loads(ran.out)
    errors = {"ConnectionRefusedError", "OSError", "gaierror", "PermissionError", "TimeoutError"}
    assert set(found.values()) <= errors, found


def own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


async def test_without_a_list_there_is_no_proxy(tmp_path: Path) -> None:
    box = network_box(tmp_path, "none")
    async with way_out(box) as (way, _):
        ran = await run_in(box, way, ["env"])
        assert (way.proxy_port, way.variables()) == (0, {})
    assert "proxy" not in ran.out.lower()


async def test_programs_are_told_of_the_proxy_in_every_way_they_know(tmp_path: Path) -> None:
    box = network_box(tmp_path)
    async with way_out(box) as (way, _):
        ran = await run_in(box, way, ["env"], env={"MAVEN_OPTS": "-Xmx1g"})
        url = f"http://127.0.0.1:{way.proxy_port}"
    told = dict(line.partition("=")[::2] for line in ran.out.splitlines())
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"):
        assert told[name] == url
    assert told["NO_PROXY"] == told["no_proxy"] == "localhost,127.0.0.1,::1"
    assert told["NODE_USE_ENV_PROXY"] == "1"
    assert told["MAVEN_OPTS"].startswith("-Xmx1g -Dhttp.proxyHost=127.0.0.1 ")


async def test_a_tunnel_is_for_the_host_that_it_names(tmp_path: Path) -> None:
    """One that asks the server for another name would reach somebody behind the same front."""
    with tls_host() as port:
        box, names = network_box(tmp_path), Names({"front.test": port})
        async with way_out(box, listed("front.test"), names) as (way, _):
            client = ["openssl", "s_client", "-quiet", "-proxy", f"127.0.0.1:{way.proxy_port}"]
            client += ["-connect", "front.test:443"]
            honest = await run_in(box, way, [*CURL, "-k", "https://front.test/"])
            hidden = await run_in(box, way, [*client, "-servername", "hidden.test"])
            nameless = await run_in(box, way, [*client, "-noservername"])
            plain = await run_in(box, way, [PYTHON, "-c", PLAIN_IN_A_TUNNEL, str(way.proxy_port)])
    assert (honest.code, honest.out) == (0, "for front.test"), honest
    for refused in (hidden, nameless):
        assert refused.code != 0
        assert "unrecognized name" in refused.err
    assert "HTTP/1.1 200 Connection established" in plain.out
    assert "for " not in plain.out


async def test_a_service_beside_the_agent_is_reached_by_the_loopback(tmp_path: Path) -> None:
    """Whatever runs for a session shares its network, each in a box of its own."""
    box, port = network_box(tmp_path), free_port()
    (Path(box.worktree) / "file").write_text("from a service")
    env = {"PATH": PATH}
    async with way_out(box) as (way, _):
        argv = [PYTHON, "-u", "-m", "http.server", "--bind", "127.0.0.1", str(port)]
        service = await start_boxed(box, argv, cwd=Path(box.worktree), env=env, way_out=way)
        await service.output.line()
        assert way.listening() == {port}
        ran = await run_in(box, way, [*CURL, f"http://localhost:{port}/file"])
        await stop_child(service)
        assert ran.out == "from a service"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 60)


async def test_a_terminal_runs_in_the_same_network(tmp_path: Path) -> None:
    box = network_box(tmp_path)
    with http_host(lambda request: b"by name") as port:
        async with way_out(box, listed("a.test"), Names({"a.test": port})) as (way, _):
            child = await start_terminal(
                box,
                ["sh", "-c", "tty && curl -sS http://a.test/ && cat /proc/net/dev | wc -l"],
                cwd=Path(box.worktree),
                env={"PATH": PATH},
                rows=24,
                columns=80,
                way_out=way,
            )
            seen = bytearray()
            while chunk := await child.output.chunk():
                seen += chunk
            assert await child.wait() == 0
            child.close()
    lines = seen.decode().split()
    assert lines[0].startswith("/dev/")
    assert lines[1:] == ["by", "name3"]  # two lines of heading, and the loopback alone


async def test_a_command_that_somebody_else_starts_runs_in_the_same_network(tmp_path: Path) -> None:
    box = network_box(tmp_path)
    with http_host(lambda request: b"by name") as port:
        async with way_out(box, listed("a.test"), Names({"a.test": port})) as (way, _):
            within = await networked(box, {"PATH": PATH}, way)
            argv = [*within.prefix, *CURL, "http://a.test/"]
            run = partial(subprocess.run, argv, env=within.env, cwd=box.worktree, timeout=60)
            ran = await asyncio.to_thread(partial(run, capture_output=True, text=True))
        assert (ran.returncode, ran.stdout) == (0, "by name"), ran
        ran = await asyncio.to_thread(partial(run, capture_output=True, text=True))
    assert ran.returncode != 0
    assert "could not be entered" in ran.stderr


async def test_a_network_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'setting up uid map: Permission denied' >&2; exit 1\n")
    broken.chmod(0o755)
    box = msgspec.structs.replace(network_box(tmp_path), program=str(broken))
    async with asyncio.TaskGroup() as tasks:
        way = WayOut(box, listed(), tasks)
        with pytest.raises(MachineFailed, match="uid map: Permission denied"):
            await way.open()
        await way.close()


async def test_everything_is_let_go_of_in_the_end(tmp_path: Path) -> None:
    box = network_box(tmp_path)
    async with way_out(box) as (way, _):
        await run_in(box, way, ["true"])
    before = descriptors()
    for _ in range(8):
        async with way_out(box) as (way, _):
            await run_in(box, way, ["true"])
    # Less than one for each time; what other tests had open may have gone meanwhile.
    assert descriptors() < before + 8


async def test_a_door_that_was_killed_is_replaced_in_the_same_network(tmp_path: Path) -> None:
    box, port = network_box(tmp_path, outward=()), free_port()
    env = {"PATH": PATH}
    async with way_out(box) as (way, _):
        argv = [PYTHON, "-u", "-m", "http.server", "--bind", "127.0.0.1", str(port)]
        service = await start_boxed(box, argv, cwd=Path(box.worktree), env=env, way_out=way)
        await service.output.line()
        door = way._space._door
        assert door is not None
        await stop_child(door)
        way._space._let_go()
        with await way.connect(port) as link:
            assert link.getpeername() == ("127.0.0.1", port)
        assert way.listening() == {port}
        await stop_child(service)


async def test_an_ordinary_user_has_the_same(tmp_path: Path) -> None:
    """The whole of it, by a process that is nobody special."""
    script = Path(__file__).with_name("as_ordinary_user.py")
    argv = [*(ORDINARY if os.getuid() == 0 else ()), PYTHON, str(script)]
    run = partial(subprocess.run, argv, capture_output=True, text=True, timeout=120)
    ran = await asyncio.to_thread(run)
    assert ran.stdout == "reached\nrefused\n", ran.stderr


async def test_all_of_it_dies_with_whoever_made_it(tmp_path: Path) -> None:
    script = Path(__file__).with_name("short_lived.py")
    maker = await asyncio.create_subprocess_exec(
        PYTHON, str(script), str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert maker.stdout is not None
    pids = json.loads(await maker.stdout.readline())
    known = [found for pid in pids if (found := identify(pid)) is not None]
    assert len(known) >= 4  # two that hold a box, the door, and the program
    maker.kill()
    await maker.wait()
    for process in known:
        assert await asyncio.to_thread(wait_gone, process, 60)
