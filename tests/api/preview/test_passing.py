"""What an app says comes through a preview, whatever its shape."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading

import psutil
import pytest
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Origin

from tests.api.preview.conftest import SECONDS, Seen
from tests.support.apps import app, raw_app

GB = 2**30
MB = 2**20


def test_the_address_is_the_sessions_own_and_stays(one: Seen, other: Seen) -> None:
    assert one.url == f"http://web--one.manyhands.localhost:{one.way_in}"
    assert other.url == f"http://web--other.manyhands.localhost:{one.way_in}"
    with app("first", one.port), app("second", other.port):
        assert one.ask("/a")[1] == b"first /a"
        assert other.ask("/a")[1] == b"second /a"


@pytest.mark.parametrize("path", ["/chunked", "/until-end", "/big/3000001", "/big/0", "/x?y=%20z"])
def test_answers_of_every_shape_come_whole(one: Seen, path: str) -> None:
    with app("app", one.port):
        answer, body = one.ask(path)
        assert answer.status == 200
        expected = {
            "/chunked": b"one" + b"two" * 10_000 + b"three",
            "/until-end": b"to the end",
            "/big/3000001": bytes(3000001),
            "/big/0": b"",
        }.get(path, b"app " + path.encode())
        assert hashlib.sha256(body).digest() == hashlib.sha256(expected).digest()


def test_bodies_go_to_the_app_whole(one: Seen) -> None:
    content = bytes(range(256)) * 20_000
    with app("app", one.port):
        assert one.ask(method="POST", body=content)[1] == content
        with one.connection() as connection:
            pieces = [content[:5], content[5:70_000], content[70_000:]]
            connection.request("POST", "/", iter(pieces), {"Host": one.host}, encode_chunked=False)
            assert connection.getresponse().read() == content


def test_many_requests_share_one_connection(one: Seen) -> None:
    with app("app", one.port) as running, one.connection() as connection:
        for number in range(20):
            connection.request(
                "HEAD" if number % 3 == 1 else "GET", f"/{number}", headers={"Host": one.host}
            )
            answer = connection.getresponse()
            assert answer.status == 200
            answer.read()
        assert len(running.asked) == 20


def test_requests_in_a_row_are_answered_in_order(one: Seen) -> None:
    row = b"".join(b"GET /%d HTTP/1.1\r\nHost: HOST\r\n\r\n" % n for n in range(50))
    with app("app", one.port):
        said = one.say(row + b"GET /last HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
    places = [said.find(b"app /%d" % n) for n in range(50)]
    assert -1 not in places
    assert places == sorted(places)
    assert said.endswith(b"app /last")


def test_one_connection_reaches_two_sessions_apart(one: Seen, other: Seen) -> None:
    with app("first", one.port), app("second", other.port), one.connection() as connection:
        for seen, name in ((one, b"first"), (other, b"second"), (one, b"first")):
            connection.request("GET", "/", headers={"Host": seen.host})
            assert connection.getresponse().read().startswith(name)


def test_an_app_on_ipv6_alone_is_found(one: Seen) -> None:
    with app("six", one.port, "::1"):
        assert one.ask()[1] == b"six /"


def test_events_come_one_by_one(one: Seen) -> None:
    with app("app", one.port) as running, one.connection() as connection:
        connection.request("GET", "/events", headers={"Host": one.host})
        answer = connection.getresponse()
        for number in range(1, 6):
            running.next_event.release()
            assert answer.readline() == b"data: %d\n" % number
            answer.readline()


def test_a_websocket_is_passed_both_ways(one: Seen) -> None:
    def echo(socket: ServerConnection) -> None:
        for message in socket:
            socket.send(message)

    with serve(echo, "127.0.0.1", one.port, max_size=None, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        sock = socket.create_connection(("127.0.0.1", one.way_in), timeout=SECONDS)
        origin = Origin(one.url)
        with connect(f"ws://{one.host}/hot", sock=sock, origin=origin, max_size=None) as browser:
            for size in (1, 1000, 3_000_000):
                browser.send(bytes(size))
                assert browser.recv(SECONDS) == bytes(size)
            browser.send("words")
            assert browser.recv(SECONDS) == "words"
        server.shutdown()
        thread.join()


def test_an_app_that_went_away_between_two_requests_is_asked_anew(one: Seen) -> None:
    with one.connection() as connection:
        for name in (b"before", b"after"):
            with app(name.decode(), one.port):
                connection.request("GET", "/", headers={"Host": one.host})
                assert connection.getresponse().read().startswith(name)


def test_two_gigabytes_stream_in_bounded_memory(one: Seen) -> None:
    hub = psutil.Process(one.hub.pid)
    with app("app", one.port), one.connection() as connection:
        before = hub.memory_info().rss
        connection.request("GET", f"/big/{2 * GB}", headers={"Host": one.host})
        answer, got, most = connection.getresponse(), 0, 0
        room = bytearray(4 * MB)
        while size := answer.readinto(room):
            if (got + size) // (128 * MB) > got // (128 * MB):
                most = max(most, hub.memory_info().rss)
            got += size
    assert got == 2 * GB
    assert most - before < 20 * MB


def test_a_slow_reader_holds_its_own_app_and_nobody_else(one: Seen) -> None:
    hub = psutil.Process(one.hub.pid)
    with app("app", one.port) as running:
        before = hub.memory_info().rss
        slow = [
            socket.create_connection(("127.0.0.1", one.way_in), timeout=SECONDS) for _ in range(8)
        ]
        for sock in slow:
            sock.sendall(f"GET /big/{GB} HTTP/1.1\r\nHost: {one.host}\r\n\r\n".encode())
            assert sock.recv(100).startswith(b"HTTP/1.1 200")
        for _ in range(50):
            assert one.ask()[1] == b"app /"
        assert hub.memory_info().rss - before < 20 * MB
        assert running.sent < 8 * 64 * MB
        for sock in slow:
            sock.close()


def test_an_early_end_of_an_answer_is_seen_as_one(one: Seen) -> None:
    def short(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")

    with raw_app(one.port, short):
        said = one.say(b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    assert b"content-length: 100" in said
    assert said.endswith(b"\r\n\r\nshort")


def test_an_interim_answer_comes_before_the_final_one(one: Seen) -> None:
    def patient(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with raw_app(one.port, patient):
        said = one.say(b"GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK")
    assert said.endswith(b"ok")


def test_a_key_of_a_websocket_comes_as_it_was_sent(one: Seen) -> None:
    heard: list[bytes] = []

    def remember(sock: socket.socket) -> None:
        heard.append(sock.recv(65536))
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    key = base64.b64encode(bytes(16))
    with raw_app(one.port, remember):
        one.say(
            b"GET / HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: " + key + b"\r\n\r\n"
        )
    assert b"Sec-WebSocket-Key: " + key in heard[0]
    assert b"Upgrade: websocket" in heard[0]
