"""One viewer of a terminal, at the other end of a connection of its own.

First the screen, then every byte since, as fast as it acknowledges them. One that falls so far
behind that bytes are gone gets a new screen: it never holds the program back, nor other viewers.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

import msgspec

from manyhands.keeper.terminal.history import ScreenDrawing, TerminalHistory
from manyhands.keeper.terminal.signs import Signs
from manyhands.model.terminal import stream

log = logging.getLogger(__name__)

PORTION = 32 * 1024
MOST_WORDS = 64 * 1024
"""Unsent bytes beyond which a title, of which there may be any number, is told later."""
SCREEN_SECONDS = 0.5
"""Between two screens for one that cannot follow a flood."""


class Watched(Protocol):
    """Of a `Terminal`, what is needed here."""

    size: tuple[int, int]
    exit: stream.ExitWord | None
    history: TerminalHistory
    signs: Signs
    viewers: list[Viewer]

    async def screen(self) -> tuple[int, ScreenDrawing]: ...

    async def type(self, data: bytes) -> str: ...

    def join(self, viewer: Viewer) -> None: ...

    def leave(self, viewer: Viewer) -> None: ...

    def fit(self) -> None: ...


class Viewer:
    def __init__(
        self,
        terminal: Watched,
        writer: asyncio.StreamWriter,
        tasks: asyncio.TaskGroup,
        size: tuple[int, int],
        *,
        types: bool,
    ) -> None:
        self.types = types
        self.size = size
        self._terminal = terminal
        self._writer = writer
        self._tasks = tasks
        self._position = 0
        self._unacked = 0
        self._drawing: asyncio.Task[None] | None = None
        self._title = ""
        self._told_exit: stream.ExitWord | None = None
        self._drawn = False

    async def serve(self, reader: asyncio.StreamReader) -> None:
        self._terminal.join(self)
        try:
            self._draw()
            while (found := await stream.read_frame(reader, stream.LARGEST_TYPED)) is not None:
                kind, data = found
                await (self._type(data) if kind == stream.BYTES else self._heed(data))
        except msgspec.MsgspecError as error:
            self.tell(stream.ErrorWord(message=f"not a word that is known here: {error}"))
        finally:
            self._terminal.leave(self)
            if self._drawing:
                self._drawing.cancel()

    async def _type(self, keys: bytes) -> None:
        refused = await self._terminal.type(keys) if self.types else "you only look on"
        if refused:
            self.tell(stream.ErrorWord(message=refused))

    async def _heed(self, words: bytes) -> None:
        match stream.heard(words):
            case stream.AckWord(bytes=bytes):
                self._unacked = max(0, self._unacked - bytes)
                self.pump()
            case stream.SizeWord(rows=rows, columns=columns):
                self.size = stream.clamped(rows, columns)
                self._terminal.fit()

    def tell(self, word: stream.ToViewer) -> None:
        """Before its first screen a viewer is told nothing that this will say anyway."""
        if self._drawn or isinstance(word, stream.ErrorWord):
            self._send(stream.WORDS, stream.said(word))

    def _send(self, kind: int, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(stream.frame(kind, data))

    def _draw(self) -> None:
        if self._drawing is None:
            self._drawing = self._tasks.create_task(self._show_screen())

    async def _show_screen(self) -> None:
        terminal = self._terminal
        if self._drawn:
            await asyncio.sleep(SCREEN_SECONDS)
        offset, drawing = await terminal.screen()
        missed = offset < terminal.history.start  # overtaken by a flood meanwhile
        data = drawing.data + (terminal.history.lost if missed else b"")
        self._position = max(offset, terminal.history.start)
        self._title = terminal.signs.title or drawing.title
        rows, columns = terminal.size
        screen = stream.ScreenWord(rows=rows, columns=columns, title=self._title, offset=offset)
        self._send(stream.WORDS, stream.said(screen))
        self._send(stream.BYTES, data)
        if not self._drawn:
            self._drawn = True
            self.tell(stream.ViewersWord(viewers=len(terminal.viewers)))
        self._unacked = len(data)
        self._drawing = None
        self.pump()

    def pump(self) -> None:
        """Send what there is and may be sent now."""
        if self._drawing is not None:
            return
        history = self._terminal.history
        if self._position < history.start:
            if self._unacked <= stream.WINDOW // 2:  # it would only fall behind again
                self._draw()
            return
        while self._unacked < stream.WINDOW and self._position < history.end:
            most = min(PORTION, stream.WINDOW - self._unacked)
            data = history.since(self._position, most)
            self._position += len(data)
            self._unacked += len(data)
            self._send(stream.BYTES, data)
        self._tell_rest()

    def _tell_rest(self) -> None:
        terminal = self._terminal
        is_told = terminal.signs.title in ("", self._title)
        if not is_told and self._writer.transport.get_write_buffer_size() < MOST_WORDS:
            self._title = terminal.signs.title
            self.tell(stream.TitleWord(title=self._title))
        is_over = terminal.exit is not None and self._position >= terminal.history.end
        if is_over and terminal.exit is not self._told_exit:
            self._told_exit = terminal.exit
            assert terminal.exit is not None
            self.tell(terminal.exit)
