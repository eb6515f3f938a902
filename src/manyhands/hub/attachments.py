"""Files that people send with a message: kept in the session's own directory, not in the log."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from manyhands.errors import BadInput
from manyhands.hub.hub import Hub
from manyhands.keeper.keeper import ATTACHMENTS
from manyhands.model.events import Attachment
from manyhands.model.ids import SessionId, fresh_id

MOST = 20
LARGEST = 10 * 1024 * 1024
LONGEST_NAME = 100


class Given(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    media_type: str
    data: str
    """The content in base64."""


async def keep_attachments(
    hub: Hub, session: SessionId, given: Sequence[Given]
) -> tuple[Attachment, ...]:
    if not given:
        return ()
    if len(given) > MOST:
        raise BadInput(f"a message takes {MOST} attachments, not {len(given)}")
    contents = [(file, _require_content(file)) for file in given]
    place = hub.home.sessions / session / ATTACHMENTS
    return await asyncio.to_thread(
        lambda: tuple(_keep(place, file, content) for file, content in contents)
    )


def _require_content(file: Given) -> bytes:
    try:
        content = base64.b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput(f"the attachment {file.name!r} is not base64: {error}") from error
    if len(content) > LARGEST:
        raise BadInput(
            f"the attachment {file.name!r} is larger than {LARGEST // 2**20} MB",
            hint="put it into the worktree and name its path",
        )
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", file.media_type):
        raise BadInput(f"{file.media_type!r} is no media type")
    return content


def _keep(place: Path, file: Given, content: bytes) -> Attachment:
    name = re.sub(r"[^\w.-]", "_", file.name.rpartition("/")[2])[-LONGEST_NAME:] or "file"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = place / f"{fresh_id()}-{name}"
    path.write_bytes(content)
    return Attachment(name=name, media_type=file.media_type, size=len(content), path=str(path))
