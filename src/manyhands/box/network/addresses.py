"""Which addresses nobody in a box is connected to, whatever name they go by. Pure.

A name that is allowed may resolve to anything, and to something else the next time. So each address
is judged before it is connected to, also inside the forms in which one family carries the other.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        *("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
        *("fd00:ec2::254", "fd20:ce::254"),
    )
)
"""Where clouds tell a machine its own credentials."""
SHARED = ipaddress.ip_network("100.64.0.0/10")
"""Of carriers, and of private overlay networks."""
NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
COMPATIBLE = ipaddress.ip_network("::/96")


def objection(address: Address, *, private: bool = False) -> str:
    """Why it is not connected to; nothing where it may be. `private`: a user listed this host."""
    for form in (address, *_carried(address)):
        if form in METADATA:
            return "that is where a cloud keeps this machine's credentials"
        if form.is_loopback or form.is_unspecified:
            return "that is this machine itself"
        if form.is_link_local or form.is_multicast:
            return "that address is not one to connect to"
        if not private and not _is_public(form):
            return "that is an address of a private network"
    return ""


def first_objection(addresses: Iterable[Address], *, private: bool = False) -> str:
    return next(filter(None, (objection(a, private=private) for a in addresses)), "")


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and address not in SHARED
    # What carries another family is judged by what it carries.
    return address.is_global or any(True for _ in _carried(address))


def _carried(address: Address) -> Iterator[ipaddress.IPv4Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if any(address in network for network in NAT64):
        yield last
    if address in COMPATIBLE and int(address) > 1:
        yield last
