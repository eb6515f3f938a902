"""The SDK's line to Claude Code over a child of ours.

The SDK's own transport hands the whole environment to the program, learns its exit from closed
pipes and stops it by closing stdin, upon which the program goes on alone. This one does not.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from manyhands.agents.claude import sdk
from manyhands.agents.claude.sdk import CLIConnectionError, ProcessError, Transport
from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import start_boxed
from manyhands.model.box import NO_BOX, Box
from manyhands.process.spawn import Child
from manyhands.process.stop import stop_child

LARGEST_MESSAGE = 64 * 1024 * 1024
SDK_VARIABLES = {
    "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
    "CLAUDE_AGENT_SDK_VERSION": sdk.__version__,
    # Without these frames a result does not tell whether sub-agents still work.
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
}
WANTED = {
    # Newer models do without unless asked, and then nobody sees what is left to do.
    "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
}
"""What a user may set otherwise."""

log = logging.getLogger(__name__)


class ClaudeTransport(Transport):
    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        box: Box = NO_BOX,
        way_out: WayOut | None = None,
    ) -> None:
        self.argv = argv
        self.box = box
        self.way_out = way_out
        self.cwd = cwd
        self.env = {**WANTED, **env, **SDK_VARIABLES, "PWD": str(cwd)}
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        if self._child is None:
            raise CLIConnectionError("Claude Code was not started")
        return self._child

    async def connect(self) -> None:
        self._child = await start_boxed(
            self.box,
            self.argv,
            cwd=self.cwd,
            env=self.env,
            limit=LARGEST_MESSAGE,
            way_out=self.way_out,
        )

    def is_ready(self) -> bool:
        return self._child is not None and self._child.alive

    async def write(self, data: str) -> None:
        try:
            await self.child.write(data.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise CLIConnectionError(str(error)) from error

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (line := await self.child.output.line()) is not None:
            if line.startswith(b"{"):
                yield msgspec.json.decode(line, type=dict[str, Any])
            elif line.strip():
                log.debug("not a message: %.200r", line)
        if code := await self.child.wait():
            raise ProcessError(f"Claude Code ended with {code}", exit_code=code)

    async def end_input(self) -> None:
        """Never: at the end of its input the program answers open questions by itself."""

    async def close(self) -> None:
        if self._child is not None:
            await stop_child(self._child)
