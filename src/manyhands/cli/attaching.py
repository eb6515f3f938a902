"""`--attach PATH`: files that go along with a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

attach_option: Callable[[F], F] = click.option(
    "--attach", multiple=True, metavar="PATH", help="A picture or file to send along (repeatable)."
)


def load_attachments(paths: Sequence[str]) -> list[dict[str, str]]:
    import base64
    import mimetypes
    from pathlib import Path

    from manyhands.errors import BadInput

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
