"""Nobody comes in who should not: every door of the router, tried from outside."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.api.conftest import Mint
from tests.api.router import Door, doors, sockets
from tests.support.driver import SECONDS, Answer, Json, Reader, RunningHub

DOORS = doors()
CLOSED = [door for door in DOORS if not door.is_open]
WRITING = [door for door in DOORS if door.method == "POST"]
JSON = {"Content-Type": "application/json"}
MOST_SKEW = timedelta(minutes=5)
OUR_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@contextmanager
def at(door: Door) -> Iterator[None]:
    """What is wrong there is told with its name."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"at {door.method} {door.path}")
        raise


def knock(hub: RunningHub, door: Door, headers: dict[str, str]) -> Answer:
    body = None if door.method in ("GET", "HEAD") else b"{}"
    answer = hub.request(door.method, door.path, body, headers)
    require_our_headers(answer)
    return answer


def require_our_headers(answer: Answer) -> None:
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert {k: answer.headers.get(k) for k in OUR_HEADERS} == OUR_HEADERS
    assert abs(parsedate_to_datetime(answer.headers["date"]) - datetime.now(UTC)) < MOST_SKEW


def require_shape(answer: Answer) -> None:
    assert set(answer.json) == {"code", "message", "hint"}
    assert answer.json["code"]
    assert answer.json["message"]


def test_the_router_has_the_doors_that_the_contract_names() -> None:
    assert {Door("GET", "/api/status"), Door("POST", "/api/sessions")} <= set(DOORS)
    assert [door for door in DOORS if door.is_open and not door.is_page] == [
        Door("POST", "/api/exchange")
    ]
    assert len(DOORS) > 30


@pytest.mark.parametrize(
    "given",
    ["", "Bearer ", "Bearer wrong", "Basic d3Jvbmc6d3Jvbmc=", "Bearer \xe4\xf6"],
    ids=["none", "empty", "wrong", "basic", "not ascii"],
)
def test_without_a_valid_token_every_door_stays_shut(hub: RunningHub, given: str) -> None:
    for door in CLOSED:
        with at(door):
            answer = knock(hub, door, {**JSON, **({"Authorization": given} if given else {})})
            assert answer.status == 401
            require_shape(answer)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_another_name_for_our_address_is_refused(hub: RunningHub, host: str) -> None:
    for door in DOORS:
        with at(door):
            answer = knock(hub, door, {**JSON, **hub.bearer, "Host": host.format(port=hub.port)})
            assert answer.status in (400, 403)
            if answer.status == 403:
                require_shape(answer)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "http://127.0.0.1:{next}",
        "http://localhost:3000",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:{port}.evil.example",
    ],
)
def test_pages_from_elsewhere_are_refused(hub: RunningHub, origin: str) -> None:
    told = origin.format(port=hub.port, next=hub.port + 1)
    for door in DOORS:
        with at(door):
            answer = knock(hub, door, {**JSON, **hub.bearer, "Origin": told})
            assert answer.status == 403
            require_shape(answer)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_body_that_a_form_could_send_is_refused(hub: RunningHub, kind: str) -> None:
    for door in WRITING:
        with at(door):
            answer = knock(hub, door, {**hub.bearer, "Content-Type": kind})
            assert answer.status == 415
            require_shape(answer)


@pytest.mark.parametrize("path", ["//api/status", "///api//status", "/api/status/", "/api//status"])
def test_another_spelling_of_a_path_opens_no_door(hub: RunningHub, path: str) -> None:
    assert hub.request("GET", path).status == 401


@pytest.mark.parametrize("path", ["/api", "/api/", "//api", "/api/openapi.json", "/%61pi/status"])
def test_everything_under_api_needs_a_token_whether_it_exists_or_not(
    hub: RunningHub, path: str
) -> None:
    assert hub.request("GET", path).status == 401


@pytest.mark.parametrize(
    "target",
    [b"api/status", b"http://127.0.0.1/api/status", b"/./api/status", b"/x/../api/status"],
)
def test_a_request_line_that_no_browser_writes_opens_no_door(
    hub: RunningHub, target: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as link:
        head = b"GET %b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n"
        link.sendall(head % (target, hub.authority.encode()))
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    assert b'"pid"' not in answer


def test_our_own_names_are_accepted(hub: RunningHub) -> None:
    for host in (f"127.0.0.1:{hub.port}", f"localhost:{hub.port}", f"[::1]:{hub.port}"):
        headers = {**hub.bearer, "Host": host, "Origin": f"http://{host}"}
        assert hub.request("GET", "/api/status", headers=headers).status == 200


def test_the_page_comes_without_a_token_and_knows_no_secret(hub: RunningHub) -> None:
    for path in ("/", "/sessions/abc", "/index.html"):
        answer = hub.request("GET", path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert hub.token.encode() not in answer.body
        require_our_headers(answer)


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2fapp.py",
        "/../app.py",
        "/%2e%2e/app.py",
        "/assets/../../app.py",
        "/%00",
        "/assets/%00",
        "/" + "x" * 5000,
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/assets/nothing.js",
    ],
)
def test_the_page_serves_nothing_but_itself(hub: RunningHub, path: str) -> None:
    answer = hub.request("GET", path)
    assert answer.status in (200, 400, 404)
    assert b"litestar" not in answer.body.lower()
    assert b"root:" not in answer.body
    require_our_headers(answer)


# WebSockets


def refused(hub: RunningHub, target: str, **more: str | None) -> int:
    """The HTTP status or close code with which a socket was not let in; 0 where it was, and
    the first events came."""
    origin = more.pop("origin", None)
    headers = {k: v for k, v in more.items() if v is not None}
    try:
        with hub.socket(target, headers=headers, origin=origin) as opened:
            opened.recv(timeout=SECONDS)
    except InvalidStatus as error:
        return error.response.status_code
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else 1006
    return 0


def ticket(hub: RunningHub) -> str:
    return str(hub.post("/api/ticket")["ticket"])


def own(hub: RunningHub) -> str:
    return f"http://{hub.authority}"


TERMINAL = "/api/sessions/nobody/terminals/shell/socket"
RUN = "/api/sessions/nobody/run"


def test_there_are_three_sockets() -> None:
    of_a_session = ("terminals/{name:str}/socket", "run")
    known = ["/api/events", *(f"/api/sessions/{{ref:str}}/{one}" for one in of_a_session)]
    assert sorted(sockets()) == sorted(known)


@pytest.mark.parametrize("target", [TERMINAL, RUN])
def test_a_terminal_is_for_no_stranger_and_no_agent(
    hub: RunningHub, mint: Mint, target: str
) -> None:
    assert refused(hub, target) == 401
    assert refused(hub, target, origin="http://evil.example", **hub.bearer) == 403
    session = hub.new("Nothing yet", start=False)["id"]
    agent = {"Authorization": f"Bearer {mint('agent', session)}"}
    assert refused(hub, target.replace("nobody", session), **agent) == 403
    declared = {**hub.bearer, "Manyhands-Session": session}
    assert refused(hub, target.replace("nobody", session), **declared) == 403
    assert refused(hub, f"{target}?mode=watch", **declared) == 403
    assert refused(hub, target, Authorization=f"Bearer {mint('read-only')}") == 403


def test_a_socket_without_a_token_is_refused(hub: RunningHub) -> None:
    assert refused(hub, "/api/events") == 401
    assert refused(hub, "/api/events", Authorization="Bearer wrong") == 401
    assert refused(hub, "/api/events?ticket=wrong", origin=own(hub)) == 401
    assert refused(hub, "/api/events?ticket=", origin=own(hub)) == 401
    assert refused(hub, f"/api/events?token={hub.token}", origin=own(hub)) == 401


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", ""])
def test_a_page_from_elsewhere_opens_no_socket_even_with_a_ticket(
    hub: RunningHub, origin: str
) -> None:
    target = f"/api/events?ticket={ticket(hub)}"
    assert refused(hub, target, origin=origin) == 403
    bearer = hub.bearer["Authorization"]
    assert refused(hub, "/api/events", origin=origin, Authorization=bearer) == 403


def test_a_ticket_without_an_origin_is_refused(hub: RunningHub) -> None:
    assert refused(hub, f"/api/events?ticket={ticket(hub)}") == 403


def test_a_socket_under_another_name_is_refused(hub: RunningHub) -> None:
    bearer = hub.bearer["Authorization"]
    host = f"evil.example:{hub.port}"
    assert refused(hub, "/api/events", Authorization=bearer, Host=host) in (400, 403)


def test_a_ticket_opens_one_socket(hub: RunningHub) -> None:
    target = f"/api/events?ticket={ticket(hub)}&after=0"
    assert refused(hub, target, origin=own(hub)) == 0
    assert refused(hub, target, origin=own(hub)) == 401


def test_other_addresses_are_no_sockets(hub: RunningHub) -> None:
    bearer = hub.bearer["Authorization"]
    for path in ("/api/status", "/", "/api/nothing"):
        assert refused(hub, path, Authorization=bearer) != 0


# Scoped tokens


def test_an_agent_may_read_its_own_session_and_nothing_else(
    hub: RunningHub, resting: Json, mint: Mint
) -> None:
    other = hub.new("Another", start=False)
    bearer = {"Authorization": f"Bearer {mint('agent', resting['id'])}"}
    mine, others = f"/api/sessions/{resting['id']}", f"/api/sessions/{other['id']}"
    allowed = {Door("GET", p) for p in ("/api/status", mine, f"{mine}/events", f"{mine}/diff")}
    for door in {*doors(resting["id"]), *doors(other["id"]), *doors(resting["slug"])}:
        if door.is_open:
            continue
        answer = knock(hub, door, {**JSON, **bearer})
        # It may propose issues for itself; an empty proposal is let in, and refused as such.
        is_own_proposal = door == Door("POST", f"{mine}/proposals")
        expected = 400 if is_own_proposal else 200 if door in allowed else 403
        assert answer.status == expected, door
    assert hub.show(other["id"])["status"] == "idle"
    for sly in (f"{mine}/../{other['id']}", f"{mine}//diff/", f"{others}/events?x={mine}"):
        assert hub.request("GET", sly, headers=bearer).status in (400, 403, 404)


def test_an_agent_may_not_follow_events(hub: RunningHub, resting: Json, mint: Mint) -> None:
    token = mint("agent", resting["id"])
    target = f"/api/events?session={resting['id']}"
    assert refused(hub, target, Authorization=f"Bearer {token}") == 403


def test_a_read_only_token_reads_all_but_keys_and_changes_nothing(
    hub: RunningHub, resting: Json, mint: Mint
) -> None:
    bearer = {"Authorization": f"Bearer {mint('read-only')}"}
    for door in doors(resting["id"]):
        answer = knock(hub, door, {**JSON, **bearer})
        if door == Door("GET", "/api/config"):
            assert answer.status == 403
        elif door.method == "GET" or door == Door("POST", "/api/ticket"):
            assert answer.status in (200, 400, 404), door  # 400: let in, and asked for more
        elif not door.is_open:
            assert answer.status == 403, door
    assert refused(hub, "/api/events?after=0", Authorization=bearer["Authorization"]) == 0


# Links and tokens


def code_of(link: Json) -> str:
    return str(link["url"]).split("#code=")[1]


def exchange(hub: RunningHub, code: str) -> Answer:
    headers = {**JSON, "Origin": own(hub)}
    return hub.request("POST", "/api/exchange", b'{"code": "%b"}' % code.encode(), headers)


def test_a_one_time_link_lets_a_page_in_once(hub: RunningHub) -> None:
    link = hub.post("/api/link")
    assert link["url"].startswith(f"{hub.url}/#code=")
    first, second = exchange(hub, code_of(link)), exchange(hub, code_of(link))
    assert (first.status, second.status) == (200, 403)
    require_shape(second)
    bearer = {"Authorization": f"Bearer {first.json['token']}"}
    assert hub.request("GET", "/api/status", headers=bearer).status == 200
    assert first.json["token"] != hub.token


def test_a_code_that_was_never_given_is_refused(hub: RunningHub) -> None:
    assert exchange(hub, "").status == 403
    assert exchange(hub, "guess").status == 403


def test_rotating_voids_every_token_link_and_ticket_and_closes_open_sockets(
    own_hub: RunningHub,
) -> None:
    hub = own_hub
    old, link, left = hub.token, hub.post("/api/link"), ticket(hub)
    page = exchange(hub, code_of(hub.post("/api/link"))).json["token"]
    with hub.reader() as command_line, _page_reader(hub, page) as browser:
        hub.post("/api/rotate")
        assert command_line.closed() == 4001
        assert browser.closed() == 4001
    assert hub.token != old
    for token in (old, page):
        bearer = {"Authorization": f"Bearer {token}"}
        assert hub.request("GET", "/api/status", headers=bearer).status == 401
    assert exchange(hub, code_of(link)).status == 403
    assert refused(hub, f"/api/events?ticket={left}", origin=own(hub)) == 401
    assert hub.get("/api/status")["pid"] == hub.pid


@contextmanager
def _page_reader(hub: RunningHub, token: str) -> Iterator[Reader]:
    headers = {"Authorization": f"Bearer {token}", **JSON}
    got = hub.request("POST", "/api/ticket", b"{}", headers).json["ticket"]
    with hub.socket(f"/api/events?ticket={got}", origin=own(hub)) as socket:
        yield Reader(socket)


def test_the_token_is_private_to_the_user(hub: RunningHub) -> None:
    for path in (hub.home.token, hub.home.hub_file, hub.home.store):
        assert path.stat().st_mode & 0o077 == 0, path
    assert hub.home.root.stat().st_mode & 0o077 == 0
