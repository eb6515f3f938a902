"""Has msgspec look at all of our types before there are threads.

It looks at a type when that is first read as one, and shows the half of what it has found so far to
another thread that reads the same type just then: the process dies of a segmentation fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec


def make_types_ready(package: str = "manyhands") -> None:
    """All that have been imported; to be called while there is one thread."""
    for kind in set(_below(msgspec.Struct)):
        if kind.__module__.partition(".")[0] == package:
            with suppress(TypeError):  # one that is never read
                msgspec.json.Decoder(kind)


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for found in kind.__subclasses__():
        yield found
        yield from _below(found)
