"""All terminals of a session, as its keeper holds them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from manyhands.errors import NotPossible
from manyhands.keeper.premises import Premises
from manyhands.keeper.terminal.command import RunningCommand
from manyhands.keeper.terminal.screens import Screens
from manyhands.keeper.terminal.terminal import Terminal
from manyhands.keeper.terminal.viewer import Viewer
from manyhands.model import clock, wire
from manyhands.model.attention.attention import SEEN_OPTIONS, Attention
from manyhands.model.events import (
    AnyEvent,
    AttentionRaised,
    TerminalExited,
    TerminalOpened,
)
from manyhands.model.ids import AttentionId, SessionId, TerminalId, fresh_id
from manyhands.model.terminal import stream
from manyhands.process.identity import Identity

log = logging.getLogger(__name__)

KEPT_SECONDS = 900.0
"""How long what an ended program wrote can still be looked at."""
BELL_SECONDS = 30.0


@dataclass(frozen=True)
class Lead:
    """A program that is run here for another part of the keeper, which is told of its end."""

    premises: Premises
    shown: tuple[str, ...]
    ended: Callable[[int], None]


class Terminals:
    def __init__(
        self,
        session: SessionId,
        tasks: asyncio.TaskGroup,
        tell: Callable[[AnyEvent], None],
        premises: Callable[[], Awaitable[Premises]],
        stir: Callable[[], None],
    ) -> None:
        self._session = session
        self._tasks = tasks
        self._tell = tell
        self._premises = premises
        self._stir = stir
        self._screens = Screens()
        self._all: dict[TerminalId, Terminal] = {}
        self._leads: dict[TerminalId, Lead] = {}
        self._commands: dict[str, RunningCommand] = {}
        self._ended_at: dict[TerminalId, float] = {}
        self._rang_at: dict[TerminalId, float] = {}
        self._closing = False

    @property
    def busy(self) -> bool:
        """Whether a program runs, or the last words of one may still be looked for."""
        looked = any(one.exit is None or one.viewers for one in self._all.values())
        newest = max(self._ended_at.values(), default=-KEPT_SECONDS)
        return looked or bool(self._commands) or clock.monotonic() - newest < KEPT_SECONDS

    def parts(self) -> dict[str, Identity]:
        living = {one.part: one.leader for one in self._all.values()}
        living |= {one.part: one.leader for one in self._commands.values()}
        return {part: leader for part, leader in living.items() if leader is not None}

    async def perform(self, command: wire.AnyTerminalCommand) -> None:
        match command:
            case wire.OpenTerminal():
                await self.open(command)
            case wire.EndTerminal():
                await self.end(command.terminal)
            case wire.SetBell():
                if one := self._all.get(command.terminal):
                    one.bell = command.on

    async def end(self, terminal: TerminalId) -> None:
        if one := self._all.get(terminal):
            await one.end()

    async def press(self, terminal: TerminalId, keys: bytes) -> None:
        if one := self._all.get(terminal):
            await one.type(keys)

    async def open(self, command: wire.OpenTerminal, lead: Lead | None = None) -> None:
        """With the program that it names, or with one that something else here `lead`s."""
        known = self._all.get(command.terminal)
        if known is not None and known.exit is None:
            return
        size = stream.clamped(command.rows, command.columns)
        one = known or Terminal(
            command.terminal, size, self._screens, self._tasks, self._told_end, self._ring
        )
        one.name, one.bell = command.name, command.bell
        premises = lead.premises if lead else await self._premises()
        program = await one.start(premises, command.program)
        if self._closing:
            await one.end()
            raise NotPossible("this keeper is about to end")
        self._all[one.id] = one
        self._ended_at.pop(one.id, None)
        shown = lead.shown if lead else program
        if lead:
            self._leads[one.id] = lead
        self._tell(
            TerminalOpened(
                terminal=one.id,
                name=one.name,
                command=shown,
                pid=one.pid,
                takes=lead is not None,
            )
        )

    def _told_end(self, one: Terminal) -> None:
        assert one.exit is not None
        code, seconds = one.exit.exit_code, one.exit.seconds
        self._tell(TerminalExited(terminal=one.id, exit_code=code, seconds=seconds))
        self._ended_at[one.id] = clock.monotonic()
        if lead := self._leads.pop(one.id, None):
            lead.ended(code)
        asyncio.get_running_loop().call_later(KEPT_SECONDS + 1, self._stir)
        self._stir()

    def _ring(self, one: Terminal) -> None:
        now = clock.monotonic()
        if now - self._rang_at.get(one.id, -BELL_SECONDS) < BELL_SECONDS:
            return
        self._rang_at[one.id] = now
        words = f"The terminal {one.name} rang its bell"
        item = Attention(
            id=AttentionId(fresh_id()),
            session=self._session,
            kind="bell",
            summary=words,
            detail={"terminal": one.name, "text": words},
            options=SEEN_OPTIONS,
            raised_at=clock.now(),
        )
        self._tell(AttentionRaised(item=item))

    async def serve(
        self, asked: wire.AnyStream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """One viewer, or whoever waits for a command, until it goes."""
        match asked:
            case wire.View():
                await self._show(asked, reader, writer)
            case wire.Run():
                await self._run(asked, reader, writer)
        self._stir()

    async def _show(
        self, asked: wire.View, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        one = self._all.get(asked.terminal)
        if one is None:
            gone = stream.ErrorWord(message="its program has ended, and what it wrote is gone")
            writer.write(stream.frame(stream.WORDS, stream.said(gone)))
            await writer.drain()
            return
        size = stream.clamped(asked.rows, asked.columns)
        await Viewer(one, writer, self._tasks, size, types=asked.types).serve(reader)

    async def _run(
        self, asked: wire.Run, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._closing:
            return
        command = RunningCommand(writer, self._tasks)
        self._commands[command.part] = command
        try:
            await command.run(await self._premises(), asked.program, reader)
        finally:
            del self._commands[command.part]

    async def close(self) -> None:
        """Nothing is started any more, and nothing runs after this."""
        self._closing = True
        ends = [one.end() for one in self._all.values()]
        await asyncio.gather(*ends, *(one.end() for one in self._commands.values()))
