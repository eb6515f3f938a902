"""What both OpenAI interfaces share: how content holds text, and how errors look."""

from __future__ import annotations

from manyhands.rehearsal import reply as r
from manyhands.rehearsal.script import ScriptStep

_ERROR_TYPES = {**r.ERROR_TYPES, 429: "rate_limit_exceeded"}


def texts(content: object) -> list[str]:
    """Content is a string, or parts of which some hold text."""
    if isinstance(content, str):
        return [content] if content else []
    if not isinstance(content, list):
        return []
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return [text for text in parts if isinstance(text, str)]


def error_reply(step: ScriptStep) -> r.ModelReply:
    kind = _ERROR_TYPES.get(step.status, "server_error")
    return r.error_reply(step, {"message": kind, "type": kind, "param": None, "code": kind})
