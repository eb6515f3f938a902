"""Which process of a session listens on which port, seen from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from manyhands.process.listening import Listeners

# The parent listens on both families, gives its sockets to a child, and ends when it is told to.
SERVER = """
import json, os, socket, sys
sockets = [socket.create_server(("127.0.0.1", 0))]
sockets.append(socket.create_server(("::1", 0), family=socket.AF_INET6))
child = os.fork()
if not child:
    sys.stdin.close()
    os.read(int(sys.argv[1]), 1)
    os._exit(0)
print(json.dumps([os.getpid(), child, *(s.getsockname()[1] for s in sockets)]), flush=True)
sys.stdin.read()
os._exit(0)
"""


@contextmanager
def serving(session: str) -> Iterator[tuple[list[int], subprocess.Popen[str]]]:
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(reading)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"MANYHANDS_SESSION": session},
        pass_fds=(reading,),
        text=True,
    ) as process:
        os.close(reading)
        try:
            assert process.stdout
            yield json.loads(process.stdout.readline()), process
        finally:
            os.close(writing)


@pytest.mark.parametrize("asks_kernel", [True, False])
def test_a_listener_of_either_family_is_found_and_followed_to_its_child(
    asks_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not asks_kernel:
        monkeypatch.setattr("manyhands.process.listening.SOCK_DIAG", 10**6)
    listeners = Listeners()
    session = str(uuid4())  # All of the machine is looked at, whatever other tests run there.
    with serving(session) as ((parent, child, *ports), process):
        heard = {(one.port, one.pid) for one in listeners.find() if one.session == session}
        assert {(port, pid) for port in ports for pid in (parent, child)} == heard
        assert process.stdin
        process.stdin.close()
        process.wait()
        heard = {(one.port, one.pid) for one in listeners.find() if one.session == session}
        assert {(port, child) for port in ports} == heard
