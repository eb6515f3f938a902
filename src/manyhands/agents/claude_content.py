"""A message with attached files, as Claude Code takes it."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

from manyhands.agents.attached import naming
from manyhands.errors import AgentFailed
from manyhands.model.events import Attachment

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
DOCUMENTS = frozenset({"application/pdf"})


async def message(text: str, attachments: Sequence[Attachment]) -> AsyncIterator[dict[str, Any]]:
    content = [*_blocks(text, attachments)]
    yield {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": None,
    }


def _blocks(text: str, attachments: Sequence[Attachment]) -> Iterator[dict[str, Any]]:
    """Pictures and documents go along; what the model cannot look at is named by its path."""
    yield {"type": "text", "text": naming(text, [a for a in attachments if not _is_shown(a)])}
    for attachment in filter(_is_shown, attachments):
        kind = "image" if attachment.media_type in IMAGES else "document"
        data = base64.b64encode(_load(attachment)).decode()
        source = {"type": "base64", "media_type": attachment.media_type, "data": data}
        yield {"type": kind, "source": source}


def _is_shown(attachment: Attachment) -> bool:
    return attachment.media_type in IMAGES | DOCUMENTS


def _load(attachment: Attachment) -> bytes:
    try:
        return Path(attachment.path).read_bytes()
    except OSError as error:
        raise AgentFailed(
            f"the attached file {attachment.name} cannot be read: {error.strerror}",
            hint="attach it again",
        ) from error
