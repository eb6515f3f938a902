"""What both OpenAI interfaces share: how content holds text, and how errors look."""

from __future__ import annotations

from typing import Any

from manyhands.rehearsal.reply import Reply, json_reply
from manyhands.rehearsal.script import Step

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_exceeded",
}


def texts(content: Any) -> list[str]:
    """Content is a string, or parts of which some hold text."""
    if isinstance(content, str):
        return [content] if content else []
    if not isinstance(content, list):
        return []
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return [text for text in parts if isinstance(text, str)]


def error_reply(step: Step) -> Reply:
    kind = _ERROR_TYPES.get(step.status, "server_error")
    error: dict[str, Any] = {"message": kind, "type": kind, "param": None, "code": kind}
    error |= step.error if isinstance(step.error, dict) else {"message": step.error or kind}
    return json_reply({"error": error}, status=step.status, delay=step.delay)
