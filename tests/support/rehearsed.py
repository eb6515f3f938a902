"""Tasks for the actor or the scripted model, and sessions that play them."""

from __future__ import annotations

import json
from typing import Any

from tests.support.actor import ACTOR
from tests.support.console import Console


def script(*steps: dict[str, Any]) -> str:
    return f"Do it. <<SCRIPT {json.dumps(steps)} SCRIPT>>"


WRITE = script(
    {"tool": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}, {"text": "Written."}
)


def new(console: Console, text: str, *words: str, agent: str = ACTOR) -> dict[str, Any]:
    made: dict[str, Any] = console.json("new", text, "--agent", agent, *words)
    return made
