"""What is kept of a tool's input and output: enough to read, never more than a bound."""

from __future__ import annotations

import json
from typing import Any

KEPT_BYTES = 64 * 1024


def bounded_input(input: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The input with its long texts cut, and its full size."""
    size = len(json.dumps(input, ensure_ascii=False).encode("utf-8", "replace"))
    if size <= KEPT_BYTES:
        return input, size
    share = KEPT_BYTES // max(1, len(input))
    return {
        key: cut(value if isinstance(value, str) else json.dumps(value), share)
        for key, value in input.items()
    }, size


def cut(text: str, limit: int = KEPT_BYTES) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")


def brief(text: str, limit: int = 80) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
