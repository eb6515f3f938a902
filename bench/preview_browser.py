"""What a browser does with a preview: many small files over six connections, or a large one.

Each line on stdin says what is wanted, and the line that comes back says how long it took.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time

CONNECTIONS = 6
ROOM = 1024 * 1024
HEADERS = (
    "Connection: keep-alive\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36\r\n"
    'sec-ch-ua: "Chromium";v="156"\r\nsec-ch-ua-mobile: ?0\r\nsec-ch-ua-platform: "Linux"\r\n'
    "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: script\r\n"
    "Accept-Language: en-US,en;q=0.9\r\nCookie: session=0123456789abcdef0123456789abcdef\r\n"
)


class Tab:
    """One connection."""

    def __init__(self, port: int, host: str) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port))
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = host
        self._room = bytearray(ROOM)

    def load(self, path: str) -> int:
        request = f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n{HEADERS}\r\n"
        self._sock.sendall(request.encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._sock.recv(8192)
        head, _, rest = head.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise ValueError(head)
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        left = length - len(rest)
        while left:
            left -= self._sock.recv_into(self._room, min(left, ROOM))
        return length


def small(tabs: list[Tab], number: int) -> list[float]:
    """How long each took, in milliseconds."""
    took: list[float] = []

    def load(tab: Tab, count: int) -> None:
        for at in range(count):
            began = time.perf_counter()
            tab.load(f"/assets/module-{at}.js")
            took.append((time.perf_counter() - began) * 1000)

    share = -(-number // len(tabs))
    threads = [threading.Thread(target=load, args=(tab, share)) for tab in tabs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def main(port: int, host: str) -> None:
    print(json.dumps({"port": port}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        tabs = [Tab(port, host) for _ in range(1 if asked.get("big") else CONNECTIONS)]
        began = time.perf_counter()
        if asked.get("big"):
            found: dict[str, object] = {"bytes": tabs[0].load("/big")}
        else:
            found = {"ms": small(tabs, asked["small"])}
        print(json.dumps({**found, "seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
