"""What a preview lets through to nobody: other hosts, other sessions, smuggled requests, tokens."""

from __future__ import annotations

import socket
import threading

import pytest

from tests.api.preview.conftest import SECONDS, Seen
from tests.support.apps import app, raw_app

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:{port}",
        "localhost:{port}",
        "manyhands.localhost:{port}",
        "web--one.manyhands.localhost",
        "web--one.manyhands.localhost:1",
        "web--one.manyhands.localhost.evil.example:{port}",
        "web--nobody.manyhands.localhost:{port}",
        "db--one.manyhands.localhost:{port}",
        "a.web--one.manyhands.localhost:{port}",
        "evil.example:{port}",
        "web--one.manyhands.localhost:{port}, web--other.manyhands.localhost:{port}",
        "",
    ],
)
def test_wrong_hosts_get_nothing(one: Seen, host: str) -> None:
    with app("app", one.port) as running:
        answer, body = one.ask(Host=host.format(port=one.way_in))
        assert answer.status == 421
        assert b"app" not in body
        assert not running.asked


def test_the_page_of_another_site_opens_no_websocket_and_no_session_asks_another(
    one: Seen, other: Seen
) -> None:
    socket_wanted = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    with app("app", one.port) as running:
        assert one.ask(Origin=other.url)[0].status == 403
        for origin in (other.url, "http://evil.example", "null"):
            assert one.ask("/", "GET", None, Origin=origin, **socket_wanted)[0].status == 403
        assert not running.asked
        assert one.ask(Origin=one.url)[0].status == 200
        assert one.ask(Origin="https://login.example")[0].status == 200


def get(field: bytes) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: HOST\r\n" + field + b"\r\n\r\n"


def post(fields: bytes) -> bytes:
    return b"POST" + get(fields).removeprefix(b"GET")


SMUGGLED = {
    "two lengths": post(b"Content-Length: 5\r\nContent-Length: 6"),
    "the same length twice": post(b"Content-Length: 5\r\nContent-Length: 5"),
    "a list of lengths": post(b"Content-Length: 5, 5"),
    "a signed length": post(b"Content-Length: +5"),
    "length and coding": post(b"Content-Length: 5\r\nTransfer-Encoding: chunked"),
    "another coding": post(b"Transfer-Encoding: gzip, chunked"),
    "a coding with a tab": post(b"Transfer-Encoding: \x0bchunked"),
    "two codings": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    "a coding in 1.0": b"POST / HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n",
    "folding": get(b"X-A: b\r\n c"),
    "a space before the colon": get(b"Content-Length : 5"),
    "a bare carriage return": get(b"X-A: b\rContent-Length: 5"),
    "a bare line feed": get(b"X-A: b\nContent-Length: 5"),
    "a nul": get(b"X-A: \0"),
    "two hosts": get(b"Host: HOST"),
    "no host": b"GET / HTTP/1.1\r\nAccept: */*\r\n\r\n",
    "a whole address": b"GET http://127.0.0.1:22/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "connect": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "two spaces": b"GET  / HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "another version": b"GET / HTTP/2.0\r\nHost: HOST\r\n\r\n",
    "a length for one connection": post(b"Connection: content-length\r\nContent-Length: 5"),
    "a head without end": b"GET / HTTP/1.1\r\nHost: HOST\r\nX-A: " + b"a" * 70_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_a_smuggled_request_is_refused(one: Seen, name: str) -> None:
    with app("app", one.port) as running:
        said = one.say(SMUGGLED[name] + b"GET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\n")
        assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421", b"HTTP/1.1 431"))
        assert said.count(b"HTTP/1.1 ") - said.count(b"HTTP/1.1 for a path") == 1
        assert not running.asked


@pytest.mark.parametrize(
    "chunk",
    [
        b"5\nhello\r\n0\r\n\r\n",
        b"0x5\r\nhello\r\n",
        b"5\r\nhelloX\r\n",
        b"-1\r\n",
        b"5 \r\nhello\r\n",
    ],
)
def test_a_chunk_that_could_be_read_in_two_ways_ends_the_connection(
    one: Seen, chunk: bytes
) -> None:
    with app("app", one.port) as running:
        said = one.say(
            b"POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunk
            + b"GET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\n"
        )
        assert said.count(b"HTTP/1.1 200") == 0
        assert all(path != "/hidden" for _, path, _ in running.asked)


def test_another_upgrade_never_reaches_the_app(one: Seen) -> None:
    with app("app", one.port) as running:
        one.ask(Upgrade="h2c", Connection="Upgrade, HTTP2-Settings", HTTP2_Settings="AAMAAABk")
        names = {name.lower() for name, _ in running.asked[0][2]}
    assert not names & {"upgrade", "connection", "http2-settings"}


def test_an_app_that_changes_the_protocol_unasked_is_cut_off(one: Seen) -> None:
    def changes(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nsecret")

    with raw_app(one.port, changes):
        said = one.say(b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 502")
    assert b"secret" not in said


def test_what_follows_a_refused_websocket_is_no_request(one: Seen) -> None:
    with app("app", one.port) as running:
        one.say(
            b"GET /a HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            b"GET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\n"
        )
        assert [path for _, path, _ in running.asked] == ["/a"]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000,
    ],
)
def test_an_answer_that_cannot_be_read_is_not_passed_on(one: Seen, answer: bytes) -> None:
    def odd(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(answer)

    with raw_app(one.port, odd):
        said = one.say(b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 502")


def test_what_an_app_says_after_its_answer_is_nobodys(one: Seen) -> None:
    def talks(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(OK + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

    with raw_app(one.port, talks), one.connection() as connection:
        for _ in range(3):
            connection.request("GET", "/", headers={"Host": one.host})
            assert connection.getresponse().read() == b"ok"


def test_no_token_of_ours_reaches_an_app_and_its_own_do(one: Seen) -> None:
    ours = one.hub.home.token.read_text().strip()
    with app("app", one.port) as running:
        one.ask(Authorization=f"Bearer {ours}")
        one.ask(Authorization="Bearer its-own")
        ours_seen, own_seen = (dict(headers) for _, _, headers in running.asked)
    assert "authorization" not in {name.lower() for name in ours_seen}
    assert own_seen["authorization"] == "Bearer its-own"


def test_a_cookie_stays_with_its_session(one: Seen) -> None:
    with app("app", one.port) as running:
        running.headers = [
            ("Set-Cookie", "login=1; Domain=manyhands.localhost; Path=/; HttpOnly"),
            ("Set-Cookie", "plain=2; domain=.localhost"),
        ]
        answer, _ = one.ask(Cookie="login=1")
        assert answer.headers.get_all("set-cookie") == ["login=1; Path=/; HttpOnly", "plain=2"]
        assert dict(running.asked[0][2])["Cookie"] == "login=1"
        assert dict(running.asked[0][2])["Host"] == one.host


def test_only_our_page_may_frame_it(one: Seen) -> None:
    with app("app", one.port) as running:
        running.headers = [
            ("X-Frame-Options", "DENY"),
            ("Content-Security-Policy", "default-src 'self'; frame-ancestors https://evil.example"),
            ("Origin-Agent-Cluster", "?0"),
        ]
        headers = one.ask()[0].headers
    own, ours = headers.get_all("content-security-policy", [])
    assert own == "default-src 'self'"
    page = f"http://manyhands.localhost:{one.hub.port}"
    assert ours.startswith("frame-ancestors 'self' ")
    assert page in ours.split()
    assert "evil" not in ours
    assert "x-frame-options" not in headers
    assert headers.get_all("origin-agent-cluster") == ["?1"]


def test_while_an_app_is_down_a_page_says_so_and_learns_when_it_is_up(one: Seen) -> None:
    answer, body = one.ask(Accept="text/html")
    assert answer.status == 503
    assert b"web of one is not up yet" in body
    assert b"manyhands/up" in body
    answer, body = one.ask(Accept="*/*")
    assert (answer.status, answer.headers.get_content_type()) == (503, "text/plain")
    with one.connection() as connection:
        connection.request("GET", "/.well-known/manyhands/up", headers={"Host": one.host})
        with app("app", one.port):
            assert connection.getresponse().status == 204


def test_a_flood_of_connections_is_bounded_and_others_still_get_in(one: Seen) -> None:
    held = [
        socket.create_connection(("127.0.0.1", one.way_in), timeout=SECONDS) for _ in range(1100)
    ]
    try:
        with app("app", one.port):
            assert one.ask()[1] == b"app /"
    finally:
        for sock in held:
            sock.close()


def test_an_archived_session_has_no_preview_any_more(one: Seen) -> None:
    gone = Seen(one.hub, "Gone")
    one.hub.act(gone.session["id"], "archive")
    one.hub.wait(gone.session["id"], goal="archived")
    with app("app", gone.port):
        assert gone.ask()[0].status == 421


def test_the_page_has_the_same_site_and_frames_previews_alone(one: Seen) -> None:
    name = f"manyhands.localhost:{one.hub.port}"
    answer = one.hub.request("GET", "/", None, {"Host": name})
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200
    assert f"frame-src http://*.manyhands.localhost:{one.way_in}" in policy
    assert answer.headers["origin-agent-cluster"] == "?1"
    for wrong in (f"web--one.{name}", f"manyhands.localhost:{one.way_in}"):
        assert one.hub.request("GET", "/", None, {"Host": wrong}).status == 403
    refused = one.hub.request("GET", "/api/status", None, {"Host": name, "Origin": one.url})
    assert refused.status == 403


def test_a_preview_keeps_its_address_over_a_restart(one: Seen) -> None:
    one.hub.kill()
    one.hub.start("--port", str(one.hub.port))
    with app("app", one.port):
        assert one.ask()[1] == b"app /"


def test_requests_from_many_threads_at_once_never_mix(one: Seen, other: Seen) -> None:
    wrong: list[bytes] = []

    def ask(seen: Seen, name: bytes) -> None:
        for number in range(30):
            _, body = seen.ask(f"/{number}")
            if body != name + b" /%d" % number:
                wrong.append(body)

    with app("first", one.port), app("second", other.port):
        pairs = [(one, b"first"), (other, b"second")] * 4
        threads = [threading.Thread(target=ask, args=pair) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
