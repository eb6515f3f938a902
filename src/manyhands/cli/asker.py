"""Who asked for something, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.cli.terminal import inert

_WAYS = {"cli": "from the command line", "page": "from the page", "api": "over the API"}


def asker_text(asker: Mapping[str, Any] | None) -> str:
    """Empty where nobody asked, since the hub or the agent did it by itself."""
    if not asker:
        return ""
    way = _WAYS.get(str(asker.get("via")), "")
    program, pid = inert(str(asker.get("program", ""))), asker.get("pid", 0)
    which = " ".join(str(word) for word in (program, pid) if word)
    return f"by you, {way}{f' ({which})' if which else ''}"
