"""A conversation in its agent's own program, in a terminal of the session.

States: none → taken → none. The agent's process is gone before the program starts, and the program
before an agent may start again: of both only one ever drives. Whatever ends the program gives the
conversation back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from manyhands.agents.own_screen import OwnScreen, own_screen, require_own_screen
from manyhands.agents.protocol import Workplace
from manyhands.errors import NotPossible
from manyhands.keeper.conversation import TAKEN, LiveConversation
from manyhands.keeper.host import KeeperHost
from manyhands.keeper.premises import Premises
from manyhands.keeper.terminal.terminals import Lead, Terminals
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.ids import AgentSessionId, TerminalId

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
"""Nothing tells of a line in the agent's record; one file is looked at."""
ESCAPE = b"\x1b"
ESCAPES, ESCAPE_SECONDS = 4, 1.5
"""A question that has only just appeared takes no key yet; a program that heeds none is ended."""
INTERRUPT = b"\x03"
LEAVES, LEAVE_SECONDS = 4, 0.6
"""It ends at the second one in a row, and after the first waits about a second for that."""
LAST_SECONDS = 10.0


class Takeovers:
    def __init__(
        self,
        conversation: LiveConversation,
        terminals: Terminals,
        ready: Callable[[KeeperHost], Awaitable[None]],
        workplace: Callable[[KeeperHost], Workplace],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._conversation = conversation
        self._host = conversation.host
        self._terminals = terminals
        self._ready = ready
        self._workplace = workplace
        self._tasks = tasks
        self._terminal: TerminalId | None = None
        self._following: asyncio.Task[None] | None = None
        self._asked = False
        """Whether the end of the program was asked for."""

    async def perform(self, command: wire.AnyTaking) -> None:
        match command:
            case wire.TakeOver():
                await self._take(command)
            case wire.GiveBack():
                await self._give()

    async def _take(self, command: wire.TakeOver) -> None:
        if self._terminal is not None:
            if self._terminal == command.terminal.terminal:
                return
            raise NotPossible(TAKEN)
        agent = self._host.spec.agent
        require_own_screen(agent.name, agent.kind)
        if agent.fork is not None or not self._host.spec.agent_session:
            hint = "say something to it first: the first turn begins the conversation"
            raise NotPossible("there is no conversation to take over yet", hint=hint)
        await self._conversation.lend(self, partial(self._start, command))

    async def _start(self, command: wire.TakeOver) -> None:
        host = self._host
        await self._ready(host)
        await host.prepare()
        resume = AgentSessionId(host.spec.agent_session)
        screen = await asyncio.to_thread(
            own_screen, host.spec.agent, host, self._workplace(host), resume
        )
        env = {**host.spec.agent.env, **screen.env}
        premises = Premises(self._workplace(host).worktree, env, host.box, host.way_out)
        code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        asked = command.terminal
        lead = Lead(premises, screen.shown, code.set_result)
        opening = wire.OpenTerminal(
            terminal=asked.terminal,
            name=asked.name,
            program=screen.command,
            rows=asked.rows,
            columns=asked.columns,
            bell=asked.bell,
        )
        await self._terminals.open(opening, lead)
        self._terminal, self._asked = asked.terminal, False
        host.emit(e.ConversationTaken(terminal=asked.terminal, name=asked.name, by=command.by))
        self._following = self._tasks.create_task(self._follow(screen, code))

    async def _follow(self, screen: OwnScreen, code: asyncio.Future[int]) -> None:
        problem = ""
        try:
            while not code.done():
                await screen.look()
                await asyncio.wait([code], timeout=LOOK_SECONDS)
            await screen.finish()
        except Exception as error:
            log.exception("what the agent's own program did cannot be followed")
            problem = f"what it noted could not be read: {error}"
            await self._terminals.end(self._terminal or TerminalId(""))
        finally:
            if not self._host.turn_over.is_set():
                self._host.emit(e.TurnFinished(outcome="interrupted"))
            self._terminal = self._following = None
            self._conversation.returned()
        ended = code.result() if code.done() else 0
        reason = problem or ("" if self._asked or not ended else f"its program {_end(ended)}")
        self._host.emit(e.ConversationReturned(reason=reason))

    async def _give(self) -> None:
        """Returns when the program is gone, and all that it did is told."""
        if self._following is None or self._terminal is None:
            return
        self._asked = True
        following, terminal = self._following, self._terminal
        await self.interrupt()
        for _ in range(LEAVES):
            # Hung up in a box, it would be gone before it has noted what it used.
            await self._terminals.press(terminal, INTERRUPT)
            if (await asyncio.wait([following], timeout=LEAVE_SECONDS))[0]:
                return
        await self._terminals.end(terminal)
        await asyncio.wait([following])

    async def interrupt(self) -> None:
        """As a person does it there; a program that does not heed it is ended."""
        if self._terminal is None or self._host.turn_over.is_set():
            return
        for _ in range(ESCAPES):
            await self._terminals.press(self._terminal, ESCAPE)
            with suppress(TimeoutError):
                async with asyncio.timeout(ESCAPE_SECONDS):
                    await self._host.turn_over.wait()
            if self._host.turn_over.is_set():
                return
        if self._following is not None:
            following = self._following
            await self._terminals.end(self._terminal)
            await asyncio.wait([following])

    async def close(self) -> None:
        """Its terminal is closed; what it did is told to the end."""
        if self._following is not None:
            await asyncio.wait([self._following], timeout=LAST_SECONDS)


def _end(code: int) -> str:
    return f"was ended by signal {code - 128}" if code > 128 else f"ended with exit code {code}"
