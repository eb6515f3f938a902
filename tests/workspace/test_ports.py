"""Ports: none twice, none that is taken, and the old ones again where they are free."""

from __future__ import annotations

import errno
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.errors import NotPossible
from manyhands.workspace.ports import is_free, lease

OWN = range(20_000, 30_000)
"""The system gives none of these away by itself: once free again, one stays so."""


def bind(server: socket.socket, address: str) -> None:
    for port in random.sample(OWN, 100):
        try:
            server.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return
    raise AssertionError("of a hundred ports none is free")


@contextmanager
def listening(family: socket.AddressFamily, address: str) -> Iterator[int]:
    with socket.socket(family, socket.SOCK_STREAM) as server:
        if family == socket.AF_INET6:
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bind(server, address)
        server.listen()
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET6, "::1"),
        (socket.AF_INET6, "::"),
    ],
)
def test_a_port_is_taken_wherever_someone_listens_on_it(
    family: socket.AddressFamily, address: str
) -> None:
    with listening(family, address) as port:
        assert not is_free(port)
    assert is_free(port)


def test_a_port_that_is_only_bound_is_taken_too() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        assert not is_free(holder.getsockname()[1])


def test_connections_that_linger_do_not_block_a_port() -> None:
    with listening(socket.AF_INET, "127.0.0.1") as port:
        pass
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = server.accept()
            accepted.close()
    assert is_free(port)


@given(
    st.lists(st.sampled_from("abcdef"), unique=True, min_size=1),
    st.sets(st.integers(4100, 4130)),
    st.sets(st.integers(4100, 4130)),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(4100, 4130)),
)
def test_no_port_is_given_twice_and_the_wanted_one_comes_first(
    names: list[str], taken: set[int], busy: set[int], wanted: dict[str, int]
) -> None:
    def free(port: int) -> bool:
        return port not in busy

    try:
        found = lease(names, (4100, 4130), taken=taken, wanted=wanted, free=free)
    except NotPossible:
        assert len(set(range(4100, 4131)) - taken - busy) < len(names)
        return
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert not set(found.values()) & (taken | busy)
    first = names[0]
    if wanted.get(first) not in (None, *taken, *busy):
        assert found[first] == wanted[first]


def test_ports_of_archived_sessions_are_given_last() -> None:
    free = lambda port: True  # noqa: E731
    assert lease(["a"], (4100, 4102), taken=(), remembered={4100}, free=free) == {"a": 4101}
    last = lease(["a"], (4100, 4102), taken={4101, 4102}, remembered={4100}, free=free)
    assert last == {"a": 4100}
