"""Claude Code's own screen: how it takes a dialogue up, and what its record tells of it then.

The record is a file of the agent's, so what stands there is read with care: lines are bounded, and
another dialogue is followed only where it is one of this worktree.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from manyhands.agents.claude.cli import find_program
from manyhands.agents.claude.history import (
    LONGEST_LINE,
    config_directory,
    find_transcript,
    project_directory,
)
from manyhands.agents.claude.recorded import Recorded
from manyhands.agents.claude.stream import ClaudeStream
from manyhands.agents.claude.todos import load_todos
from manyhands.agents.claude.turn import Turn
from manyhands.agents.claude.usage import Estimates, load_meter, saved_totals
from manyhands.agents.protocol import Host, Workplace
from manyhands.errors import NotPossible
from manyhands.model.ids import AgentSessionId, fresh_id
from manyhands.model.wire import AgentSpec

MOST_ENTRIES = 500
"""At one look."""
MOST_TOLD = 64 * 1024
"""Bytes of what the program told of its dialogues."""
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class _Record:
    """One dialogue's file, read from where it was when the program took it up."""

    def __init__(self, id: AgentSessionId, config: Path, file: Path, since: int) -> None:
        self.id = id
        self._config = config
        self._file = file
        self._since = since
        self.totals = saved_totals(config, id) if since else {}

    def entries(self) -> list[dict[str, Any]]:
        """The next ones that are whole; blocks."""
        return list(self._entries())

    def _entries(self) -> Iterator[dict[str, Any]]:
        with contextlib.suppress(FileNotFoundError), self._file.open("rb") as lines:
            lines.seek(self._since)
            for _ in range(MOST_ENTRIES):
                line = lines.readline(LONGEST_LINE)
                if not line or (not line.endswith(b"\n") and len(line) < LONGEST_LINE):
                    return
                self._since += len(line)
                with contextlib.suppress(ValueError):
                    if isinstance(entry := json.loads(line), dict):
                        yield entry

    def news(self) -> dict[str, Any]:
        """What the program saved of its use since, if it did; blocks."""
        now = saved_totals(self._config, self.id)
        return now if now != self.totals else {}


class ClaudeScreen:
    name = "claude"

    def __init__(
        self, spec: AgentSpec, host: Host, workplace: Workplace, resume: AgentSessionId
    ) -> None:
        self._spec = spec
        self._host = host
        self._workplace = workplace
        self._config = config_directory(spec.env)
        file = find_transcript(self._config, resume)
        if file is None:
            raise NotPossible(
                f"Claude Code keeps no conversation {resume}", hint="say something to it first"
            )
        self._told = self._told_in()
        self._record = _Record(resume, self._config, file, file.stat().st_size)
        self._recorded = self._reading(resume, known=True)
        program = find_program(spec)
        self.command = (*program.command, *self._flags(resume))
        self.shown: tuple[str, ...] = ("claude", "--resume", resume)
        # It asks whether a directory is trusted, which was decided before: what a repository brings
        # along takes effect only by the flags.
        self.env: Mapping[str, str] = {"CLAUDE_CODE_SANDBOXED": "1"}

    def _told_in(self) -> Path | None:
        scratch = self._spec.env.get("CLAUDE_CODE_TMPDIR")
        if not scratch:
            return None
        Path(scratch).mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(scratch) / f"dialogues-{fresh_id()}"

    def _flags(self, resume: AgentSessionId) -> list[str]:
        """As with `cli.arguments`; it asks the person who sits there about every tool call."""
        spec = self._spec
        settings: dict[str, Any] = {"disableAllHooks": False}
        if self._told:
            tell = f"{{ cat; echo; }} >> {shlex.quote(str(self._told))}"
            hook = {"hooks": [{"type": "command", "command": tell}]}
            settings["hooks"] = {"SessionStart": [hook]}
        servers = self._workplace.worktree / ".mcp.json"
        brought = spec.trusted and servers.is_file()
        return [
            f"--resume={resume}",
            *("--permission-mode", "default"),
            f"--setting-sources={'user,project,local' if spec.trusted else 'user'}",
            f"--settings={json.dumps(settings)}",
            *([f"--mcp-config={servers}"] if brought else []),
            *([f"--model={spec.model}"] if spec.model else []),
            *([f"--effort={spec.effort}"] if spec.effort else []),
        ]

    def _reading(self, id: AgentSessionId, *, known: bool) -> Recorded:
        stream = ClaudeStream(
            self._host,
            self._workplace,
            load_meter(self._config, id),
            Turn(),
            on_mode=lambda _: None,
            todos=load_todos(self._config, id),
            estimates=Estimates(self._spec.prices),
        )
        return Recorded(self._host, stream, self._spec, id, known=known)

    async def look(self) -> None:
        await self._take()
        if found := await asyncio.to_thread(self._another):
            await self._settle()
            self._record, self._recorded = found
            await self._take()

    async def _take(self) -> int:
        entries = await asyncio.to_thread(self._record.entries)
        for entry in entries:
            self._recorded.take(entry)
            await self._host.room()
        self._recorded.rest()
        return len(entries)

    def _another(self) -> tuple[_Record, Recorded] | None:
        """The dialogue that the program leads now, where it is another, as after `/clear`."""
        id, is_new = self._last_told()
        file = project_directory(self._config, self._workplace.worktree) / f"{id}.jsonl"
        if not id or id == self._record.id or not file.is_file():
            return None
        since = 0 if is_new else file.stat().st_size
        return _Record(id, self._config, file, since), self._reading(id, known=False)

    def _last_told(self) -> tuple[AgentSessionId, bool]:
        """The dialogue that the program entered last, and whether it began there."""
        try:
            lines = self._told.read_bytes()[-MOST_TOLD:].splitlines() if self._told else []
        except OSError:
            lines = []
        for line in reversed(lines):
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict) and _ID.fullmatch(str(told.get("session_id"))):
                    return AgentSessionId(str(told["session_id"])), told.get("source") == "clear"
        return AgentSessionId(""), False

    async def _settle(self) -> None:
        while await self._take():
            pass
        self._recorded.stream.settle(await asyncio.to_thread(self._record.news))

    async def finish(self) -> None:
        await self.look()
        await self._settle()
        self._recorded.cut_off()
        if self._told:
            await asyncio.to_thread(self._told.unlink, missing_ok=True)
