"""What a test tells the scripted model to do, step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def script(*steps: Mapping[str, Any], words: str = "Please.") -> str:
    """A message that tells the scripted model what to do, step by step."""
    return f"{words} <<SCRIPT {json.dumps(steps)} SCRIPT>>"


def write(path: str, content: str = "x\n") -> dict[str, Any]:
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def bash(command: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command, "description": "run it"}}


def hold(path: str) -> dict[str, Any]:
    """A command that runs until the file is there: the test says when the turn goes on."""
    return bash(f"while [ ! -e {path} ]; do sleep 0.05; done; echo released")
