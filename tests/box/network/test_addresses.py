"""Addresses that no name leads to: this machine, its cloud's metadata, private networks."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.box.network.addresses import Address, objection
from manyhands.box.network.dialing import Dialer, Unreachable, judge
from manyhands.box.network.hosts import HostPort

NEVER = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
    *("169.254.169.254", "169.254.1.1", "fe80::1", "fd00:ec2::254", "100.100.100.200"),
    *("168.63.129.16", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1"),
    *("224.0.0.1", "ff02::1", "::127.0.0.1"),
]
PRIVATE = [
    *("10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fc00::1", "::ffff:192.168.1.1"),
    *("64:ff9b::c0a8:101", "192.0.2.1", "198.18.0.1", "2001:db8::1", "240.0.0.1", "2002:a00:1::"),
]
PUBLIC = ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1"]


@pytest.mark.parametrize("text", NEVER)
def test_this_machine_and_its_credentials_are_never_connected_to(text: str) -> None:
    assert objection(ipaddress.ip_address(text))
    assert objection(ipaddress.ip_address(text), private=True)


@pytest.mark.parametrize("text", PRIVATE)
def test_a_private_network_is_reached_only_where_a_user_listed_the_host(text: str) -> None:
    assert objection(ipaddress.ip_address(text))
    assert not objection(ipaddress.ip_address(text), private=True)


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_may_be_reached(text: str) -> None:
    assert not objection(ipaddress.ip_address(text))


@given(st.ip_addresses(v=4))
def test_another_family_carries_no_address_past_the_judge(address: ipaddress.IPv4Address) -> None:
    carried = (f"::ffff:{address}", f"64:ff9b::{address}")
    for private in (False, True):
        plain = bool(objection(address, private=private))
        for text in carried:
            # Whatever is refused as it is must be refused as it is carried.
            if plain:
                assert objection(ipaddress.ip_address(text), private=private)


def resolving(*texts: str) -> Dialer:
    async def resolve(host: str, port: int) -> Sequence[Address]:
        return [ipaddress.ip_address(text) for text in texts]

    return Dialer(resolve)


@pytest.mark.parametrize(
    "addresses", [("127.0.0.1",), ("1.1.1.1", "127.0.0.1"), ("::1",), ("169.254.169.254",)]
)
async def test_a_name_that_leads_here_is_not_connected_to(addresses: tuple[str, ...]) -> None:
    with pytest.raises(Unreachable) as refused:
        await resolving(*addresses)(HostPort("rebound.test", 443), True)
    assert refused.value.forbidden


async def test_a_private_address_is_refused_with_the_way_to_it() -> None:
    with pytest.raises(Unreachable, match="a person can list it by name"):
        await resolving("10.9.9.9")(HostPort("intranet.test", 443), False)


def test_an_address_of_this_machine_is_known_whatever_it_is() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.fail("this machine has no network, so no address of its own to try")
        own = probe.getsockname()[0]
    assert "this machine itself" in judge([ipaddress.ip_address(own)], True)


async def test_the_address_that_was_judged_is_the_one_connected_to() -> None:
    """The name is looked up once: what it says later does not matter."""
    asked: list[str] = []
    accepted = asyncio.Event()

    async def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set()
        writer.close()

    async def resolve(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return [ipaddress.ip_address("127.0.0.1")]

    server = await asyncio.start_server(taken, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    dial = Dialer(resolve, judge=lambda addresses, private: "")
    async with server:
        with await dial(HostPort("once.test", port), False):
            await asyncio.wait_for(accepted.wait(), 60)
    assert asked == ["once.test"]


async def test_a_server_that_is_not_there_is_told_in_a_sentence() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        dial = Dialer(judge=lambda addresses, private: "")
        with pytest.raises(Unreachable, match="could not be reached: Connection refused"):
            await dial(HostPort("127.0.0.1", port), False)


async def test_the_next_address_is_tried_where_one_refuses() -> None:
    server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def resolve(host: str, port: int) -> Sequence[Address]:
        return [ipaddress.ip_address("127.0.0.2"), ipaddress.ip_address("127.0.0.1")]

    async with server:
        with await Dialer(resolve, judge=lambda a, p: "")(HostPort("two.test", port), False) as to:
            assert to.getpeername()[0] == "127.0.0.1"
