"""Where a remote's name leads, as git itself would resolve it."""

from __future__ import annotations

import re

import msgspec

_NAMED = re.compile(r"^(https?://)[^/@]*@", re.IGNORECASE)
_PASSWORD = re.compile(r"^([^/:]+://[^/:@]*):[^/@]*@")


class RemoteAddress(msgspec.Struct, frozen=True):
    """By every rewriting that any config names; git pushes to all of the second."""

    fetch: str
    push: tuple[str, ...]

    @property
    def place(self) -> RemoteAddress:
        """Without what an address may hold of secrets: this is what goes on record."""
        return RemoteAddress(_place(self.fetch), tuple(map(_place, self.push)))


def _place(url: str) -> str:
    """Over HTTP even a name may be a token; over ssh it says which account it is."""
    return _PASSWORD.sub(r"\1@", _NAMED.sub(r"\1", url))
