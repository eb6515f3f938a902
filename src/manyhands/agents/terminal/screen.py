"""What stands on a terminal's screen, as plain text: pyte draws it, and no sequence gets through.

Lines that scroll off are kept up to a bound. A line that runs to the edge goes on in the next one.
Strings for the terminal itself (titles, notifications, device strings) are taken out before.
"""

from __future__ import annotations

import codecs
import copy
import re
from collections import deque
from collections.abc import Callable
from typing import Any

import pyte

MOST_LINES = 2000
LONGEST_TEXT = 64 * 1024
LONGEST_STRING = 4096
LEFT_OUT = "… earlier output is left out …\n"
ALTERNATE = frozenset({47, 1047, 1049})
_STRING = re.compile(r"\x1b([\]P_^X])([^\x07\x1b]*)(?:\x07|\x1b\\)")
_BEGUN_STRING = re.compile(r"\x1b(?:[\]P_^X][^\x07\x1b]*\x1b?)?\Z")


class _Glass(pyte.Screen):
    """The visible part; tells what scrolls off, what rings, and what the program must be told."""

    def __init__(self, columns: int, rows: int, screen: Screen) -> None:
        self._owner = screen
        self._other: tuple[Any, Any] | None = None
        super().__init__(columns, rows)

    @property
    def alternate(self) -> bool:
        return self._other is not None

    def index(self) -> None:
        bottom = self.margins.bottom if self.margins else self.lines - 1
        top = self.margins.top if self.margins else 0
        if self.cursor.y == bottom and top == 0 and not self.alternate:
            self._owner.scrolled(self.line(0))
        super().index()

    def line(self, number: int) -> str:
        cells = self.buffer[number]
        return "".join(cells[x].data for x in range(self.columns))

    def bell(self, *args: Any) -> None:
        self._owner.rang("")

    def write_process_input(self, data: str) -> None:
        self._owner.reply(data)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private") and ALTERNATE & set(modes) and not self.alternate:
            self._other = (copy.deepcopy(self.buffer), copy.copy(self.cursor))
            self.erase_in_display(2)
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private") and ALTERNATE & set(modes) and self._other is not None:
            self.buffer, self.cursor = self._other
            self._other = None
        super().reset_mode(*modes, **kwargs)


class Screen:
    """`rang` gets the text of a notification, or "" for a plain bell; `reply` goes to the program.

    Lines are counted from the start of the program; `cursor_line` is the one that the cursor is in.
    """

    def __init__(
        self, rows: int, columns: int, rang: Callable[[str], None], reply: Callable[[str], None]
    ) -> None:
        self.rang = rang
        self.reply = reply
        self._glass = _Glass(columns, rows, self)
        self._stream = pyte.Stream(self._glass)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""
        self._above: deque[str] = deque(maxlen=MOST_LINES)
        self._gone = 0

    def feed(self, data: bytes) -> None:
        text = self._begun + self._decoder.decode(data)
        text = _STRING.sub(self._hear, text)
        begun = _BEGUN_STRING.search(text)
        cut = begun.start() if begun and len(text) - begun.start() < LONGEST_STRING else len(text)
        self._begun = text[cut:]
        try:
            self._stream.feed(text[:cut])
        except (TypeError, ValueError, IndexError):
            # A sequence that pyte cannot take ends its parser: begin a new one behind it.
            self._stream = pyte.Stream(self._glass)

    def _hear(self, found: re.Match[str]) -> str:
        said = notification(found[2]) if found[1] == "]" else None
        if said is not None:
            self.rang(said)
        return ""

    def scrolled(self, line: str) -> None:
        self._above.append(line)
        self._gone += 1

    @property
    def takes_pastes(self) -> bool:
        """Whether the program wants to be told what is pasted and what is typed."""
        return (2004 << 5) in self._glass.mode

    @property
    def cursor_line(self) -> int:
        return self._gone + self._glass.cursor.y

    def text(self, since: int) -> str:
        """What stands there from a line on; a program that took the whole screen, all of it."""
        glass = self._glass
        if glass.alternate or self.cursor_line < since:
            since = self._gone
        first = max(0, len(self._above) - max(0, self._gone - since))
        lines = [*list(self._above)[first:]]
        seen = [glass.line(y) for y in range(glass.lines)]
        lines += seen[max(0, since - self._gone) :]
        cut = self._gone - len(self._above) > since
        return _bounded(_joined(lines, glass.columns).rstrip(), cut=cut)


def _joined(lines: list[str], columns: int) -> str:
    """A line whose last cell is in use runs on in the next."""
    whole = ""
    parts = []
    for line in lines:
        whole += line
        if len(line) < columns or line.endswith(" "):
            parts.append(whole.rstrip())
            whole = ""
    return "\n".join([*parts, whole])


def _bounded(text: str, *, cut: bool) -> str:
    if len(text) > LONGEST_TEXT:
        text, cut = text[-LONGEST_TEXT:], True
    return LEFT_OUT + text if cut else text


def notification(string: str) -> str | None:
    """What a program asks the terminal to tell its user: iTerm2's 9, kitty's 99, urxvt's 777."""
    code, _, rest = string.partition(";")
    match code:
        case "9":
            # ConEmu counts its progress bars under the same number.
            return None if rest.startswith("4;") else _plain(rest)
        case "99":
            return _plain(rest.partition(";")[2])
        case "777" if rest.startswith("notify;"):
            title, _, body = rest.removeprefix("notify;").partition(";")
            return _plain(": ".join(filter(None, (title, body))))
        case _:
            return None


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:200].strip()
