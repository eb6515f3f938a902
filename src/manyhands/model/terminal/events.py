"""Events of a session's terminals: opened, ended, and how a person has them listed."""

from __future__ import annotations

from manyhands.model.envelope import Event
from manyhands.model.ids import TerminalId


class TerminalOpened(Event, frozen=True, kw_only=True):
    """A program runs in it; told again of the same terminal, it was started anew."""

    terminal: TerminalId
    name: str
    command: tuple[str, ...]
    pid: int
    takes: bool = False
    """It is the agent's own program, which has the conversation while it runs."""


class TerminalChanged(Event, frozen=True, kw_only=True):
    """Renamed, put elsewhere in the list, or made to tell of its bell."""

    terminal: TerminalId
    name: str
    position: int
    bell: bool = False


class TerminalExited(Event, frozen=True, kw_only=True):
    """As a shell counts it: 128 and the number of the signal, where one ended it."""

    terminal: TerminalId
    exit_code: int
    seconds: float = 0.0
    reason: str = ""


class TerminalClosed(Event, frozen=True, kw_only=True):
    """It is on the list no more."""

    terminal: TerminalId


TerminalEvent = TerminalOpened | TerminalChanged | TerminalExited | TerminalClosed
