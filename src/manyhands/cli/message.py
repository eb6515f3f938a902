"""A message's text, a word of the command line or standard input, and the files that go along."""

from __future__ import annotations

import sys
from collections.abc import Sequence

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


def load_attachments(paths: Sequence[str]) -> list[dict[str, str]]:
    """`--attach PATH`: files that go along with a message."""
    import base64
    import mimetypes
    from pathlib import Path

    found = []
    for name in paths:
        path = Path(name).expanduser()
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{name} cannot be attached: {error.strerror}") from error
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        encoded = base64.b64encode(data).decode()
        found.append({"name": path.name, "media_type": kind, "data": encoded})
    return found
