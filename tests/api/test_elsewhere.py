"""The hub reached from elsewhere: named hosts, a second address with TLS, and what is refused."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.driver import CONFIG, REHEARSAL, SECONDS, Answer, RunningHub
from tests.support.reserved import ReservedPort

NAME = "box.tailnet.example"
SECOND = "127.0.0.2"
"""Loopback, and yet another address than the hub's own."""


def own_config(lines: str) -> str:
    return CONFIG.format(working=4, linger=10.0, agent=REHEARSAL) + f"[hub]\n{lines}\n"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


class Reached:
    """A hub with a second door, and how to knock there."""

    def __init__(self, root: Path, authority: trustme.CA) -> None:
        self.reserved = ReservedPort(SECOND)
        self.port = self.reserved.number
        self.hub = RunningHub(root)
        certificate = authority.issue_cert(SECOND, NAME)
        certificate.cert_chain_pems[0].write_to_path(self.hub.home.root / "hub.pem")
        certificate.private_key_pem.write_to_path(self.hub.home.root / "hub.key")
        self.hub.configure(
            own_config(
                f'hosts = ["{NAME}", "http://localhost:1234"]\n'
                f'bind = "{SECOND}:{self.port}"\ncertificate = "hub.pem"\nkey = "hub.key"'
            )
        )
        self.context = ssl.create_default_context()
        authority.configure_trust(self.context)

    def knock(self, host: str, **headers: str) -> Answer:
        link = http.client.HTTPSConnection(SECOND, self.port, timeout=SECONDS, context=self.context)
        try:
            link.request("GET", "/api/status", headers={"Host": host, **headers})
            answer = link.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            link.close()

    def open_socket(self, headers: dict[str, str]) -> str:
        """The state it is in then. One thread reads and writes: OpenSSL bears no two at once."""

        async def state() -> str:
            async with connect(
                f"wss://{SECOND}:{self.port}/api/events?after=0",
                additional_headers=headers,
                ssl=self.context,
                compression=None,
                open_timeout=SECONDS,
            ) as socket:
                return socket.protocol.state.name

        return asyncio.run(state())


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA) -> Iterator[Reached]:
    made = Reached(tmp_path_factory.mktemp("elsewhere"), authority)
    with closing(made.reserved), made.hub:
        yield made


def test_the_second_address_speaks_tls_with_the_users_certificate(reached: Reached) -> None:
    answer = reached.knock(f"{SECOND}:{reached.port}", **reached.hub.bearer)
    assert answer.status == 200
    assert answer.json["pid"] == reached.hub.pid


def test_the_second_address_speaks_no_plain_http(reached: Reached) -> None:
    link = http.client.HTTPConnection(SECOND, reached.port, timeout=SECONDS)
    link.request("GET", "/api/status", headers=reached.hub.bearer)
    with pytest.raises((http.client.HTTPException, OSError)):
        link.getresponse()
    link.close()


def test_a_certificate_that_nobody_vouches_for_is_noticed(reached: Reached) -> None:
    reached_by_stranger = http.client.HTTPSConnection(
        SECOND, reached.port, timeout=SECONDS, context=ssl.create_default_context()
    )
    with pytest.raises(ssl.SSLCertVerificationError):
        reached_by_stranger.request("GET", "/")
    reached_by_stranger.close()


def test_everywhere_a_token_is_needed(reached: Reached) -> None:
    assert reached.knock(NAME).status == 401
    assert reached.knock(NAME, Authorization="Bearer wrong").status == 401
    assert reached.knock(NAME, **reached.hub.bearer).status == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        (NAME, f"https://{NAME}", 200),
        (NAME, f"http://{NAME}", 403),
        (NAME, f"https://{NAME}:444", 403),
        (NAME, f"https://evil.{NAME}", 403),
        (f"evil.{NAME}", None, 403),
        (f"{NAME}:444", None, 403),
        (NAME.upper(), None, 403),
        ("localhost:1234", "http://localhost:1234", 200),
        ("localhost:1234", "https://localhost:1234", 403),
        ("localhost:1235", None, 403),
    ],
)
def test_only_the_named_hosts_are_answered_and_only_their_pages(
    reached: Reached, host: str, origin: str | None, status: int
) -> None:
    headers = {"Host": host, **({"Origin": origin} if origin else {}), **reached.hub.bearer}
    assert reached.hub.request("GET", "/api/status", headers=headers).status == status


def test_the_socket_of_events_keeps_to_the_same_lists(reached: Reached) -> None:
    assert reached.open_socket(reached.hub.bearer) == "OPEN"
    foreign = {**reached.hub.bearer, "Origin": "https://evil.example"}
    with pytest.raises(InvalidStatus) as refused:
        reached.open_socket(foreign)
    assert refused.value.response.status_code == 403


def test_each_name_gets_a_link_of_its_own_that_works_once(reached: Reached) -> None:
    made = reached.hub.post("/api/link")
    addresses = [link.partition("/#code=")[0] for link in made["others"]]
    assert addresses == [
        f"https://{NAME}",
        "http://localhost:1234",
        f"https://{SECOND}:{reached.port}",
    ]
    codes = {link.partition("/#code=")[2] for link in (made["url"], *made["others"])}
    assert len(codes) == 4
    for code in codes:
        assert reached.hub.post("/api/exchange", {"code": code})["token"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('bind = "0.0.0.0:8443"', "beyond loopback"),
        ('bind = "[::]:8443"', "beyond loopback"),
        ('bind = "192.0.2.7:8443"', "beyond loopback"),
        ('bind = "example.org:8443"', "beyond loopback"),
        ('bind = "0.0.0.0:8443"\ncertificate = "none.pem"\nkey = "none.key"', "cannot be used"),
        ('bind = "0.0.0.0"', "hub.bind"),
        ('hosts = ["*"]', "hub.hosts"),
        ('hosts = ["https://box/path"]', "hub.hosts"),
    ],
)
def test_a_door_that_others_could_open_keeps_the_hub_from_starting(
    tmp_path: Path, lines: str, words: str
) -> None:
    hub = RunningHub(tmp_path)
    hub.configure(own_config(lines))
    try:
        process = hub.spawn()
        out, err = process.communicate(timeout=SECONDS)
    finally:
        hub.close()
    assert process.returncode == 2
    assert out == ""
    said = json.loads(err)
    assert words in said["message"], said
