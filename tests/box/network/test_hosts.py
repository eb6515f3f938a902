"""Names of hosts and the patterns that cover them: tables, and whatever is thrown at them."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.box.network.hosts import (
    HostPort,
    normal_host,
    patterns,
    require_pattern,
    require_target,
    target_of_url,
)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        (" example.com ", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("localhost", "localhost"),
        ("_acme.example.com", "_acme.example.com"),
        ("10.0.0.1", "10.0.0.1"),
        ("[2001:DB8::0:1]", "2001:db8::1"),
        ("::1", "::1"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ],
)
def test_a_host_has_one_form(text: str, host: str) -> None:
    expected = str(ipaddress.ip_address(host)) if ":" in host else host
    assert normal_host(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "a..b", "-a.com", "a-.com", "a b.com", "a/b", "exam\0ple.com", "ex%61mple.com"),
        *("127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.01", "1.2.3.4.5", "256.1.1.1", "0x7f"),
        *(
            "[::1",
            "::1]",
            "fe80::1%eth0",
            "[fe80::1%25eth0]",
            "a" * 64 + ".com",
            "a." * 130 + "com",
        ),
        *("*", "*.com*", "user@example.com", "example.com\r\nHost: x"),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        normal_host(text)


@pytest.mark.parametrize(
    ("authority", "default", "target"),
    [
        ("example.com:443", None, HostPort("example.com", 443)),
        ("EXAMPLE.com.:8443", None, HostPort("example.com", 8443)),
        ("example.com", 80, HostPort("example.com", 80)),
        ("[::1]:443", None, HostPort("::1", 443)),
        ("[2001:db8::1]", 80, HostPort("2001:db8::1", 80)),
        ("10.1.2.3:5432", None, HostPort("10.1.2.3", 5432)),
    ],
)
def test_an_authority_is_a_host_and_a_port(
    authority: str, default: int | None, target: HostPort
) -> None:
    assert require_target(authority, default) == target


@pytest.mark.parametrize(
    "authority",
    [
        *("example.com", "example.com:", "example.com:0", "example.com:65536", "example.com:x"),
        *("example.com:٣", "bücher.example:443", "user@example.com:443", "[::1]x:1", "[::1]443"),
        *(":443", "example.com:99999999999999999999", "example.com:-1", "example.com:+1"),
    ],
)
def test_what_is_no_authority_is_refused(authority: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        require_target(authority)


@pytest.mark.parametrize(
    ("pattern", "covers", "leaves"),
    [
        (
            "example.com",
            ["example.com:443", "example.com:80", "EXAMPLE.com.:443"],
            ["www.example.com:443", "example.com:22", "notexample.com:443", "example.com.evil:443"],
        ),
        (
            "*.example.com",
            ["www.example.com:443", "a.b.example.com:80"],
            ["example.com:443", "badexample.com:443", "www.example.com:8443"],
        ),
        ("example.com:8443", ["example.com:8443"], ["example.com:443", "a.example.com:8443"]),
        ("*.example.com:8443", ["a.example.com:8443"], ["a.example.com:443"]),
        ("Bücher.example", ["xn--bcher-kva.example:443"], ["bucher.example:443"]),
        ("10.0.0.1:5432", ["10.0.0.1:5432"], ["10.0.0.1:443", "10.0.0.11:5432"]),
        ("[2001:DB8::1]", ["[2001:db8:0::1]:443"], ["[2001:db8::2]:443"]),
        ("*.0.0.1x", ["127.0.0.1x:443"], ["127.0.0.1:443"]),
    ],
)
def test_a_pattern_covers_no_more_than_it_says(
    pattern: str, covers: list[str], leaves: list[str]
) -> None:
    known = require_pattern(pattern)
    assert [text for text in covers if not known.covers(require_target(text))] == []
    assert [text for text in leaves if known.covers(require_target(text))] == []


@pytest.mark.parametrize(
    "text", ["", "*", "*.", "**.com", "a.*.com", "*.10.0.0.1", "http://a.com/"]
)
def test_what_is_no_pattern_covers_nothing(text: str) -> None:
    assert patterns([text]) == frozenset()


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://api.example.com/v1", HostPort("api.example.com", 443)),
        ("http://127.0.0.1:8080", HostPort("127.0.0.1", 8080)),
        ("http://[::1]:8080/x", HostPort("::1", 8080)),
        ("https://user:secret@example.com/", HostPort("example.com", 443)),
        ("ssh://git@example.com/x", None),
        ("https://", None),
        ("https://example.com:99999/", None),
        ("words", None),
    ],
)
def test_a_url_leads_to_a_host(url: str, target: HostPort | None) -> None:
    assert target_of_url(url) == target


LABELS = st.text("abcxyz019-_", min_size=1, max_size=8).filter(
    lambda t: not t.startswith("-") and not t.endswith("-") and not t.isdigit()
)
NAMES = st.lists(LABELS, min_size=2, max_size=4).map(".".join)


@given(NAMES, st.integers(1, 65535), st.booleans())
def test_a_name_is_covered_by_its_own_pattern_however_it_is_spelt(
    name: str, port: int, dotted: bool
) -> None:
    spelt = name.upper() + ("." if dotted else "")
    assert require_pattern(f"{name}:{port}").covers(require_target(f"{spelt}:{port}"))


@given(NAMES, NAMES)
def test_only_what_is_below_a_name_is_covered_by_its_star(name: str, other: str) -> None:
    star = require_pattern(f"*.{name}")
    assert star.covers(HostPort(f"x.{name}", 443))
    assert star.covers(HostPort(other, 443)) == (other != name and other.endswith(f".{name}"))


@given(st.text(max_size=40))
def test_one_form_is_its_own_form(text: str) -> None:
    try:
        host = normal_host(text)
    except ValueError:
        return
    assert normal_host(host) == host
    assert host.isascii()


@given(st.text(max_size=40))
def test_any_text_is_a_pattern_or_is_refused(text: str) -> None:
    for known in patterns([text]):
        assert not known.covers(HostPort("unrelated.invalid", 443)) or "unrelated" in text.lower()
