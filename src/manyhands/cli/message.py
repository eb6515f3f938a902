"""The text of a message: a word of the command line, or standard input."""

from __future__ import annotations

import sys

from manyhands.errors import BadInput

LARGEST = 16 * 1024 * 1024


def read_message(word: str) -> str:
    """`-` reads standard input; too much, nothing, or no text at all is said so."""
    text = _read_stdin() if word == "-" else word
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise BadInput("the message is not valid UTF-8", hint="send it as UTF-8 text") from error
    if size > LARGEST:
        raise _too_large()
    if not text.strip():
        raise BadInput("the message is empty", hint="say what is to be done")
    return text


def _read_stdin() -> str:
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise _too_large()
    return data.decode("utf-8", "surrogateescape")


def _too_large() -> BadInput:
    return BadInput(
        f"the message is larger than {LARGEST // 1024 // 1024} MB",
        hint="put it in a file in the repository and name the file",
    )
