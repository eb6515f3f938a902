"""The app behind a preview: answers at once, and a large file as fast as it is taken."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading

SMALL = bytes(4096)
BIG_BYTES = 512 * 1024 * 1024
BLOCK = os.urandom(1024 * 1024)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: %d\r\n\r\n"


def serve(sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with sock:
        data = b""
        while piece := sock.recv(65536):
            data += piece
            while b"\r\n\r\n" in data:
                head, _, data = data.partition(b"\r\n\r\n")
                if head.startswith(b"GET /big"):
                    sock.sendall(HEAD % BIG_BYTES)
                    for _ in range(0, BIG_BYTES, len(BLOCK)):
                        sock.sendall(BLOCK)
                else:
                    sock.sendall(HEAD % len(SMALL) + SMALL)


def main(port: int) -> None:
    with socket.create_server(("127.0.0.1", port), backlog=128) as listener:
        print(json.dumps({"port": port}), flush=True)
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=serve, args=(sock,), daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]))
