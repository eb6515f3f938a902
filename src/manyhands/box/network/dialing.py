"""Connections from this machine to where a program in a box is allowed to go.

The name is resolved here, every address judged, and a judged one connected to: a second look at
the name, which might lead elsewhere, never happens.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
from collections.abc import Awaitable, Callable, Sequence

from manyhands.box.network.addresses import Address, first_objection
from manyhands.box.network.hosts import HostPort, address_of

FIRST_SECONDS, LAST_SECONDS = 5.0, 60.0
"""An address that does not answer must not keep us from the next one."""

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
Judge = Callable[[Sequence[Address], bool], str]


class Unreachable(Exception):
    """In one sentence; `forbidden` where we would not, else we could not."""

    def __init__(self, sentence: str, *, forbidden: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.forbidden = forbidden


async def resolve(host: str, port: int) -> list[Address]:
    known = address_of(host)
    if known is not None:
        return [known]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = (ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found)
    return list(dict.fromkeys(addresses))


def judge(addresses: Sequence[Address], private: bool) -> str:
    """One address that we do not connect to is enough: a name has no business with it."""
    own = "that is this machine itself" if any(map(_is_own, addresses)) else ""
    return first_objection(addresses, private=private) or own


def _is_own(address: Address) -> bool:
    """Whether the way there does not leave this machine. Nothing is sent."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return str(probe.getsockname()[0]) == str(address)
    except OSError:
        return False


class Dialer:
    def __init__(self, resolve: Resolve = resolve, judge: Judge = judge) -> None:
        self._resolve = resolve
        self._judge = judge

    async def __call__(self, target: HostPort, private: bool) -> socket.socket:
        try:
            addresses = await self._resolve(target.host, target.port)
        except (OSError, UnicodeError):
            raise Unreachable(f"{target.host} is not known by name here.") from None
        if why := self._judge(addresses, private):
            hint = "" if private else "; a person can list it by name for this box"
            private_only = hint if "private network" in why else ""
            raise Unreachable(f"{target} is not connected to: {why}{private_only}.", forbidden=True)
        problem: OSError = OSError("it has no address")
        for address in addresses:
            seconds = LAST_SECONDS if address == addresses[-1] else FIRST_SECONDS
            try:
                return await asyncio.wait_for(_connect(address, target.port), seconds)
            except (OSError, TimeoutError) as error:
                problem = error
        why = os.strerror(problem.errno) if problem.errno else str(problem) or "no answer"
        raise Unreachable(f"{target} could not be reached: {why}.")


async def _connect(address: Address, port: int) -> socket.socket:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (str(address), port))
    except BaseException:
        made.close()
        raise
    return made
