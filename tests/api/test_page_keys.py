"""What a page holds is no use to whoever takes the hub's port while no hub runs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.driver import Answer, RunningHub

JSON = {"Content-Type": "application/json"}


# One hub serves them all.
pytestmark = pytest.mark.xdist_group("page-keys")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub")) as running:
        yield running


class PageOf:
    """A page as the hub sees it: at an address, with a token and a key of its own."""

    def __init__(self, hub: RunningHub, name: str = "127.0.0.1") -> None:
        self.hub, self.host = hub, f"{name}:{hub.port}"
        self._private = ec.generate_private_key(ec.SECP256R1())
        raw = self._private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.key = _base64url(raw)
        code = hub.post("/api/link")["url"].split("#code=")[1]
        self.token = self.post("/api/exchange", code=code).json["token"]

    def post(self, path: str, **body: str) -> Answer:
        given = {**JSON, "Host": self.host, "Origin": f"http://{self.host}"}
        if path != "/api/exchange":
            given["Authorization"] = f"Bearer {self.token}"
        return self.hub.request("POST", path, json.dumps(body).encode(), given)

    def name_key(self) -> None:
        assert self.post("/api/page-key", key=self.key).status == 200

    def question(self) -> str:
        asked: str = self.post("/api/exchange", key=self.key).json["nonce"]
        return asked

    def signed(self, nonce: str, host: str = "") -> str:
        words = f"manyhands page\n{host or self.host}\n{nonce}".encode()
        r, s = decode_dss_signature(self._private.sign(words, ec.ECDSA(SHA256())))
        return _base64url(r.to_bytes(32) + s.to_bytes(32))

    def prove(self, nonce: str, signature: str) -> Answer:
        return self.post("/api/exchange", key=self.key, nonce=nonce, signature=signature)

    def is_in(self) -> bool:
        return self.post("/api/ticket").status == 200


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_a_token_ends_with_the_hubs_run_and_the_key_opens_the_next(hub: RunningHub) -> None:
    page = PageOf(hub)
    page.name_key()
    assert page.is_in()
    hub.restart()
    assert not page.is_in()
    nonce = page.question()
    given = page.prove(nonce, page.signed(nonce))
    page.token = given.json["token"]
    assert page.is_in()
    assert page.prove(nonce, page.signed(nonce)).status == 403  # a question is good once


def test_a_signature_is_good_at_one_address_for_one_question_of_this_run(hub: RunningHub) -> None:
    page, stranger = PageOf(hub), PageOf(hub)
    page.name_key()
    for made_up in ("", "guess", "a" * 32):
        assert page.prove(made_up, page.signed(made_up)).status == 403
    nonce = page.question()
    assert page.prove(nonce, page.signed(nonce, "127.0.0.1:1")).status == 403
    nonce = page.question()
    assert page.prove(nonce, stranger.signed(nonce)).status == 403
    nonce = stranger.question()
    assert stranger.prove(nonce, stranger.signed(nonce)).status == 403  # it never named its key
    # Passed on from another address of the same hub: there the key is nobody's.
    page.host = f"localhost:{hub.port}"
    nonce = page.question()
    assert page.prove(nonce, page.signed(nonce)).status == 403


def test_a_key_is_no_token_and_needs_one_to_be_named(hub: RunningHub) -> None:
    page = PageOf(hub)
    page.name_key()
    for token in ("", page.key, f"page key\n{page.host}\n{page.key}"):
        bearer = {"Authorization": f"Bearer {token}".replace("\n", " ")}
        assert hub.request("GET", "/api/status", headers=bearer).status == 401
    page.token = "wrong"
    assert page.post("/api/page-key", key=page.key).status == 401
    page = PageOf(hub)
    assert page.post("/api/page-key", key="short").status == 400


def test_rotating_voids_the_keys_too(tmp_path: Path) -> None:
    with RunningHub(tmp_path / "hub") as own:
        page = PageOf(own)
        page.name_key()
        own.post("/api/rotate")
        nonce = page.question()
        assert page.prove(nonce, page.signed(nonce)).status == 403
