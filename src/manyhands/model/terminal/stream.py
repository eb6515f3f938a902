"""What passes between a terminal and one viewer of it: bytes as they are, and words about them.

Between hub and keeper each is a frame with its kind and length in front; on a WebSocket bytes are
a binary message and words a text. The hub passes both on and reads neither.
"""

from __future__ import annotations

import asyncio
import struct

import msgspec

BYTES, WORDS = 0, 1
_HEADER = struct.Struct(">BI")
LARGEST = 64 * 1024 * 1024
LARGEST_TYPED = 4 * 1024 * 1024

WINDOW = 128 * 1024
"""Bytes that a viewer has not acknowledged, beyond which it is sent no more."""
LEAST_ROWS, MOST_ROWS = 10, 500
LEAST_COLUMNS, MOST_COLUMNS = 20, 1000


def clamped(rows: int, columns: int) -> tuple[int, int]:
    """A size that programs, pages and emulators all live with."""
    return (
        min(max(rows, LEAST_ROWS), MOST_ROWS),
        min(max(columns, LEAST_COLUMNS), MOST_COLUMNS),
    )


def _type_of(name: str) -> str:
    return name.removesuffix("Word").lower()


class Word(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=_type_of):
    pass


class ScreenWord(Word, frozen=True, kw_only=True):
    """The next bytes draw the screen and what scrolled off it; until then no query is answered."""

    rows: int
    columns: int
    title: str = ""
    offset: int = 0


class SizeWord(Word, frozen=True, kw_only=True):
    """Of the terminal; from a viewer: what fits there."""

    rows: int
    columns: int


class TitleWord(Word, frozen=True, kw_only=True):
    title: str


class ViewersWord(Word, frozen=True, kw_only=True):
    viewers: int


class ExitWord(Word, frozen=True, kw_only=True):
    exit_code: int
    seconds: float


class ErrorWord(Word, frozen=True, kw_only=True):
    message: str


class AckWord(Word, frozen=True, kw_only=True):
    """So many more bytes are drawn, those of a screen included."""

    bytes: int


ToViewer = ScreenWord | SizeWord | TitleWord | ViewersWord | ExitWord | ErrorWord
FromViewer = AckWord | SizeWord

_from_viewer: msgspec.json.Decoder[FromViewer] = msgspec.json.Decoder(FromViewer)
_to_viewer: msgspec.json.Decoder[ToViewer] = msgspec.json.Decoder(ToViewer)
_encoder = msgspec.json.Encoder()


def heard(words: bytes | str) -> FromViewer:
    """Raises `msgspec.MsgspecError`."""
    return _from_viewer.decode(words)


def told(words: bytes | str) -> ToViewer:
    return _to_viewer.decode(words)


def said(word: ToViewer | FromViewer) -> bytes:
    return _encoder.encode(word)


def frame(kind: int, data: bytes) -> bytes:
    return _HEADER.pack(kind, len(data)) + data


async def read_frame(
    reader: asyncio.StreamReader, largest: int = LARGEST
) -> tuple[int, bytes] | None:
    """The next one, or None at the end of the stream."""
    try:
        kind, size = _HEADER.unpack(await reader.readexactly(_HEADER.size))
        if size > largest:
            raise ConnectionError(f"a frame of {size} bytes is over the limit of {largest}")
        return kind, await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        return None
