"""The conversations that Claude Code keeps for a directory, as it stores them in its own files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from manyhands.model.ids import AgentSessionId
from manyhands.model.slug import title_of
from manyhands.model.views import PastConversation

MOST = 50
LONGEST_LINE = 4 * 1024 * 1024
LONGEST_NAME = 200
"""A longer directory name is cut there by Claude Code, and a hash follows."""
_ID = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{7,63}")


def past_conversations(env: Mapping[str, str], directory: Path) -> list[PastConversation]:
    """Newest first; those without a word said are left out, and what cannot be read."""
    files = [file for place in _places(env, directory) for file in place.glob("*.jsonl")]
    newest = sorted(files, key=_changed_at, reverse=True)[:MOST]
    return [found for file in newest if (found := _conversation(file))]


def _places(env: Mapping[str, str], directory: Path) -> Iterator[Path]:
    config = Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "/")) / ".claude")
    for path in dict.fromkeys((str(directory), str(directory.resolve()))):
        name = re.sub(r"[^a-zA-Z0-9]", "-", path)
        if len(name) <= LONGEST_NAME:
            yield config / "projects" / name
        else:
            yield from (config / "projects").glob(f"{name[:LONGEST_NAME]}-*")


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _conversation(file: Path) -> PastConversation | None:
    if not _ID.fullmatch(file.stem):
        return None
    title = summary = ""
    messages = 0
    for entry in _entries(file):
        kind = entry.get("type")
        if kind == "summary":
            summary = str(entry.get("summary", ""))
        if kind in ("user", "assistant") and not entry.get("isSidechain"):
            messages += 1
            title = title or (_words(entry) if kind == "user" else "")
    if not messages:
        return None
    changed = datetime.fromtimestamp(_changed_at(file), UTC)
    return PastConversation(
        id=AgentSessionId(file.stem),
        title=title_of(summary or title),
        messages=messages,
        updated_at=changed.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    )


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                entry = _decoded(line)
                if isinstance(entry, dict):
                    yield entry
    except OSError:
        return


def _decoded(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _words(entry: dict[str, Any]) -> str:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = next((text for text in texts if isinstance(text, str)), "")
    return content if isinstance(content, str) else ""
