"""Which process is at the other end, who stands behind it, and who holds a lock."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from manyhands.git.locks import file_lock
from manyhands.process.holder import holds, load_holder, write_holder
from manyhands.process.lineage import lineage, session_behind
from manyhands.process.peer import Peer, find_peer, listens, peer_pid

CLIENT = """
import socket, sys
link = socket.socket(socket.AF_UNIX if sys.argv[1] == "unix" else socket.AF_INET)
link.connect(sys.argv[2] if sys.argv[1] == "unix" else ("127.0.0.1", int(sys.argv[2])))
sys.stdin.read()
"""


@contextmanager
def client(kind: str, place: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that connects, and holds on until it is let go of."""
    argv = [sys.executable, "-c", CLIENT, kind, place]
    env = {**os.environ, **variables}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env=env) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait(120)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as made:
        yield made


def test_the_holder_of_a_tcp_connection_is_found_and_its_end_is_noticed(
    server: socket.socket,
) -> None:
    ours = server.getsockname()
    with client("tcp", str(ours[1])) as process:
        link, theirs = server.accept()
        assert find_peer(theirs, ours) == Peer((process.pid,))
        assert find_peer(theirs, ours, [1, process.pid]) == Peer((process.pid,))
        assert find_peer(theirs, ours, [os.getpid()]) == Peer((process.pid,))
    with link:
        assert find_peer(theirs, ours) == Peer()


def test_all_who_hold_a_connection_are_found(server: socket.socket) -> None:
    ours = server.getsockname()
    with socket.create_connection(ours) as mine:
        link, theirs = server.accept()
        fd = mine.fileno()
        with link, subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[fd]) as other:
            found = find_peer(theirs, ours)
            other.communicate()
    assert found is not None
    assert set(found.holders) == {os.getpid(), other.pid}


def test_another_machines_connection_is_nobodys() -> None:
    assert find_peer(("192.0.2.1", 4000), ("127.0.0.1", 4001)) is None
    assert find_peer(("127.0.0.1", 1), ("127.0.0.1", 2)) == Peer()


def test_who_listens_is_known(server: socket.socket) -> None:
    port = server.getsockname()[1]
    assert listens(os.getpid(), port)
    assert not listens(os.getppid(), port)
    server.close()
    assert not listens(os.getpid(), port)


def test_the_process_behind_a_unix_socket_is_known(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(path)
        server.listen()
        with client("unix", path) as process:
            link, _ = server.accept()
            with link:
                assert peer_pid(link) == process.pid


def test_a_session_is_behind_all_that_was_started_below_it(server: socket.socket) -> None:
    def is_mine(mark: str) -> bool:
        return mark == "mine"

    def kept_by(pid: int) -> str:
        return ""

    port = str(server.getsockname()[1])
    with client("tcp", port, MANYHANDS_SESSION="mine") as process:
        server.accept()[0].close()
        assert next(iter(lineage(process.pid))) == process.pid
        assert os.getpid() in lineage(process.pid)
        assert session_behind(process.pid, is_mine, kept_by) == "mine"
        assert session_behind(process.pid, lambda mark: False, kept_by) == ""
        by_parent = session_behind(
            process.pid, lambda mark: False, lambda pid: "kept" if pid == os.getpid() else ""
        )
        assert by_parent == "kept"
    assert session_behind(os.getpid(), is_mine, kept_by) == ""


def test_the_holder_of_a_lock_is_known_by_the_kernel_whatever_the_file_says(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lock"
    with file_lock(path) as held:
        write_holder(held)
        found = load_holder(path)
        assert found is not None
        assert found.pid == os.getpid()
        assert holds(os.getpid(), path)
        path.write_text('{"pid": 1, "started": 0}')
        assert holds(os.getpid(), path)
        assert not holds(1, path)
        assert load_holder(path) is None
