"""Which refs a twin was given, and where they were: what is elsewhere there, somebody moved there.

All of them at the making, in git's own form; those that were handed out later are on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from manyhands.git.twin.place import Twin
from manyhands.git.twin.users_refs import find_packed, parse_packed


@dataclass(frozen=True)
class GivenRefs:
    packed: bytes
    later: Mapping[bytes, bytes] = field(default_factory=dict)
    """Nothing where it was taken back."""

    def oid(self, name: bytes) -> bytes | None:
        found = self.later[name] if name in self.later else find_packed(self.packed, name)
        return found or None

    def all(self) -> dict[bytes, bytes]:
        found = {**parse_packed(self.packed).oids, **self.later}
        return {name: oid for name, oid in found.items() if oid}


def load_given(place: Twin) -> GivenRefs:
    packed, later = b"", {}
    with suppress(FileNotFoundError):
        packed = place.beside("given").read_bytes()
    with suppress(OSError, msgspec.MsgspecError):
        told = msgspec.json.decode(place.beside("given-later").read_bytes(), type=dict[str, str])
        later = {as_raw(name): oid.encode() for name, oid in told.items()}
    return GivenRefs(packed, later)


def set_later(place: Twin, later: Mapping[bytes, bytes]) -> None:
    file = place.beside("given-later")
    made = file.with_name(f"{file.name}.new")
    told = {as_text(name): oid.decode() for name, oid in later.items()}
    made.write_bytes(msgspec.json.encode(told))
    made.replace(file)


def as_text(name: bytes) -> str:
    """Whatever its bytes are."""
    return name.decode("latin-1")


def as_raw(text: str) -> bytes:
    return text.encode("latin-1")
