"""One terminal: its program, all that this wrote, and those who look on.

States: running → ended → running again. Its bytes are read once per wake-up, so that a flood here
delays nobody else, and are never waited for: a viewer that is slow gets a new screen instead.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from manyhands.box.starting import start_terminal
from manyhands.errors import NotPossible
from manyhands.keeper.life import part_processes
from manyhands.keeper.premises import Premises
from manyhands.keeper.terminal.history import ScreenDrawing, TerminalHistory
from manyhands.keeper.terminal.screens import Screens
from manyhands.keeper.terminal.signs import Signs
from manyhands.keeper.terminal.viewer import Viewer
from manyhands.model import clock
from manyhands.model.ids import TerminalId
from manyhands.model.terminal import stream
from manyhands.process.identity import Identity, alive
from manyhands.process.stop import Patience, end_processes, stop_child
from manyhands.process.terminal import TerminalChild

log = logging.getLogger(__name__)

MOST_UNTYPED = 1024 * 1024
"""Bytes typed that the program has not taken; what comes beyond is refused."""
LAST_READS = 1024
REST_SECONDS = 2.0
"""Between two new beginnings: in a flood each would be out of date at once."""
HANG_UP = Patience(ask=2.0, term=2.0, kill=3.0)
ANEW = b"\x18\x1b[?1049l\x1b[?1000;1002;1003;1004;1006;2004l\x1b[!p\x1b[?25h\x1b[0m\r\n"
"""Before a program is started anew: nothing of what the last one had set."""
SHELLS = ("/bin/bash", "/bin/sh")


class Terminal:
    def __init__(
        self,
        id: TerminalId,
        size: tuple[int, int],
        screens: Screens,
        tasks: asyncio.TaskGroup,
        ended: Callable[[Terminal], None],
        rang: Callable[[Terminal], None],
    ) -> None:
        self.id = id
        self.name = ""
        self.size = size
        self.bell = False
        self.exit: stream.ExitWord | None = None
        self.history = TerminalHistory(*size)
        self.signs = Signs()
        self.viewers: list[Viewer] = []
        self._child: TerminalChild | None = None
        self._began = 0.0
        self._screens = screens
        self._tasks = tasks
        self._ended = ended
        self._rang = rang
        self._beginning = False
        self._gone = asyncio.Event()

    @property
    def part(self) -> str:
        return f"terminal-{self.id}"

    @property
    def leader(self) -> Identity | None:
        return self._child.identity if self._child is not None and self.exit is None else None

    @property
    def pid(self) -> int:
        return self._child.pid if self._child else 0

    async def start(self, premises: Premises, program: tuple[str, ...]) -> tuple[str, ...]:
        """What is run; raises where there is no such program."""
        env = {**premises.environment(self.part), "TERM": "xterm-256color"}
        env["COLORTERM"] = "truecolor"
        env.setdefault("LANG", "C.UTF-8")
        argv = found_program(program or _shell(env), env, premises.worktree)
        if self.exit is not None:
            self._take(ANEW)
        self._gone = asyncio.Event()
        self._child = child = await start_terminal(
            premises.box,
            argv,
            cwd=premises.worktree,
            env=env,
            rows=self.size[0],
            columns=self.size[1],
            way_out=premises.way_out,
            readable=self._read,
        )
        self._began, self.exit = clock.monotonic(), None
        self._tasks.create_task(self._await_exit(child))
        return argv

    def _read(self) -> None:
        child = self._child
        data = child.read() if child is not None else None
        if data is None:
            if child is not None:
                child.deafen()
        elif data:
            self._take(data)

    def _take(self, data: bytes) -> None:
        self.history.add(data)
        if self.signs.hear(data) and self.bell:
            self._rang(self)
        for viewer in self.viewers:
            viewer.pump()
        if self.history.is_full and not self._beginning:
            self._beginning = True
            self._tasks.create_task(self._begin_anew())

    async def _begin_anew(self) -> None:
        """What was written so far becomes a drawing, before it would be lost."""
        try:
            recording, size = self.history.recording(), self.size
            drawing = await self._screens.draw(recording, patient=True)
            if drawing.exact:
                self.history.begin_at(recording.offset - drawing.rest, *size, drawing.data)
            await asyncio.sleep(REST_SECONDS)
        finally:
            self._beginning = False

    async def screen(self) -> tuple[int, ScreenDrawing]:
        """The screen as it is now, and up to which byte that is."""
        recording = self.history.recording()
        drawing = await self._screens.draw(recording)
        if not drawing.exact:
            self._nudge()
        return recording.offset - drawing.rest, drawing

    def _nudge(self) -> None:
        """A program that is told of another size draws everything anew."""
        rows, columns = self.size
        if self._child is not None and self._child.alive:
            self._child.resize(rows, columns - 1)
            self._child.resize(rows, columns)

    async def type(self, data: bytes) -> str:
        """Keys for the program; why they were not taken, else nothing."""
        child = self._child
        if child is None or not child.alive:
            return "the program has ended"
        if child.unwritten + len(data) > MOST_UNTYPED:
            return "the program takes no input: what was typed last is left out"
        try:
            await child.write(data)
        except OSError as error:
            return f"the program takes no more input: {error}"
        return ""

    def join(self, viewer: Viewer) -> None:
        self.viewers.append(viewer)
        self.fit()
        self._tell(stream.ViewersWord(viewers=len(self.viewers)))

    def leave(self, viewer: Viewer) -> None:
        self.viewers.remove(viewer)
        self.fit()
        self._tell(stream.ViewersWord(viewers=len(self.viewers)))

    def fit(self) -> None:
        """The size of the smallest viewer that types; without any it stays."""
        sizes = [viewer.size for viewer in self.viewers if viewer.types]
        if not sizes:
            return
        size = (min(rows for rows, _ in sizes), min(columns for _, columns in sizes))
        if size != self.size:
            self.size = size
            self.history.resized(*size)
            if self._child is not None:
                self._child.resize(*size)
            self._tell(stream.SizeWord(rows=size[0], columns=size[1]))

    def _tell(self, word: stream.ToViewer) -> None:
        for viewer in self.viewers:
            viewer.tell(word)

    async def _await_exit(self, child: TerminalChild) -> None:
        code = await child.wait()
        for _ in range(LAST_READS):
            data = child.read()
            if not data:
                break
            self._take(data)
            await asyncio.sleep(0)
        child.close()
        seconds = round(clock.monotonic() - self._began, 3)
        self.exit = stream.ExitWord(exit_code=128 - code if code < 0 else code, seconds=seconds)
        self._ended(self)
        self._gone.set()
        for viewer in self.viewers:
            viewer.pump()

    async def end(self) -> None:
        """Hang up, TERM, KILL, to the program, its group, and whatever got away from both."""
        child = self._child
        if child is None or self.exit is not None:
            return
        found = await asyncio.to_thread(part_processes, self.part, child.identity)
        await stop_child(child, lambda: _hang_up(child), HANG_UP)
        found += await asyncio.to_thread(part_processes, self.part, child.identity)
        left = [one for one in dict.fromkeys(found) if alive(one)]
        if left:
            await asyncio.to_thread(end_processes, left)
        await self._gone.wait()


async def _hang_up(child: TerminalChild) -> None:
    child.hang_up()
    await child.wait()


def _shell(env: dict[str, str]) -> tuple[str, ...]:
    for shell in (env.get("SHELL", ""), *SHELLS):
        if shell and shutil.which(shell):
            return (shell,)
    raise NotPossible("no shell is installed here")


def found_program(program: tuple[str, ...], env: dict[str, str], worktree: Path) -> tuple[str, ...]:
    """By its whole path, or below the worktree: else the failure would be the program's first
    and last words."""
    name = program[0]
    if "/" in name:
        is_there = shutil.which(str(worktree / Path(name).expanduser())) is not None
    else:
        is_there = shutil.which(name, path=env.get("PATH")) is not None
    if not is_there:
        hint = "see its PATH in a terminal of the session: echo $PATH"
        raise NotPossible(f"no program {name!r} is found in the session", hint=hint)
    return program
