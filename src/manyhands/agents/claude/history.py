"""The conversations that Claude Code keeps for a directory, and where it keeps what is its own."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from manyhands.agents.protocol import Recalled
from manyhands.model.agent.conversation import Fork, Heard
from manyhands.model.agent.views import PastConversation
from manyhands.model.clock import instant, monotonic
from manyhands.model.ids import AgentSessionId
from manyhands.model.slug import title_of
from manyhands.providers import spoken

MOST = 50
LONGEST_LINE = 4 * 1024 * 1024
LONGEST_NAME = 200
"""A longer directory name is cut there by Claude Code, and a hash follows."""
PATIENCE_SECONDS = 3.0
STEP_SECONDS = 0.01
_ID = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{7,63}")


def past_conversations(env: Mapping[str, str], directory: Path) -> list[PastConversation]:
    """Newest first; those without a word said are left out, and what cannot be read."""
    files = [file for folder in _folders(env, directory) for file in folder.glob("*.jsonl")]
    newest = sorted(files, key=_changed_at, reverse=True)[:MOST]
    return [found for file in newest if (found := _conversation(file))]


def _folders(env: Mapping[str, str], directory: Path) -> Iterator[Path]:
    config = config_directory(env)
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
    return PastConversation(
        id=AgentSessionId(file.stem),
        title=title_of(spoken(summary or title)),
        messages=messages,
        updated_at=instant(_changed_at(file)),
    )


def _entries(file: Path, since: int = 0) -> Iterator[dict[str, Any]]:
    try:
        with file.open("rb") as lines:
            lines.seek(since)
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


def config_directory(env: Mapping[str, str]) -> Path:
    return Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "/")) / ".claude")


def project_directory(config: Path, worktree: Path) -> Path:
    return config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(worktree.resolve()))


def find_transcript(config: Path, session: str) -> Path | None:
    return next((config / "projects").glob(f"*/{session}.jsonl"), None)


def transcript_size(config: Path, session: str) -> int:
    found = find_transcript(config, session)
    return found.stat().st_size if found else 0


async def wait_for_prompt(config: Path, session: str, since: int) -> bool:
    """Whether the record holds what was said after its first `since` bytes.

    The program writes it in portions, a moment late, and first of all that something was said: cut
    off then, it would go on without a word of the task. Nothing tells of the moment, so the file is
    looked at, for a bounded time.
    """
    deadline = monotonic() + PATIENCE_SECONDS
    while not _holds_prompt(config, session, since):
        if monotonic() > deadline:
            return False
        await asyncio.sleep(STEP_SECONDS)
    return True


def _holds_prompt(config: Path, session: str, since: int) -> bool:
    found = find_transcript(config, session)
    return found is not None and any(map(_is_prompt, _entries(found, since)))


def _is_prompt(entry: dict[str, Any]) -> bool:
    """What a tool gave back is a user's entry too."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    parts = content if isinstance(content, list) else ()
    given_back = any(isinstance(p, dict) and p.get("type") == "tool_result" for p in parts)
    return entry.get("type") == "user" and not entry.get("isSidechain") and not given_back


def recall(config: Path, session: AgentSessionId, told: Heard) -> Recalled:
    """What the record holds of what a process was told before it died.

    It writes late, and in portions: first of all that something was queued. From that alone it does
    not resume; and where other entries are there without the words, it resumes without its task.
    """
    found = find_transcript(config, session)
    if found is None:
        return Recalled()  # whoever resumes it says so
    entries = list(_entries(found))
    if not told.since and not any(map(_is_dialogue, entries)):
        return Recalled(resumes=False, lost=told.messages)
    said = [_said(entry) for entry in _after(entries, told.since)]
    lost = (m for m in told.messages if not any(_is_held(m.text, words) for words in said))
    return Recalled(lost=tuple(lost))


def _after(entries: list[dict[str, Any]], mark: str) -> list[dict[str, Any]]:
    at = next((n for n, entry in enumerate(entries) if mark and entry.get("uuid") == mark), -1)
    return entries[at + 1 :]


def _is_dialogue(entry: dict[str, Any]) -> bool:
    return entry.get("type") in ("user", "assistant") and not entry.get("isSidechain")


def _said(entry: dict[str, Any]) -> str:
    """What a person said: at the beginning of a turn, or within one."""
    if entry.get("type") == "attachment":
        attached = entry.get("attachment")
        queued = attached if isinstance(attached, dict) else {}
        return str(queued.get("prompt", "")) if queued.get("type") == "queued_command" else ""
    return _words(entry) if _is_prompt(entry) else ""


def _is_held(text: str, said: str) -> bool:
    """A command of the program's own is noted in other words; one that is doubled does harm."""
    return text.strip() in said or text.lstrip().startswith("/")


def bring_transcript(config: Path, fork: Fork, worktree: Path) -> None:
    """Claude Code looks for a dialogue only where it was led: a fork elsewhere needs a copy."""
    name = f"{fork.agent_session}.jsonl"
    here = project_directory(config, worktree) / name
    there = project_directory(config, Path(fork.worktree or worktree)) / name
    if not here.exists() and there.exists():
        here.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(there, here)
