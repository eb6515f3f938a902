"""A message with attached files, as an ACP agent takes it: in blocks of the kinds it says it reads.

A picture or text goes along where the agent takes such blocks; any other file is named by its
path, and the agent may read it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    PromptCapabilities,
    TextContentBlock,
    TextResourceContents,
)

from manyhands.agents.bounded import load_attached, load_encoded, naming
from manyhands.model.agent.events import Attachment

LONGEST_TEXT = 256 * 1024

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | EmbeddedResourceContentBlock


def blocks(text: str, attachments: Sequence[Attachment], can: PromptCapabilities) -> list[Block]:
    """The words first, then what goes with them."""
    carried = [(a, _block(a, can)) for a in attachments]
    named = [a for a, block in carried if block is None]
    words = TextContentBlock(type="text", text=naming(text, named))
    return [words, *(block for _, block in carried if block is not None)]


def _block(attachment: Attachment, can: PromptCapabilities) -> Block | None:
    kind, media = attachment.media_type.split("/", 1)[0], attachment.media_type
    if kind == "image" and can.image:
        return ImageContentBlock(type="image", mime_type=media, data=load_encoded(attachment))
    if kind == "audio" and can.audio:
        return AudioContentBlock(type="audio", mime_type=media, data=load_encoded(attachment))
    if kind == "text" and can.embedded_context:
        return next(_embedded(attachment), None)
    return None


def _embedded(attachment: Attachment) -> Iterator[EmbeddedResourceContentBlock]:
    """Nothing where it is too long for a message, or no text after all."""
    data = load_attached(attachment)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if len(data) <= LONGEST_TEXT:
        uri = Path(attachment.path).as_uri()
        resource = TextResourceContents(uri=uri, mime_type=attachment.media_type, text=text)
        yield EmbeddedResourceContentBlock(type="resource", resource=resource)
