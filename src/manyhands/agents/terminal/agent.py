"""Any program in a terminal as an agent: words are typed, and its screen is all that comes back.

States: not started → up → gone. What it does is known only from its screen, so a turn is over when
the screen has been quiet for a while and the program itself, not a command it runs, has the
terminal. Nothing can be resumed: a program that is gone is started again, and the log says so.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import uuid
from collections.abc import Sequence

from manyhands.agents.bounded import naming
from manyhands.agents.capabilities import TERMINAL
from manyhands.agents.program import find_command
from manyhands.agents.protocol import Assignment, Recalled
from manyhands.agents.terminal.screen import Screen
from manyhands.box.starting import start_terminal
from manyhands.errors import AgentFailed, NotPossible
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.agent.conversation import Heard
from manyhands.model.agent.events import Attachment
from manyhands.model.attention.attention import SEEN_OPTIONS, Attention
from manyhands.model.ids import AgentSessionId, AttentionId, MessageId, fresh_id
from manyhands.model.live import TextDelta
from manyhands.process.stop import signal_child, stop_child
from manyhands.process.terminal import TerminalChild

ROWS, COLUMNS = 40, 120
QUIET_SECONDS = 1.0
"""A screen that has not changed for so long has nothing more to say for now."""
LIVE_SECONDS = 0.15
READY_SECONDS = 5.0
SETTLED_SECONDS = 0.15
LARGEST_BITE = 32 * 1024
"""What is drawn of a flood; the rest would scroll by unseen."""
BELL_SECONDS = 5.0
MOST_BELLS = 10
"""In so many seconds the same words are told once, and so many different ones at most."""
MOST_MESSAGES = 100
LONGEST_TYPED = 256 * 1024
AGAIN = "The program was started again: what it had in mind before is gone."

log = logging.getLogger(__name__)


class TerminalAgent:
    capabilities = TERMINAL

    def __init__(self, given: Assignment) -> None:
        self._spec = given.spec
        self._host = given.host
        self._workplace = given.workplace
        self._tasks = given.tasks
        self._mode = given.mode
        self._screen = Screen(ROWS, COLUMNS, self._ring, self._reply)
        self._child: TerminalChild | None = None
        self._in_turn = self._interrupted = self._stopping = False
        self._changed = asyncio.Event()
        self._last_change = 0.0
        self._first_bell = -BELL_SECONDS
        self._bells: set[str] = set()
        self._told = 0
        self._message = MessageId(fresh_id())
        self._since = 0
        self._said = ""
        self._gone = asyncio.Event()

    async def recall(self, resume: AgentSessionId, told: Heard) -> Recalled:
        return Recalled()

    async def start(self, resume: AgentSessionId | None) -> None:
        self._require_mode(self._mode)
        env = {**self._spec.env, "TERM": "xterm-256color", "PWD": str(self._workplace.worktree)}
        argv = [find_command(self._spec), *self._spec.command[1:]]
        child = self._child = await start_terminal(
            self._workplace.box,
            argv,
            cwd=self._workplace.worktree,
            env=env,
            rows=ROWS,
            columns=COLUMNS,
            way_out=self._workplace.way_out,
        )
        self._host.emit(
            e.AgentStarted(
                agent=self._spec.name,
                agent_session=AgentSessionId(str(uuid.uuid4())),
                pid=child.pid,
            )
        )
        if resume:
            self._host.emit(e.NoteMade(text=AGAIN))
        followed = self._tasks.create_task(self._follow(child))
        self._tasks.create_task(self._tell())
        self._tasks.create_task(self._await_exit(child, followed))
        await self._settled(READY_SECONDS)

    async def send(self, text: str, attachments: Sequence[Attachment] = ()) -> None:
        """Type the words and press Enter; no words at all only see to it that the program runs."""
        child = self._require_child()
        text = naming(text, attachments)
        if len(text) > LONGEST_TYPED:
            raise AgentFailed(f"more than {LONGEST_TYPED // 1024} KB cannot be typed")
        if not self._in_turn:
            self._in_turn, self._interrupted, self._told = True, False, 0
            self._begin_message()
        self._touch()
        if not text:
            return
        keys = text.replace("\r\n", "\n").replace("\n", "\r")
        if self._screen.takes_pastes and "\r" in keys:
            keys = f"\x1b[200~{keys.replace(chr(27), '')}\x1b[201~"
        try:
            await child.write(keys.encode("utf-8", "surrogateescape"))
            # A program that takes a burst for a paste must see that Enter is not part of it.
            await self._settled(1.0)
            await child.write(b"\r")
        except OSError as error:
            raise AgentFailed(f"the program takes no more input: {error}") from error

    async def interrupt(self) -> None:
        if self._in_turn and self._child is not None:
            self._interrupted = True
            self._touch()
            await self._child.write(b"\x03")

    async def set_mode(self, mode: e.Mode) -> None:
        self._require_mode(mode)
        self._mode = mode

    def _require_mode(self, mode: e.Mode) -> None:
        """Nothing here can be held to a mode: the one that promises something is refused."""
        if mode not in self.capabilities.modes:
            raise NotPossible(
                f"agent {self._spec.name} runs in a terminal and cannot be held to a plan",
                hint="choose another mode",
            )

    async def set_model(self, model: str) -> None:
        """The program's own business."""

    async def set_effort(self, effort: str) -> None:
        """The program's own business."""

    async def stop(self) -> None:
        """Hang up, TERM, KILL; returns when the process is gone and that has been said."""
        self._stopping = True
        if self._child is not None:
            await stop_child(self._child, self._hang_up)
            await self._gone.wait()

    async def _hang_up(self) -> None:
        child = self._require_child()
        signal_child(child, signal.SIGHUP)
        await child.wait()

    def _require_child(self) -> TerminalChild:
        if self._child is None or not self._child.alive:
            raise AgentFailed("the program has ended")
        return self._child

    def _touch(self) -> None:
        self._last_change = clock.monotonic()
        self._changed.set()

    async def _settled(self, seconds: float) -> None:
        """Until something was drawn and the screen is at rest for a moment; bounded."""
        until = clock.monotonic() + seconds
        while clock.monotonic() < until and not self._gone.is_set():
            await asyncio.sleep(SETTLED_SECONDS)
            rested = clock.monotonic() - self._last_change
            if self._last_change and rested >= SETTLED_SECONDS:
                return

    async def _follow(self, child: TerminalChild) -> None:
        while (data := await child.output.chunk()) is not None:
            self._screen.feed(data[-LARGEST_BITE:])
            self._touch()
            # Between two looks a chatty program fills the buffer, and a flood is held back.
            await asyncio.sleep(0.2 if len(data) > LARGEST_BITE else 0.01)

    async def _tell(self) -> None:
        """Show the screen while it changes, and tell of it once it rests."""
        while not self._gone.is_set():
            await self._changed.wait()
            self._changed.clear()
            self._show()
            await asyncio.sleep(LIVE_SECONDS)
            while not self._changed.is_set() and not self._gone.is_set():
                left = QUIET_SECONDS - (clock.monotonic() - self._last_change)
                if left <= 0 and self._rest():
                    break
                await asyncio.sleep(max(left, LIVE_SECONDS))

    def _show(self) -> None:
        text = self._screen.text(self._since)
        if text != self._said:
            self._host.live(
                TextDelta(
                    session=self._workplace.session, message=self._message, offset=0, text=text
                )
            )

    def _rest(self) -> bool:
        """The screen is quiet. True where there is nothing to wait for but its next change."""
        self._tell_message()
        if self._in_turn and self._child is not None and not self._child.in_front:
            return False  # a command has the terminal: its end may not be seen on the screen
        self._finish_turn("interrupted" if self._interrupted else "done")
        return True

    def _begin_message(self) -> None:
        self._message = MessageId(fresh_id())
        self._since = self._screen.cursor_line
        self._said = ""

    def _tell_message(self) -> None:
        text = self._screen.text(self._since)
        if text.strip() and text != self._said and self._told < MOST_MESSAGES:
            self._told += 1
            self._host.emit(e.AgentMessage(message=self._message, text=text))
            self._begin_message()
            self._said = self._screen.text(self._since)

    def _finish_turn(self, outcome: str, error: str = "") -> None:
        if self._in_turn:
            self._in_turn = False
            self._host.emit(e.TurnFinished(outcome=outcome, error=error))  # type: ignore[arg-type]

    def _reply(self, text: str) -> None:
        if self._child is not None and self._child.alive:
            self._tasks.create_task(self._child.write(text.encode()))

    def _ring(self, text: str) -> None:
        now = clock.monotonic()
        if now - self._first_bell >= BELL_SECONDS:
            self._first_bell, self._bells = now, set()
        if text in self._bells or len(self._bells) >= MOST_BELLS:
            return
        self._bells.add(text)
        item = Attention(
            id=AttentionId(fresh_id()),
            session=self._workplace.session,
            kind="bell",
            summary=text or "The program rang its bell",
            detail={"text": text},
            options=SEEN_OPTIONS,
            raised_at=clock.now(),
        )
        self._host.emit(e.AttentionRaised(item=item))

    async def _await_exit(self, child: TerminalChild, followed: asyncio.Task[None]) -> None:
        code = await child.wait()
        await asyncio.wait([followed], timeout=3.0)
        self._tell_message()
        ended = f"the program ended with exit code {code}"
        if self._stopping:
            self._finish_turn("interrupted")
        else:
            self._finish_turn("failed" if code else "done", ended if code else "")
        self._host.emit(e.AgentExited(returncode=code, expected=self._stopping, reason=ended))
        self._gone.set()
        self._changed.set()
        child.close()
