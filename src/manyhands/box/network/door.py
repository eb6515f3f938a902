"""Hands out sockets of the network that it runs in, to whoever started it.

A stand-alone script of the standard library only: `door.py DESCRIPTOR`. A socket belongs for ever
to the network where it was made. So this one only makes them; its parent, outside, binds, connects
and serves them, and nothing of ours has to run inside.

It first sends the namespaces of users and of the network that it is in. Then a byte comes for each
socket that is wanted (`4` or `6`), and one goes back with it, or without where there is none.
"""

from __future__ import annotations

import os
import socket
import sys

FAMILIES = {b"4": socket.AF_INET, b"6": socket.AF_INET6}


def main(descriptor: int) -> None:
    with socket.socket(fileno=descriptor) as parent:
        spaces = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("user", "net")]
        socket.send_fds(parent, [b"."], spaces)
        for space in spaces:
            os.close(space)
        while wanted := parent.recv(1):
            answer(parent, wanted)


def answer(parent: socket.socket, wanted: bytes) -> None:
    try:
        made = socket.socket(FAMILIES[wanted], socket.SOCK_STREAM)
    except OSError:
        parent.send(b".")
        return
    with made:
        socket.send_fds(parent, [b"."], [made.fileno()])


if __name__ == "__main__":
    main(int(sys.argv[1]))
