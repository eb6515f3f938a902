"""Tasks for the scripted model, and sessions that play them."""

from __future__ import annotations

import json
from typing import Any

from tests.support.console import Console


def script(*steps: dict[str, Any]) -> str:
    return f"Do it. <<SCRIPT {json.dumps(steps)} SCRIPT>>"


WRITE = script(
    {"tool": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}, {"text": "Written."}
)


def new(console: Console, text: str, *words: str) -> dict[str, Any]:
    made: dict[str, Any] = console.json("new", text, "--agent", "rehearsal", *words)
    return made
