"""Heads of HTTP messages: what goes on, what does not, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.box.network import heads
from manyhands.box.network.hosts import HostPort


def head(*lines: str) -> bytes:
    return "\r\n".join(lines).encode() + heads.END


def test_a_request_goes_on_to_the_host_that_it_names() -> None:
    request = heads.parse_request(
        head(
            "POST http://Example.com:8080/a?b=c HTTP/1.1",
            "Host: evil.test",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic eA==",
            "Connection: keep-alive, X-Private",
            "X-Private: 1",
            "X-Kept: 2",
            "Content-Length: 3",
        )
    )
    assert request.target == HostPort("example.com", 8080)
    assert request.head.encode() == head(
        "POST /a?b=c HTTP/1.1",
        "X-Kept: 2",
        "Content-Length: 3",
        "Host: Example.com:8080",
        "Connection: close",
    )


def test_the_framing_of_a_body_cannot_be_named_away() -> None:
    request = heads.parse_request(
        head("POST http://a.test/ HTTP/1.1", "Connection: content-length", "Content-Length: 3")
    )
    assert heads.body_length(request.head) == 3


def test_a_tunnel_names_a_host_and_a_port() -> None:
    request = heads.parse_request(head("CONNECT Example.com.:443 HTTP/1.1", "Host: x"))
    assert (request.is_tunnel, request.target) == (True, HostPort("example.com", 443))


@pytest.mark.parametrize(
    "lines",
    [
        ["GET / HTTP/1.1", "Host: example.com"],
        ["GET https://example.com/ HTTP/1.1"],
        ["GET http:///x HTTP/1.1"],
        ["GET http://user@example.com/ HTTP/1.1"],
        ["GET http://example.com/ HTTP/2"],
        ["GET http://exam ple.com/ HTTP/1.1"],
        ["GET http://example.com/\x7f HTTP/1.1"],
        ["CONNECT example.com HTTP/1.1"],
        ["CONNECT http://example.com/ HTTP/1.1"],
        ["CONNECT example.com:443 HTTP/1.1", " folded: x"],
        ["CONNECT example.com:443 HTTP/1.1", "no colon"],
        ["CONNECT example.com:443 HTTP/1.1", "Space : x"],
        ["CONNECT example.com:443 HTTP/1.1", "A: b\nC: d"],
        ["", ""],
        ["OPTIONS * HTTP/1.1"],
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(lines: list[str]) -> None:
    with pytest.raises(heads.BadHead):
        heads.parse_request(head(*lines))


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ([], 0),
        (["Content-Length: 12"], 12),
        (["Content-Length: 12", "Content-Length: 12"], 12),
        (["Transfer-Encoding: Chunked"], None),
    ],
)
def test_the_end_of_a_body_is_known(fields: list[str], length: int | None) -> None:
    assert heads.body_length(heads.parse(head("x", *fields))) == length


@pytest.mark.parametrize(
    "fields",
    [
        ["Content-Length: 1", "Content-Length: 2"],
        ["Content-Length: 1", "Transfer-Encoding: chunked"],
        ["Content-Length: -1"],
        ["Content-Length: 1, 1"],
        ["Content-Length: 9999999999999999999"],
        ["Transfer-Encoding: gzip, chunked"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ],
)
def test_a_body_without_a_certain_end_is_refused(fields: list[str]) -> None:
    with pytest.raises(heads.BadHead):
        heads.body_length(heads.parse(head("x", *fields)))


def test_a_refusal_says_why_in_its_first_line_and_its_body() -> None:
    said = heads.refusal(403, "This box may not reach bücher.test:\r\nSet-Cookie: x.")
    first, _, rest = said.partition(b"\r\n")
    assert first == b"HTTP/1.1 403 This box may not reach b?cher.test:  Set-Cookie: x."
    assert rest.endswith("bücher.test:  Set-Cookie: x.\n".encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_are_refused(data: bytes) -> None:
    for raw in (data + heads.END, b"GET http://" + data + heads.END):
        try:
            request = heads.parse_request(raw)
        except heads.BadHead:
            continue
        assert b"\r\n" not in request.head.start
