"""Data on stdout, messages on stderr: the only two ways out of a command."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from manyhands.cli.terminal import inert


class ReaderGone(Exception):
    """Whoever read our output has enough of it, as `head` does."""


def emit(data: bytes) -> None:
    """One JSON document, as it came."""
    _put(sys.stdout, data + b"\n")


def write_json(value: Any, stream: TextIO | None = None) -> None:
    import msgspec

    _put(stream or sys.stdout, msgspec.json.encode(value) + b"\n")


def write(text: str = "") -> None:
    """A line for a reader; what others wrote in it must be inert already."""
    _put(sys.stdout, text.encode("utf-8", "backslashreplace") + b"\n")


def tell(message: str) -> None:
    """A message for a person, inert whatever it quotes."""
    _put(sys.stderr, inert(message, lines=True).encode("utf-8", "backslashreplace") + b"\n")


def put(data: bytes) -> None:
    """Bytes exactly as they are."""
    _put(sys.stdout, data)


def _put(stream: TextIO, data: bytes) -> None:
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except BrokenPipeError:
        # What is still held would be tried again at the end, and complained of.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise ReaderGone from None
